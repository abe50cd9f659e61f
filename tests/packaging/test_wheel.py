"""The wheel in an environment that is not activated and contains nothing else of ours."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import tomllib

from executed import execute
from places import ROOT

NAME = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"]
NOTEBOOK = [
    "%trace_load data/recorded_cpu/control --as control\n%trace_load data/recorded_cpu/test --as test",
    "%compare_traces control test --device-type cpu --top 5",
    "%ops_diff control test --device-type cpu",
    "%visualize control test --kind duration",
    "%trace_load data/job --as job\n%gpu_kernel_breakdown job",
]
RUST = "1 + 1"


def test_the_wheel_carries_this_binary_and_all_that_it_installs(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (program,) = [name for name in names if name.endswith(".data/scripts/tracebook")]
        built = Path(
            os.environ.get("TRACEBOOK_BIN") or Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"), "release", "tracebook")
        )
        assert archive.read(program) == built.read_bytes(), "the wheel is older than the kernel: run `make wheel`"
    data = {name.split(".data/data/share/jupyter/")[1] for name in names if ".data/data/" in name}
    assert {"kernels/tracebook/kernel.json", "labextensions/tracebook-labextension/package.json"} <= data
    assert any(name.endswith("plotly.min.js") for name in data)
    assert not wheel.name.endswith("-any.whl")


def test_magics_work_in_an_environment_that_is_not_activated(place, plain):
    ran = execute(place, plain, NOTEBOOK)
    assert Path(ran["spec"]).is_relative_to(place)
    for source, outputs in zip(NOTEBOOK, ran["outputs"], strict=True):
        assert outputs and not [output for output in outputs if output["output_type"] == "error"], source
    kinds = {kind for outputs in ran["outputs"] for output in outputs for kind in output.get("data", {})}
    assert {"application/vnd.tracebook.table.v1+json", "application/vnd.plotly.v1+json", "text/plain"} <= kinds


def test_a_rust_cell_says_which_command_makes_rust_cells_work(place, plain):
    (outputs,) = execute(place, plain, [RUST])["outputs"]
    (error,) = [output for output in outputs if output["output_type"] == "error"]
    program = place / "bin" / "tracebook"
    assert f"'{program}' install --build-cells" in error["evalue"]
    assert "magics work" in error["evalue"]


def test_doctor_sees_what_the_wheel_brought(place, plain):
    ran = subprocess.run([place / "bin" / "tracebook", "doctor"], capture_output=True, text=True, timeout=120, env=plain)
    found = {line[6:16].strip(): (line[:5].strip(), line[17:]) for line in ran.stdout.splitlines()}
    assert found["kernel"][0] == found["extension"][0] == "ok", ran.stdout
    assert str(place) in found["kernel"][1] and found["Rust cells"][0] == "WRONG"


def test_pip_takes_everything_away_again(place):
    pip = [sys.executable, "-m", "pip", "--python", place / "bin" / "python", "uninstall", "--quiet", "--yes", NAME]
    subprocess.run(pip, check=True, timeout=120)
    left = [path for path in place.rglob("*") if path.is_file() and "tracebook" in path.name]
    assert left == []
