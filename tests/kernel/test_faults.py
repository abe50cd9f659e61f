"""Faults around a kernel: none loses a loaded trace or ends the kernel, and each is reported."""

import json
import os
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from disks import fill, mounted, seen_by, small, unwritable
from driver import LONG, TIMEOUT, plain
from places import DATA
from ports import free_port
from processes import assert_gone, end, run_folders, worker

LOAD = f"%trace_load '{DATA}/control' --as control --quiet"
LOOP = 'println!("begun"); loop {}'
SLEEP = 'println!("begun"); std::thread::sleep(std::time::Duration::from_secs(600));'
rust = pytest.mark.rust_cells


def assert_nothing_loaded_is_lost(kernel, rust_too=True):
    """Asserts that the kernel answers and has its trace, for magics and for Rust."""
    assert "control" in kernel.ok("%trace_list").one("display_data")["data"]["text/plain"]
    assert "display_data" in kernel.ok("%gpu_kernel_breakdown control --no-figure").kinds
    if rust_too:
        assert plain(kernel.ok("control.ranks()", timeout=LONG)) == "[3]"


@pytest.fixture
def loaded(kernel):
    """The kernel of this file, with a trace and a Rust variable."""
    kernel.ok(f"{LOAD}\nlet kept = 7;", timeout=LONG)
    return kernel


# The worker process


@rust
def test_child_killed_while_a_cell_runs(loaded):
    msg_id = loaded.begin(SLEEP, printed="begun", timeout=LONG)
    os.kill(worker(loaded.pid), signal.SIGKILL)
    ran = loaded.finish(msg_id, timeout=LONG)
    assert (ran.kinds, ran.content["ename"]) == (["stream", "error"], "ProcessLost")
    assert "SIGKILL" in ran.content["evalue"] and "kept" in ran.content["evalue"]
    assert_nothing_loaded_is_lost(loaded)


@rust
def test_child_killed_between_two_cells(loaded):
    pid = worker(loaded.pid)
    os.kill(pid, signal.SIGKILL)
    assert_gone([pid])
    ran = loaded.run("1 + 1", timeout=LONG)
    assert ran.status == "ok" or "kept" in ran.content["evalue"], ran.content
    assert plain(loaded.ok("1 + 1", timeout=LONG)) == "2"
    assert_nothing_loaded_is_lost(loaded)


@rust
def test_out_of_memory_in_a_cell(loaded):
    resource.prlimit(worker(loaded.pid), resource.RLIMIT_AS, (3 << 30, 3 << 30))
    ran = loaded.run("let mut all = Vec::new();\nloop { all.push(vec![1u8; 64 << 20]); }", timeout=LONG)
    assert (ran.status, ran.content["ename"]) == ("error", "ProcessLost")
    assert "memory allocation" in ran.content["evalue"] + ran.text("stderr"), ran.content
    assert "kept" in ran.content["evalue"], "what was lost is named"
    assert_nothing_loaded_is_lost(loaded)


@rust
def test_endless_recursion_in_a_cell(loaded):
    ran = loaded.run("fn deep(n: u64) -> u64 { std::hint::black_box(deep(n + 1)) + 1 }\ndeep(0)", timeout=LONG)
    assert (ran.status, ran.content["ename"]) == ("error", "ProcessLost")
    assert_nothing_loaded_is_lost(loaded)


@rust
def test_second_interrupt_ends_the_process(loaded, tracebook):
    # In another kernel, a cell that is interrupted before, but only once.
    once, twice = (kernel.begin(SLEEP, printed="begun", timeout=LONG) for kernel in (tracebook, loaded))
    for kernel in (tracebook, loaded, loaded):
        kernel.interrupt()
    ran = loaded.finish(twice)
    assert ran.content["ename"] == "KeyboardInterrupt"
    assert not tracebook.has_replied(once), "the second request does not wait for the timeout of the first"
    assert_nothing_loaded_is_lost(loaded)


