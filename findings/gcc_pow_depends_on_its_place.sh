#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# With -fno-math-errno alone g++ 12.2 makes a square root of pow(x, 0.5) in a vectorised loop, and calls pow in its rest.
#
# The two differ in last bits (pow of the C library is not rounded correctly), at -0 (pow gives 0, a square root -0) and
# at minus infinity (infinity against NaN). So a value depends on its place in the array, and an array of another length
# or another number of threads gives other bits. The manual says of -fno-math-errno that it sets no errno; it changes
# values without -ffast-math or -funsafe-math-optimizations. clang 14 does not do so. Needs Debian 12 on x86-64 with g++.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
version=$(g++ --version | sed -n 's/.*(Debian \(.*\)) .*/\1/;1p')
libc=$(dpkg-query -W -f '${Version}' libc6)
echo "g++ $version, glibc $libc"
[[ $version == 12.2.0-14* && $libc == 2.36-* ]] || { echo "another version of g++ or glibc" >&2; exit 3; }
cat >place.cpp <<'CPP'
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

[[gnu::noinline]] void roots(double const* x, double* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = std::pow(x[i], 0.5);
}

int main() {
  constexpr int n = 100003;
  static double x[n], together[n], alone[n];
  for (int i = 0; i < n; ++i) x[i] = 1 + i / 1000.;
  x[0] = -0.;
  x[1] = -std::numeric_limits<double>::infinity();
  roots(x, together, n);
  for (int i = 0; i < n; ++i) roots(x + i, alone + i, 1);
  int differ = 0;
  for (int i = 0; i < n; ++i) differ += std::memcmp(together + i, alone + i, 8) != 0;
  std::printf("%d of %d; -0: %g, %g; -inf: %g, %g\n", differ, n, together[0], alone[0], std::fabs(together[1]), alone[1]);
  return differ == 0 ? 0 : 1;
}
CPP
g++ -O3 -march=x86-64-v3 place.cpp -o with_errno
g++ -O3 -march=x86-64-v3 -fno-math-errno place.cpp -o without
./with_errno || { echo "errno is set, and values differ too" >&2; exit 1; }
if ./without; then echo "no value depends on its place any more" >&2; exit 1; fi
echo "as seen: with -fno-math-errno a value of pow(x, 0.5) depends on its place in the loop"
