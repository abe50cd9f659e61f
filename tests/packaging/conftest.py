"""Fixtures of the packages: the wheel in an environment, and the variables of a user who has nothing else of ours."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from places import ROOT


@pytest.fixture(scope="module")
def wheel():
    """The wheel that `make wheel` wrote last."""
    wheels = list((ROOT / "dist").glob("*.whl"))
    assert len(wheels) == 1, "no wheel, or several: run `make wheel`"
    return wheels[0]


@pytest.fixture(scope="module")
def place(wheel, tmp_path_factory):
    """An environment with the wheel, and with the Jupyter of the test environment."""
    place = tmp_path_factory.mktemp("an environment")
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", wheel], check=True, timeout=120)
    (site,) = (place / "lib").glob("python*/site-packages")
    site.joinpath("jupyter.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return place


@pytest.fixture
def plain(tmp_path):
    """The environment variables of a user who activated and installed nothing else."""
    gone = {"VIRTUAL_ENV", "CONDA_PREFIX", "TRACEBOOK_CELLS"}
    ours = {name for name in os.environ if name.startswith("JUPYTER")}
    env = {name: value for name, value in os.environ.items() if name not in gone | ours}
    beside = Path(sys.executable).parent
    path = os.pathsep.join(folder for folder in env["PATH"].split(os.pathsep) if Path(folder) != beside)
    return {**env, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data"), "PATH": path}
