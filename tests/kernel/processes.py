"""The processes and folders of a kernel, and what they are doing."""

import os
from pathlib import Path

from waiting import AT_MOST, wait_until


def children(pid):
    """The processes below `pid`."""
    found = []
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = int(state(other)[1])
        except OSError:
            continue
        if parent == pid:
            found += [int(other), *children(int(other))]
    return found


def state(pid, of="stat"):
    """The fields of a process, or of one of its threads, behind its name: state, parent and so on."""
    return Path(f"/proc/{pid}/{of}").read_text().rsplit(") ", 1)[1].split()


def name_of(pid):
    """The name of a process, or an empty text if it has ended."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def processor_seconds(pid):
    """The processor time of a process so far; zero if it has ended."""
    try:
        fields = state(pid)
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def compiler_seconds(pid):
    """The processor time of the compilers below a kernel. One waits for the next cell at any time."""
    return sum(processor_seconds(child) for child in children(pid) if name_of(child) == "rustc")


def wait_for_compiler(kernel):
    """Waits until a cell that was sent is being compiled."""
    before = compiler_seconds(kernel.pid)
    wait_until(lambda: compiler_seconds(kernel.pid) - before > 0.3, AT_MOST, "no compiler works")


def wait_until_opened(pid, path, times=1):
    """Waits until a process has opened a file so many times."""

    def opened():
        found = 0
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            try:
                found += os.readlink(f"/proc/{pid}/fd/{descriptor}") == str(path)
            except OSError:
                continue
        return found >= times

    wait_until(opened, AT_MOST, f"{path} was not opened")


def wait_until_at_rest(pid):
    """Waits until no thread of a process computes or waits for a disk."""
    resting = 0

    def at_rest():
        nonlocal resting
        threads = os.listdir(f"/proc/{pid}/task")
        try:
            working = any(state(pid, f"task/{thread}/stat")[0] in "RD" for thread in threads)
        except OSError:
            working = True
        # A thread may be about to wake another.
        resting = 0 if working else resting + 1
        return resting == 10

    wait_until(at_rest, AT_MOST, "a thread computes")


def assert_gone(pids):
    """Waits until processes are gone; a zombie counts as gone. Without the end of their kernel they would go on for longer."""

    def lives(pid):
        try:
            return state(pid)[0] != "Z"
        except OSError:
            return False

    wait_until(lambda: not any(map(lives, pids)), AT_MOST, "a process outlived its end")


def worker(pid):
    """The worker process of a kernel, in which Rust cells run; None if it has none."""
    return next((child for child in children(pid) if name_of(child).startswith("tracebook-work")), None)


def end(kernel):
    kernel.send("shutdown_request", {"restart": False}, "control")
    kernel.wait_for_end()


def run_folders(temporary):
    """The names of the folders of kernels in a temporary folder."""
    return [name for name in os.listdir(temporary) if name.startswith("tracebook")]
