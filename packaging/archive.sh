#!/usr/bin/env bash
# `archive.sh FOLDER`: packs the program as `cargo binstall` looks for it ([package.metadata.binstall] in Cargo.toml), with its checksum.
# TRACEBOOK is the program, by default the one that cargo has built.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."

program=$(realpath "${TRACEBOOK:-${CARGO_TARGET_DIR:-target}/release/tracebook}")
version=$("$program" --version | cut -d' ' -f2)
target=$(rustc -vV | sed -n 's/^host: //p')
name="tracebook-v$version-$target"
content=$(mktemp -d)
trap 'rm -rf "$content"' EXIT
mkdir -p "$folder" "$content/$name"
install -m 755 "$program" "$content/$name/tracebook"
install -m 644 LICENSE NOTICE README.md "$content/$name"
tar --create --gzip --file "$folder/$name.tar.gz" --sort=name --owner=0 --group=0 --numeric-owner --directory "$content" "$name"
(cd "$folder" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$folder/$name.tar.gz"
