#!/usr/bin/env bash
# `smoke.sh FOLDER`: installs the wheel and the packed library for Rust cells in FOLDER as a user does, and executes the demo notebook.
# Meant for a fresh Debian with Python; installs a C compiler and Rust where they are missing, and all else into a temporary folder.
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/.."

if ! command -v cc >/dev/null || ! command -v curl >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ca-certificates curl gcc libc6-dev
fi
packaging/rust.sh
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export XDG_DATA_HOME="$place/data" XDG_STATE_HOME="$place/state" TRACEBOOK_CACHE=off
unset VIRTUAL_ENV CONDA_PREFIX TRACEBOOK_CELLS JUPYTER_PATH
python3 -m venv "$place/venv"
bin="$place/venv/bin"
mapfile -t client < <(grep -E '^(jupyter_client|nbclient|nbformat)==' tests/requirements.txt)
"$bin/python" -m pip install --quiet --disable-pip-version-check "${client[@]}" "$folder"/*_"$(uname -m)".whl

echo '== as installed: all but Rust cells'
"$bin/tracebook" doctor || true
echo '== with the library for Rust cells'
"$bin/tracebook" install --fetch-cells="$folder"
"$bin/tracebook" doctor
echo '== the demo notebook'
"$bin/python" tests/execute.py notebooks/trace_diff_demo.ipynb "$place/executed.ipynb"
echo 'installed, checked and executed'
