#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# objcopy 2.40 leaves unique symbols global under --keep-global-symbol, so hidden C++ parts are still shared.
#
# The manual says of the option that all other symbols become local; only at --localize-symbol does it say that unique
# ones (STB_GNU_UNIQUE) stay. g++ gives that binding to static variables of inline functions and of templates. Two
# libraries that each hide a copy of the same code, opened with RTLD_LOCAL, then work on one variable of the process.
# With -fno-gnu-unique each has its own, and llvm-objcopy 14 makes them local. Needs Debian 12 on x86-64 with g++.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
compiler=$(dpkg-query -W -f '${Version}' g++-12) binutils=$(dpkg-query -W -f '${Version}' binutils)
echo "g++ $compiler, binutils $binutils"
[[ $compiler == 12.2.0-14* && $binutils == 2.40-2* ]] || { echo "another version of g++ or binutils" >&2; exit 3; }
cat >part.cpp <<'CPP'
inline int count() {
  static int calls = 0;
  return ++calls;
}
extern "C" int entry() { return count(); }
CPP
cat >opener.cpp <<'CPP'
#include <cstdio>
#include <dlfcn.h>

int main(int, char** names) {
  for (char** name = names + 1; *name; ++name) {
    void* library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return std::puts(dlerror()), 3;
    std::printf("%d ", reinterpret_cast<int (*)()>(dlsym(library, "entry"))());
  }
}
CPP
g++ opener.cpp -o opener
# What is global of the object beside its entry, and how often each of the two libraries says that it was called.
calls() {
  g++ -fPIC "$@" -c part.cpp -o part.o
  objcopy --keep-global-symbol=entry part.o hidden.o
  readelf -sW hidden.o | awk '$7 != "UND" && $5 != "LOCAL" && $8 ~ /^_Z/ {print $5, $8}' >global
  g++ -shared hidden.o -o first.so
  g++ -shared hidden.o -o second.so
  ./opener ./first.so ./second.so
}
unique=$(calls) unique_global=$(<global)
plain=$(calls -fno-gnu-unique) plain_global=$(<global)
echo "still global: ${unique_global:-nothing}; the libraries count $unique"
echo "with -fno-gnu-unique: ${plain_global:-nothing}; the libraries count $plain"
[[ -z $plain_global && $plain == "1 1 " ]] || { echo "other symbols stay global, too" >&2; exit 1; }
[[ $unique_global == "UNIQUE _ZZ5countvE5calls" && $unique == "1 2 " ]] || {
  echo "unique symbols become local now" >&2
  exit 1
}
echo "as seen: --keep-global-symbol leaves unique symbols global"
