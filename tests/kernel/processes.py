"""The processes and folders of a kernel, and what is left of them when it ends."""

import os
import time

# What the issue of a solid kernel allows from the wish to end to the end of the last process.
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
    """Gone, or dead and only waiting for the system to take note."""

    def lives(pid):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    deadline = time.monotonic() + within
    while any(map(lives, pids)):
        assert time.monotonic() < deadline, "a process outlived the kernel"
        time.sleep(0.02)


def end(kernel):
    kernel.send("shutdown_request", {"restart": False}, "control")
    kernel.wait_for_end(WITHIN)


def run_folders(temporary):
    """The folders of runs in a temporary folder."""
    return [name for name in os.listdir(temporary) if name.startswith("tracebook")]
