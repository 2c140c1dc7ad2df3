#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gfortran 12.2 hides a module variable that is private and bind(C), so a program has one beside its C library's.
#
# The Fortran standard ties the two by the binding label; who may use the Fortran name has nothing to do with it. gfortran
# makes a common symbol of hidden visibility of such a variable: a program links against the shared library that defines
# it, and reads and writes its own. A public variable is the library's, and so is a private one of an object file. Where
# a private statement hides the names, not even -Wall -Wextra -pedantic warns; of a private attribute gfortran says that
# the variable has a binding label. Needs Debian 12 on x86-64 with gfortran.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fortran=$(gfortran -dumpfullversion) package=$(dpkg-query -W -f '${Version}' gfortran-12)
linker=$(dpkg-query -W -f '${Version}' binutils)
echo "gfortran $fortran ($package), binutils $linker"
[[ $fortran == 12.2.0 && $package == 12.2.0-14* && $linker == 2.40-2* ]] || { echo "another version" >&2; exit 3; }
echo 'int level_private = 42, level_public = 43;' >levels.c
cat >reader.f90 <<'F90'
module levels
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  private
  integer(c_int), bind(C, name="level_private") :: one
  integer(c_int), public, bind(C, name="level_public") :: other
  public :: show
contains
  subroutine show()
    print '(a,i0,a,i0)', 'private ', one, ', public ', other
  end subroutine
end module
program reader
  use levels, only: show
  call show()
end program
F90
gcc -fPIC -c levels.c
gcc -shared levels.o -o liblevels.so
gfortran -Wall -Wextra -pedantic -c reader.f90 2>warnings
gfortran reader.o -L. -llevels -Wl,-rpath,"$folder" -o with_shared
gfortran reader.o levels.o -o with_object
visibility() { readelf -sW reader.o | awk -v name="$1" '$8 == name {print $5, $6, $7}'; }
private=$(visibility level_private) public=$(visibility level_public)
echo "symbols: private is $private, public is $public"
shared=$(./with_shared) object=$(./with_object)
echo "with the shared library: $shared"
echo "with the object itself: $object"
[[ $public == "GLOBAL DEFAULT COM" && $object == "private 42, public 43" && $shared == *", public 43" ]] || {
  echo "a public variable, or one of an object, is not the C one either" >&2
  exit 1
}
[[ ! -s warnings ]] || { cat warnings >&2; exit 1; }
[[ $private == "GLOBAL HIDDEN COM" && $shared == "private 0, public 43" ]] || {
  echo "the private variable is the library's" >&2
  exit 1
}
echo "as seen: a private bind(C) variable is another one than that of the shared library"
