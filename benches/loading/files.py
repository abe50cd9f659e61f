"""The files to load: a real trace if there is one, and generated traces of any size."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

REAL = "35M"
"""The name of the real trace, after its size: `trace_diff/control` in the folder of third-party traces."""
RANKS = 8
"""The number of ranks of the job with several ranks."""


@dataclass
class File:
    name: str
    path: Path
    json_bytes: int
    packed_bytes: int
    about: str


class Skipped(Exception):
    """A size for which there is no file."""


def real(shared):
    folder = Path(shared) / "traces" / "trace_diff" / "control"
    found = sorted(folder.glob("*.gz")) if folder.is_dir() else []
    if not found:
        raise Skipped(f"the real trace: no {folder} (TRACEBOOK_SHARED names the folder of third-party traces)")
    # The last four bytes of a gzip file are the length of its content, modulo 4 GiB.
    length = int.from_bytes(found[0].read_bytes()[-4:], "little")
    return File(
        REAL, found[0], length, found[0].stat().st_size, "a real trace, `trace_diff/control` of HTA's test data; whole µs"
    )


def generated(size, folder, generator, rank=0, packed=True):
    """Returns the file of that size. `generator` writes it if it is missing, always with the same bytes."""
    path = Path(folder) / f"rank-{rank}-of-{size}.json{'.gz' if packed else ''}"
    note = path.with_suffix(".note")
    stamp = f"{generator.stat().st_size} {generator.stat().st_mtime_ns}"
    if path.exists() and note.exists() and json.loads(note.read_text())["generator"] == stamp:
        known = json.loads(note.read_text())
    else:
        print(f"writing {path.name}", flush=True)
        fresh = path.with_suffix(".part" + path.suffix)
        subprocess.run(
            [generator, fresh, "--bytes", str(bytes_of(size)), "--rank", str(rank)], check=True, stderr=subprocess.DEVNULL
        )
        os.replace(fresh, path)
        known = {"generator": stamp, "json_bytes": bytes_of(size)}
        note.write_text(json.dumps(known))
    name = size if packed else f"{size} plain"
    return File(name, path, known["json_bytes"], path.stat().st_size, "generated, seed 1; µs with three decimals")


def ranks(size, folder, generator):
    """Returns a folder of several ranks, each of that size."""
    job = Path(folder) / f"job-{RANKS}x{size}"
    job.mkdir(parents=True, exist_ok=True)
    files = [generated(size, job, generator, rank) for rank in range(RANKS)]
    return File(job.name, job, sum(file.json_bytes for file in files), sum(file.packed_bytes for file in files), "generated")


def bytes_of(size):
    units = {"K": 10**3, "M": 10**6, "G": 10**9}
    try:
        number = float(size[:-1]) * units[size[-1]]
    except (KeyError, ValueError, IndexError):
        raise SystemExit(f"invalid size `{size}`: expected 250M, 1G or {REAL} (the real trace)") from None
    return int(number)
