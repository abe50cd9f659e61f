"""Time and memory of loading, compared with HTA, polars, DuckDB and orjson: `make bench`.

    python3 benches/loading --load TARGET/examples/load --generator TARGET/large_trace --folder FOLDER [--python VENV/bin/python]
                            [--sizes 35M,250M,1G,4G] [--ranks-of 40M] [--plain-of 250M]
                            [--write docs/benchmarks.md] [--rounds N] [--prepare]

Without `--python` no peers are timed. `--prepare` only writes the data and checks all readers.
"""

import argparse
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import contenders  # noqa: E402
import files  # noqa: E402
import page  # noqa: E402
import targets  # noqa: E402
from check import Checks, Differs  # noqa: E402
from measure import Failed, OtherWork, memory_available, run  # noqa: E402
from memory_section import kept  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def main():
    options = arguments()
    load, generator = options.load.resolve(), options.generator.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    cores = set(sorted(os.sched_getaffinity(0))[:2])
    readers = [contenders.ours(load), *contenders.limits(load)]
    versions = contenders.toolchain()
    if options.python:
        readers += contenders.peers(options.python)
        versions += "; " + contenders.versions(options.python)
    checks = Checks(options.folder, versions)

    skipped, chosen = [], []
    for size in options.sizes.split(","):
        try:
            file = files.real(options.shared) if size == files.REAL else files.generated(size, options.folder, generator)
        except files.Skipped as why:
            skipped.append(note(str(why)))
            continue
        chosen.append((file, allowed(file, readers, skipped)))
    exact = {
        (file.name, reader.name): checks.contender(reader, file.path)
        for file, fitting in chosen
        for reader in fitting
        if reader.digest
    }
    job = files.ranks(options.ranks_of, options.folder, generator)
    plain = files.generated(options.plain_of, options.folder, generator, packed=False)
    checks.contender(readers[0], plain.path)
    print("all read the same as Python's Decimal", flush=True)
    if options.prepare:
        return

    other_work, rows, tables = OtherWork(), [], []
    for file, fitting in chosen:
        results = timed(file, fitting, cores, options.rounds)
        rows += targets.of_file(file, results)
        tables.append(page.of_file(file, results, {name: words for (of, name), words in exact.items() if of == file.name}))
    several = []
    for title, file, row in [("Several ranks", job, targets.ranks), ("One plain file, split", plain, targets.plain)]:
        one, two = on_cores(readers[0], file, cores, options.rounds)
        if len(cores) > 1:
            rows += row(one, two, file.name)
        several.append(page.of_cores(title, file, one, two))
    rows.sort(key=lambda row: order(row.measure))
    text = page.page(rows, tables, skipped, other_work.cores(), versions, several)
    print(text)
    if options.write:
        # What `make bench-memory` wrote stays, and what follows it.
        rest = kept(options.write.read_text()) if options.write.exists() else ""
        options.write.write_text(f"{text.rstrip()}\n\n{rest}" if rest else text)
        print(f"wrote {options.write}")


def allowed(file, readers, skipped):
    """Returns the readers for a file, and notes why others are skipped."""
    fitting = []
    for reader in readers:
        needed = reader.memory * file.json_bytes
        if file.json_bytes > reader.up_to:
            skipped.append(
                note(f"{reader.name} on {file.name}: it would need about {needed / 1e9:.0f} GB of memory, and minutes")
            )
        elif needed > 0.85 * memory_available():
            skipped.append(
                note(
                    f"{reader.name} on {file.name}: it needs about {needed / 1e9:.0f} GB of memory, {memory_available() / 1e9:.0f} GB are free"
                )
            )
        else:
            fitting.append(reader)
    return fitting


def timed(file, fitting, cores, rounds):
    """Runs the readers in rounds. Each round begins with another reader, so that none always follows the same one."""
    results = {reader.name: [] for reader in fitting}
    times = {reader.name: rounds or reader.rounds_on(file.json_bytes) for reader in fitting}
    for turn in range(max(times.values())):
        begin = turn % len(fitting)
        for reader in fitting[begin:] + fitting[:begin]:
            if turn < times[reader.name]:
                done = run(reader.command(file.path), cores)
                results[reader.name].append(done)
                print(
                    f"{file.name:>6} {reader.name:<28} wall {done.wall:8.3f} s  CPU {done.cpu:8.2f} s  peak {done.peak / 2**20:7.0f} MiB",
                    flush=True,
                )
    return results


def on_cores(reader, file, cores, rounds):
    """Runs on one core and on two, alternating."""
    one, two = [], []
    for _ in range(rounds or 5):
        one.append(run(reader.command(file.path), {min(cores)}))
        two.append(run(reader.command(file.path), cores))
        print(f"{file.name:>6} one core {one[-1].wall:.3f} s, two cores {two[-1].wall:.3f} s", flush=True)
    return one, two


def order(measure):
    order = [
        "CPU against HTA",
        "wall against HTA",
        "CPU against polars",
        "wall against gunzip",
        "peak",
        "bytes",
        "several ranks",
        "a plain file",
    ]
    return next(place for place, start in enumerate(order) if measure.startswith(start))


def note(line):
    print(f"skipped: {line}", flush=True)
    return line


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", type=Path, required=True)
    parser.add_argument("--generator", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--python", type=Path)
    parser.add_argument("--sizes", default="35M,250M,1G,4G")
    parser.add_argument("--ranks-of", default="40M", help="the JSON of each rank of the job of several")
    parser.add_argument("--plain-of", default="250M", help="the JSON of the file that is not packed")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--shared", default=os.environ.get("TRACEBOOK_SHARED") or ROOT.parent / "shared")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except (Differs, Failed) as error:
        sys.exit(f"stopped, no time is shown: {error}")
