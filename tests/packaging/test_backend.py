"""The build backend, with stand-ins for cargo, for the built program and for maturin."""

import importlib.util
import os
import stat

import pytest

from places import ROOT

CARGO = r"""#!/bin/sh
echo "cargo $* CI=${CI:-}" >> log
[ -n "$FAKE_FAILURE" ] && exit 101
printf '{"reason": "compiler-artifact", "executable": null}\n{"reason": "compiler-artifact", "executable": "%s"}\n' "$PWD/tracebook"
"""
PROGRAM = r"""#!/bin/sh
echo "tracebook $*" >> log
mkdir -p "$3/share/jupyter/kernels/tracebook" && echo '{}' > "$3/share/jupyter/kernels/tracebook/kernel.json"
"""


@pytest.fixture
def backend(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("backend", ROOT / "packaging" / "backend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tools = tmp_path / "tools"
    tools.mkdir()
    for path, text in {tools / "cargo": CARGO, tmp_path / "tracebook": PROGRAM}.items():
        path.write_text(text)
        path.chmod(stat.S_IRWXU)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("CI", "true")

    def hook(name):
        def call(folder, *rest):
            found = sorted(str(path.relative_to(tmp_path)) for path in (tmp_path / "tracebook.data").rglob("*") if path.is_file())
            assert (tmp_path / "tracebook.data").is_dir(), "maturin wants the folder"
            return [name, folder, *found]

        return call

    for name in ["build_wheel", "build_editable", "build_sdist", "prepare_metadata_for_build_wheel"]:
        monkeypatch.setattr(module.maturin, name, hook(name))
    module.log = lambda: (tmp_path / "log").read_text().splitlines() if (tmp_path / "log").exists() else []
    return module


@pytest.mark.parametrize("hook", ["build_wheel", "build_editable"])
def test_wheel_has_the_files_that_the_built_program_writes(backend, tmp_path, hook):
    (tmp_path / "tracebook.data" / "data").mkdir(parents=True)
    (tmp_path / "tracebook.data" / "data" / "old").touch()
    assert getattr(backend, hook)("dist") == [hook, "dist", "tracebook.data/data/share/jupyter/kernels/tracebook/kernel.json"]
    assert backend.log() == [
        "cargo build --release --locked --bin tracebook --message-format json-render-diagnostics CI=",
        "tracebook install --prefix tracebook.data/data --relocatable",
    ]
    assert not (tmp_path / "tracebook.data").exists()


@pytest.mark.parametrize("hook", ["build_sdist", "prepare_metadata_for_build_wheel"])
def test_sdist_and_metadata_are_made_without_building(backend, tmp_path, hook):
    assert getattr(backend, hook)("dist") == [hook, "dist"]
    assert backend.log() == [] and not (tmp_path / "tracebook.data").exists()


def test_build_that_fails_ends_with_a_sentence(backend, monkeypatch, tmp_path):
    monkeypatch.setenv("FAKE_FAILURE", "yes")
    with pytest.raises(SystemExit, match="cannot build Tracebook"):
        backend.build_wheel("dist")
    assert not (tmp_path / "tracebook.data").exists()


def test_machine_without_cargo_is_told_where_to_get_it(backend, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SystemExit, match="there is no cargo; install Rust with rustup"):
        backend.build_wheel("dist")
