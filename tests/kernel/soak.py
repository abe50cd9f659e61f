"""A mixed load for any length of time, and the memory, handles and threads that the kernel holds meanwhile.

`make soak` runs it for SOAK_SECONDS; with a built kernel, `python tests/kernel/soak.py SECONDS` does too.
"""

import gzip
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from driver import LONG
from places import DATA
from processes import wait_until_opened, worker

# Bounds of the growth from the first third of a run to the last: MB, handles, threads. The allocator keeps the memory of an
# interrupted load, so that of the kernel varies by some tens of MB.
MEMORY, HANDLES, THREADS = 96, 4, 4
# MB per compiled cell: it stays loaded as long as its process, since values of it may live.
MEMORY_PER_CELL = 0.5
# MB of files per compiled cell.
FILES_PER_CELL = 0.5


@dataclass
class Sample:
    """What the two processes hold at one moment."""

    seconds: float
    cells: int
    kernel: tuple
    worker_pid: int
    worker: tuple
    files: float


def held(pid):
    """The memory in MB, the handles and the threads of a process."""
    with open(f"/proc/{pid}/status") as file:
        status = dict(line.split(":", 1) for line in file)
    return int(status["VmRSS"].split()[0]) / 1024, len(os.listdir(f"/proc/{pid}/fd")), int(status["Threads"])


def size(folder):
    """The size of all files in a folder, in MB."""
    total = 0
    for path in Path(folder).rglob("*"):
        try:
            total += path.lstat().st_size
        except OSError:
            continue
    return total / (1 << 20)


def long_trace(folder):
    """A trace that takes long enough to interrupt its load: one gzip member, repeated."""
    event = '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%d,"dur":1},'
    block = gzip.compress("".join(event % n for n in range(20_000)).encode())
    path = Path(folder) / "long.json.gz"
    path.write_bytes(gzip.compress(b'{"traceEvents": [') + block * 100 + gzip.compress(b'{"ph":"M"}]}'))
    return path


class Load:
    """Rounds of cells and requests; each asserts its results."""

    def __init__(self, kernel, folder):
        self.kernel, self.folder, self.long = kernel, folder, long_trace(folder)
        self.round, self.cells = 0, 0

    def ok(self, code):
        self.cells += 0 if code.startswith("%") else 1
        return self.kernel.ok(code, timeout=LONG)

    def fails(self, code, ename):
        self.cells += 0 if code.startswith("%") else 1
        ran = self.kernel.run(code, timeout=LONG)
        assert ran.status == "error" and ran.content["ename"] == ename, ran.content

    def interrupted(self, code, running):
        """Interrupts a cell once `running` has returned."""
        msg_id = self.kernel.client.execute(code)
        behind = self.kernel.client.execute("%trace_list")
        running(msg_id)
        self.kernel.interrupt()
        assert self.kernel.finish(msg_id, timeout=LONG).content["ename"] == "KeyboardInterrupt"
        assert self.kernel.finish(behind, timeout=LONG).status == "aborted"

    def one_round(self):
        self.round += 1
        n = self.round
        self.ok(f"%trace_load '{DATA}/control' --as control --quiet\n%trace_load '{DATA}/test' --as test --quiet")
        self.ok("%compare_traces control test --as compared")
        self.ok("%visualize control test")
        self.ok("%gpu_kernel_breakdown control")
        self.ok(f"let number = {n}; let numbers = vec![{n}; 100_000];")
        assert (
            self.ok("(number, numbers.len(), control.ranks(), compared.width() > 3)").one("execute_result")["data"]["text/plain"]
            == f"({n}, 100000, [3], true)"
        )
        self.fails("let x: i32 = no_such_name;", "CompileError")
        self.fails('panic!("on purpose")', "Panic")
        self.fails("%trace_lod", "UsageError")
        assert len(self.ok('for n in 0..40_000 { println!("{n:062}"); }').text()) == 40_000 * 63
        printed = lambda messages: any(message["msg_type"] == "stream" for message in messages)  # noqa: E731
        self.interrupted('println!("begun"); loop {}', lambda msg_id: self.kernel.wait_for(msg_id, printed, LONG))
        self.cells += 1
        opened = lambda _: wait_until_opened(self.kernel.pid, self.long)  # noqa: E731
        self.interrupted(f"%trace_load '{self.long}' --as long --quiet", opened)
        self.ok(f"%trace_load '{DATA}/test' --as passing --quiet")
        self.ok("%trace_drop passing")
        self.requests()
        if n % 10 == 0:
            self.fails("std::process::abort()", "ProcessLost")

    def requests(self):
        for _ in range(20):
            self.kernel.ask("complete_request", {"code": "%compare_traces con", "cursor_pos": 19})
            self.kernel.ask("inspect_request", {"code": "number", "cursor_pos": 3, "detail_level": 0})
            self.kernel.ask("history_request", {"hist_access_type": "tail", "n": 10, "output": False, "raw": True})
            self.kernel.ask("is_complete_request", {"code": "fn f() {"})
            self.kernel.recv_until_idle(self.kernel.send("comm_open", {"comm_id": "c", "target_name": "t", "data": {}}))


