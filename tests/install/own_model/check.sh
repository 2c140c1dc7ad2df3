#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh PROGRAM: a program with a model of its own has Ulpine's commands, and none of Ulpine's cores.
set -eu
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# expect CODE TEXT WORDS...: the program ends with CODE and says TEXT.
expect() {
  code=$1
  text=$2
  shift 2
  got=0
  "$program" "$@" >said 2>&1 || got=$?
  if [ "$got" -ne "$code" ] || ! grep -qF -e "$text" said; then
    printf '%s: exit code %s, not %s, or nothing of "%s" in\n' "$*" "$got" "$code" "$text" >&2
    cat said >&2
    exit 1
  fi
}

printf 'core = "ring"\n[time]\nend = "1 h"\n[output]\ninterval = "10 min"\n' >ring.toml
expect 0 'core         ring: heat on a ring of cells' info
if "$program" info | grep -q seaice; then
  echo "there is a core that nobody registered" >&2
  exit 1
fi
expect 0 'ring fp64/deterministic on cpu: 60 steps of 64 cells' run ring.toml -o out --threads 1
expect 0 '"linf": 0' compare out/output.nc out/output.nc --json
expect 0 'same bits' bitwise ring.toml --configs cpu:1,cpu:2 --steps 5
expect 0 'The restart is exact' restart ring.toml --spinup '10 min' --until '20 min' --tests cpu/fp64/deterministic -o restart --threads 1
expect 0 'fp64/atomic: equal' ensemble ring.toml -o study --policies fp64 --epsilons 2^-7 --members 2 --threads 1
# Errors and advice call the program by its own name.
expect 2 'own_model: core '"'ring'"' runs in fp64' run ring.toml -o out --policy fp32
expect 2 'see `own_model run --help`' run ring.toml --polcy fp32
printf 'core = "seaice"\n[time]\nend = "1 h"\n' >ice.toml
expect 2 "unknown core 'seaice' (known are program, ring)" run ice.toml -o out
