"""The end of a kernel at any moment: all its processes end within two seconds, and no folder is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from driver import LONG, Kernel
from long_load import long_load
from places import DATA
from processes import WITHIN, assert_gone, children, end, run_folders
from waiting import wait_until

rust = pytest.mark.rust_cells

# Slow to compile: generic functions for thousands of types.
COMPILED_FOR_LONG = (
    'fn deep<T: std::fmt::Debug>(t: T) { println!("{t:?}") }\n'
    + "".join(
        f'struct S{n}; impl std::fmt::Debug for S{n} {{ fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {{ write!(f, "{n}") }} }}\n'
        for n in range(1500)
    )
    + "".join(f"deep(vec![(S{n}, {n})]);\n" for n in range(1500))
)

BEGUN = 'println!("begun"); '
# What a kernel may be doing: the cell, and the seconds until it is in the middle of that; None: the cell prints "begun".
MOMENTS = {
    "starting": (None, 0),
    "idle": ("1", 0.3),
    "compiling": (COMPILED_FOR_LONG, 1.0),
    "compiling at level 2": ("%%opt\n" + COMPILED_FOR_LONG, 1.0),
    "running": (BEGUN + "loop {}", None),
    "printing": ('loop { println!("begun"); }', None),
    "sleeping in foreign code": (BEGUN + "std::thread::sleep(std::time::Duration::from_secs(600));", None),
    "waiting for input": ('let said = input("name? ");', 1.0),
    "running a program": (BEGUN + 'std::process::Command::new("sleep").arg("600").status().unwrap();', None),
    "loading a trace": (None, 0.15),
}


def shutdown(kernel):
    kernel.send("shutdown_request", {"restart": False}, "control")


def terminate(kernel):
    os.kill(kernel.pid, signal.SIGTERM)


def hang_up(kernel):
    """Closes the terminal: the whole process group gets the signal."""
    os.killpg(os.getpgid(kernel.pid), signal.SIGHUP)


ENDS = {"shutdown": shutdown, "SIGTERM": terminate, "terminal closes": hang_up}
# A shutdown ends every moment. The other ways differ only up to the kernel's event loop, so two moments each suffice.
CASES = [(moment, "shutdown") for moment in MOMENTS] + [
    (moment, way) for moment in ("compiling", "running") for way in ENDS if way != "shutdown"
]


def bring_to(kernel, moment, tmp_path):
    code, wait = MOMENTS[moment]
    if moment == "starting":
        return
    if moment == "loading a trace":
        long_load(tmp_path / "long.json.gz")
        code = f"%trace_load {tmp_path}/long.json.gz --as long"
    else:
        kernel.ok("1", timeout=LONG)
    msg_id = kernel.begin(code, printed="begun" if wait is None else None, timeout=LONG, allow_stdin=True)
    time.sleep(wait or 0)
    if moment != "idle":
        assert not replied(kernel, msg_id), "it has ended already"


def replied(kernel, msg_id):
    while True:
        try:
            message = kernel.client.get_shell_msg(timeout=0)
        except Exception:
            return False
        if message["parent_header"]["msg_id"] == msg_id:
            return True


@rust
@pytest.mark.parametrize(("moment", "way"), CASES)
def test_end(start, tracebook_argv, tmp_path, moment, way):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kernel = start(tracebook_argv, env={"TMPDIR": str(temporary)})
    bring_to(kernel, moment, tmp_path)
    below = children(kernel.pid)
    started = time.monotonic()
    ENDS[way](kernel)
    kernel.wait_for_end(WITHIN)
    assert_gone(below, within=max(0.2, WITHIN - (time.monotonic() - started)))
    assert run_folders(temporary) == []


@rust
@pytest.mark.parametrize("moment", ["compiling", "running"])
def test_restart(start, tracebook_argv, tmp_path, moment):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kernel = start(tracebook_argv, env={"TMPDIR": str(temporary)})
    bring_to(kernel, moment, tmp_path)
    below = children(kernel.pid)
    kernel.manager.restart_kernel()
    assert_gone(below)
    kernel.client.wait_for_ready(timeout=LONG)
    kernel.flush()
    ran = kernel.ok("1 + 1", timeout=LONG)
    assert (ran.content["execution_count"], ran.one("execute_result")["data"]["text/plain"]) == (1, "2")
    assert len(run_folders(temporary)) == 1


JUPYTER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from driver import Kernel
kernel = Kernel(sys.argv[3:], sys.argv[2])
kernel.ok("1", timeout=120)
kernel.begin('println!("begun"); loop {}', printed="begun", timeout=120)
print(kernel.pid, flush=True)
time.sleep(600)
"""


