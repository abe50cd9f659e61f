#!/usr/bin/env bash
# `size.sh FILE MB`: fails if a file is larger than so many megabytes.
set -euo pipefail
bytes=$(stat --format=%s "$1")
echo "$(basename "$1"): $bytes bytes, at most $2 MB"
if ((bytes > $2 * 1000000)); then
  echo "::error::$(basename "$1") has $bytes bytes: expected at most $2 MB"
  exit 1
fi
