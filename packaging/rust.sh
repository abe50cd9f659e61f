#!/usr/bin/env bash
# Installs the Rust that releases are built with, unless it is there. The packed library for Rust cells works with this compiler only.
set -euo pipefail
version=$(cat "$(dirname "$0")/rust-version")

export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
if [[ "$(rustc --version 2>/dev/null)" != "rustc $version "* ]]; then
  if command -v rustup >/dev/null; then
    rustup toolchain install --no-self-update --profile minimal "$version"
    rustup default "$version"
  else
    curl --proto '=https' --tlsv1.2 -fsS --retry 3 https://sh.rustup.rs |
      sh -s -- -y --quiet --no-modify-path --profile minimal --default-toolchain "$version"
  fi
fi
rustc --version | grep -F "rustc $version "
# The next steps of the job find it, too.
if [[ -n "${GITHUB_PATH:-}" ]]; then echo "${CARGO_HOME:-$HOME/.cargo}/bin" >>"$GITHUB_PATH"; fi
