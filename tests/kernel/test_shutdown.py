"""Shutdown of all processes within two seconds, whatever the kernel is doing."""

import os
import signal
import subprocess
import sys

import pytest

from waiting import wait_until

WITHIN = 2


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("channel", ["control", "shell"])
def test_shutdown_while_idle(echo, channel, restart):
    msg_id = echo.send("shutdown_request", {"restart": restart}, channel)
    reply = echo.recv_reply(msg_id, channel=channel)
    assert reply["content"] == {"status": "ok", "restart": restart}
    seconds = echo.wait_for_end(WITHIN)
    assert seconds < 1
    assert echo.manager.provisioner.process.returncode == 0


@pytest.mark.parametrize("cell", ["sleep 60000", "hang 60000", "lines 100000000", "input name?"])
def test_shutdown_while_a_cell_runs(echo, cell):
    echo.begin(cell, allow_stdin=True)
    msg_id = echo.send("shutdown_request", {"restart": False}, "control")
    assert echo.recv_reply(msg_id, channel="control")["content"]["status"] == "ok"
    echo.wait_for_end(WITHIN)


def processes(pattern):
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True)
    return found.stdout.split()


def test_no_process_is_left(echo):
    seconds = f"98{os.getpid()}"
    echo.ok(f"spawn {seconds}")
    assert processes(f"sleep {seconds}")
    echo.send("shutdown_request", {"restart": False}, "control")
    echo.wait_for_end(WITHIN)
    assert not processes(f"sleep {seconds}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_ends_the_kernel_cleanly(echo, number):
    echo.begin("sleep 60000")
    os.kill(echo.pid, number)
    echo.wait_for_end(WITHIN)
    assert echo.manager.provisioner.process.returncode == 0


def test_kernel_ends_when_jupyter_is_killed(echo_argv, tmp_path):
    """Here Jupyter is a process that starts a kernel, prints its id and waits."""
    program = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from driver import Kernel\n"
        "kernel = Kernel(sys.argv[3:], sys.argv[2])\n"
        "print(kernel.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    here = os.path.dirname(__file__)
    jupyter = subprocess.Popen(
        [sys.executable, "-c", program, here, str(tmp_path), *echo_argv], stdout=subprocess.PIPE, text=True
    )
    kernel = int(jupyter.stdout.readline())
    jupyter.kill()
    jupyter.wait()
    wait_until(lambda: not os.path.exists(f"/proc/{kernel}"), 3, "the kernel outlived Jupyter")


def test_restart_gives_a_fresh_kernel(echo):
    assert echo.ok("println a").content["execution_count"] == 1
    echo.manager.restart_kernel()
    echo.client.wait_for_ready(timeout=10)
    echo.flush()
    assert echo.ok("println b").content["execution_count"] == 1


def test_two_kernels_do_not_disturb_each_other(start, echo_argv):
    one, two = start(echo_argv), start(echo_argv)
    waiting = two.client.execute("sleep 500\nprintln two")
    one.send("shutdown_request", {"restart": False}, "control")
    one.wait_for_end(WITHIN)
    assert two.finish(waiting).text() == "two\n"
