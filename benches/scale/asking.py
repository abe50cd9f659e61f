"""Asks the program, and watches it."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

POLL = 0.02
"""Seconds between two looks at memory: the system keeps the peak, so that only what grows after the last look is missed."""


@dataclass
class Job:
    folder: Path
    ranks: int
    size: int
    """Bytes of JSON of all ranks."""


@dataclass
class Run:
    seconds: float
    again: float
    """The same with the cache that the first run left."""
    tasks: int
    """Tasks that were started in the first run; 0 without an engine."""
    peak: int
    """Peak memory of the program in bytes, without tasks."""
    driver: int
    """Peak memory of Ray's driver in bytes; 0 without one."""
    answer: str


def generated(generator, folder, ranks, size):
    """Writes a job of so many ranks and bytes."""
    path = (folder / f"ranks-{ranks}").resolve()
    shutil.rmtree(path, ignore_errors=True)
    line = [str(generator), "--ranks", str(ranks), "--bytes", str(size), "--out", str(path)]
    subprocess.run(line, check=True, capture_output=True)
    files = list(path.glob("*.json"))
    assert len(files) == ranks, f"{path} has {len(files)} files"
    return Job(path, ranks, sum(file.stat().st_size for file in files))


class Asking:
    """The program on some cores, and a Ray cluster if there is one."""

    def __init__(self, tracebook, folder, cores, cluster):
        self.tracebook, self.folder, self.cores, self.cluster = tracebook.resolve(), folder, cores, cluster

    def ask(self, job, engine):
        """Loads and describes a job, with an empty cache and with a full one."""
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            scratch = Path(scratch).resolve()
            count = scratch / "tasks"
            program = scratch / "program"
            # Counts the tasks. It has the caches of this run, on the nodes of the cluster, too.
            program.write_text(
                f"#!/bin/sh\necho >>'{count}'\nexport TRACEBOOK_CACHE='{scratch / 'cache'}'\nexec '{self.tracebook}' \"$@\"\n"
            )
            program.chmod(0o755)
            # A cluster that was asked the same about the same files has the answer in a log.
            for file in job.folder.iterdir():
                os.utime(file)
            environment = {"TRACEBOOK_CACHE": str(scratch / "cache"), "TRACEBOOK_TASK_PROGRAM": str(program)}
            first = self.run(job, engine, scratch / "first.json", environment)
            tasks = count.stat().st_size if count.exists() else 0
            again = self.run(job, engine, scratch / "again.json", environment)
            answers = {hashlib.sha256((scratch / f"{name}.json").read_bytes()).hexdigest() for name in ("first", "again")}
            assert len(answers) == 1, f"{engine} on {job.ranks} ranks: another answer from the cache"
        return Run(first[0], again[0], tasks, max(first[1], again[1]), max(first[2], again[2]), answers.pop())

    def run(self, job, engine, answer, environment):
        """Returns seconds, and the peaks of the program and of Ray's driver in bytes."""
        line = [self.tracebook, "describe", f"file://{job.folder}", "--json", answer, "--quiet"]
        line += [] if engine == "local" else ["--engine", engine]
        line += ["--address", self.cluster.address] if engine == "ray" else []
        environment = {**os.environ, **environment}
        begun = time.perf_counter()
        process = subprocess.Popen(
            [str(word) for word in line],
            env=environment,
            preexec_fn=lambda: os.sched_setaffinity(0, self.cores),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        peak = driver = looked = 0
        drivers = []
        while process.poll() is None:
            peak = max(peak, memory(process.pid))
            if engine == "ray" and time.perf_counter() - looked > 0.5:
                drivers, looked = driver_processes(), time.perf_counter()
            driver = max([driver, *map(memory, drivers)])
            time.sleep(POLL)
        seconds = time.perf_counter() - begun
        if process.returncode:
            sys.exit(f"{' '.join(map(str, line))} ended with {process.returncode}: {process.stderr.read().decode()[-2000:]}")
        return seconds, peak, driver


def memory(pid):
    """The peak of a process in bytes; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def driver_processes():
    """The processes that run the driver of a job of Ray."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"driver.py"]:
            found.append(int(name))
    return found