@rust
def test_jupyter_killed_while_a_cell_runs(tracebook_argv, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    line = [sys.executable, "-c", JUPYTER, str(Path(__file__).parent), str(tmp_path), *tracebook_argv]
    jupyter = subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)})
    kernel = int(jupyter.stdout.readline())
    processes = [kernel, *children(kernel)]
    assert len(processes) > 1, "the process for Rust cells runs"
    jupyter.kill()
    jupyter.wait()
    assert_gone(processes, within=WITHIN + 0.5)
    assert run_folders(temporary) == []


@rust
def test_folder_of_a_killed_kernel_is_removed_by_the_next(start, tracebook_argv, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {"TMPDIR": str(temporary)}
    living, killed = start(tracebook_argv, env=env), start(tracebook_argv, env=env)
    for kernel in (living, killed):
        kernel.ok("1", timeout=LONG)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait_for_end(WITHIN)
    assert len(run_folders(temporary)) == 2
    third = start(tracebook_argv, env=env)
    third.ok("1", timeout=LONG)
    assert len(run_folders(temporary)) == 2, "those of the living kernels"
    assert living.ok("1 + 1", timeout=LONG).one("execute_result")["data"]["text/plain"] == "2"


@rust
def test_two_kernels_side_by_side(start, tracebook_argv, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    one, two = (start(tracebook_argv, env={"TMPDIR": str(temporary)}) for _ in range(2))
    one.ok("let x = 1;", timeout=LONG)
    two.ok(f"%trace_load '{DATA}/control' --as control --quiet\nlet x = 2;", timeout=LONG)
    running = two.client.execute("std::thread::sleep(std::time::Duration::from_millis(1500)); x")
    below = children(one.pid)
    one.begin(BEGUN + "loop {}", printed="begun", timeout=LONG)
    end(one)
    assert_gone(below, within=0.2)
    assert len(run_folders(temporary)) == 1
    assert two.finish(running, timeout=LONG).one("execute_result")["data"]["text/plain"] == "2"
    assert two.ok("control.ranks()", timeout=LONG).one("execute_result")["data"]["text/plain"] == "[3]"


def test_kernel_without_jupyter_ends_by_sigterm(tracebook_argv, tmp_path):
    """A kernel started by hand, for `jupyter console --existing`, watches no parent process. A signal ends it."""
    import test_faults

    env = {name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"}
    kernel = subprocess.Popen([*tracebook_argv, test_faults.connection_file(tmp_path)], env=env)
    try:
        time.sleep(1)
        assert kernel.poll() is None
        kernel.terminate()
        assert kernel.wait(timeout=WITHIN) == 0
    finally:
        kernel.kill()


def test_unknown_messages_are_ignored_with_a_line_in_the_log(tracebook_argv, tmp_path, capfd):
    kernel = Kernel(tracebook_argv, tmp_path, env={"TRACEBOOK_LOG": "warn"})
    try:
        assert kernel.recv_until_idle(kernel.send("coffee")) == []
        assert kernel.ask("make_coffee_request").status == "error"
        opened = kernel.send("comm_open", {"comm_id": "c1", "target_name": "jupyter.widget", "data": {}})
        (close,) = kernel.recv_until_idle(opened)
        assert (close["msg_type"], close["content"]["comm_id"]) == ("comm_close", "c1")
        raw = kernel.raw()
        raw.send_multipart([b"<IDS|MSG>", b"0" * 64, b"{}", b"{}", b"{}", b"{}"])
        logged = ""

        def missing():
            nonlocal logged
            logged += capfd.readouterr().err
            return [line for line in expected if line not in logged]

        expected = ("no answer to a coffee", "no answer to a make_coffee_request", "wrong signature")
        wait_until(lambda: not missing(), 20, lambda: logged)
    finally:
        kernel.close()
