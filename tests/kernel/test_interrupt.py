"""Interrupts: they stop the running cell and those queued behind it, and do nothing while idle."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from processes import processor_seconds, wait_until_at_rest
from waiting import AT_MOST, wait_until


def test_interrupt_while_idle_does_nothing(echo):
    for _ in range(3):
        echo.interrupt()
    assert echo.ok("sleep 100\nprintln a").text() == "a\n", "an interrupt does not reach a later cell"


def test_interrupt_stops_the_cell_at_once(echo):
    msg_id = echo.begin("sleep 600000")
    echo.interrupt()
    ran = echo.finish(msg_id)
    assert (ran.status, ran.content["ename"], ran.kinds) == ("error", "KeyboardInterrupt", ["error"])
    assert echo.ok("println fine").text() == "fine\n"


def test_interrupt_aborts_the_cells_behind(echo):
    ids = [echo.begin("sleep 600000"), *[echo.client.execute("println a") for _ in range(3)]]
    # The reply to a later request on the same channel: the cells have arrived.
    echo.ask("comm_info_request")
    echo.interrupt()
    assert [echo.recv_reply(msg_id)["content"]["status"] for msg_id in ids] == ["error", *["aborted"] * 3]


def test_segments_behind_an_interrupted_one_do_not_run(echo):
    msg_id = echo.begin("hang 600\n%lsmagic\nprintln never")
    echo.interrupt()
    ran = echo.finish(msg_id)
    assert (ran.content["ename"], ran.kinds) == ("KeyboardInterrupt", ["error"])


def test_sigint_interrupts_and_does_not_kill(echo):
    os.kill(echo.pid, signal.SIGINT)
    msg_id = echo.begin("sleep 600000")
    os.kill(echo.pid, signal.SIGINT)
    assert echo.finish(msg_id).content["ename"] == "KeyboardInterrupt"
    assert echo.ok("println fine").text() == "fine\n"


@pytest.fixture(scope="module")
def large(tmp_path_factory, large_trace):
    """A trace whose analyses take a while."""
    folder = tmp_path_factory.mktemp("large")
    for rank in range(2):
        subprocess.run([large_trace, folder / f"rank{rank}.json", "--bytes", "500M", "--rank", str(rank)], check=True)
    return folder


@pytest.fixture(scope="module")
def holds_large(tracebook_argv, large, tmp_path_factory):
    from driver import Kernel

    kernel = Kernel(tracebook_argv, tmp_path_factory.mktemp("kernel"))
    kernel.ok(f"%trace_load '{large}' --as large --quiet", timeout=300)
    # The copy for Rust cells is written concurrently.
    mapped = lambda: "/large-" in Path(f"/proc/{kernel.pid}/maps").read_text()  # noqa: E731
    wait_until(mapped, AT_MOST, "no copy is written")
    yield kernel
    kernel.close()


ASKED = [
    "%aten_op_kernels_and_delay large --rank 0,1 --quiet",
    "%frequent_cuda_kernel_sequences large aten --rank 0,1 --quiet",
    "%queue_length_summary large --rank 0,1 --quiet",
    "%gpu_kernels_with_user_annotations large --rank 0,1 --quiet",
]


def computed(kernel, before):
    """Waits until the kernel computes no more; returns the processor time since `before`."""
    wait_until_at_rest(kernel.pid)
    return processor_seconds(kernel.pid) - before


@pytest.mark.parametrize("line", ASKED, ids=[line.split()[0] for line in ASKED])
def test_interrupt_ends_the_computation_too(holds_large, line):
    """The computation itself ends, not only the wait for it."""
    kernel = holds_large
    wait_until_at_rest(kernel.pid)
    before = processor_seconds(kernel.pid)
    kernel.ok(line)
    whole = computed(kernel, before)
    assert whole > 0.1, "too short to tell"
    # On a busy machine the interrupt may come late.
    for _ in range(5):
        before = processor_seconds(kernel.pid)
        msg_id = kernel.client.execute(line)
        wait_until(lambda before=before: processor_seconds(kernel.pid) > before, AT_MOST, "nothing is computed")
        kernel.interrupt()
        ran = kernel.finish(msg_id)
        assert ran.status == "ok" or ran.content["ename"] == "KeyboardInterrupt"
        spent = computed(kernel, before)
        if ran.status == "error" and spent < whole / 2:
            return
    pytest.fail(f"{spent:.2f} s after an interrupt, {whole:.2f} s without")
