# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by quickstart and run-tests: Debian packages, CUDA, configuring and building. Source it from the repository's root.

build_packages=(g++ cmake ninja-build pkg-config git libnetcdf-dev libnetcdf-c++4-dev libtomlplusplus-dev libcli11-dev
                libfmt-dev nlohmann-json3-dev librandom123-dev libxxhash-dev libboost-dev zlib1g-dev libgtest-dev libfftw3-dev
                petsc-dev libopenmpi-dev openmpi-bin gfortran)
report_packages=(python3 python3-numpy python3-xarray python3-netcdf4 python3-matplotlib python3-jinja2)

fail() {
  echo "${0##*/}: $1" >&2
  exit "${2:-3}"
}

# Installs what is missing of the Debian packages; needs neither network nor root where nothing is. On a terminal it says first
# what that is and how much, and asks, unless `assume_yes` is set.
install_packages() {
  local missing=() package remedy
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: these must be there under their names of your distribution (docs/how-to/install.md):" \
      "${build_packages[*]} ${report_packages[*]}"
    return
  fi
  for package in "${build_packages[@]}" "${report_packages[@]}"; do
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      missing+=("$package")
    fi
  done
  if ((${#missing[@]} == 0)); then
    return
  fi
  remedy="apt-get install --no-install-recommends ${missing[*]}"
  local root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing and there is no sudo (as root: $remedy)"
    root=(sudo)
  fi
  "${root[@]}" apt-get update -q || fail "apt-get update failed (is there a network?); needed: $remedy"
  echo "missing Debian packages: ${missing[*]}"
  # What they bring along and the room that takes, in apt's own words.
  LC_ALL=C "${root[@]}" apt-get install --no-install-recommends --assume-no "${missing[@]}" 2>/dev/null |
    grep -E '^([0-9]+ upgraded,|Need to get|After this operation)' || true
  if [[ -z ${assume_yes:-} && -t 0 && -t 1 ]]; then
    local answer
    read -r -p "Install them${root[0]:+ with sudo}? [y/N] " answer
    [[ $answer == [yY]* ]] || fail "nothing was installed (call with --yes, or yourself: $remedy)"
  fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    fail "apt-get install failed; needed: $remedy"
}

# use_memory FOLDER: until the script ends, temporary files are in a new folder of FOLDER, which is in memory. Where TMPDIR says
# otherwise, FOLDER has less than 4 GiB left or, as in some containers, no program may run from it, they stay where they are.
use_memory() {
  if [[ -n ${TMPDIR:-} || ! -w $1 ]] || ! (($(df --output=avail -k "$1" | tail -n 1) >= 4 << 20)); then
    return
  fi
  TMPDIR=$(mktemp -d "$1/ulpine-XXXXXX")
  trap 'rm -rf "${TMPDIR:?}"' EXIT
  printf '#!/bin/sh\n' >"$TMPDIR/runs"
  chmod +x "$TMPDIR/runs"
  if "$TMPDIR/runs" 2>/dev/null; then
    export TMPDIR
  else
    rm -rf "$TMPDIR"
    trap - EXIT
    unset TMPDIR
  fi
}

# Path of nvcc; nothing where there is none or ULPINE_CUDA=OFF.
find_nvcc() {
  local candidate
  if [[ ${ULPINE_CUDA:-AUTO} == OFF ]]; then
    return
  fi
  for candidate in "${CUDACXX:-}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "${CUDA_PATH:+$CUDA_PATH/bin/nvcc}" \
    "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
    if [[ -n $candidate && -x $candidate ]]; then
      echo "$candidate"
      return
    fi
  done
  if [[ ${ULPINE_CUDA:-AUTO} == ON ]]; then
    fail "ULPINE_CUDA=ON but there is no nvcc (put it on PATH or set CUDACXX)"
  fi
}

# Compute capability of the first GPU as CMake wants it (90 for 9.0); nothing without a GPU.
gpu_architecture() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) || return 0
  if [[ $capability =~ ^([0-9]+)\.([0-9]+)$ ]]; then
    echo "${BASH_REMATCH[1]}${BASH_REMATCH[2]}"
  fi
}

# choose_preset WHERE: sets `preset` to cuda or cpu, for cuda also `arch` (may be empty) and CUDACXX. WHERE is
# `compilable` (cuda wherever there is nvcc) or `runnable` (only where there is a GPU too; ULPINE_CUDA=ON needs none).
choose_preset() {
  local nvcc
  nvcc=$(find_nvcc) || exit
  arch=$(gpu_architecture)
  preset=cpu
  if [[ -n $nvcc && ($1 == compilable || -n $arch || ${ULPINE_CUDA:-AUTO} == ON) ]]; then
    preset=cuda
    export CUDACXX=$nvcc
  fi
}

# configure WHERE: chooses the preset and configures build/$preset.
configure() {
  local arch log options=()
  choose_preset "$1"
  if [[ $preset == cuda && -n $arch ]]; then
    options+=("-DCMAKE_CUDA_ARCHITECTURES=$arch")
  fi
  if [[ -n ${ULPINE_TEST_DATA:-} ]]; then
    options+=("-DULPINE_TEST_DATA=$ULPINE_TEST_DATA")
  fi
  log=$(cmake --preset "$preset" "${options[@]}" 2>&1) || {
    echo "$log" >&2
    fail "cmake could not configure (its words are above)" 2
  }
}

# build TARGET...: builds the targets in build/$preset.
build() {
  cmake --build "build/$preset" -j "$(nproc)" --target "$@" || fail "the build failed (its words are above)" 2
}
