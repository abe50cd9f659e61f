"""Generated jobs of many ranks."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Job:
    name: str
    size: str
    path: Path
    ranks: int
    json_bytes: int


def generated(generator, folder, ranks, size, size_bytes):
    """Returns a folder with a job of that many bytes of JSON in all; it is written unless it is there."""
    path = folder / f"job-{ranks}x-{size}"
    done = path.with_suffix(".done")
    if not (done.exists() and path.is_dir()):
        subprocess.run(
            [str(generator), "--ranks", str(ranks), "--bytes", str(size_bytes), "--out", str(path)],
            check=True,
            capture_output=True,
        )
        done.touch()
    files = list(path.glob("*.json"))
    assert len(files) == ranks, f"{path} has {len(files)} files"
    return Job(f"{ranks} ranks, {size}", size, path, ranks, sum(file.stat().st_size for file in files))
