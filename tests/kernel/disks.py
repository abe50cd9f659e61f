"""Folders that are small or cannot be written, for one kernel alone: mounted in a mount namespace of its own."""

import os
import subprocess

import pytest


def _namespace():
    """A program's own view of the file system; whoever is not root becomes root in it, and there alone."""
    return ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]


def mounted(argv, mounts):
    """`argv` behind the commands `mounts`; skips where the system allows no mount, as in many containers."""
    script = " && ".join(mounts)
    line = [*_namespace(), "sh", "-c", f'{script} && exec "$@"', "sh"]
    try:
        tried = subprocess.run([*line, "true"], capture_output=True, text=True, timeout=20)
    except FileNotFoundError:
        pytest.skip("no `unshare` here: a small disk cannot be made")
    if tried.returncode != 0:
        pytest.skip(f"this system allows no mount of our own: {tried.stderr.strip()}")
    return [*line, *argv]


def small(folder, megabytes):
    """The command that makes `folder` a disk of so many megabytes."""
    return f"mount -t tmpfs -o size={megabytes}m none '{folder}'"


def unwritable(folder):
    """The command that makes `folder` one that can only be read, for root too."""
    return f"mount --bind '{folder}' '{folder}' && mount -o remount,ro,bind '{folder}'"


def seen_by(pid, path):
    """A path in the process's view of the file system."""
    return f"/proc/{pid}/root{path}"


def fill(folder):
    """Leaves no byte free; returns the file that takes the room."""
    path = os.path.join(folder, "filler")
    with open(path, "wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12):
            try:
                while filler.write(b"x" * size):
                    pass
            except OSError:
                continue
    return path
