#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The two gates of a model's pull requests (docs/tutorials/gate-in-ci.md). PROGRAM is a build of the model with Ulpine's commands, or `ulpine`.
#   gate.sh bits BASE NEW CASE STEPS FOLDER         0: the same bits after every step, on one thread and two; 1: where they diverge
#   gate.sh study PROGRAM CASE FOLDER [OPTION...]   0: equivalent; 1: different, twice, with two seeds; 4: undecided
# FOLDER may be kept from one call to the next: a run of BASE or a part of a study that is there is not done again.
set -euo pipefail

bits() {
  local base=$1 new=$2 case=$3 steps=$4 folder=$5
  if [[ ! -f $folder/base/run.json ]]; then
    "$base" run "$case" --quiet --threads 1 --steps "$steps" --checkpoints 16 -o "$folder/base"
  fi
  rm -rf "$folder/new"
  "$new" run "$case" --quiet --threads 1 --steps "$steps" --checkpoints 16 -o "$folder/new"
  "$new" trace-diff "$folder/base" "$folder/new" --programs "$base,$new"
  "$new" bitwise "$case" --configs cpu:1,cpu:2 --steps 10
}

# A study, and once more with other noise where it says "different": one that says so by chance does not say it twice.
study() {
  local program=$1 case=$2 folder=$3 seed status=0
  shift 3
  for seed in 1 2; do
    status=0
    "$program" ensemble "$case" --seed "$seed" --resume -o "$folder/seed-$seed" "$@" || status=$?
    rm -rf "$folder/last" && cp -r "$folder/seed-$seed" "$folder/last"
    ((status == 1)) || break
    echo "gate.sh: different with seed $seed"
  done
  if ((status == 4)); then
    echo "gate.sh: undecided is not passed; $folder/last/summary.md says what would decide" >&2
  fi
  return "$status"
}

usage() {
  sed -n '4,6s/^# *//p' "$0" >&2
  exit 2
}

# Called plainly, so that the first command that fails ends the script with its exit code.
case ${1:-} in
  bits) (($# == 6)) || usage ;;
  study) (($# >= 4)) || usage ;;
  *) usage ;;
esac
"$@"
