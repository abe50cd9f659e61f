"""Many ranks within a memory budget, against the same without one, and against HTA: `make bench-memory`.

    python3 benches/memory --answers TARGET/examples/answers --generator TARGET/large_trace --folder FOLDER
                           [--sizes 100M,1G,8G] [--ranks 64] [--budget 1G] [--rounds 3]
                           [--python VENV/bin/python [--hta-sizes 100M] [--hta-limit 12G]] [--keep] [--write docs/benchmarks.md]

For each size, a job of so many ranks is generated, loaded, and asked everything, with the budget and without. The digests of all
columns and answers must be equal. The table says how much memory was resident at most (the system's own peak), how much of it
was own pages and pages of files (sampled), and how long it took. Data and spilled columns are deleted, unless `--keep`. A table
without failures replaces the section of `--write`.
"""

import argparse
import datetime
import platform
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "loading"))

import memory_section  # noqa: E402
import rows  # noqa: E402
from jobs import generated  # noqa: E402
from measure import OtherWork, memory_available  # noqa: E402
from programs import Refused, answers, hta  # noqa: E402

UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}
"""Sizes of files are decimal; budgets are binary, as in `--memory 1G`."""


def main():
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    other_work, failed, table = OtherWork(), [], []
    show(table, rows.HEAD)
    for size in options.sizes.split(","):
        job = generated(options.generator, options.folder, options.ranks, size, bytes_of(size))
        try:
            failed += measured(job, options, table)
        finally:
            if not options.keep:
                shutil.rmtree(job.path)
    other = f"other work used {other_work.cores():.2f} cores meanwhile"
    print(f"\n{other}")
    if failed:
        sys.exit("failed: " + "; ".join(failed))
    if options.write:
        machine = f"{datetime.date.today()}; {platform.machine()}, {platform.system()} {platform.release()}; {other}."
        text = options.write.read_text() if options.write.exists() else ""
        options.write.write_text(memory_section.with_section(text, memory_section.written(table, options, machine)))
        print(f"wrote {options.write}")


def show(table, line):
    """Prints a line of the table and keeps it."""
    print(line, flush=True)
    table.append(line)


def measured(job, options, table):
    """Prints the rows of a job and returns what is wrong."""
    wrong, bounded, unbounded = [], [], []
    spill = options.folder / "spill"
    fits = memory_available() > 0.75 * job.json_bytes + 2e9
    # Alternating, so that both have the same neighbours.
    for _ in range(options.rounds):
        spill.mkdir(exist_ok=True)
        bounded.append(answers(options.answers, job, options.budget, spill))
        left = [path.name for path in spill.iterdir()]
        shutil.rmtree(spill)
        if left:
            wrong.append(f"{job.name}: {len(left)} files left in the spill folder")
        if fits:
            unbounded.append(answers(options.answers, job))
    within, free = rows.Runs(bounded), rows.Runs(unbounded) if unbounded else None
    show(table, rows.row(job, f"tracebook, {options.budget}", within, free))
    if free:
        show(table, rows.row(job, "tracebook, no budget", free))
        wrong += [f"{job.name}: {step} differs from the run without a budget" for step in within.differences(free)]
    else:
        show(table, f"| {job.name} | tracebook, no budget | not enough memory free | | | | | | |")
    budget = binary(options.budget)
    wrong += [f"{job.name}: {step} held {most >> 20} MiB" for step, most in within.peaks().items() if most > budget]
    wrong += [f"{job.name}: {step} was refused: {error}" for step, error in within.errors().items()]
    if options.steps:
        print(rows.steps(within, free))
    if options.python and job.size in options.hta_sizes.split(","):
        try:
            show(table, rows.hta_row(job, options.hta_limit, hta(options.python, job, binary(options.hta_limit))))
        except Refused as why:
            show(table, f"| {job.name} | HTA, at most {options.hta_limit} | {why} | | | | | | |")
    return wrong


def bytes_of(size):
    return int(float(size[:-1]) * UNITS[size[-1]])


def binary(size):
    return int(float(size[:-1]) * {"M": 1 << 20, "G": 1 << 30}[size[-1]])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--generator", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sizes", default="100M,1G,8G")
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--budget", default="1G")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", type=Path, help="a Python with HTA")
    parser.add_argument("--hta-sizes", default="100M,1G,8G")
    parser.add_argument("--hta-limit", default="12G")
    parser.add_argument("--steps", action="store_true", help="show every step")
    parser.add_argument("--write", type=Path, help="a page whose section about memory is replaced")
    parser.add_argument("--keep", action="store_true", help="keep the generated traces")
    return parser.parse_args()


if __name__ == "__main__":
    main()
