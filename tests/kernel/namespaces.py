"""A view of the system for one kernel alone: its own mounts, or its own network."""

import os
import subprocess

import pytest


def of_its_own(kind, what):
    """The command line that gives what stands behind it a namespace (`mount`, `net`); skips where the system allows none.

    Whoever is not root becomes root in it, and there alone.
    """
    line = ["unshare", f"--{kind}"] if os.geteuid() == 0 else ["unshare", "--map-root-user", f"--{kind}"]
    skip_unless(line, what)
    return line


def skip_unless(line, what):
    """Skips if nothing can run behind `line`, and says what cannot be had without it."""
    try:
        tried = subprocess.run([*line, "true"], capture_output=True, text=True, timeout=20)
    except FileNotFoundError:
        pytest.skip(f"no `unshare` here: {what} cannot be made")
    if tried.returncode != 0:
        pytest.skip(f"this system does not allow {what}: {tried.stderr.strip()}")
