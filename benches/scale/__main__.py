"""Many ranks by an engine, against this process on as many cores: `make bench-scale`.

    python3 benches/scale --tracebook TARGET/tracebook --generator TARGET/large_trace --folder FOLDER
                          [--ranks 512,4096,512:25000000] [--rank-bytes 250000] [--cores 2] [--rounds 3]
                          [--engines processes,ray] [--ray TARGET/ray-venv] [--keep] [--write docs/benchmarks.md]

For each number of ranks, of `--rank-bytes` of JSON each unless it says how many, a job is generated, loaded and described: by threads of this process, by its children, and by a Ray cluster
of one node per core on this machine, which is left out where Ray is not installed. Each run begins with an empty cache, and runs once more with
what that left. The answers must be equal, byte by byte. The fixed part is the same run with one rank. A table without failures replaces the
section of `--write`.
"""

import argparse
import datetime
import os
import platform
import shutil
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benches" / "loading"), str(ROOT / "tests"), str(ROOT / "tests" / "kernel")]

import memory_section  # noqa: E402
import section  # noqa: E402
from asking import Asking, generated  # noqa: E402
from measure import OtherWork  # noqa: E402


def main():
    options = arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    cores = sorted(os.sched_getaffinity(0))[: options.cores]
    if len(cores) < options.cores:
        sys.exit(f"--cores {options.cores}: this process may use {len(cores)}")
    other_work, cluster = OtherWork(), None
    engines = options.engines.split(",")
    if "ray" in engines:
        os.environ["TRACEBOOK_RAY_VENV"] = str(options.ray.resolve())
        import ray_cluster

        if ray_cluster.installed():
            cluster = ray_cluster.Cluster(nodes=options.cores)
        else:
            engines.remove("ray")
            print(f"no Ray in {options.ray}: left out (`make ray-venv` installs it)")
    try:
        asking = Asking(options.tracebook, options.folder, cores, cluster)
        sizes = [(1, options.rank_bytes), *(size(words, options.rank_bytes) for words in options.ranks.split(","))]
        rows = [row for ranks, rank_bytes in sizes for row in measured(asking, options, engines, ranks, rank_bytes)]
    finally:
        if cluster:
            cluster.close()
    lines = section.table(rows)
    print("\n".join(lines))
    other = f"other work used {other_work.cores():.2f} cores meanwhile"
    print(f"\n{other}")
    wrong = [f"{row.engine} on {row.ranks} ranks" for row in rows if not row.is_equal]
    if wrong:
        sys.exit("other answers than in this process: " + ", ".join(wrong))
    if options.write:
        machine = f"{datetime.date.today()}; {options.cores} cores, {platform.machine()}, {platform.system()} {platform.release()}; {other}."
        text = options.write.read_text() if options.write.exists() else ""
        own = section.written(rows, lines, options, machine)
        options.write.write_text(memory_section.with_section(text, own, (section.BEGIN, section.END)))
        print(f"wrote {options.write}")


def size(words, rank_bytes):
    """Reads `512:25000000`: ranks, and bytes of JSON of each."""
    ranks, _, own = words.partition(":")
    return int(ranks), int(own or rank_bytes)


def measured(asking, options, engines, ranks, rank_bytes):
    """Returns a row for each engine: medians of the rounds, which alternate, so that all have the same neighbours."""
    job = generated(options.generator, options.folder, ranks, ranks * rank_bytes)
    try:
        runs = {engine: [] for engine in ["local", *engines]}
        if ranks == 1:
            # What a node does once, such as loading Ray, is not measured.
            for engine in runs:
                asking.ask(job, engine)
        for _ in range(options.rounds):
            for engine, own in runs.items():
                own.append(asking.ask(job, engine))
                print(f"{ranks} ranks, {engine}: {own[-1].seconds:.2f} s, again {own[-1].again:.2f} s", flush=True)
    finally:
        if not options.keep:
            shutil.rmtree(job.folder)
    answers = {run.answer for own in runs.values() for run in own}
    return [row(job, rank_bytes, engine, own, len(answers) == 1) for engine, own in runs.items()]


def row(job, rank_bytes, engine, runs, is_equal):
    median = lambda of: statistics.median(map(of, runs))  # noqa: E731
    return section.Row(
        engine,
        job.ranks,
        rank_bytes,
        median(lambda run: run.seconds),
        median(lambda run: run.again),
        max(run.tasks for run in runs),
        max(run.peak for run in runs),
        max(run.driver for run in runs),
        is_equal,
    )


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracebook", type=Path, required=True)
    parser.add_argument("--generator", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--ranks", default="512,4096,512:25000000")
    parser.add_argument("--rank-bytes", type=int, default=250_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engines", default="processes,ray")
    parser.add_argument("--ray", type=Path, default=ROOT / "target" / "ray-venv", help="an environment with Ray")
    parser.add_argument("--write", type=Path, help="a page whose section is replaced")
    parser.add_argument("--keep", action="store_true", help="keep the generated traces")
    return parser.parse_args()


main()
