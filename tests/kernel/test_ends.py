"""The end of a kernel at any moment: all its processes end, and no folder is left. What they do would take longer than a test waits; how
long an end takes is a figure of docs/conformance.md."""

import os
import signal
import subprocess
import sys

import pytest
from jupyter_client.blocking import BlockingKernelClient

from driver import LONG, TIMEOUT, Kernel
from long_load import long_load
from places import DATA, ROOT
from processes import assert_gone, children, end, run_folders, wait_for_compiler, wait_until_opened
from waiting import AT_MOST, wait_until

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
# What a kernel may be doing, with the cell that does it; a cell that prints "begun" is in the middle of it then.
MOMENTS = {
    "starting": None,
    "idle": "1",
    "compiling": COMPILED_FOR_LONG,
    "compiling at level 2": "%%opt\n" + COMPILED_FOR_LONG,
    "running": BEGUN + "loop {}",
    "printing": 'loop { println!("begun"); }',
    "sleeping in foreign code": BEGUN + "std::thread::sleep(std::time::Duration::from_secs(600));",
    "waiting for input": 'let said = input("name? ");',
    "running a program": BEGUN + 'std::process::Command::new("sleep").arg("600").status().unwrap();',
    "loading a trace": "%trace_load {} --as long",
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
    code = MOMENTS[moment]
    if moment == "starting":
        return
    if moment == "loading a trace":
        trace = tmp_path / "long.json.gz"
        long_load(trace)
        msg_id = kernel.client.execute(code.format(trace))
        wait_until_opened(kernel.pid, trace)
    else:
        kernel.ok("1", timeout=LONG)
        if moment == "idle":
            return
        msg_id = kernel.begin(code, printed="begun" if "begun" in code else None, timeout=LONG, allow_stdin=True)
    if moment.startswith("compiling"):
        wait_for_compiler(kernel)
    if moment == "waiting for input":
        kernel.client.get_stdin_msg(timeout=LONG)
    assert not kernel.has_replied(msg_id), "it has ended already"


@rust
@pytest.mark.parametrize(("moment", "way"), CASES)
def test_end(start, tracebook_argv, tmp_path, moment, way):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kernel = start(tracebook_argv, env={"TMPDIR": str(temporary)})
    bring_to(kernel, moment, tmp_path)
    below = children(kernel.pid)
    ENDS[way](kernel)
    kernel.wait_for_end()
    assert_gone(below)
    assert run_folders(temporary) == []


@rust
@pytest.mark.parametrize("moment", ["compiling", "running"])
def test_restart(start, tracebook_argv, tmp_path, moment):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kernel = start(tracebook_argv, env={"TMPDIR": str(temporary)})
    bring_to(kernel, moment, tmp_path)
    below = children(kernel.pid)
    kernel.restart()
    assert_gone(below)
    ran = kernel.ok("1 + 1", timeout=LONG)
    assert (ran.content["execution_count"], ran.one("execute_result")["data"]["text/plain"]) == (1, "2")
    assert len(run_folders(temporary)) == 1


JUPYTER = """
import sys
sys.path[:0] = sys.argv[1].split(":")
from driver import LONG, Kernel
kernel = Kernel(sys.argv[3:], sys.argv[2])
kernel.ok("1", timeout=LONG)
kernel.begin('println!("begun"); loop {}', printed="begun", timeout=LONG)
print(kernel.pid, flush=True)
sys.stdin.read()
"""


@rust
def test_jupyter_killed_while_a_cell_runs(tracebook_argv, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    here = f"{ROOT}/tests/kernel:{ROOT}/tests"
    line = [sys.executable, "-c", JUPYTER, here, str(tmp_path), *tracebook_argv]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    jupyter = subprocess.Popen(line, **pipes, text=True, env={**os.environ, "TMPDIR": str(temporary)})
    kernel = int(jupyter.stdout.readline())
    processes = [kernel, *children(kernel)]
    assert len(processes) > 1, "the process for Rust cells runs"
    jupyter.kill()
    jupyter.wait()
    assert_gone(processes)
    assert run_folders(temporary) == []


@rust
def test_folder_of_a_killed_kernel_is_removed_by_the_next(start, tracebook_argv, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    env = {"TMPDIR": str(temporary)}
    living, killed = start(tracebook_argv, env=env), start(tracebook_argv, env=env)
    for kernel in (living, killed):
        kernel.ok("1", timeout=LONG)
    below = children(killed.pid)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait_for_end()
    # One that is just starting may still hold the lock of the folder.
    assert_gone(below)
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
    running = two.begin(BEGUN + 'input("go? "); x', printed="begun", timeout=LONG, allow_stdin=True)
    below = children(one.pid)
    one.begin(BEGUN + "loop {}", printed="begun", timeout=LONG)
    end(one)
    assert_gone(below)
    assert len(run_folders(temporary)) == 1
    two.client.get_stdin_msg(timeout=LONG)
    two.client.input("")
    assert two.finish(running, timeout=LONG).one("execute_result")["data"]["text/plain"] == "2"
    assert two.ok("control.ranks()", timeout=LONG).one("execute_result")["data"]["text/plain"] == "[3]"


def test_kernel_without_jupyter_ends_by_sigterm(tracebook_argv, tmp_path):
    """A kernel started by hand, for `jupyter console --existing`, watches no parent process. A signal ends it."""
    import test_faults

    env = {name: value for name, value in os.environ.items() if name != "JPY_PARENT_PID"}
    file = test_faults.connection_file(tmp_path)
    kernel = subprocess.Popen([*tracebook_argv, file], env=env)
    client = BlockingKernelClient(connection_file=file)
    try:
        client.load_connection_file()
        client.start_channels()
        client.wait_for_ready(timeout=TIMEOUT)
        kernel.terminate()
        assert kernel.wait(timeout=AT_MOST) == 0
    finally:
        client.stop_channels()
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
        wait_until(lambda: not missing(), AT_MOST, lambda: logged)
    finally:
        kernel.close()
