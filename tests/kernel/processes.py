"""The processes and folders of a kernel."""

import os
from pathlib import Path

from waiting import wait_until

# The longest time from the request to end to the end of the last process, in seconds.
WITHIN = 2


def children(pid):
    """The processes below `pid`."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as stat:
                parent = int(stat.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if parent == pid:
            found += [int(name), *children(int(name))]
    return found


def assert_gone(pids, within=WITHIN):
    """Waits until processes are gone; a zombie counts as gone."""

    def lives(pid):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    wait_until(lambda: not any(map(lives, pids)), within, "a process outlived its end")


def worker(pid):
    """The worker process of a kernel, in which Rust cells run; None if it has none."""
    for child in children(pid):
        try:
            if Path(f"/proc/{child}/comm").read_text().startswith("tracebook-work"):
                return child
        except OSError:
            continue
    return None


def end(kernel):
    kernel.send("shutdown_request", {"restart": False}, "control")
    kernel.wait_for_end(WITHIN)


def run_folders(temporary):
    """The names of the folders of kernels in a temporary folder."""
    return [name for name in os.listdir(temporary) if name.startswith("tracebook")]
