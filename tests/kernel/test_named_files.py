"""Files named by the user: written through devices, pipes and links, with unchanged mode."""

import os
import stat
import subprocess
import threading
from pathlib import Path

import pytest

import disks
from places import DATA
from processes import wait_until_at_rest
from waiting import AT_MOST, wait_until

HEAD = "name,control_counts"


@pytest.fixture
def loaded(tracebook):
    tracebook.ok(f"%trace_load '{DATA}/control' --as control --quiet\n%trace_load '{DATA}/test' --as test --quiet")
    return tracebook


def comparison(path):
    return f"%compare_traces control test --quiet --csv '{path}'"


def compare(kernel, path):
    return kernel.run(comparison(path))


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def node(path, major, minor):
    """Creates a device; skips if the system does not allow it."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(major, minor))
        with open(path, "w") as file:
            file.write("x")
    except PermissionError:
        pytest.skip("devices cannot be made or used here")
    except OSError:
        pass
    return path


def test_a_device_stays_one(loaded, tmp_path):
    null = node(tmp_path / "null", 1, 3)
    assert compare(loaded, null).status == "ok"
    assert stat.S_ISCHR(os.stat(null).st_mode)
    full = node(tmp_path / "full", 1, 7)
    ran = compare(loaded, full)
    assert stat.S_ISCHR(os.stat(full).st_mode)
    assert "the disk is full" in ran.content["evalue"]
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "0") == ["full", "null"]


def test_a_pipe_is_written_to_its_reader(loaded, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    msg_id = loaded.begin(comparison(pipe))
    wait_until_at_rest(loaded.pid)
    assert not loaded.has_replied(msg_id), "it waits for a reader"
    seen = []
    reader = threading.Thread(target=lambda: seen.append(pipe.read_text()))
    reader.start()
    assert loaded.finish(msg_id).status == "ok"
    reader.join(AT_MOST)
    assert seen[0].startswith(HEAD) and len(seen[0].splitlines()) > 20
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


@pytest.mark.parametrize("read", [False, True], ids=["no reader", "a reader that stopped"])
def test_interrupt_ends_the_wait_for_a_pipe(loaded, tmp_path, read):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # A full pipe.
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK) if read else None
    try:
        while end is not None:
            os.write(end, b"x" * 4096)
    except BlockingIOError:
        pass
    msg_id = loaded.begin(comparison(pipe))
    wait_until_at_rest(loaded.pid)
    assert not loaded.has_replied(msg_id)
    loaded.interrupt()
    assert loaded.finish(msg_id).content["ename"] == "KeyboardInterrupt"
    if end is not None:
        os.close(end)


def test_links_are_followed(loaded, tmp_path):
    (tmp_path / "there").mkdir()
    target, link, dangling = tmp_path / "there" / "target.csv", tmp_path / "link.csv", tmp_path / "dangling.csv"
    target.write_text("old")
    link.symlink_to("there/target.csv")
    dangling.symlink_to(tmp_path / "there" / "new.csv")
    for path in [link, dangling]:
        assert compare(loaded, path).status == "ok"
        assert path.is_symlink() and path.read_text().startswith(HEAD)
    twin = tmp_path / "twin.csv"
    os.link(target, twin)
    target.write_text("old")
    assert compare(loaded, twin).status == "ok"
    assert target.read_text().startswith(HEAD) and os.stat(target).st_nlink == 2
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["new.csv", "target.csv"]


def test_modes_and_the_umask_are_kept(loaded, tracebook_argv, start, tmp_path):
    secret, shut = tmp_path / "secret.csv", tmp_path / "shut.csv"
    secret.write_text("old")
    secret.chmod(0o600)
    assert compare(loaded, secret).status == "ok"
    assert mode(secret) == 0o600 and secret.read_text().startswith(HEAD)
    shut.write_text("old")
    shut.chmod(0o444)
    ran = compare(loaded, shut)
    assert ran.content["ename"] == "FileError" and "read-only (mode 0444)" in ran.content["evalue"]
    assert shut.read_text() == "old"
    for umask, expected in [(0o027, 0o640), (0o000, 0o666)]:
        before = os.umask(umask)
        try:
            kernel = start(tracebook_argv)
        finally:
            os.umask(before)
        kernel.ok(f"%trace_load '{DATA}/control' --as control --quiet")
        new = tmp_path / f"new{umask}"
        kernel.ok(f"%compare_traces control control --quiet --csv '{new}.csv'")
        kernel.ok(f"%describe control --quiet --json '{new}.json'")
        assert mode(f"{new}.csv") == mode(f"{new}.json") == expected


def test_a_full_disk_is_named_and_the_old_file_stays(tracebook_argv, start, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    kernel = start(disks.mounted(tracebook_argv, [disks.small(small, 4)]))
    seen = Path(disks.seen_by(kernel.pid, small))
    kernel.ok(f"%trace_load '{DATA}/job' --as job --quiet\n%compare_traces job job --quiet --csv '{small}/x.csv'")
    old = (seen / "x.csv").read_text()
    disks.fill(seen)
    for line in [f"%compare_traces job job --quiet --csv '{small}/x.csv'", f"%describe job --quiet --json '{small}/y.json'"]:
        assert "the disk is full" in kernel.run(line).content["evalue"]
    assert (seen / "x.csv").read_text() == old
    assert sorted(path.name for path in seen.iterdir()) == ["filler", "x.csv"]


def diff(tracebook_argv, arguments, shell='exec "$@"', **options):
    command = [tracebook_argv[0], "diff", str(DATA / "control"), str(DATA / "test"), *arguments]
    return subprocess.run(["bash", "-c", shell, "bash", *command], capture_output=True, text=True, timeout=60, **options)


def test_the_terminal_writes_through_descriptors(tracebook_argv, tmp_path):
    """Uses the target of `/dev/stdout`, never the link itself: a program that replaces it breaks the machine."""
    out = diff(tracebook_argv, ["--quiet", "--csv", "/proc/self/fd/1"])
    assert (out.returncode, out.stderr) == (0, "") and out.stdout.startswith(HEAD)
    appended = tmp_path / "appended.csv"
    appended.write_text("first\n")
    out = diff(tracebook_argv, ["--quiet", "--csv", "/proc/self/fd/1"], f'exec "$@" >> {appended}')
    assert out.returncode == 0 and appended.read_text().startswith(f"first\n{HEAD}")
    out = diff(tracebook_argv, ["--quiet", "--csv"], f'"$@" >(sed -n 1p > {tmp_path}/head)')
    assert out.returncode == 0, out.stderr
    wait_until(lambda: (tmp_path / "head").read_text().startswith(HEAD), AT_MOST, "the program behind the pipe has not read it")
    link = tmp_path / "link"
    link.symlink_to("/proc/self/fd/1")
    out = diff(tracebook_argv, ["--quiet", "--csv", str(link)])
    assert out.stdout.startswith(HEAD) and link.is_symlink()
