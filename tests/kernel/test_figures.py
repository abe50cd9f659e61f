"""Waiting times of a user of the kernel, on an idle machine and concurrently with two busy processes.

`make conformance` asserts the bounds of the figures. Otherwise these are tests of what is measured: other tests run meanwhile.
"""

import statistics
import subprocess
import sys
import time

import pytest
import zmq

from conformance import FIGURES, MACHINES
from driver import LONG, until_exists
from long_load import repeated
from places import DATA
from processes import assert_gone, children, processor_seconds
from waiting import AT_MOST, wait_until

pytestmark = pytest.mark.rust_cells

TRIES = 5
LOOP = 'println!("begun"); loop {}'


@pytest.fixture(params=MACHINES)
def machine(request):
    """An idle machine, or one with two processes that compute during the test."""
    count = 2 if request.param == "beside-two" else 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    yield request.param
    for process in busy:
        process.kill()
        process.wait()


@pytest.fixture
def measured(machine, record_property, request):
    """Records a figure, and asserts its bound if figures are asked for."""
    bounds = request.config.getoption("--conformance", None) == "figures"

    def measured(what, value):
        (figure,) = [figure for figure in FIGURES if figure.what == what]
        record_property((what, machine), value)
        assert not bounds or figure.bound is None or value <= figure.bound, f"{what}: {value:.0f} {figure.unit}"

    return measured


@pytest.fixture(scope="module")
def long_trace(tmp_path_factory):
    """A trace that takes seconds to load: one gzip member, repeated."""
    event = '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%d,"dur":1},'
    events = "".join(event % n for n in range(20_000)).encode()
    path = tmp_path_factory.mktemp("long") / "long.json.gz"
    repeated(path, b'{"traceEvents": [', events, 4000, b'{"ph":"M"}]}')
    return path


def interrupted(kernel, code, computed=0.0, printed=None):
    """Interrupts a cell for which the kernel has computed so many seconds; returns the milliseconds from the request to `idle`."""
    before = processor_seconds(kernel.pid)
    msg_id = kernel.begin(code, printed, timeout=LONG)
    wait_until(lambda: processor_seconds(kernel.pid) - before >= computed, AT_MOST, "nothing is computed")
    started = time.monotonic()
    kernel.send("interrupt_request", channel="control")
    ran = kernel.finish(msg_id, timeout=LONG)
    milliseconds = (time.monotonic() - started) * 1000
    assert (ran.status, ran.content["ename"], ran.kinds[-1]) == ("error", "KeyboardInterrupt", "error"), ran.content
    return milliseconds


def test_start(start, tracebook_argv, measured):
    started = time.monotonic()
    kernel = start(tracebook_argv)
    kernel.ask("kernel_info_request")
    measured("start until kernel_info is answered", (time.monotonic() - started) * 1000)
    kernel.ok("1 + 1", timeout=LONG)
    measured("start until the first Rust cell has answered", (time.monotonic() - started) * 1000)


def test_interrupt_of_a_magic(kernel, long_trace, measured):
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet\nlet kept = 7;", timeout=LONG)
    load = f"%trace_load '{long_trace}' --as long --quiet"
    milliseconds = [interrupted(kernel, load, 0.15 * attempt) for attempt in range(1, TRIES + 1)]
    listed = kernel.ok("%trace_list").one("display_data")["data"]["text/plain"]
    assert "control" in listed and "long" not in listed
    assert kernel.ok("(control.ranks(), kept)", timeout=LONG).one("execute_result")["data"]["text/plain"] == "([3], 7)"
    measured("interrupt of a magic until idle, median", statistics.median(milliseconds))


def test_interrupt_of_a_rust_cell(kernel, measured):
    kernel.ok("let kept_too = 8;", timeout=LONG)
    milliseconds = [interrupted(kernel, LOOP, printed="begun") for _ in range(TRIES)]
    assert kernel.ok("kept_too").one("execute_result")["data"]["text/plain"] == "8"
    measured("interrupt of a Rust loop until idle, median", statistics.median(milliseconds))


def test_cell_behind_a_crash(kernel, measured):
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet")
    milliseconds = []
    for _ in range(TRIES):
        assert kernel.run("std::process::abort()", timeout=LONG).content["ename"] == "ProcessLost"
        ran = kernel.ok("control.ranks()", timeout=LONG)
        assert ran.one("execute_result")["data"]["text/plain"] == "[3]"
        milliseconds.append(ran.seconds * 1000)
    measured("first Rust cell after a crash, with a loaded trace, median", statistics.median(milliseconds))


def test_heartbeat_and_control_while_a_rust_cell_runs(kernel, measured, tmp_path):
    running = kernel.begin(until_exists(tmp_path / "asked") + "\n1", printed="begun", timeout=LONG)
    beat, beats, controls, completions = kernel.raw("hb", zmq.REQ), [], [], []

    def timed(into, ask):
        started = time.monotonic()
        ask()
        into.append((time.monotonic() - started) * 1000)

    def echo():
        beat.send(b"ping")
        assert beat.recv() == b"ping"

    request = {"code": "%trace_lo", "cursor_pos": 9}
    for _ in range(50):
        timed(beats, echo)
        timed(controls, lambda: kernel.recv_reply(kernel.send("kernel_info_request", channel="control"), channel="control"))
        timed(completions, lambda: kernel.recv_reply(kernel.send("complete_request", request)))
    assert not kernel.has_replied(running)
    (tmp_path / "asked").touch()
    assert kernel.finish(running, timeout=LONG).one("execute_result")["data"]["text/plain"] == "1"
    beat.close()
    measured("heartbeat while a Rust cell runs, longest of 50", max(beats))
    measured("kernel_info on control while a Rust cell runs, longest of 50", max(controls))
    measured("completion while a Rust cell runs, median", statistics.median(completions))


def test_ten_megabytes(kernel, measured):
    ran = kernel.ok('for n in 0..160_000 { println!("{n:062}"); }', timeout=LONG)
    assert ran.text() == "".join(f"{n:062}\n" for n in range(160_000))
    measured("10 MB printed in lines by a Rust cell, until idle", ran.seconds * 1000)
    measured("messages of the 10 MB in lines", ran.kinds.count("stream"))
    ran = kernel.ok('print!("{}", "x".repeat(10_080_000));', timeout=LONG)
    assert ran.text() == "x" * 10_080_000
    measured("10 MB printed in one line by a Rust cell, until idle", ran.seconds * 1000)


def test_shutdown_while_a_rust_cell_runs(start, tracebook_argv, measured):
    kernel = start(tracebook_argv)
    kernel.ok("1", timeout=LONG)
    kernel.begin(LOOP, printed="begun", timeout=LONG)
    below = children(kernel.pid)
    assert below, "the process for Rust cells runs"
    started = time.monotonic()
    kernel.send("shutdown_request", {"restart": False}, "control")
    kernel.wait_for_end()
    assert_gone(below)
    measured("shutdown while a Rust cell runs, until its last process is gone", (time.monotonic() - started) * 1000)
