"""A small file can decompress to more than the memory: its load ends at the memory budget, and nothing else is affected."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from long_load import repeated
from places import DATA


def bomb(path, head, piece, tail, size):
    """Writes about `size` bytes of JSON, compressed to less than a hundredth of that."""
    block = piece * ((1 << 20) // len(piece))
    repeated(path, head, block, size // len(block), tail)
    assert path.stat().st_size * 100 < size
    return path


EVENT = json.dumps({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {}}).encode()


def resident(pid, what="VmRSS"):
    """The bytes of memory that a process holds; `VmHWM`: its peak."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{what}:")) << 10


def test_bomb_ends_with_a_message_and_loaded_traces_stay(start, tracebook_argv, tmp_path):
    """Endless events make columns grow."""
    path = bomb(tmp_path / "bomb.json.gz", b'{"traceEvents": [' + EVENT, b"," + EVENT, b"]}", 1 << 30)
    kernel = start(tracebook_argv, env={"TRACEBOOK_MEMORY": "300M"})
    kernel.ok(f"%trace_load {DATA}/job/rank-0.json.gz --as control --quiet")
    before = kernel.ok("%trace_list").outputs[-1]["content"]["data"]["text/plain"]
    ran = kernel.run(f"%trace_load {path} --as bomb", timeout=120)
    assert ran.status == "error" and ran.content["ename"] == "TraceError", ran.content
    message = ran.content["evalue"]
    # The thing, the reason and the fix.
    for part in (
        f"cannot load {path}: the process holds ",
        "memory budget of 300 MiB",
        "drop other traces",
        "set TRACEBOOK_MEMORY=1G",
    ):
        assert part in message, message
    # The budget is checked between chunks, so the columns of one chunk may exceed it.
    assert resident(kernel.pid, "VmHWM") < 600 << 20
    assert kernel.ok("%trace_list").outputs[-1]["content"]["data"]["text/plain"] == before
    kernel.ok("%gpu_kernel_breakdown control --no-figure")
    # The memory of the bomb is released.
    assert resident(kernel.pid) < 300 << 20


@pytest.mark.parametrize("before", [b'{"ph": "X", "name": "', b'{"ph": "X", "name": "k", "args": {"note": "'])
def test_one_endless_text_ends_at_the_budget(start, tracebook_argv, tmp_path, before):
    head = b'{"traceEvents": [' + EVENT + b", " + before
    path = bomb(tmp_path / "text.json.gz", head, b"a" * 1024, b'"}]}', 1 << 30)
    kernel = start(tracebook_argv)
    kernel.run(f"%trace_load {path} --as text --quiet", timeout=120)
    assert resident(kernel.pid, "VmHWM") < 300 << 20


def test_invalid_budget_is_reported(start, tracebook_argv):
    kernel = start(tracebook_argv, env={"TRACEBOOK_MEMORY": "huge"})
    path = f"{DATA}/job/rank-0.json.gz"
    # In a cell it is an error of the load, and other code runs.
    for code in (f"%trace_load {path} --as control", f'TraceSet::load("{path}")?'):
        ran = kernel.run(code, timeout=120)
        assert 'invalid TRACEBOOK_MEMORY="huge": expected 8G' in ran.content["evalue"], ran.content
    assert kernel.ok("1 + 1").status == "ok"
    # A context of the cell has a budget of its own.
    kernel.ok(f'Execution::new().memory(8 << 30).run(|| TraceSet::load("{path}"))?.ranks()', timeout=120)


