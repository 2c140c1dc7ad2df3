#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Readers under libFuzzer, guided by coverage, with the address and undefined-behaviour sanitizers (docs/contributing/testing.md).
# Usage: tests/fuzz/coverage.sh [--runs 1000000] [--workers 1] [--readers netcdf,toml,manifest,results,trace] [--keep build/coverage]
# Workers share the runs of a reader between them, each from a seed of its own.
# Needs clang with its run-time library (Debian: clang libclang-rt-14-dev libomp-dev). What was found stays in KEEP.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=1000000 workers=1 readers=netcdf,toml,manifest,results,trace keep=build/coverage
while (($# > 0)); do
  case $1 in
    --runs) runs=$2 ;;
    --workers) workers=$2 ;;
    --readers) readers=$2 ;;
    --keep) keep=$2 ;;
    *) echo "coverage.sh: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
command -v clang++ >/dev/null || { echo "coverage.sh: no clang++ (apt-get install clang libclang-rt-14-dev libomp-dev)" >&2; exit 3; }
mkdir -p "$keep"
keep=$(cd "$keep" && pwd)
cmake -S . -B "$keep/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ -DULPINE_CUDA=OFF -DULPINE_COVERAGE_FUZZING=ON \
  -DCMAKE_CXX_FLAGS="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined -fno-omit-frame-pointer" \
  -DCMAKE_CXX_FLAGS_DEBUG="-g1 -O1" -DCMAKE_EXE_LINKER_FLAGS="-fsanitize=address,undefined" >/dev/null
cmake --build "$keep/build" -j "${JOBS:-2}" --target fuzz_reader
if [[ ! -d $keep/bases ]]; then
  maker=$(find build/*/tests/bin -name ulpine_fuzz 2>/dev/null | head -n 1)
  [[ -n $maker ]] || { echo "coverage.sh: no valid files to start from (no ulpine_fuzz has been built) call ./run-tests first" >&2; exit 3; }
  "$maker" --files 0 --bases "$keep/bases" >/dev/null
fi
python3 tests/fuzz/coverage/seeds.py "$keep/bases" "$keep/seeds"
failed=0
# What the sanitizer remembers of freed memory would cost most of the time of a reader that starts a process for each file.
export ASAN_OPTIONS=quarantine_size_mb=4:malloc_context_size=4${ASAN_OPTIONS:+:$ASAN_OPTIONS}

# One worker of a reader; its log is what libFuzzer says.
work() {
  local reader=$1 worker=$2 folder status=0
  local dictionary=tests/fuzz/coverage/$reader.dict corpus=$keep/corpus/$reader-$worker
  folder=$(mktemp -d -p "${TMPDIR:-/dev/shm}")
  mkdir -p "$corpus"
  ULPINE_FUZZ_READER=$reader ULPINE_FUZZ_FOLDER=$folder "$keep/build/tests/bin/fuzz_reader" -runs="$(((runs + workers - 1) / workers))" -seed="$worker" -timeout=30 \
    -rss_limit_mb=4096 -max_len=65536 -artifact_prefix="$keep/failures/$reader-" -print_final_stats=1 $([[ -f $dictionary ]] && echo "-dict=$dictionary") \
    "$corpus" "$keep/seeds/$reader" > "$keep/$reader-$worker.log" 2>&1 || status=1
  rm -rf "$folder"
  return $status
}

mkdir -p "$keep/failures"
for reader in ${readers//,/ }; do
  echo "$reader: $runs runs"
  pids=()
  for ((worker = 1; worker <= workers; ++worker)); do
    work "$reader" "$worker" &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  grep -hE "^stat::(number_of_executed_units|average_exec_per_sec|new_units_added|slowest_unit_time_sec|peak_rss_mb)|ERROR|FAILED|SUMMARY" "$keep/$reader"-*.log || true
done
exit $failed
