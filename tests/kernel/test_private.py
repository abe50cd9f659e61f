"""Only the user can read what a kernel writes of traces and cells."""

import os
import stat

import pytest

from driver import LONG
from places import DATA

pytestmark = pytest.mark.rust_cells

SECRET = "hunter2-of-the-test"


def open_to_others(path):
    return stat.S_IMODE(path.lstat().st_mode) & 0o077


def reachable(folder):
    """The files that other users can read."""
    for path in folder.iterdir():
        if path.is_symlink() or not open_to_others(path):
            continue
        if path.is_dir():
            yield from reachable(path)
        yield path


def test_other_users_cannot_read_traces_and_cells(start, tracebook_argv, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir(mode=0o777)
    temporary.chmod(0o1777)
    before = os.umask(0)
    try:
        kernel = start(tracebook_argv, env={"TMPDIR": str(temporary)})
    finally:
        os.umask(before)
    kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet")
    kernel.ok(f'let secret = "{SECRET}"; control.ranks()', timeout=LONG)
    kernel.ok("let other = 1 + control.ranks().len(); other", timeout=LONG)
    (folder,) = temporary.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    holding = [path for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert holding and list(folder.rglob("control-*/rank-*.arrow")), "there is something to protect"
    assert list(reachable(temporary)) == []
