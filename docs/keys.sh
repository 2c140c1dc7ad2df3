#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/reference/keys/*.md, a page a core, from what the program knows of its keys: docs/keys.sh [PROGRAM]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../build/cpu/bin/ulpine}
mkdir -p "$here/reference/keys"
for core in $("$program" cases --keys all | sed -n 's/^# \([a-z0-9_]*\):.*/\1/p'); do
  "$program" cases --keys "$core" --markdown >"$here/reference/keys/$core.md"
done
