"""An imitation of the commands of Slurm, for machines without it: tasks really run, as processes, two at once.

`ImitatedSlurm(folder)` makes commands of these names for a PATH: sbatch, squeue, sacct, scancel, sinfo. It speaks the part of Slurm that
the engine uses, and no more: what it refuses, Slurm may take, and the other way round.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

SLOTS = 2
NAMES = ("sbatch", "squeue", "sacct", "scancel", "sinfo")


class ImitatedSlurm:
    """A cluster of one node; its jobs are in a folder."""

    size = "1 node, 2 slots"
    # What it calls a task whose script was killed.
    killed = "NODE_FAIL"
    # Whether it takes tasks that need more cores than a node has.
    waits_for_ever = False

    def __init__(self, folder):
        self.jobs = folder / "jobs"
        self.jobs.mkdir(parents=True)
        commands = folder / "bin"
        commands.mkdir()
        for name in NAMES:
            command = commands / name
            command.write_text(f'#!/bin/sh\nexec {sys.executable} {__file__} {name} {self.jobs} "$@"\n')
            command.chmod(0o755)
        self.environment = {"PATH": f"{commands}:{os.environ['PATH']}"}

    def states(self):
        """The states of all tasks, by job."""
        return {job.name: states_of(job) for job in self.jobs.iterdir() if (job / "job.json").exists()}

    def close(self):
        """Cancels all jobs, and removes them."""
        scancel(self.jobs, [job.name for job in self.jobs.iterdir()])
        shutil.rmtree(self.jobs, ignore_errors=True)


def refuse(said):
    print(f"error: {said}", file=sys.stderr)
    sys.exit(1)


def sbatch(jobs, words):
    """Keeps a job, and starts the process that runs its tasks."""
    if words == ["--version"]:
        print("slurm-wlm 22.05.8")
        return
    parser = argparse.ArgumentParser(prog="sbatch")
    for flag in ("job-name", "nodes", "ntasks", "cpus-per-task", "mem", "output"):
        parser.add_argument(f"--{flag}", required=True)
    for flag in ("parsable", "requeue"):
        parser.add_argument(f"--{flag}", action="store_true", required=True)
    parser.add_argument("--array")
    parser.add_argument("--dependency", default="afterany:")
    parser.add_argument("script")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    job = vars(parser.parse_args(words))
    if int(job["mem"].removesuffix("M")) > 64_000:
        refuse("Batch job submission failed: Requested node configuration is not available")
    assert Path(job["script"]).read_text().startswith("#!/bin/sh"), "sbatch wants a script"
    first, last = (job["array"] or "0-0").split("-")
    assert first == "0" and int(last) <= 1000, "MaxArraySize is 1001"
    number = 1
    while True:
        folder = jobs / str(number)
        try:
            folder.mkdir()
            break
        except FileExistsError:
            number += 1
    for index in range(int(last) + 1):
        (folder / str(index)).write_text("PENDING")
    (folder / "job.json").write_text(json.dumps(job))
    runner = [sys.executable, __file__, "run", str(jobs), str(number)]
    null = subprocess.DEVNULL
    subprocess.Popen(runner, start_new_session=True, stdin=null, stdout=null, stderr=null)
    print(number)


def states_of(folder):
    return {int(path.name): path.read_text().split()[0] for path in folder.iterdir() if path.name.isdigit() and path.read_text()}


def note(folder, index, state):
    """Writes the state of a task, unless it was cancelled."""
    part = folder / f"{index}.part"
    part.write_text(state)
    if not (folder / "cancelled").exists():
        part.rename(folder / str(index))


def run(jobs, words):
    """Runs the tasks of a job, once others have ended."""
    folder = jobs / words[0]
    job = json.loads((folder / "job.json").read_text())
    waits = [jobs / other for other in job["dependency"].removeprefix("afterany:").split(":") if other]
    ended = lambda other: not {"PENDING", "RUNNING"} & set(states_of(other).values())  # noqa: E731
    while not all(ended(other) for other in waits):
        time.sleep(0.05)
    waiting, running = sorted(states_of(folder)), {}
    while (waiting or running) and not (folder / "cancelled").exists():
        while waiting and len(running) < SLOTS:
            index = waiting.pop(0)
            output = job["output"].replace("%%", "%").replace("%A", words[0]).replace("%a", str(index)).replace("%j", words[0])
            array = {"SLURM_ARRAY_TASK_ID": str(index)} if job["array"] else {}
            with open(output, "w") as out:
                task = ["sh", job["script"], *job["words"]]
                running[index] = subprocess.Popen(
                    task, start_new_session=True, env={**os.environ, **array}, stdout=out, stderr=out
                )
            note(folder, index, f"RUNNING {running[index].pid}")
        for index, process in list(running.items()):
            if process.poll() is not None:
                del running[index]
                # A script that is killed stands for a node that is lost.
                code = process.returncode
                note(folder, index, "COMPLETED" if code == 0 else "NODE_FAIL" if code < 0 else "FAILED")
        time.sleep(0.02)
    for process in running.values():
        kill(process.pid)


def kill(group):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def squeue(jobs, words):
    (number,) = [word.removeprefix("--jobs=") for word in words if word.startswith("--jobs=")]
    assert {"--noheader", "--array", "--states=all", "--format=%i|%T|%r"} <= set(words), words
    folder = jobs / number
    if not folder.exists():
        refuse("Invalid job id specified")
    array = json.loads((folder / "job.json").read_text())["array"]
    for index, state in sorted(states_of(folder).items()):
        print(f"{number}_{index}|{state}|None" if array else f"{number}|{state}|None")


def sacct(_jobs, _words):
    refuse("Slurm accounting storage is disabled")


def scancel(jobs, words):
    for number in words:
        folder = jobs / number
        (folder / "cancelled").touch()
        for path in folder.iterdir():
            state, *pid = path.read_text().split() if path.name.isdigit() else [""]
            if pid:
                kill(int(pid[0]))
            if state in ("PENDING", "RUNNING"):
                path.write_text("CANCELLED")


def sinfo(_jobs, words):
    assert words == ["--noheader", "--format=%D|%C"], words
    print(f"1|0/{SLOTS}/0/{SLOTS}")


if __name__ == "__main__":
    COMMANDS = {"sbatch": sbatch, "squeue": squeue, "sacct": sacct, "scancel": scancel, "sinfo": sinfo, "run": run}
    COMMANDS[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:])
