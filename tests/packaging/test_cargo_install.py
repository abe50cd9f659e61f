"""`cargo install --path .`, and what the installed binary installs."""

import os
import subprocess

import pytest

from driver import Kernel
from places import KERNEL, ROOT

TRACE = ROOT / "notebooks" / "data" / "recorded_cpu" / "control"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    # A crate of rust-analyzer reads `CI` when it compiles; the Makefile unsets it, too.
    env = {name: value for name, value in os.environ.items() if name != "CI"}
    line = ["cargo", "install", "--path", ".", "--locked", "--offline", "--root", root]
    ran = subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, timeout=1800)
    assert ran.returncode == 0, ran.stderr
    compiled = [line.split()[1] for line in ran.stderr.splitlines() if line.split()[:1] == ["Compiling"]]
    assert not {"polars", "polars-core", "evcxr"} & set(compiled), "built with other features than `cargo build --workspace`"
    return root / "bin" / "tracebook"


def test_what_it_installs_elsewhere_answers_a_magic(program, tmp_path):
    ran = subprocess.run([program, "install", "--prefix", tmp_path, "--no-cells"], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0 and f"`{program} install --build-cells`" in ran.stdout, ran.stdout + ran.stderr
    assert (tmp_path / "share/jupyter/kernels" / KERNEL / "kernel.json").is_file()
    assert (tmp_path / "share/jupyter/labextensions/tracebook-labextension/package.json").is_file()
    kernel = Kernel([str(program), "run", "--connection-file"], tmp_path)
    try:
        ran = kernel.run(f"%trace_load {TRACE} --as control\n%trace_list")
        assert ran.status == "ok" and "control" in str(ran.outputs)
    finally:
        kernel.close()
