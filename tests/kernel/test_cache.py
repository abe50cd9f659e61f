"""The cache of loaded traces: a second load maps what the first kept; nothing wrong is read; the cache never costs a load."""

import os
import pathlib
import shutil
import signal
import stat
import subprocess
import time

import pytest

from driver import Kernel
from places import DATA


@pytest.fixture(scope="module")
def trace(tmp_path_factory, large_trace):
    """A trace that is worth it, written some time ago."""
    path = tmp_path_factory.mktemp("traces") / "large.json"
    subprocess.run([large_trace, path, "--bytes", "30M"], check=True, capture_output=True)
    os.utime(path, (time.time() - 60, time.time() - 60))
    return path


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def start(tracebook_argv, tmp_path):
    """Starts kernels with a value of TRACEBOOK_CACHE."""
    started = []

    def begin(value):
        place = tmp_path / f"kernel-{len(started)}"
        started.append(Kernel(tracebook_argv, place, env={"TRACEBOOK_CACHE": str(value)}))
        return started[-1]

    yield begin
    for kernel in started:
        kernel.close()


def text(ran):
    """Everything that a cell showed, as plain text."""
    shown = [m["content"] for m in ran.outputs]
    return "\n".join(c.get("text") or c.get("data", {}).get("text/plain", "") for c in shown)


def entries(folder):
    return sorted(folder.glob("*.arrow"))


def summary(kernel, label):
    return text(kernel.ok(f"%describe {label}"))


