#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With -ffp-contract=off g++ 12.2 -O3 makes one instruction (vfmaddsub) of a product that is added and subtracted by turns.
#
# The product of complex numbers in an array has (a*c - b*d, a*d + b*c): vectorised, both become one fused multiply-add and
# subtract, though the manual says that -ffp-contract=off disables contraction. So a build for x86-64-v3 has other bits than one
# for x86-64, and no option of the standard says so; -fno-tree-slp-vectorize and -fno-tree-vectorize avoid it. clang 14 does not
# do so. Needs Debian 12 on x86-64 with g++.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=$(g++ --version | sed -n 's/.*(Debian \(.*\)) .*/\1/;1p')
echo "g++ $version"
[[ $version == 12.2.0-14* ]] || { echo "another version of g++" >&2; exit 3; }
cat >product.cpp <<'CPP'
#include <cstdio>
#include <cstdlib>

[[gnu::noinline]] void multiply(double const* __restrict x, double const* __restrict y, double* __restrict z, int n) {
  for (int i = 0; i < n; i += 2) {
    z[i] = x[i] * y[i] - x[i + 1] * y[i + 1];
    z[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];
  }
}

int main() {
  constexpr int n = 10000;
  static double x[n], y[n], z[n];
  std::srand(1);
  for (int i = 0; i < n; ++i) x[i] = std::rand() / 1e9, y[i] = std::rand() / 1e9;
  multiply(x, y, z, n);
  int fused = 0;
  for (int i = 0; i < n; i += 2) {
    double volatile const a = x[i] * y[i], b = x[i + 1] * y[i + 1];
    fused += z[i] != a - b;
  }
  std::printf("%d of %d real parts are not the difference of two rounded products\n", fused, n / 2);
  return fused == 0 ? 0 : 1;
}
CPP
flags=(-O3 -ffp-contract=off)
g++ "${flags[@]}" product.cpp -o plain
g++ "${flags[@]}" -march=x86-64-v3 product.cpp -o fused
g++ "${flags[@]}" -march=x86-64-v3 -fno-tree-slp-vectorize -fno-tree-vectorize product.cpp -o scalar
./plain || { echo "x86-64 has it, too" >&2; exit 1; }
./scalar || { echo "it is not of the vectoriser" >&2; exit 1; }
if ./fused; then echo "products are no longer fused" >&2; exit 1; fi
echo "as seen: -ffp-contract=off does not keep products from being fused"