def run(kernel, folder, seconds=0, rounds=3, report=lambda line: None):
    """Runs rounds for some seconds, and at least so many; returns the samples. A first round is not counted."""
    load = Load(kernel, folder)
    load.one_round()
    report(
        f"{'time':>6} {'cells':>6} | kernel: {'MB':>6} {'handles':>7} {'threads':>7} | worker process: {'MB':>6} "
        f"{'handles':>7} {'threads':>7} | {'files MB':>8}"
    )
    samples, started = [], time.monotonic()
    while time.monotonic() - started < seconds or len(samples) < rounds:
        load.one_round()
        load.ok("1")
        pid = worker(kernel.pid)
        sample = Sample(time.monotonic() - started, load.cells, held(kernel.pid), pid, held(pid), size(folder))
        samples.append(sample)
        memory, handles, threads = sample.kernel
        theirs, their_handles, their_threads = sample.worker
        report(
            f"{sample.seconds:5.0f}s {sample.cells:6} |         {memory:6.0f} {handles:7} {threads:7} |"
            f"                  {theirs:6.0f} {their_handles:7} {their_threads:7} | {sample.files:8.1f}"
        )
    return samples


def growth(samples, of):
    """The median of the last third of the samples minus that of the first third."""
    third = max(1, len(samples) // 3)
    return statistics.median(map(of, samples[-third:])) - statistics.median(map(of, samples[:third]))


def faults(samples):
    """Returns a text for each thing that grew beyond its bound."""
    found = []
    cells = growth(samples, lambda sample: sample.cells)

    def check(what, grown, bound):
        if grown > bound:
            found.append(f"{what} grew by {grown:.1f}, {bound:.1f} is the bound")

    check("memory of the kernel (MB)", growth(samples, lambda sample: sample.kernel[0]), MEMORY)
    for index, (what, bound) in enumerate([("handles", HANDLES), ("threads", THREADS)], start=1):
        check(f"{what} of the kernel", growth(samples, lambda sample, index=index: sample.kernel[index]), bound)
        check(f"{what} of the worker process", growth(samples, lambda sample, index=index: sample.worker[index]), bound)
    lives = {}
    for sample in samples:
        lives.setdefault(sample.worker_pid, []).append(sample)
    for life in lives.values():
        more = life[-1].cells - life[0].cells
        check("memory of the worker process (MB)", life[-1].worker[0] - life[0].worker[0], MEMORY + MEMORY_PER_CELL * more)
    check("files of the run (MB)", growth(samples, lambda sample: sample.files), MEMORY + FILES_PER_CELL * cells)
    return found


def main(seconds):
    from conftest import TARGET
    from driver import Kernel

    program = os.environ.get("TRACEBOOK_BIN") or str(TARGET / "tracebook")
    with tempfile.TemporaryDirectory() as folder:
        kernel = Kernel([program, "run", "--connection-file"], folder, env={"TMPDIR": folder})
        try:
            found = faults(run(kernel, folder, seconds, report=lambda line: print(line, flush=True)))
        finally:
            kernel.close()
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(float(sys.argv[1]))
