#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# flang 19.1.7 copies a named constant array (parameter) to the heap for each call that takes it, as a constructor.
#
# The dummy argument has intent(in) and an explicit interface, so that no copy is needed; a variable is passed in place.
# A table of fifty thousand constants is copied whole for each look at it, at -O2 and -O3 as at -O0. gfortran 12.2 passes
# constants in place, too. Needs Debian 12 on x86-64 with flang-19, gfortran and gcc.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
flang=$(dpkg-query -W -f '${Version}' flang-19) gfortran=$(dpkg-query -W -f '${Version}' gfortran-12)
echo "flang $flang, gfortran $gfortran"
[[ $flang == 1:19.1.7-3* && $gfortran == 12.2.0-14* ]] || { echo "another version of flang or gfortran" >&2; exit 3; }
# Counts what is allocated from a call of restart on, through malloc of the C library; takes an array and does nothing.
cat >count.c <<'C'
#include <stddef.h>
extern void* __libc_malloc(size_t);
static long calls, bytes;
void* malloc(size_t size) {
  ++calls;
  bytes += size;
  return __libc_malloc(size);
}
void restart(void) { calls = bytes = 0; }
long counted_calls(void) { return calls; }
long counted_bytes(void) { return bytes; }
void take(int const* values) { (void)values; }
C
cat >caller.f90 <<'F90'
program caller
  use, intrinsic :: iso_c_binding, only: c_int, c_long
  implicit none
  interface
    subroutine take(values) bind(C)
      import :: c_int
      integer(c_int), intent(in) :: values(*)
    end subroutine
    subroutine restart() bind(C)
    end subroutine
    integer(c_long) function counted_calls() bind(C)
      import :: c_long
    end function
    integer(c_long) function counted_bytes() bind(C)
      import :: c_long
    end function
  end interface
  integer :: i
  integer(c_int), parameter :: table(50000) = [(int(i, c_int), i = 1, 50000)]
  integer(c_int) :: variable(50000)
  integer(c_long) :: found(6)
  variable = table
  call restart()
  call take(variable)
  found(1) = counted_calls()
  found(2) = counted_bytes()
  call restart()
  call take([1_c_int, 1_c_int, 1_c_int])
  found(3) = counted_calls()
  found(4) = counted_bytes()
  call restart()
  call take(table)
  found(5) = counted_calls()
  found(6) = counted_bytes()
  print '("variable ",i0," (",i0," bytes), constructor ",i0," (",i0," bytes), table ",i0," (",i0," bytes)")', found
end program
F90
gcc -O2 -c count.c
none="variable 0 (0 bytes), constructor 0 (0 bytes), table 0 (0 bytes)"
seen="variable 0 (0 bytes), constructor 1 (12 bytes), table 1 (200000 bytes)"
for level in -O0 -O2 -O3; do
  gfortran "$level" caller.f90 count.o -o by_gfortran
  flang-new-19 "$level" caller.f90 count.o -o by_flang
  gfortran=$(./by_gfortran) flang=$(./by_flang)
  echo "allocations of a call at $level by gfortran: $gfortran"
  echo "allocations of a call at $level by flang: $flang"
  [[ $gfortran == "$none" ]] || { echo "gfortran copies, too" >&2; exit 1; }
  [[ $flang == "$seen" ]] || { echo "flang copies otherwise now" >&2; exit 1; }
done
echo "as seen: flang copies a named constant array to the heap for each call"
