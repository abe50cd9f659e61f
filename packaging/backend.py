"""The build backend of wheel and source distribution (PEP 517): maturin's, with the kernelspec and the extension in the wheel.

The program writes those files, so it is built first; maturin's call of cargo then compiles nothing again.
`python packaging/backend.py [--sdist] FOLDER [FLAG …]` does the same without pip and isolation, with further flags for maturin.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import maturin
from maturin import (  # noqa: F401 (hooks that need no data)
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

# `[tool.maturin] data` in pyproject.toml.
DATA = Path("tracebook.data")


def cargo():
    """Prepares the environment for cargo, here and in maturin."""
    # A crate of rust-analyzer reads it at compile time: a build with it and one without share nothing.
    os.environ.pop("CI", None)
    if shutil.which("cargo"):
        return
    try:
        # maturin then requires this package, and installs Rust with it, too.
        from puccinialin import setup_rust
    except ImportError:
        sys.exit("cannot build Tracebook: there is no cargo; install Rust with rustup, see https://rustup.rs")
    os.environ.update(setup_rust())


def program():
    """Builds the program as maturin will, and returns its path."""
    cargo()
    line = ["cargo", "build", "--release", "--locked", "--bin", "tracebook", "--message-format", "json-render-diagnostics"]
    ran = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        sys.exit("cannot build Tracebook: the message of cargo is above")
    built = [json.loads(message).get("executable") for message in ran.stdout.splitlines()]
    return next(filter(None, built))


@contextlib.contextmanager
def data(program=None):
    """The folder of the wheel's data files, as `program` writes them; empty without, since maturin wants the folder in any case."""
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir()
    try:
        if program:
            line = [program, "install", "--prefix", DATA / "data", "--relocatable"]
            subprocess.run(line, stdout=subprocess.DEVNULL, check=True)
        yield
    finally:
        shutil.rmtree(DATA, ignore_errors=True)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with data(program()):
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with data(program()):
        return maturin.build_editable(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    with data():
        return maturin.build_sdist(sdist_directory, config_settings)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    cargo()
    with data():
        return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sdist", action="store_true", help="write the source distribution, not the wheel")
    parser.add_argument("folder", type=Path, help="where to write it")
    options, flags = parser.parse_known_args()
    folder = options.folder.absolute()
    os.chdir(Path(__file__).parent.parent)
    kind = ["sdist"] if options.sdist else ["build", "--release", "--locked"]
    with data(None if options.sdist else program()):
        line = [sys.executable, "-m", "maturin", *kind, "--out", folder, *flags]
        ran = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    # Only then: maturin warns that it is not called by pip.
    if ran.returncode:
        sys.stderr.write(ran.stdout)
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
