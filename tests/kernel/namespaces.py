"""Namespaces for one kernel: its own mounts, or its own network."""

import os
import subprocess

import pytest


def of_its_own(kind, what):
    """Returns a command that runs the rest of the line in a namespace (`mount`, `net`); skips if the system allows none.

    A user who is not root becomes root inside of the namespace only.
    """
    line = ["unshare", f"--{kind}"] if os.geteuid() == 0 else ["unshare", "--map-root-user", f"--{kind}"]
    skip_unless(line, what)
    return line


def skip_unless(line, what):
    """Skips if `line` cannot run a command; `what` names what is missing then."""
    try:
        tried = subprocess.run([*line, "true"], capture_output=True, text=True, timeout=20)
    except FileNotFoundError:
        pytest.skip(f"no `unshare` here: {what} cannot be made")
    if tried.returncode != 0:
        pytest.skip(f"this system does not allow {what}: {tried.stderr.strip()}")
