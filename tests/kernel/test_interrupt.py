"""Interrupt: stops the running cell and those behind it, and nothing when there is none."""

import os
import signal
import time


def interrupt(kernel):
    assert kernel.ask("interrupt_request", channel="control").content == {"status": "ok"}


def test_interrupt_while_idle_does_nothing(echo):
    for _ in range(3):
        interrupt(echo)
    assert echo.ok("sleep 100\nprintln a").text() == "a\n", "the next cell is not the one that was meant"


def test_interrupt_stops_the_cell_at_once(echo):
    msg_id = echo.client.execute("sleep 10000")
    time.sleep(0.3)
    started = time.monotonic()
    interrupt(echo)
    ran = echo.finish(msg_id)
    assert time.monotonic() - started < 0.5
    assert (ran.status, ran.content["ename"], ran.kinds) == ("error", "KeyboardInterrupt", ["error"])
    assert echo.ok("println fine").text() == "fine\n"


def test_interrupt_aborts_the_cells_behind(echo):
    ids = [echo.client.execute("sleep 10000"), *[echo.client.execute("println a") for _ in range(3)]]
    time.sleep(0.3)
    interrupt(echo)
    assert [echo.recv_reply(msg_id)["content"]["status"] for msg_id in ids] == ["error", *["aborted"] * 3]


def test_stretches_behind_an_interrupted_one_do_not_run(echo):
    msg_id = echo.client.execute("hang 600\n%lsmagic\nprintln never")
    time.sleep(0.2)
    interrupt(echo)
    ran = echo.finish(msg_id)
    assert (ran.content["ename"], ran.kinds) == ("KeyboardInterrupt", ["error"])


def test_sigint_interrupts_and_does_not_kill(echo):
    os.kill(echo.pid, signal.SIGINT)
    msg_id = echo.client.execute("sleep 10000")
    time.sleep(0.3)
    os.kill(echo.pid, signal.SIGINT)
    assert echo.finish(msg_id).content["ename"] == "KeyboardInterrupt"
    assert echo.ok("println fine").text() == "fine\n"
