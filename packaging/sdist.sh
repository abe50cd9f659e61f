#!/usr/bin/env bash
# `sdist.sh FOLDER`: writes the source distribution from a clone. PYTHON is the Python to build with.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check "$(grep '^maturin==' tests/requirements.txt)"
"$tools/bin/python" packaging/backend.py --sdist "$folder"
