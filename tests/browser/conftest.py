"""The browser, and JupyterLab with our extension in it."""

import json
import os
import subprocess
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager

import chromium
from lab import Lab, lab, samples
from looks import FIGURE, TABLE
from places import ROOT
from samples import write_samples


def executed():
    """The executed notebooks to look at: `TRACEBOOK_NOTEBOOK`, or all that are committed."""
    if chosen := os.environ.get("TRACEBOOK_NOTEBOOK"):
        return [Path(chosen)]
    return [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if not path.stem.endswith(".executed")]


def pytest_generate_tests(metafunc):
    if "path" in metafunc.fixturenames:
        metafunc.parametrize("path", executed(), ids=lambda path: path.stem)


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory):
    """Where pictures go: `TRACEBOOK_SCREENSHOTS`, or a temporary folder."""
    folder = Path(os.environ.get("TRACEBOOK_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def sample_bundles():
    """Bundles of every kind, from trace-view's example."""
    return json.loads(subprocess.run([samples()], check=True, capture_output=True).stdout)


@pytest.fixture(scope="session")
def server(tmp_path_factory, sample_bundles) -> Lab:
    """JupyterLab over the executed notebooks, `samples.ipynb`, and `plain.ipynb` for what is seen without our extension. None is
    trusted."""
    folder = tmp_path_factory.mktemp("lab")
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    write_samples(notebooks / "samples.ipynb", sample_bundles)
    write_samples(notebooks / "plain.ipynb", [without_extension(bundle) for bundle in sample_bundles])
    for path in executed():
        notebook = nbformat.read(path, as_version=4)
        if notebook.metadata.get("kernelspec", {}).get("name") not in KernelSpecManager().find_kernel_specs():
            # Nothing is executed here; a kernel that is missing would only open a dialog over the notebook.
            notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, notebooks / path.name)
    with lab(folder, notebooks) as running:
        yield running


@pytest.fixture
def page():
    """A page in a fresh browser."""
    if not chromium.find():
        pytest.fail(f"no browser: none of {chromium.NAMES} is on the PATH, and CHROMIUM is not set")
    with chromium.page() as opened:
        yield opened


def without_extension(bundle):
    """What is left of a bundle where our extension is missing."""
    data = {mime: content for mime, content in bundle["data"].items() if mime not in (FIGURE, TABLE)}
    return {**bundle, "data": data}