def test_budget_of_a_terminal_command(tracebook_argv):
    for setting, part in [("huge", 'invalid TRACEBOOK_MEMORY="huge": expected 8G'), ("1", "memory budget of 1 B")]:
        command = [tracebook_argv[0], "describe", f"{DATA}/control"]
        ended = subprocess.run(
            command, env={**os.environ, "TRACEBOOK_MEMORY": setting}, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 1 and part in ended.stderr, ended


def test_a_budget_below_what_the_kernel_holds_refuses_every_load(start, tracebook_argv):
    """Even for a small trace, since the kernel's own memory counts."""
    for setting, words in [("5M", "5 MiB"), ("1", "1 B")]:
        kernel = start(tracebook_argv, env={"TRACEBOOK_MEMORY": setting})
        ran = kernel.run(f"%trace_load {DATA}/control --as control")
        assert ran.content["ename"] == "TraceError", ran.content
        assert f"MiB of its memory budget of {words}; load fewer ranks" in ran.content["evalue"], ran.content["evalue"]
        assert kernel.ok("%lsmagic").status == "ok"


def test_analysis_in_a_tight_budget_is_right_or_refused(start, tracebook_argv, large_trace, tmp_path):
    """Ranks that do not fit are on disk, and as many as fit are analysed at once; one that does not fit alone is refused."""
    folder = tmp_path / "job"
    folder.mkdir()
    for rank in range(4):
        file = folder / f"rank{rank}.json"
        subprocess.run([large_trace, file, "--bytes", "40M", "--rank", str(rank)], check=True, capture_output=True)
    # Without the cells toolchain the columns stay in the kernel, instead of being mapped from a file some time after the load.
    no_cells = {"TRACEBOOK_CELLS": "/no/such/folder"}
    kernel = start(tracebook_argv, env=no_cells)
    kernel.ok(f"%trace_load {folder} --as job --quiet", timeout=60)
    kernel.ok("%trace_list")
    held = resident(kernel.pid) >> 20
    whole = kernel.ok("%temporal_breakdown job --no-figure", timeout=60).one("display_data")["data"]["text/plain"]
    kernel = start(tracebook_argv, env={**no_cells, "TRACEBOOK_MEMORY": f"{held + 14}M"})
    kernel.ok(f"%trace_load {folder} --as job --quiet", timeout=60)
    ran = kernel.run("%temporal_breakdown job --no-figure", timeout=60)
    if ran.status == "ok":
        assert ran.one("display_data")["data"]["text/plain"] == whole
    else:
        for part in ("cannot answer ", ": it needs about ", f"of its memory budget of {held + 14} MiB; choose fewer ranks"):
            assert part in ran.content["evalue"], ran.content["evalue"]
    kernel.ok("%trace_info job")


def threads(path, count):
    """Writes a trace of as many threads as events."""
    event = '{{"ph":"X","cat":"cpu_op","name":"op{}","pid":1,"tid":{},"ts":{},"dur":1}}'
    with path.open("w") as file:
        file.write('{"traceEvents":[')
        file.writelines(event.format(at % 10, at, at) + "," for at in range(1, count))
        file.write(event.format(0, count, count) + "]}")
    return path


def test_timeline_of_many_threads_is_small_and_leaves_memory(start, tracebook_argv, tmp_path):
    """An output lists some lanes; lanes that do not fit the budget are refused before they are built."""
    count = 200_000
    path = threads(tmp_path / "threads.json", count)
    # Without the cells toolchain the columns stay in the kernel.
    no_cells = {"TRACEBOOK_CELLS": "/no/such/folder"}
    kernel = start(tracebook_argv, env={**no_cells, "TRACEBOOK_MEMORY": "400M"})
    kernel.ok(f"%trace_load {path} --as threads --quiet", timeout=60)
    held = resident(kernel.pid) >> 20
    data = kernel.ok("%timeline threads", timeout=60).one("display_data")["data"]
    sent = data["application/vnd.tracebook.timeline.v1+json"]
    assert (sent["version"], sent["lane_count"], len(sent["lanes"])) == (2, count, 1000)
    assert len(json.dumps(data)) < 1_500_000
    assert "199,000 more lanes" in data["text/plain"]
    assert resident(kernel.pid, "VmHWM") < 400 << 20
    kernel.ok("%timeline threads", timeout=60)
    kernel.ok("%events threads --top 5")

    kernel = start(tracebook_argv, env={**no_cells, "TRACEBOOK_MEMORY": f"{held + 60}M"})
    kernel.ok(f"%trace_load {path} --as threads --quiet", timeout=60)
    refused = kernel.run("%timeline threads", timeout=60).content["evalue"]
    for part in ("cannot answer timeline: it needs about ", "choose fewer ranks, or fewer events: --where"):
        assert part in refused, refused
    assert resident(kernel.pid, "VmHWM") < (held + 60) << 20
    kernel.ok("%events threads --top 5")
    kernel.ok("%timeline threads --where 'tid < 100'")
