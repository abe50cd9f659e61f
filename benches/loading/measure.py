"""Measures one process: wall clock until it reports what it loaded, CPU and peak memory until its end."""

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


class Failed(Exception):
    """A measured process failed."""


@dataclass
class Run:
    wall: float
    """Seconds from the start of the process until it reports that its frame is finished: what a user waits for."""
    whole: float
    """Seconds from the start of the process to its end, when its memory is released."""
    cpu: float
    """CPU seconds of all its threads, user and system, until its end."""
    peak: int
    """Peak memory in bytes."""
    report: dict
    """The line of JSON that it printed at the end."""


def run(argv, cores=None, env=None):
    """Runs `argv` on `cores` (a set of numbers) and waits for it."""
    with tempfile.TemporaryFile() as errors:
        pin = (lambda: os.sched_setaffinity(0, cores)) if cores else None
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(arg) for arg in argv], stdout=subprocess.PIPE, stderr=errors, env={**os.environ, **(env or {})}, preexec_fn=pin
        )
        with process.stdout as out:
            report = out.readline().strip()
            wall = time.perf_counter() - started
            more = out.read().strip()
        _, status, usage = os.wait4(process.pid, 0)
        whole = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if process.returncode or not report or more:
            raise Failed(
                f"{' '.join(map(str, argv))}\nended with {process.returncode}: {errors.read().decode(errors='replace')[-2000:]}"
            )
    return Run(wall, whole, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, json.loads(report))


class OtherWork:
    """The load of the machine by other work during a measurement."""

    def __init__(self):
        self.started, self.busy, self.own = time.perf_counter(), busy_seconds(), own_seconds()

    def cores(self):
        """The cores that other work used, on average."""
        seconds = time.perf_counter() - self.started
        return max(0.0, (busy_seconds() - self.busy - (own_seconds() - self.own)) / seconds)


def busy_seconds():
    """The busy seconds of all cores since the machine started, with the time that the host took away."""
    user, nice, system, _idle, _wait, irq, softirq, steal, *_ = map(
        int, Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def memory_available():
    """The bytes that a new process can allocate without swapping."""
    line = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable:"))
    return int(line.split()[1]) * 1024
