"""The measured programs: ours, and HTA under a limit of memory."""

import json
import os
import resource
import subprocess
import time
from pathlib import Path

ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20), "MALLOC_TRIM_THRESHOLD_": str(8 << 20)}
"""What the kernel sets at its start: freed memory returns to the system (`crates/kernel-base/src/session/allocator.rs`)."""


class Refused(Exception):
    """The program could not do it."""


def answers(program, job, budget=None, spill=None):
    """Runs every step and returns their lines."""
    argv = [str(program), str(job.path)]
    argv += ["--memory", budget, "--spill", str(spill)] if budget else []
    done = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, **ALLOCATOR})
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode and not steps:
        raise SystemExit(f"{' '.join(argv)}: {done.stderr[-2000:]}")
    return steps


def hta(python, job, limit):
    """Runs HTA's load and the analyses that it answers for all ranks; returns seconds and the peak in bytes."""
    script = Path(__file__).parent / "with_hta.py"
    started = time.perf_counter()
    # The limit is that of each process: HTA parses in several, and collects all frames in the first.
    bound = lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))  # noqa: E731
    process = subprocess.Popen(
        [str(python), str(script), str(job.path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=bound
    )
    out, errors = process.communicate()
    if process.returncode:
        lines = errors.strip().splitlines() or [f"ended with {process.returncode}"]
        raise Refused(f"{lines[-1][:100]} after {time.perf_counter() - started:.0f} s")
    return json.loads(out.splitlines()[-1])
