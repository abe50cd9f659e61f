"""Small or read-only folders for one kernel, in its own mount namespace."""

import os

from namespaces import of_its_own, skip_unless


def mounted(argv, mounts):
    """Returns a command that mounts and then runs `argv`; skips if the system allows no mount, as in many containers."""
    script = " && ".join(mounts)
    line = [*of_its_own("mount", "a small disk"), "sh", "-c", f'{script} && exec "$@"', "sh"]
    skip_unless(line, "a mount of our own")
    return [*line, *argv]


def small(folder, megabytes):
    """The command that makes `folder` a disk of that many megabytes."""
    return f"mount -t tmpfs -o size={megabytes}m none '{folder}'"


def unwritable(folder):
    """The command that makes `folder` read-only, for root too."""
    return f"mount --bind '{folder}' '{folder}' && mount -o remount,ro,bind '{folder}'"


def seen_by(pid, path):
    """A path in the process's view of the file system."""
    return f"/proc/{pid}/root{path}"


def fill(folder):
    """Fills the disk of a folder; returns the file that does."""
    path = os.path.join(folder, "filler")
    with open(path, "wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12):
            try:
                while filler.write(b"x" * size):
                    pass
            except OSError:
                continue
    return path