def test_a_second_load_uses_the_cache(start, folder, trace):
    kernel = start(folder)
    first = text(kernel.ok(f"%trace_load {trace} --as one"))
    assert "from the cache" not in first
    [entry] = entries(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and stat.S_IMODE(entry.stat().st_mode) & 0o077 == 0
    second = text(kernel.ok(f"%trace_load {trace} --as two"))
    assert "from the cache" in second
    other = start(folder)
    third = text(other.ok(f"%trace_load {trace} --as two"))
    assert "from the cache" in third
    assert summary(kernel, "one").replace("one", "two") == summary(other, "two")
    assert "from the cache" not in text(other.ok(f"%trace_load {trace} --as two --no-cache"))
    assert "from the cache" not in text(other.ok(f"%trace_load {trace} --as two --args minimum"))


def test_files_of_another_program_stay_whatever_the_limit(start, folder, trace):
    folder.mkdir(mode=0o700)
    dataset = folder / "data-00000-of-00001.arrow"
    dataset.write_bytes(b"ARROW1" * 1000)
    refused = start(folder)
    loaded = text(refused.ok(f"%trace_load {trace} --as one"))
    assert "it contains `data-00000-of-00001.arrow`, which is not a file of a cache" in loaded
    assert [path.name for path in folder.iterdir()] == [dataset.name]
    own = folder / "tracebook"
    kernel = start(own)
    kernel.ok(f"%trace_load {trace} --as one")
    shutil.copy(dataset, own)
    shown = text(kernel.ok("%trace_cache --limit 1"))
    assert "1 file in this folder is not of the cache: it is neither counted nor removed" in shown
    cleared = text(start(own).ok("%trace_cache --clear"))
    assert "removed 0 files" in cleared and "kept 1 file, which is in use" in cleared
    assert dataset.name in [path.name for path in entries(own)]


def test_a_changed_trace_and_a_damaged_entry_are_read_again(start, folder, trace, tmp_path):
    copy = shutil.copy2(trace, tmp_path / "copy.json")
    kernel = start(folder)
    kernel.ok(f"%trace_load {copy} --as one")
    [entry] = entries(folder)
    os.chmod(entry, 0o600)
    content = bytearray(entry.read_bytes())
    content[len(content) // 2] ^= 0xFF
    entry.write_bytes(content)
    other = start(folder)
    assert "from the cache" not in text(other.ok(f"%trace_load {copy} --as one"))
    assert "from the cache" in text(other.ok(f"%trace_load {copy} --as one"))
    os.utime(copy, (time.time() - 30, time.time() - 30))
    assert "from the cache" not in text(other.ok(f"%trace_load {copy} --as one"))


def test_an_entry_that_is_cut_off_while_it_is_mapped_is_an_error(start, folder, trace):
    kernel = start(folder)
    kernel.ok(f"%trace_load {trace} --as one")
    other = start(folder)
    other.ok(f"%trace_load {trace} --as one")
    [entry] = entries(folder)
    os.chmod(entry, 0o600)
    with open(entry, "r+b") as file:
        file.truncate(4096)
    ran = other.run("%describe one")
    assert ran.status == "error" and "it changed while it was mapped; load it again" in ran.content["evalue"]
    other.ok(f"%trace_load {trace} --as one")
    other.ok("%describe one")


def rewrite(path, change):
    """Changes bytes of a file in place; its size and its time of change stay what they were."""
    found = path.stat()
    os.chmod(path, 0o600)
    with open(path, "r+b") as file:
        change(file, found.st_size)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (found.st_size, found.st_mtime_ns)


def spoil_the_middle(file, size):
    file.seek(size // 2)
    content = file.read(65536)
    file.seek(size // 2)
    file.write(bytes(byte ^ 0x55 for byte in content))


def test_an_entry_rewritten_in_place_is_never_believed(start, folder, trace):
    kernel = start(folder)
    kernel.ok(f"%trace_load {trace} --as one")
    expected = summary(kernel, "one")
    [entry] = entries(folder)
    rewrite(entry, spoil_the_middle)
    ran = kernel.run("%describe one")
    assert ran.status == "error" and "load it again" in ran.content["evalue"]
    kernel.ok(f"%trace_load {trace} --as one")
    assert summary(kernel, "one") == expected
    # While no kernel uses it: the next that does makes it again.
    [entry] = entries(folder)
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.wait_for_end()
    rewrite(entry, spoil_the_middle)
    other = start(folder)
    other.ok(f"%trace_load {trace} --as one")
    ran = other.run("%describe one")
    assert ran.status == "error" and "load it again" in ran.content["evalue"]
    other.ok(f"%trace_load {trace} --as one")
    assert summary(other, "one") == expected


def test_a_trace_rewritten_in_place_is_read_again(start, folder, trace, tmp_path):
    copy = pathlib.Path(shutil.copy2(trace, tmp_path / "copy.json"))
    kernel = start(folder)
    kernel.ok(f"%trace_load {copy} --as one")
    before = summary(kernel, "one")

    def rename(file, size):
        content = file.read().replace(b'"aten::', b'"ATEN::')
        file.seek(0)
        file.write(content)

    rewrite(copy, rename)
    # What is loaded stays what it was.
    assert summary(kernel, "one") == before
    assert "from the cache" not in text(kernel.ok(f"%trace_load {copy} --as one"))
    assert summary(kernel, "one") != before


def test_entries_are_shown_limited_and_cleared(start, folder, trace):
    kernel = start(folder)
    assert "of at most" in text(kernel.ok("%trace_cache"))
    kernel.ok(f"%trace_load {trace} --as one")
    shown = text(kernel.ok("%trace_cache"))
    assert str(trace) in shown and "just now" in shown and str(folder) in shown
    assert "which is in use" in text(kernel.ok("%trace_cache --clear"))
    other = start(folder)
    os.kill(kernel.pid, signal.SIGKILL)
    kernel.wait_for_end()
    assert "removed 0 files" in text(other.ok(f"%trace_cache --clear {DATA}"))
    assert "removed 1 file" in text(other.ok(f"%trace_cache --clear {trace.parent}"))
    assert entries(folder) == []
    assert "at most 3 MiB" in text(other.ok("%trace_cache --limit 3M"))
    other.ok(f"%trace_load {trace} --as one")
    assert entries(folder) == []


def test_two_kernels_load_one_trace_at_once(start, folder, trace):
    kernels = [start(folder), start(folder)]
    asked = [kernel.client.execute(f"%trace_load {trace} --as one") for kernel in kernels]
    assert [kernel.finish(msg_id).status for kernel, msg_id in zip(kernels, asked, strict=True)] == ["ok", "ok"]
    assert len(entries(folder)) == 1
    assert summary(kernels[0], "one") == summary(kernels[1], "one")


@pytest.mark.parametrize("value", ["off", "sometimes", "/dev/shm/tracebook-test-cache", "/proc/no/such"])
def test_a_load_goes_on_without_a_cache(start, trace, value):
    kernel = start(value)
    ran = kernel.ok(f"%trace_load {trace} --as one")
    assert ("TRACEBOOK_CACHE" in text(ran)) == (value != "off"), text(ran)
    assert "TRACEBOOK_CACHE" not in text(kernel.ok(f"%trace_load {trace} --as one")), "one warning"
    assert not os.path.exists("/dev/shm/tracebook-test-cache")
