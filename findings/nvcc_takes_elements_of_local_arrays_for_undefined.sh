#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nvcc 13.0.88 takes an element of a local array for undefined where an inlined function has an array of its own.
#
# A pass of the compiler lets local arrays share memory, and puts the function's array where the caller's is. The caller's
# is still read, once before the function's loop instead of in it; what lies at the first byte is then taken for undefined,
# likely as that read now comes after the point where the function's array begins. There is no warning. Floats become NaN,
# with or without a register in PTX that is read and never written; integers become other numbers, and nothing shows it.
# So it does for compute_75 to compute_90 and, by another back end, compute_100 and compute_120. It does not with
# -Xcicc --Xopt=-reuse-lmem-very-long-live-range=0 or -Xcicc -O1 (neither is documented), nor where the function is not
# inlined, its array has initial values, or the loop that fills the caller's array is unrolled.
# Needs nvcc 13.0.88 on the PATH or in /usr/local/cuda, g++, and for the numbers a card; without one it reads PTX alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >found || { echo "no nvcc" >&2; exit 3; }
version=$(nvcc --version | sed -n 's/.*, V\(.*\)/\1/p')
echo "nvcc $version"
[[ $version == 13.0.88 ]] || { echo "another version of nvcc" >&2; exit 3; }
cat >arrays.cu <<'CU'
#include <cmath>
#include <cstdio>

__host__ __device__ inline float term(float x, float a, float b) { return fmaf(x, a, a + b); }
__host__ __device__ inline int term(int x, int a, int b) { return x * a + b; }

template <class T>
__host__ __device__ inline void widen(T const (&two)[2], T const* x, T* out) {
  T three[3];
#pragma unroll 1
  for (int i = 0; i < 3; ++i) three[i] = term(x[i], two[0], two[1]);
#pragma unroll 1
  for (int i = 0; i < 3; ++i) out[i] = three[i];
}

template <class T>
__host__ __device__ inline void fill_and_widen(T const* x, T* out) {
  T two[2];
#pragma unroll 1
  for (int i = 0; i < 2; ++i) two[i] = x[i];
  widen(two, x, out);
}

extern "C" __global__ void floats(float const* x, float* out) { fill_and_widen(x, out); }
extern "C" __global__ void integers(int const* x, int* out) { fill_and_widen(x, out); }

template <class T>
int differ(char const* name, void (*kernel)(T const*, T*)) {
  T *x, *out, host[3];
  if (cudaMallocManaged(&x, 3 * sizeof(T)) || cudaMallocManaged(&out, 3 * sizeof(T))) return -1;
  for (int i = 0; i < 3; ++i) x[i] = T(2 + i), out[i] = T(-1);
  fill_and_widen(x, host);
  kernel<<<1, 1>>>(x, out);
  if (cudaDeviceSynchronize()) return -1;
  int found = 0;
  for (int i = 0; i < 3; ++i) {
    std::printf("%s: host %g, card %g\n", name, double(host[i]), double(out[i]));
    found += out[i] != host[i];
  }
  return found;
}

int main() {
  int cards = 0;
  if (cudaGetDeviceCount(&cards) || cards == 0) return 3;
  int const of_floats = differ("floats", floats), of_integers = differ("integers", integers);
  if (of_floats < 0 || of_integers < 0) return std::puts("a call of CUDA failed"), 4;
  return of_floats == 3 && of_integers == 3 ? 1 : of_floats == 0 && of_integers == 0 ? 0 : 2;
}
CU
# Registers of float that PTX reads and never writes, and how often it multiplies integers.
unwritten() {
  grep -v '^\s*st\.' "$1" | grep -oE '^\s*[a-z0-9.]+\s+(%f[0-9]+|\{[^}]*\})' | grep -oE '%f[0-9]+' | sort -u >written
  grep -oE '%f[0-9]+' "$1" | sort -u | comm -23 - written | tr '\n' ' '
}
products() { sed -n '/entry integers/,/^}/p' "$1" | grep -cE '(mul|mad)\.lo' || true; }
apart=(-Xcicc --Xopt=-reuse-lmem-very-long-live-range=0)
nvcc -arch=compute_90 -ptx arrays.cu -o as_is.ptx
nvcc -arch=compute_90 "${apart[@]}" -ptx arrays.cu -o apart.ptx
found=$(unwritten as_is.ptx) left=$(unwritten apart.ptx) kept=$(products as_is.ptx) all=$(products apart.ptx)
echo "read and never written: ${found:-nothing}; with arrays apart: ${left:-nothing}"
echo "products of integers: $kept; with arrays apart: $all"
[[ -z $left && $all != 0 ]] || { echo "it is so with arrays apart, too" >&2; exit 1; }
[[ -n $found && $kept == 0 ]] || { echo "no element is taken for undefined any more" >&2; exit 1; }
# PTX of the least architecture, which the driver compiles for the card.
nvcc -arch=compute_75 -code=compute_75 arrays.cu -o as_is
nvcc -arch=compute_75 -code=compute_75 "${apart[@]}" arrays.cu -o apart
status=0
./as_is || status=$?
if [[ $status == 3 ]]; then
  echo "no card: PTX alone was read"
else
  [[ $status == 1 ]] || { echo "the card has other numbers than expected" >&2; exit 1; }
  ./apart || { echo "the card has wrong numbers with arrays apart, too" >&2; exit 1; }
fi
echo "as seen: elements of a local array are taken for undefined"
