#!/usr/bin/env bash
# `wheel.sh FOLDER`: builds the wheel for manylinux_2_28 (in a container of quay.io/pypa), and checks its name and its size.
# PYTHON is the Python to build with.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
"${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check "$(grep '^maturin==' tests/requirements.txt)"
"$tools/bin/python" packaging/backend.py "$folder" --compatibility manylinux_2_28

wheels=("$folder"/*-py3-none-manylinux_2_28_"$(uname -m)".whl)
if [[ ${#wheels[@]} != 1 || ! -f ${wheels[0]} ]]; then
  echo "::error::expected one wheel for manylinux_2_28 in $folder, found: $(ls "$folder")"
  exit 1
fi
packaging/size.sh "${wheels[0]}" 50