@rust
def test_many_interrupts_end_one_cell_and_not_the_kernel(loaded):
    msg_id = loaded.begin(LOOP, printed="begun", timeout=LONG)
    for _ in range(50):
        loaded.send("interrupt_request", channel="control")
    assert loaded.finish(msg_id, timeout=LONG).content["ename"] == "KeyboardInterrupt"
    # Its reply comes after all requests have been handled; one that came later would rightly interrupt the next cell.
    loaded.ask("kernel_info_request", channel="control")
    assert plain(loaded.ok("1 + 1", timeout=LONG)) == "2"
    assert_nothing_loaded_is_lost(loaded)


@rust
def test_interrupt_aborts_the_queue_of_rust_cells_and_magics(loaded):
    ids = [loaded.begin(LOOP, printed="begun", timeout=LONG)]
    ids += [loaded.client.execute(cell) for cell in ("1", "%trace_list", "2")]
    # The reply to a later request on the same channel: the cells have arrived.
    loaded.ask("comm_info_request")
    loaded.interrupt()
    statuses = [loaded.recv_reply(msg_id, timeout=LONG)["content"]["status"] for msg_id in ids]
    assert statuses == ["error", "aborted", "aborted", "aborted"]
    assert_nothing_loaded_is_lost(loaded)


# Large amounts


@rust
def test_hundred_megabyte_result(loaded):
    ran = loaded.ok('"x".repeat(100 << 20)', timeout=LONG)
    (shown,) = [message["content"]["data"]["text/plain"] for message in ran.outputs if "data" in message["content"]]
    assert len(shown) >= 100 << 20
    assert_nothing_loaded_is_lost(loaded)


def test_ten_thousand_cells_queued_run_in_order(tracebook):
    ids = [tracebook.client.execute("%trace_list" if n % 100 == 0 else "// nothing") for n in range(10_000)]
    statuses = {tracebook.recv_reply(msg_id, timeout=120)["content"]["status"] for msg_id in ids}
    assert statuses == {"ok"}
    assert tracebook.ok("%trace_list").content["execution_count"] == 10_001


def test_one_interrupt_aborts_ten_thousand_queued_cells(start, echo_argv):
    kernel = start(echo_argv)
    ids = [kernel.begin("sleep 600000"), *[kernel.client.execute("println a") for _ in range(10_000)]]
    kernel.ask("comm_info_request", timeout=60)
    kernel.interrupt()
    statuses = [kernel.recv_reply(msg_id, timeout=60)["content"]["status"] for msg_id in ids]
    assert statuses[0] == "error" and set(statuses[1:]) == {"aborted"}


# Disks


