"""The packed library for Rust cells: from the wheel to the first Rust cell without compiling anything but the cell."""

import hashlib
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from executed import execute


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """A folder with the packed library of the kernel under test, and its checksum."""
    folder = tmp_path_factory.mktemp("packed")
    subprocess.run([os.environ["TRACEBOOK_BIN"], "install", "--pack-cells", folder, "--pack-level", "3"], check=True, timeout=600)
    return folder


@pytest.fixture
def machine(plain, tmp_path):
    """A user's environment variables on a machine with rustc and a linker, and without cargo."""
    tools = tmp_path / "tools"
    tools.mkdir()
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    tools.joinpath("rustc").symlink_to(Path(sysroot, "bin", "rustc"))
    for name in ["cc", "sh", "cat", "env", "ld"]:
        tools.joinpath(name).symlink_to(shutil.which(name))
    env = {**plain, "PATH": str(tools)}
    assert shutil.which("cargo", path=env["PATH"]) is None
    return env


def fetch(place, env, *source):
    program = place / "bin" / "tracebook"
    return subprocess.run([program, "install", "--fetch-cells", *source], capture_output=True, text=True, env=env, timeout=300)


def archive_in(folder):
    (archive,) = folder.glob("*.tar.zst")
    return archive


@pytest.fixture
def server(packed):
    """The address of a web server with the packed library."""
    handler = partial(SimpleHTTPRequestHandler, directory=packed)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_packed_library_has_name_and_checksum_and_is_small(packed):
    archive = archive_in(packed)
    version = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    facts = dict(line.split(": ", 1) for line in version.splitlines() if ": " in line)
    assert archive.name.endswith(f"-{facts['host']}-rustc-{facts['commit-hash'][:9]}.tar.zst")
    # At level 19, of releases, it is a quarter smaller.
    assert archive.stat().st_size < 200_000_000
    digest, name = Path(f"{archive}.sha256").read_text().split()
    assert (digest, name) == (hashlib.sha256(archive.read_bytes()).hexdigest(), archive.name)


@pytest.mark.parametrize("source", ["folder", "server"])
def test_first_rust_cell_needs_no_cargo(source, place, machine, packed, request):
    where = packed if source == "folder" else request.getfixturevalue("server")
    ran = fetch(place, machine, where)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    cells = ["1 + 1", 'df!("a" => [1i64, 2])?.height()', "let n = vec![1, 2, 3]; n.len()"]
    outputs = [[output.get("data", output) for output in cell] for cell in execute(place, machine, cells)["outputs"]]
    assert [cell[-1]["text/plain"] for cell in outputs] == ["2", "2", "3"], outputs
    doctor = subprocess.run([place / "bin" / "tracebook", "doctor"], capture_output=True, text=True, env=machine, timeout=60)
    assert [line for line in doctor.stdout.splitlines() if line.startswith("ok    Rust cells")], doctor.stdout


def test_damaged_library_is_refused_and_the_old_one_stays(place, machine, packed, tmp_path):
    assert fetch(place, machine, packed).returncode == 0
    damaged = shutil.copy(archive_in(packed), tmp_path)
    shutil.copy(f"{archive_in(packed)}.sha256", tmp_path)
    with open(damaged, "r+b") as file:
        file.seek(file.seek(0, os.SEEK_END) // 2)
        file.write(b"damage")
    ran = fetch(place, machine, damaged)
    assert ran.returncode == 1 and "is damaged: its SHA-256 is" in ran.stderr, ran.stderr
    (outputs,) = execute(place, machine, ["1 + 1"])["outputs"]
    assert outputs[-1]["data"]["text/plain"] == "2"


def test_missing_library_is_named_with_the_fix(place, machine, server, tmp_path):
    for source in [f"{server}/nothing/", tmp_path, tmp_path / "gone.tar.zst", "http://127.0.0.1:9"]:
        ran = fetch(place, machine, source)
        assert ran.returncode == 1 and "install --build-cells` builds it" in ran.stderr, f"{source}: {ran.stderr}"
        assert str(source).rstrip("/") in ran.stderr
    ran = fetch(place, machine)
    assert ran.returncode == 1 and "--fetch-cells URL|FILE|FOLDER" in ran.stderr, ran.stderr
