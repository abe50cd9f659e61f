"""Loads of recorded traces by this program and by that of another revision, paired: `make bench-revision REVISION=86fee0e`.

    python benches/revision.py LOAD --revision REVISION --folder FOLDER [--runs 31] [--threads 2] TRACES…

The other revision is checked out and built below the folder, once. Of each folder of TRACES the largest trace is loaded, by both
programs in turn; the ratio is the median of those of consecutive loads, which other work on the machine affects less than times.
"""

import argparse
import json
import os
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Sizes of small recordings; `make bench` measures larger ones.
BYTES = range(100 << 10, 64 << 20)


def main():
    options = arguments()
    old = built(options.revision, options.folder.resolve())
    new = copied(options.load.resolve(), options.folder.resolve() / "now")
    traces = [trace for folder in options.traces for trace in recorded(folder)]
    if not traces:
        raise SystemExit(f"no trace in {', '.join(map(str, options.traces)) or 'no folder'}: pass folders of recorded traces")
    print(f"{'trace':<48} {options.revision + ', ms':>14} {'now, ms':>9} {'ratio':>7}")
    for trace in traces:
        pairs = [paired(old, new, trace, options.threads, old_first=run % 2) for run in range(options.runs)]
        before, now = (statistics.median(side) for side in zip(*pairs, strict=True))
        ratio = statistics.median(now / before for before, now in pairs)
        print(f"{'/'.join(trace.parts[-3:])[:48]:<48} {before:>14.2f} {now:>9.2f} {ratio:>7.3f}", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("load", type=Path, help="the example `load` of this revision")
    parser.add_argument("traces", type=Path, nargs="*", help="folders with a folder of traces each")
    parser.add_argument("--revision", required=True)
    parser.add_argument("--folder", type=Path, required=True, help="where the other revision is built")
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_intermixed_args()


def built(revision, folder):
    """The example `load` of another revision."""
    command = ["git", "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if found.returncode != 0:
        raise SystemExit(f"invalid revision {revision!r}: expected a commit of this repository")
    commit, target = found.stdout.strip(), folder / "target"
    sources = folder / commit
    if not sources.exists():
        print(f"building {revision}: some 20 minutes on two cores, once", flush=True)
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, sources], check=True)
    subprocess.run(["git", "checkout", "--quiet", "--detach", commit], cwd=sources, check=True)
    command = ["cargo", "build", "--release", "--locked", "--quiet", "-p", "trace", "--example", "load"]
    subprocess.run(command, cwd=sources, env={**os.environ, "CARGO_TARGET_DIR": str(target)}, check=True)
    return copied(target / "release" / "examples" / "load", folder / f"load-{commit}")


def copied(program, copy):
    """A copy of a program: as the linker wrote it, its pages are cached otherwise, and a load takes 3 to 5 % longer."""
    copy.write_bytes(program.read_bytes())
    copy.chmod(0o755)
    return copy


def recorded(folder):
    """The largest trace of each folder in a folder."""
    if not folder.is_dir():
        print(f"no folder {folder}: left out")
        return
    for child in sorted(child for child in folder.iterdir() if child.is_dir()):
        files = [file for pattern in ("*.json", "*.json.gz") for file in child.rglob(pattern)]
        files = [file for file in files if file.stat().st_size in BYTES]
        if files:
            yield max(files, key=lambda file: (file.stat().st_size, file.name))


def paired(old, new, trace, threads, old_first):
    """Milliseconds of a load by both programs."""
    both = {program: seconds(program, trace, threads) * 1e3 for program in ((old, new) if old_first else (new, old))}
    return both[old], both[new]


def seconds(program, trace, threads):
    env = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    done = subprocess.run([program, trace, "--json", "--no-digest"], capture_output=True, text=True, env=env)
    if done.returncode != 0:
        raise SystemExit(f"{program} does not load {trace}: {done.stderr.strip()}")
    return json.loads(done.stdout)["wall_s"]


if __name__ == "__main__":
    main()
