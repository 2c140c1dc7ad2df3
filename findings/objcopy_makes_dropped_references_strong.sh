#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# objcopy and strip 2.40 make a weak reference that ld -r --gc-sections has dropped a strong one.
#
# ld -r --gc-sections leaves the name that only dropped sections used, as a local undefined symbol, which binds nobody.
# A plain copy by objcopy, or by strip -g, makes it global and strong, though the source had it weak. A shared library of
# the copy then wants the name, and no program links against it. objcopy --strip-unneeded leaves the name out.
# Needs Debian 12 on x86-64 with gcc.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
compiler=$(dpkg-query -W -f '${Version}' gcc-12) binutils=$(dpkg-query -W -f '${Version}' binutils)
echo "gcc $compiler, binutils $binutils"
[[ $compiler == 12.2.0-14* && $binutils == 2.40-2* ]] || { echo "another version of gcc or binutils" >&2; exit 3; }
cat >part.c <<'C'
extern void hook(void) __attribute__((weak));
void dropped(void) {
  if (hook) hook();
}
int kept(void) { return 0; }
C
echo 'int kept(void); int main(void) { return kept(); }' >main.c
gcc -fPIC -ffunction-sections -c part.c -o source.o
ld -r source.o -o joined.o
ld -r --gc-sections --entry=kept source.o -o collected.o
objcopy collected.o copied.o
strip -g collected.o -o stripped.o
objcopy --strip-unneeded collected.o unneeded.o

# How the object names the hook, and whether a program links against a shared library of that object.
try() {
  local symbol
  symbol=$(readelf -sW "$1.o" | awk '$8 == "hook" {print $5, $7}')
  gcc -shared -Wl,-z,defs "$1.o" -o "lib$1.so" || { echo "no library of $1.o" >&2; exit 3; }
  if LC_ALL=C gcc main.c -L. "-l$1" -Wl,-rpath,"$folder" -o "$1" 2>log; then
    "./$1" && echo "${symbol:-none}: links"
  else
    grep -q 'undefined reference to `hook' log || { cat log >&2; exit 3; }
    echo "${symbol:-none}: undefined reference"
  fi
}
for object in joined collected copied stripped unneeded; do
  result=$(try "$object")
  echo "$object: $result"
  echo "$result" >>results
done
printf '%s\n' "WEAK UND: links" "LOCAL UND: links" "GLOBAL UND: undefined reference" "GLOBAL UND: undefined reference" \
  "none: links" | diff - results || { echo "binutils do otherwise now" >&2; exit 1; }
echo "as seen: a copy of what ld -r --gc-sections writes has a strong reference that its source has not"
