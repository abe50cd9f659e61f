"""Fixtures: a browser, and JupyterLab with our extension."""

import json
import os
import subprocess
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager

import chromium
from lab import Lab, LabPage, lab, samples
from looks import FIGURE, TABLE
from places import ROOT
from samples import write_samples


def executed():
    """The executed notebooks to test: `TRACEBOOK_NOTEBOOK`, or all committed ones."""
    if chosen := os.environ.get("TRACEBOOK_NOTEBOOK"):
        return [Path(chosen)]
    return [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if not path.stem.endswith(".executed")]


def pytest_generate_tests(metafunc):
    if "path" in metafunc.fixturenames:
        metafunc.parametrize("path", executed(), ids=lambda path: path.stem)


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory):
    """The folder of screenshots: `TRACEBOOK_SCREENSHOTS`, or a temporary one."""
    folder = Path(os.environ.get("TRACEBOOK_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def sample_bundles():
    """Bundles of every kind, from trace-render's example."""
    return json.loads(subprocess.run([samples()], check=True, capture_output=True).stdout)


@pytest.fixture(scope="package")
def server(tmp_path_factory, sample_bundles) -> Lab:
    """JupyterLab with the executed notebooks, `samples.ipynb`, and `plain.ipynb`, which needs no extension. No notebook is
    trusted."""
    folder = tmp_path_factory.mktemp("lab")
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    write_samples(notebooks / "samples.ipynb", sample_bundles)
    write_samples(notebooks / "plain.ipynb", [without_extension(bundle) for bundle in sample_bundles])
    for path in executed():
        notebook = nbformat.read(path, as_version=4)
        if notebook.metadata.get("kernelspec", {}).get("name") not in KernelSpecManager().find_kernel_specs():
            # Nothing is executed here, but JupyterLab opens a dialog if the kernel is missing.
            notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, notebooks / path.name)
    with lab(folder, notebooks) as running:
        yield running


@pytest.fixture(scope="package")
def browser():
    """The browser of all tests of this folder."""
    if not chromium.find():
        pytest.fail(f"no browser: none of {chromium.NAMES} is on the PATH, and CHROMIUM is not set")
    with chromium.browser() as running:
        yield running


@pytest.fixture(scope="package")
def pages(browser):
    """The page with JupyterLab that tests use one after the other, in a list; a test that fails leaves it empty."""
    with chromium.context(browser) as profile:
        yield profile, []


@pytest.fixture
def page(pages, request):
    """A page without errors, of the usual size."""
    profile, kept = pages
    if not kept:
        kept.append(LabPage(profile.new_page()))
    (opened,) = kept
    opened.begin()
    failed = request.session.testsfailed
    yield opened
    if request.session.testsfailed != failed:
        kept.clear()
        opened.play.close()


def without_extension(bundle):
    """A bundle without the MIME types of our extension."""
    data = {mime: content for mime, content in bundle["data"].items() if mime not in (FIGURE, TABLE)}
    return {**bundle, "data": data}
