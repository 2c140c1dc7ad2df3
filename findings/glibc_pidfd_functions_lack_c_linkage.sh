#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# glibc 2.36 declares pidfd_open() and pidfd_getfd() without C linkage: a C++ program that includes <sys/pidfd.h> does not link.
#
# The functions came with glibc 2.36. Their header has neither __BEGIN_DECLS nor extern "C", which all others have, so that
# C++ compilers mangle the names. Including the header within extern "C" helps. Needs Debian 12 on x86-64 with gcc and g++.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
library=$(dpkg-query -W -f '${Version}' libc6-dev) compiler=$(g++ -dumpfullversion)
echo "glibc $library, g++ $compiler"
[[ $library == 2.36-9* ]] || { echo "another version" >&2; exit 3; }
cat >plain.c <<'C'
#include <sys/pidfd.h>
#include <unistd.h>
int main(void) {
  int descriptor = pidfd_open(getpid(), 0);
  return descriptor < 0;
}
C
cp plain.c plain.cpp
sed 's/^#include <sys.pidfd.h>$/extern "C" {\n&\n}/' plain.c >wrapped.cpp
gcc plain.c -o from_c
g++ wrapped.cpp -o wrapped
./from_c && ./wrapped && echo "C, and C++ with the header within extern \"C\": linked, and runs"
if g++ plain.cpp -o from_cpp 2>messages; then
  echo "C++ links" >&2
  exit 1
fi
grep -o 'undefined reference to .*' messages
grep -q 'undefined reference to .pidfd_open(int, unsigned int).' messages || { cat messages >&2; exit 1; }
echo "as seen: C++ does not link with pidfd_open() as <sys/pidfd.h> declares it"
