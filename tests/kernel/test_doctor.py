"""`tracebook doctor` in a terminal."""

import os
import subprocess

import pytest


@pytest.fixture
def command(tracebook_argv, tmp_path):
    """Runs a subcommand with a separate Jupyter folder."""

    def command(name, *arguments, **env):
        line = [tracebook_argv[0], name, "--prefix", str(tmp_path / "jupyter"), *arguments]
        return subprocess.run(line, capture_output=True, text=True, timeout=120, env={**os.environ, **env})

    return command


def findings(ran):
    """The findings by subject."""
    return {line[6:16].strip(): (line[:5].strip(), line[17:]) for line in ran.stdout.splitlines()}


def test_doctor_names_each_problem_and_its_fix(command, tmp_path):
    ran = command("doctor", XDG_DATA_HOME=str(tmp_path / "data"))
    found = findings(ran)
    assert ran.returncode == 1 and "problems; fixes are listed above" in ran.stderr
    for thing in ("kernel", "extension", "Rust cells"):
        state, text = found[thing]
        assert state == "WRONG" and "tracebook install" in text, ran.stdout
    assert found["temporary"][0] == found["data"][0] == found["history"][0] == "ok"
    assert not (tmp_path / "data").exists(), "looking makes nothing"


def test_doctor_sees_what_install_made(command, tmp_path):
    command("install", "--no-cells")
    found = findings(command("doctor"))
    assert found["kernel"][0] == found["extension"][0] == "ok"
    (script,) = (tmp_path / "jupyter").rglob("remoteEntry.js")
    script.unlink()
    assert findings(command("doctor"))["extension"][0] == "WRONG"


def test_doctor_without_compiler_and_toolchain_names_both_fixes(command, tmp_path):
    ran = command("doctor", PATH="/nonexistent", XDG_DATA_HOME=str(tmp_path / "data"), TRACEBOOK_CELLS="")
    found = findings(ran)
    assert ran.returncode == 1
    assert found["compiler"][0] == found["linker"][0] == "WRONG" and "rustup.rs" in found["compiler"][1]
    for thing in ("compiler", "Rust cells"):
        assert " install --build-cells`" in found[thing][1], found


def test_doctor_names_a_folder_that_cannot_be_written(command, tmp_path):
    (tmp_path / "file").write_text("")
    ran = command("doctor", TMPDIR=str(tmp_path / "file" / "tmp"))
    assert ran.returncode == 1 and findings(ran)["temporary"][0] == "WRONG", ran.stdout


@pytest.mark.rust_cells
def test_doctor_finds_no_problem_after_an_installation(command):
    command("install", "--no-cells")
    ran = command("doctor")
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