@rust
def test_full_temporary_folder_costs_the_cell_and_nothing_else(start, tracebook_argv, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    kernel = start(mounted(tracebook_argv, [small(folder, 24)]), env={"TMPDIR": str(folder)})
    kernel.ok(f"{LOAD}\nlet kept = 7;", timeout=LONG)
    filler = fill(seen_by(kernel.pid, folder))
    for cell in ("kept + 1", "control.ranks()", "let more = kept;"):
        ran = kernel.run(cell, timeout=LONG)
        assert ran.status == "error" and ran.kinds[-1] == "error", ran.content
        assert "o space left" in ran.content["evalue"] or "full" in ran.content["evalue"], ran.content
    assert_nothing_loaded_is_lost(kernel, rust_too=False)
    os.unlink(filler)
    assert plain(kernel.ok("kept", timeout=LONG)) == "7", "no variable was lost"
    assert_nothing_loaded_is_lost(kernel)
    end(kernel)


def test_kernel_that_finds_no_room_says_so_and_ends(tracebook_argv, tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    argv = mounted(tracebook_argv, [small(folder, 1), f"head -c 2000000 /dev/zero > '{folder}/filler' 2>/dev/null || true"])
    ended = subprocess.run(
        [*argv, connection_file(tmp_path)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert ended.returncode == 1 and "temporary folder" in ended.stderr and "No space" in ended.stderr, ended


@rust
def test_full_disk_of_the_history_costs_nothing(start, tracebook_argv, tmp_path):
    state = tmp_path / "state of a full disk"
    state.mkdir()
    argv = mounted(tracebook_argv, [small(state, 1)])
    kernel = start(argv, env={"XDG_STATE_HOME": str(state)})
    kernel.ok(LOAD)
    fill(seen_by(kernel.pid, state))
    assert plain(kernel.ok("1 + 1", timeout=LONG)) == "2"
    tail = kernel.ask("history_request", {"hist_access_type": "tail", "n": 9, "output": False, "raw": True})
    assert [line[2] for line in tail.content["history"]] == [LOAD, "1 + 1"]
    assert_nothing_loaded_is_lost(kernel)


@rust
def test_read_only_home(start, tracebook_argv, tmp_path, cells_toolchain):
    home = tmp_path / "home"
    home.mkdir()
    nowhere = dict.fromkeys(["XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"])
    env = {**nowhere, **rust_toolchain(), "HOME": str(home), "TRACEBOOK_CELLS": str(cells_toolchain)}
    kernel = start(mounted(tracebook_argv, [unwritable(home), unwritable(cells_toolchain)]), env=env)
    kernel.ok(LOAD)
    assert plain(kernel.ok("1 + 1", timeout=LONG)) == "2"
    assert_nothing_loaded_is_lost(kernel)


@rust
def test_no_home(start, tracebook_argv, cells_toolchain):
    nowhere = dict.fromkeys(["HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"])
    kernel = start(
        tracebook_argv, env={**nowhere, **rust_toolchain(), "TRACEBOOK_CELLS": str(cells_toolchain), "TRACEBOOK_HISTORY": "off"}
    )
    kernel.ok(LOAD)
    assert plain(kernel.ok("1 + 1", timeout=LONG)) == "2"
    assert_nothing_loaded_is_lost(kernel)


def test_files_that_may_not_grow_end_no_kernel(start, tracebook_argv):
    """A limit on the size of files (`ulimit -f`) sends a signal that ends unprepared programs."""
    kernel = start(["sh", "-c", 'ulimit -f 16; exec "$@"', "sh", *tracebook_argv])
    kernel.ok(LOAD)
    ran = kernel.run("1 + 1", timeout=LONG)
    assert ran.status == "error", "the cell does not fit into so small a file"
    ran = kernel.run("control.ranks()", timeout=LONG)
    assert ran.status == "error", "nor does the trace"
    assert_nothing_loaded_is_lost(kernel, rust_too=False)


# Damaged settings


def rust_toolchain():
    """The folders of rustup's compilers, which it would look for in the home folder."""
    home = Path.home()
    given = {
        name: os.environ.get(name) or str(home / folder)
        for name, folder in {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo"}.items()
    }
    return {name: folder for name, folder in given.items() if Path(folder).is_dir()}


DAMAGE = {
    "library cut off": lambda folder: cut(folder / "libcells.so"),
    "library missing": lambda folder: (folder / "libcells.so").unlink(),
    "worker missing": lambda folder: (folder / "tracebook-worker").unlink(),
    "worker no program": lambda folder: replace(folder / "tracebook-worker", b"\x7fELF nonsense"),
    "metadata missing": lambda folder: (folder / "metadata").unlink(),
    "compiler unknown": lambda folder: replace(folder / "rustc.txt", b"\xff\xfe"),
    "a file in its place": lambda folder: (shutil.rmtree(folder), folder.write_text("")),
    "kept starts damaged": lambda folder: damaged_starts(folder),
}


def replace(path, content):
    path.unlink()
    path.write_bytes(content)
    path.chmod(0o755)


def cut(path):
    with open(path, "rb") as whole:
        start = whole.read(1 << 20)
    replace(path, start)


def damaged_starts(folder):
    (folder / "ready").unlink()
    (folder / "ready").mkdir()


@rust
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_toolchain_is_reported_with_the_fix_and_magics_work(start, tracebook_argv, cells_toolchain, tmp_path, damage):
    copy = tmp_path / "cells"
    copy.mkdir()
    for file in cells_toolchain.iterdir():
        (copy / file.name).symlink_to(file)
    DAMAGE[damage](copy)
    kernel = start(tracebook_argv, env={"TRACEBOOK_CELLS": str(copy)})
    kernel.ok(LOAD)
    ran = kernel.run("1 + 1", timeout=LONG)
    if damage == "kept starts damaged":
        assert plain(ran) == "2"
        return
    assert (ran.kinds, ran.content["ename"]) == (["error"], "RustUnavailable"), ran.content
    assert " install --build-cells`" in ran.content["evalue"] and len(ran.content["evalue"]) < 500
    assert_nothing_loaded_is_lost(kernel, rust_too=False)


HISTORIES = {
    "not text": b"\xff\xfe\x00" * 1000,
    "other JSON": b'{"a": 1}\n[[[]]]\n"x"\n[1,2,3]\n[9999999999999999999,1,"x"]\n',
    "one endless line": b'[1,1,"' + b"x" * 20_000_000,
    "deep JSON": b"[" * 200_000 + b"\n",
}


@pytest.mark.parametrize("content", HISTORIES)
def test_damaged_history_costs_nothing(start, tracebook_argv, tmp_path, content):
    file = tmp_path / "state" / "tracebook" / "history.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(HISTORIES[content])
    kernel = start(tracebook_argv, env={"XDG_STATE_HOME": str(tmp_path / "state")})
    kernel.ok("%trace_list")
    tail = kernel.ask("history_request", {"hist_access_type": "tail", "n": 1, "output": False, "raw": True}).content
    assert tail["history"][-1][2] == "%trace_list"
    assert file.stat().st_size <= 20_000_100


def test_folder_in_place_of_the_history(start, tracebook_argv, tmp_path):
    (tmp_path / "state" / "tracebook" / "history.jsonl").mkdir(parents=True)
    kernel = start(tracebook_argv, env={"XDG_STATE_HOME": str(tmp_path / "state")})
    kernel.ok("%trace_list")


# The connection file


def connection_file(folder, **changes):
    ports = {f"{name}_port": free_port() for name in ("shell", "iopub", "stdin", "control", "hb")}
    settings = {**ports, "ip": "127.0.0.1", "key": "k", "transport": "tcp", "signature_scheme": "hmac-sha256", **changes}
    path = folder / "connection.json"
    path.write_text(json.dumps(settings))
    return str(path)


@pytest.mark.parametrize("channel", ["shell", "iopub", "stdin", "control", "hb"])
def test_taken_port_ends_the_kernel_with_a_message_and_no_folder(tracebook_argv, tmp_path, channel):
    import socket

    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        file = connection_file(tmp_path, **{f"{channel}_port": taken.getsockname()[1]})
        ended = subprocess.run(
            [*tracebook_argv, file],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
    assert ended.returncode == 1
    assert f"cannot listen on tcp://127.0.0.1:{taken_port(file, channel)}: Address already in use" in ended.stderr
    assert run_folders(temporary) == []


def taken_port(file, channel):
    return json.loads(Path(file).read_text())[f"{channel}_port"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read the connection file"),
        ("{", "is not a connection file"),
        ("[]", "is not a connection file"),
        ('{"shell_port": "x"}', "is not a connection file"),
    ],
    ids=["missing", "cut off", "a list", "no ports"],
)
def test_damaged_connection_file_is_a_message(tracebook_argv, tmp_path, content, message):
    path = tmp_path / "connection.json"
    if content is not None:
        path.write_text(content)
    ended = subprocess.run([*tracebook_argv, str(path)], capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 1 and message in ended.stderr and "panicked" not in ended.stderr, ended


def test_address_that_is_not_ours_is_a_message(tracebook_argv, tmp_path):
    file = connection_file(tmp_path, ip="203.0.113.1")
    ended = subprocess.run([*tracebook_argv, file], capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 1 and "cannot listen on tcp://203.0.113.1" in ended.stderr
