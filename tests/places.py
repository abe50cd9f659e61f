"""Locations: the repository, the demo data, the kernel's name, the folder of recorded answers."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "notebooks" / "data"
KERNEL = "tracebook"


def shared_folder():
    """The folder of third-party traces and of HTA's recorded answers; it may be absent."""
    return Path(os.environ.get("TRACEBOOK_SHARED") or ROOT.parent / "shared").resolve()
