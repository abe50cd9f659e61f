"""Shutdown of all processes, whatever the kernel is doing. How long it takes is a figure of docs/conformance.md."""

import os
import signal
import subprocess
import sys

import pytest

from places import ROOT
from processes import end
from waiting import AT_MOST, wait_until


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("channel", ["control", "shell"])
def test_shutdown_while_idle(echo, channel, restart):
    msg_id = echo.send("shutdown_request", {"restart": restart}, channel)
    reply = echo.recv_reply(msg_id, channel=channel)
    assert reply["content"] == {"status": "ok", "restart": restart}
    echo.wait_for_end()
    assert echo.manager.provisioner.process.returncode == 0


@pytest.mark.parametrize("cell", ["sleep 600000", "hang 600000", "lines 1000000000", "input name?"])
def test_shutdown_while_a_cell_runs(echo, cell):
    echo.begin(cell, allow_stdin=True)
    msg_id = echo.send("shutdown_request", {"restart": False}, "control")
    assert echo.recv_reply(msg_id, channel="control")["content"]["status"] == "ok"
    echo.wait_for_end()


def processes(pattern):
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True)
    return found.stdout.split()


def test_no_process_is_left(echo):
    seconds = f"98{os.getpid()}"
    echo.ok(f"spawn {seconds}")
    assert processes(f"sleep {seconds}")
    end(echo)
    wait_until(lambda: not processes(f"sleep {seconds}"), AT_MOST, "a process is left")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_the_kernel_cleanly(echo, number):
    echo.begin("sleep 600000")
    os.kill(echo.pid, number)
    echo.wait_for_end()
    assert echo.manager.provisioner.process.returncode == 0


def test_kernel_ends_when_jupyter_is_killed(echo_argv, tmp_path):
    """Here Jupyter is a process that starts a kernel, prints its id and waits."""
    program = (
        "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
        "from driver import Kernel\n"
        "kernel = Kernel(sys.argv[3:], sys.argv[2])\n"
        "print(kernel.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    line = [sys.executable, "-c", program, f"{ROOT}/tests/kernel:{ROOT}/tests", str(tmp_path), *echo_argv]
    jupyter = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    kernel = int(jupyter.stdout.readline())
    jupyter.kill()
    jupyter.wait()
    wait_until(lambda: not os.path.exists(f"/proc/{kernel}"), AT_MOST, "the kernel outlived Jupyter")


def test_restart_gives_a_fresh_kernel(echo):
    assert echo.ok("println a").content["execution_count"] == 1
    echo.restart()
    assert echo.ok("println b").content["execution_count"] == 1


def test_two_kernels_do_not_disturb_each_other(start, echo_argv):
    one, two = start(echo_argv), start(echo_argv)
    waiting = two.begin("input go?\nprintln two", allow_stdin=True)
    end(one)
    two.client.get_stdin_msg(timeout=AT_MOST)
    two.client.input("")
    assert two.finish(waiting).text() == "two\n"
