"""An interrupt ends a running load at once, and leaves loaded traces as they were."""

import os
import signal
import subprocess

import pytest

from driver import LONG, TIMEOUT
from long_load import repeated
from places import DATA
from processes import processor_seconds, wait_until_opened
from waiting import AT_MOST, wait_until

# How often the compressed trace repeats the events of the small one: 4 GB of JSON, more than half a second of work.
REPEATED = 1000


@pytest.fixture(scope="module")
def traces(tmp_path_factory, large_trace):
    """A small trace; one that takes long, compressed and plain; a folder of long ones, one per rank."""
    folder = tmp_path_factory.mktemp("traces")
    small = folder / "small.json"
    subprocess.run([large_trace, small, "--bytes", "4M"], check=True, capture_output=True)
    head, bracket, rest = small.read_bytes().partition(b'"traceEvents": [')
    events, separator, end = rest.rpartition(b"},\n  {")
    assert bracket and separator
    head, events, end = head + bracket, events + b"},\n", b"{" + end
    packed = folder / "long.json.gz"
    repeated(packed, head, events, REPEATED, end)
    ranks = folder / "ranks"
    ranks.mkdir()
    for rank in range(4):
        (ranks / f"rank{rank}.json.gz").symlink_to(packed)
    (folder / "long.json").write_bytes(head + 50 * events + end)
    return folder


def bars(messages):
    """The states of displays that are updated."""
    drawn = [m["content"] for m in messages if m["msg_type"] in ("display_data", "update_display_data")]
    return [content for content in drawn if content.get("transient", {}).get("display_id")]


@pytest.mark.parametrize("call", ["long.json.gz", "ranks", "long.json --strict", "long.json.gz --progress off"])
def test_an_interrupt_ends_a_load_and_keeps_what_was_loaded(tracebook, traces, call):
    tracebook.ok(f"%trace_load {traces}/small.json --as one")
    before = tracebook.ok("%trace_info one").one("display_data")["data"]["text/plain"]
    before_load = processor_seconds(tracebook.pid)
    msg_id = tracebook.client.execute(f"%trace_load {traces}/{call} --as one")
    if "--progress off" in call:
        loading = lambda: processor_seconds(tracebook.pid) - before_load > 0.4  # noqa: E731
        wait_until(loading, AT_MOST, "nothing is loaded")
    else:
        # The load is in the middle of the events when its bar appears.
        tracebook.wait_for(msg_id, bars)
    tracebook.interrupt()
    ran = tracebook.finish(msg_id)
    assert (ran.status, ran.content.get("ename")) == ("error", "KeyboardInterrupt"), bars(ran.outputs)
    drawn = bars(ran.outputs)
    if "--progress off" in call:
        assert drawn == []
    else:
        first, last = drawn[0], drawn[-1]
        assert "/s · " in first["data"]["text/plain"] and " events · " in first["data"]["text/plain"]
        assert "<progress" in first["data"]["text/html"]
        assert last["data"]["text/plain"] == "interrupted"
        assert first["transient"]["display_id"] == last["transient"]["display_id"]
    assert tracebook.ok("%trace_info one").one("display_data")["data"]["text/plain"] == before
    listed = tracebook.ok("%trace_list").one("display_data")["data"]["text/plain"]
    assert "small.json" in listed and "long" not in listed


def test_long_load_shows_a_bar_and_ends_as_one_line(tracebook, traces):
    ran = tracebook.ok(f"%trace_load {traces}/long.json --as long --strict", timeout=120)
    first, *between, last = bars(ran.outputs)
    assert between, "a bar that never moved"
    for bar in [first, *between]:
        text = bar["data"]["text/plain"]
        assert text.startswith("loading long.json · ") and " MiB of 19" in text, text
    assert last["data"]["text/plain"].startswith("long: TraceSet, 1 rank · ")
    assert len({bar["transient"]["display_id"] for bar in [first, *between, last]}) == 1


def holding(argv, pipe):
    """Returns a command that opens the pipe as file 9 for reading and writing, so that a read of it blocks forever."""
    os.mkfifo(pipe)
    return ["bash", "-c", 'exec 9<>"$0"; exec "$@"', str(pipe), *argv]


def test_load_that_blocks_is_interrupted(start, tracebook_argv, tmp_path):
    pipe = tmp_path / "pipe"
    kernel = start(holding(tracebook_argv, pipe))
    # More often than there are reader threads. Each load that was interrupted keeps its descriptor, since its read goes on.
    for count in range(os.cpu_count() + 1):
        msg_id = kernel.client.execute("%trace_load /dev/fd/9 --as never")
        wait_until_opened(kernel.pid, pipe, times=2 + count)
        kernel.interrupt()
        ran = kernel.finish(msg_id)
        assert (ran.status, ran.content.get("ename")) == ("error", "KeyboardInterrupt")
    kernel.ok(f"%trace_load {DATA}/control --as control")
    assert "never" not in kernel.ok("%trace_list").one("display_data")["data"]["text/plain"]


def test_named_pipe_is_refused(tracebook, tmp_path):
    os.mkfifo(tmp_path / "f.json")
    ran = tracebook.run(f"%trace_load {tmp_path}/f.json")
    assert ran.content["ename"] == "TraceError"
    expected = "it is a named pipe, which blocks until a program writes to it; expected a file or a folder"
    assert expected in ran.content["evalue"]


def test_terminal_refuses_named_pipes_and_reads_shell_pipes(tracebook_argv, tmp_path):
    os.mkfifo(tmp_path / "f.json")
    program = tracebook_argv[0]
    ran = subprocess.run([program, "describe", tmp_path / "f.json"], capture_output=True, text=True, timeout=TIMEOUT)
    assert ran.returncode == 1 and "it is a named pipe" in ran.stderr, ran.stderr
    line = f'"{program}" describe <(zcat "{DATA}/job/rank-0.json.gz")'
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=LONG)
    assert (ran.returncode == 0 and "1 rank" in ran.stdout) or "rank 0" in ran.stdout, ran.stderr


def test_terminal_is_interrupted_while_a_pipe_blocks(tracebook_argv, tmp_path):
    pipe = tmp_path / "pipe"
    argv = holding([tracebook_argv[0], "describe", "/dev/fd/9"], pipe)
    running = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until_opened(running.pid, pipe, times=2)
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=AT_MOST) == -signal.SIGINT
