#!/usr/bin/env bash
# `cells.sh FOLDER`: builds the library for Rust cells and packs it, with its checksum, into FOLDER.
# TRACEBOOK is the program, by default the one that cargo has built.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
# As for the program, see packaging/backend.py.
unset CI

program=$(realpath "${TRACEBOOK:-${CARGO_TARGET_DIR:-target}/release/tracebook}")
version=$("$program" --version | cut -d' ' -f2)
target=$(rustc -vV | sed -n 's/^host: //p')
compiler=$(rustc -vV | sed -n 's/^commit-hash: \(.........\).*/\1/p')
mkdir -p "$folder"
# Away from a library of the user.
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
XDG_DATA_HOME="$data" "$program" install --build-cells
XDG_DATA_HOME="$data" "$program" install --pack-cells "$folder"

packed="tracebook-cells-$version-$target-rustc-$compiler.tar.zst"
(cd "$folder" && sha256sum --check "$packed.sha256")
packaging/size.sh "$folder/$packed" 150
