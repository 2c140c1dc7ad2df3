#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a program once for each compiler, optimisation, contraction of products and sums, and set of vector instructions that
# this machine has, and prints what `bitwise --programs` takes to compare them.
# Usage: scripts/build-matrix.sh [-S SOURCE] [-t TARGET] [-B FOLDER] [-v VARIANT,...] [-j JOBS] [-l] [-- options for cmake]
#   -S  source folder (Ulpine's own); a model of one's own against an installed Ulpine: -S examples/lorenz96 -t lorenz96
#       -- -DCMAKE_PREFIX_PATH=PREFIX
#   -t  target and name of the program (ulpine)     -B  folder of the builds (build/matrix)
#   -v  only these variants (all)                   -l  list the variants and build nothing
# A variant is COMPILER-OPTIMISATION-CONTRACTION-INSTRUCTIONS: gcc or clang, O2 or O3, off (the numerical contract) or fast,
# avx2 (x86-64-v3, the contract) or avx512 (x86-64-v4).
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
source=$root target=ulpine folder=build/matrix jobs=$(nproc) wanted='' list=''
while (($#)); do
  case $1 in
    -S) source=$2 && shift 2 ;;
    -t) target=$2 && shift 2 ;;
    -B) folder=$2 && shift 2 ;;
    -v) wanted=$2 && shift 2 ;;
    -j) jobs=$2 && shift 2 ;;
    -l) list=yes && shift ;;
    --) shift && break ;;
    -h | --help)
      sed -n '3,12s/^# //p' "$0"
      exit 0
      ;;
    *)
      echo "build-matrix.sh: unknown option '$1' (see --help)" >&2
      exit 2
      ;;
  esac
done

declare -A program=([gcc]=g++ [clang]=clang++)
variants=()
for compiler in gcc clang; do
  command -v "${program[$compiler]}" >/dev/null || continue
  for optimisation in O2 O3; do
    for contraction in off fast; do
      variants+=("$compiler-$optimisation-$contraction-avx2")
      if grep -qs '\bavx512vl\b' /proc/cpuinfo; then
        variants+=("$compiler-$optimisation-$contraction-avx512")
      fi
    done
  done
done
if [[ -n $wanted ]]; then
  for name in ${wanted//,/ }; do
    if [[ " ${variants[*]} " != *" $name "* ]]; then
      echo "build-matrix.sh: no variant '$name' here (-l lists those that this machine has)" >&2
      exit 2
    fi
  done
  IFS=, read -ra variants <<<"$wanted"
fi
if [[ -n $list ]]; then
  printf '%s\n' "${variants[@]}"
  exit
fi

mkdir -p "$folder"
words=''
for name in "${variants[@]}"; do
  IFS=- read -r compiler optimisation contraction instructions <<<"$name"
  breaking=()
  [[ $contraction == fast ]] && breaking+=(-ffp-contract=fast)
  [[ $instructions == avx512 ]] && breaking+=(-march=x86-64-v4)
  flags=$(IFS=';' && echo "${breaking[*]}")
  echo "building $folder/$name" >&2
  cmake -S "$source" -B "$folder/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=${program[$compiler]}" \
    "-DCMAKE_CXX_FLAGS_RELEASE=-$optimisation -DNDEBUG" "-DULPINE_BREAK_CONTRACT_FLAGS=$flags" -DULPINE_CUDA=OFF \
    -DULPINE_TESTS=OFF "$@" >"$folder/$name.log" 2>&1 || { cat "$folder/$name.log" >&2 && exit 2; }
  cmake --build "$folder/$name" -j "$jobs" --target "$target" >>"$folder/$name.log" 2>&1 || { cat "$folder/$name.log" >&2 && exit 2; }
  path=$folder/$name/$target
  [[ -x $folder/$name/bin/$target ]] && path=$folder/$name/bin/$target
  words+="${words:+,}$name=$path"
done
echo "$words"
