#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Altered files of every kind under the address and undefined-behaviour sanitizers, in build/fuzz (docs/contributing/testing.md).
# Usage: tests/fuzz/run.sh [--files 3000] [--jobs 2] [other options of ulpine_fuzz]
set -euo pipefail
cd "$(dirname "$0")/../.."
sanitizers=-fsanitize=address,undefined,float-cast-overflow
# A quarter as long as without optimisation; the sanitizers see as much.
cmake --preset sanitize -B build/fuzz -DCMAKE_CXX_FLAGS="$sanitizers -fno-omit-frame-pointer" -DCMAKE_CXX_FLAGS_DEBUG="-g1 -O1" \
  -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=address,undefined > /dev/null
cmake --build build/fuzz -j "${JOBS:-2}" --target ulpine_fuzz
# The children's files are many and small: in memory where there is some.
if [[ -z ${TMPDIR:-} && -w /dev/shm ]]; then
  export TMPDIR=/dev/shm
fi
exec nice build/fuzz/tests/bin/ulpine_fuzz --files 3000 --jobs 2 --keep build/fuzz/failures "$@"
