"""Fixtures: kernels as users get them, and the same kernel with a toy language instead of Rust."""

import os
from pathlib import Path

import pytest

import conformance
from driver import Kernel

ROOT = Path(__file__).resolve().parents[2]
# The first cell may have to wait for a compiler on a busy machine.
COMPILER_SECONDS = 120
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def pytest_addoption(parser):
    parser.addoption(
        "--conformance",
        choices=["figures", "checks"],
        help="run the tests of docs/conformance.md alone and write the page, with the figures measured or without",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "rust_cells: compiles Rust cells, needs what `tracebook install` builds")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--conformance", None):
        named = conformance.names()
        listed = [item for item in items if conformance.name_of(item.nodeid) in named or item.path.stem == "test_figures"]
        config.hook.pytest_deselected(items=[item for item in items if item not in listed])
        items[:] = listed


RESULTS = conformance.Results()


def pytest_runtest_logreport(report):
    RESULTS.add(report)


def pytest_sessionfinish(session):
    written = session.config.getoption("--conformance", None)
    if written:
        conformance.PAGE.write_text(conformance.page(RESULTS, measured=written == "figures"))


def program(variable, default):
    path = Path(os.environ.get(variable, default))
    build = "cargo build --release --workspace --bins --examples"
    assert path.is_file(), f"{path} is missing: `{build}`, or name it in {variable}"
    return str(path)


@pytest.fixture(scope="session")
def tracebook_argv():
    """The command line of the kernel."""
    return [program("TRACEBOOK_BIN", TARGET / "tracebook"), "run", "--connection-file"]


@pytest.fixture(scope="session")
def echo_argv():
    """`cargo build --release --example echo_kernel`: see echo/main.rs for its commands."""
    return [program("TRACEBOOK_ECHO_BIN", TARGET / "examples" / "echo_kernel")]


@pytest.fixture(scope="session")
def large_trace():
    """The program that writes a trace of any size."""
    return program("TRACEBOOK_LARGE_TRACE", TARGET / "large_trace")


@pytest.fixture(scope="session")
def cells_toolchain():
    """The folder of the cells toolchain that the kernel under test finds."""
    named = os.environ.get("TRACEBOOK_CELLS")
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tracebook"
    found = [Path(named)] if named else sorted(data.glob("cells-?.?.?"))
    assert found, "no cells toolchain: run `tracebook install`"
    return found[-1]


@pytest.fixture(scope="module")
def kernel(tracebook_argv, tmp_path_factory):
    """A kernel for all tests of a file, ready for Rust cells. Each test uses its own names."""
    kernel = Kernel(tracebook_argv, tmp_path_factory.mktemp("kernel"))
    try:
        kernel.ok("1", timeout=COMPILER_SECONDS)
        yield kernel
    finally:
        kernel.close()


@pytest.fixture
def start(tmp_path):
    """Starts kernels, and ends them with the test."""
    started = []

    def start(argv, **options):
        folder = tmp_path / str(len(started))
        folder.mkdir()
        kernel = Kernel(argv, folder, **options)
        started.append(kernel)
        return kernel

    yield start
    for kernel in started:
        kernel.close()


@pytest.fixture
def echo(start, echo_argv):
    """A fresh kernel with the toy language."""
    return start(echo_argv)


@pytest.fixture
def tracebook(start, tracebook_argv):
    """A fresh kernel as users get it."""
    return start(tracebook_argv)
