#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ulpine.f90 beside this script: make_ulpine_f90.py [--check].

A module file of one Fortran compiler is of no use to another, so that the interface is source, compiled with the model. Fortran has no templates: this script writes one
procedure for each type and rank. --check writes nothing and fails (exit code 1) where the file is not what the script makes.
"""
import pathlib
import sys

# Name in procedures, Fortran type, type of ulpine.h, bytes of an element.
TYPES = (
    ("f32", "real(real32)", "1_c_int", "4"),
    ("f64", "real(real64)", "2_c_int", "8"),
    ("i32", "integer(int32)", "3_c_int", "4"),
    ("i64", "integer(int64)", "4_c_int", "8"),
    ("lbool", "logical(c_bool)", "5_c_int", "1"),
    ("l", "logical", "type_of_logical", "bytes_of_logical"),
    ("c32", "complex(real32)", "8_c_int", "8"),
    ("c64", "complex(real64)", "9_c_int", "16"),
)
# The four calls that take an array: what each may do to it, and what it says of itself.
ENTRIES = (
    ("field", "in", "The stage that was named last wrote this field, or this part of it: the probe looks only."),
    ("state", "inout", "The same of a field that the run goes on from: the settings may perturb, round or reset it."),
    ("unset", "inout", "The stage that comes next writes all of this array: the settings may fill it with values that show where it does not."),
    ("watch", "in", "A field of a lasting array, which has the attribute target, is looked at after every stage from now on."),
)
RANKS = range(8)

HEAD = """\
! SPDX-License-Identifier: Apache-2.0
! Written by make_ulpine_f90.py: change that script.
!
! The probe's interface for Fortran (docs/reference/probe-fortran.md). Compile this file with the model and link libulpine_probe.
!
! ulpine_field, ulpine_state, ulpine_unset and ulpine_watch take scalars and arrays of up to seven axes of real32, real64,
! int32, int64, logical (of the default kind and c_bool) and complex of both kinds. No array is copied, slices included: what
! the library gets is the address of the first element and the distances of neighbours in memory. Where nothing is asked for, a
! call tests one variable.
!
!   at, of      place of the first element in the whole domain, counted from 1, and the domain's extents; without them the
!               array is the whole
!   numbers     places (from 1) along axis `axis` (1 where it is not given) of the elements there, in any order
!   replicated  every rank has the whole field: it counts once, and ranks are compared
!   device      x is an address of a GPU, as within host_data use_device(x)
!   queue       CUDA stream of the work that writes x
module ulpine
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_double, c_int, c_int64_t, c_intptr_t, c_loc, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  implicit none
  private
  public :: ulpine_on, ulpine_rank, ulpine_step, ulpine_enter, ulpine_leave, ulpine_stage, ulpine_field, ulpine_state, &
            ulpine_unset, ulpine_watch, ulpine_unwatch, ulpine_unit, ulpine_time, ulpine_close

  integer, parameter :: most_axes = 7
  integer(c_int), parameter :: fastest_first = 1, on_device = 2, is_replicated = 4
  integer, parameter :: bytes_of_logical = storage_size(.true.) / 8
  integer(c_int), parameter :: type_of_logical = merge(6_c_int, 7_c_int, bytes_of_logical == 4)
  integer, parameter :: entry_field = 1, entry_state = 2, entry_unset = 3, entry_watch = 4

  ! struct ulpine_array of ulpine.h.
  type, bind(C) :: array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: type = 0, rank = 0
    integer(c_int64_t) :: extent(most_axes) = 0, stride(most_axes) = 0, first(most_axes) = 0, whole(most_axes) = 0
    type(c_ptr) :: numbers = c_null_ptr
    integer(c_int) :: numbered = 0, flags = 0
    integer(c_intptr_t) :: stream = 0
  end type array

  ! Whether anything is asked for, 0 or 1: the library's, which alone sets it. Were it private, gfortran would hide the symbol
  ! from the linker, and a program linked with the shared library would have a variable of its own.
  integer(c_int), protected, public, bind(C, name='ulpine_active') :: ulpine_active

  interface
    subroutine c_rank(rank, ranks) bind(C, name='ulpine_rank')
      import :: c_int
      integer(c_int), value :: rank, ranks
    end subroutine c_rank
    subroutine c_step(n) bind(C, name='ulpine_step')
      import :: c_int64_t
      integer(c_int64_t), value :: n
    end subroutine c_step
    subroutine c_enter(loop, length, i) bind(C, name='ulpine_enter_n')
      import :: c_char, c_int64_t, c_size_t
      character(kind=c_char), intent(in) :: loop(*)
      integer(c_size_t), value :: length
      integer(c_int64_t), value :: i
    end subroutine c_enter
    subroutine c_leave() bind(C, name='ulpine_leave')
    end subroutine c_leave
    subroutine c_stage(name, length) bind(C, name='ulpine_stage_n')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine c_stage
    subroutine c_unwatch(name, length) bind(C, name='ulpine_unwatch_n')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine c_unwatch
    subroutine c_unit(name, length, unit, unit_length) bind(C, name='ulpine_unit_n')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*), unit(*)
      integer(c_size_t), value :: length, unit_length
    end subroutine c_unit
    subroutine c_time(seconds) bind(C, name='ulpine_time')
      import :: c_double
      real(c_double), value :: seconds
    end subroutine c_time
    subroutine c_close() bind(C, name='ulpine_close')
    end subroutine c_close
    subroutine c_refuse(text, length) bind(C, name='ulpine_refuse')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: text(*)
      integer(c_size_t), value :: length
    end subroutine c_refuse
"""
C_ENTRY = """\
    subroutine c_{entry}(name, length, x) bind(C, name='ulpine_{entry}_n')
      import :: array, c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(array), intent(in) :: x
    end subroutine c_{entry}
"""
BODY = """\
contains

  ! Whether anything is asked for: to leave out work that only traces need, as a copy from a device.
  logical function ulpine_on()
    ulpine_on = ulpine_active /= 0
  end function ulpine_on

  ! This process is `rank` (from 0) of `ranks`; before the first step. Without it the launcher's environment tells.
  subroutine ulpine_rank(rank, ranks)
    integer, intent(in) :: rank, ranks
    if (ulpine_active /= 0) call c_rank(int(rank, c_int), int(ranks, c_int))
  end subroutine ulpine_rank

  subroutine step_i32(n)
    integer(int32), intent(in) :: n
    if (ulpine_active /= 0) call c_step(int(n, c_int64_t))
  end subroutine step_i32

  subroutine step_i64(n)
    integer(int64), intent(in) :: n
    if (ulpine_active /= 0) call c_step(int(n, c_int64_t))
  end subroutine step_i64

  subroutine enter_i32(loop, i)
    character(*), intent(in) :: loop
    integer(int32), intent(in) :: i
    if (ulpine_active /= 0) call c_enter(loop, len(loop, c_size_t), int(i, c_int64_t))
  end subroutine enter_i32

  subroutine enter_i64(loop, i)
    character(*), intent(in) :: loop
    integer(int64), intent(in) :: i
    if (ulpine_active /= 0) call c_enter(loop, len(loop, c_size_t), int(i, c_int64_t))
  end subroutine enter_i64

  ! The innermost loop has ended.
  subroutine ulpine_leave()
    if (ulpine_active /= 0) call c_leave()
  end subroutine ulpine_leave

  ! This stage has run: the fields that are told next are those that it wrote.
  subroutine ulpine_stage(name)
    character(*), intent(in) :: name
    if (ulpine_active /= 0) call c_stage(name, len(name, c_size_t))
  end subroutine ulpine_stage

  ! Takes a field off the list of ulpine_watch, before its memory is freed.
  subroutine ulpine_unwatch(name)
    character(*), intent(in) :: name
    if (ulpine_active /= 0) call c_unwatch(name, len(name, c_size_t))
  end subroutine ulpine_unwatch

  ! The unit of a field, for tables and files: 'K'.
  subroutine ulpine_unit(name, unit)
    character(*), intent(in) :: name, unit
    if (ulpine_active /= 0) call c_unit(name, len(name, c_size_t), unit, len(unit, c_size_t))
  end subroutine ulpine_unit

  subroutine time_f32(seconds)
    real(real32), intent(in) :: seconds
    if (ulpine_active /= 0) call c_time(real(seconds, c_double))
  end subroutine time_f32

  subroutine time_f64(seconds)
    real(real64), intent(in) :: seconds
    if (ulpine_active /= 0) call c_time(real(seconds, c_double))
  end subroutine time_f64

  ! Ends the trace; the end of the program does it too.
  subroutine ulpine_close()
    if (ulpine_active /= 0) call c_close()
  end subroutine ulpine_close

  ! Adds to x what its caller has said, and hands it to the library.
  subroutine tell(entry, name, x, at, of, numbers, axis, replicated, device, queue)
    integer, intent(in) :: entry
    character(*), intent(in) :: name
    type(array), intent(in) :: x
    integer, intent(in), optional :: at(*), of(*), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    type(array) :: told
    integer(c_int64_t), allocatable, target :: places(:)
    integer(c_size_t) :: length
    integer :: along
    character(len(name) + 160) :: text
    told = x
    told%flags = fastest_first
    if (present(at)) told%first(:x%rank) = int(at(:x%rank), c_int64_t) - 1
    if (present(of)) told%whole(:x%rank) = of(:x%rank)
    if (present(numbers)) then
      along = 1
      if (present(axis)) along = axis
      if (along < 1 .or. along > x%rank) then
        write(text, "('field ', a, ': axis = ', i0, ' (the array has ', i0, '): give the axis that numbers is about')") &
          "'" // trim(name) // "'", along, x%rank
        call c_refuse(text, len_trim(text, c_size_t))
        return
      else if (size(numbers, kind=c_int64_t) /= x%extent(along)) then
        write(text, "('field ', a, ': ', i0, ' numbers for the ', i0, ' elements along axis ', i0, ': give each its place')") &
          "'" // trim(name) // "'", size(numbers), x%extent(along), along
        call c_refuse(text, len_trim(text, c_size_t))
        return
      end if
      told%numbered = int(along, c_int) - 1_c_int
      allocate(places(max(1, size(numbers))), source=0_c_int64_t)
      places(:size(numbers)) = int(numbers, c_int64_t) - 1
      told%numbers = c_loc(places)
    end if
    if (present(replicated)) then
      if (replicated) told%flags = ior(told%flags, is_replicated)
    end if
    if (present(device)) then
      if (device) told%flags = ior(told%flags, on_device)
    end if
    if (present(queue)) told%stream = queue
    length = len(name, c_size_t)
    select case (entry)
    case (entry_field)
      call c_field(name, length, told)
    case (entry_state)
      call c_state(name, length, told)
    case (entry_unset)
      call c_unset(name, length, told)
    case (entry_watch)
      call c_watch(name, length, told)
    end select
  end subroutine tell

  ! Bytes from one address to another.
  pure integer(c_int64_t) function distance(from, to)
    type(c_ptr), intent(in) :: from, to
    distance = transfer(to, 0_c_intptr_t) - transfer(from, 0_c_intptr_t)
  end function distance
"""


def dimensions(rank):
    return f"({', '.join(':' * rank)})" if rank else ""


def element(rank, axis):
    """The first element's neighbour along `axis`; the first itself where that is 0."""
    return f"x({', '.join('2' if a == axis else '1' for a in range(1, rank + 1))})" if rank else "x"


def description(name, kind, code, size, rank):
    lines = [f"  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.",
             f"  function array_{name}_{rank}(x) result(a)",
             f"    {kind}, target :: x{dimensions(rank)}",
             "    type(array) :: a",
             f"    a%type = {code}",
             f"    a%rank = {rank}"]
    if rank == 0:
        lines.append("    a%data = c_loc(x)")
    else:
        lines += [f"    a%extent(:{rank}) = shape(x, c_int64_t)",
                  f"    a%stride(:{rank}) = {size}",
                  "    if (size(x, kind=c_int64_t) == 0) return",
                  f"    a%data = c_loc({element(rank, 0)})"]
        lines += [f"    if (size(x, {axis}) > 1) a%stride({axis}) = distance(a%data, c_loc({element(rank, axis)}))"
                  for axis in range(1, rank + 1)]
    return [*lines, f"  end function array_{name}_{rank}", ""]


def entry_procedure(entry, intent, name, kind, rank):
    arguments = "at, of, numbers, axis, replicated, device, queue" if rank else "replicated, device, queue"
    lines = [f"  subroutine {entry}_{name}_{rank}(name, x, {arguments})",
             "    character(*), intent(in) :: name",
             f"    {kind}, intent({intent}), target :: x{dimensions(rank)}"]
    if rank:
        lines.append(f"    integer, intent(in), optional :: at({rank}), of({rank}), numbers(:), axis")
    lines += ["    logical, intent(in), optional :: replicated, device",
              "    integer(c_intptr_t), intent(in), optional :: queue",
              "    if (ulpine_active == 0) return"]
    given = "at, of, numbers, axis, replicated, device, queue" if rank else "replicated=replicated, device=device, queue=queue"
    lines += [f"    call tell(entry_{entry}, name, array_{name}_{rank}(x), {given})",
              f"  end subroutine {entry}_{name}_{rank}", ""]
    return lines


def generic(name, procedures, comment):
    lines = [f"  ! {comment}", f"  interface {name}"]
    for first in range(0, len(procedures), 4):
        lines.append(f"    module procedure {', '.join(procedures[first:first + 4])}")
    return [*lines, f"  end interface {name}", ""]


def text():
    lines = HEAD.splitlines()
    for entry, _, _ in ENTRIES:
        lines += C_ENTRY.format(entry=entry).splitlines()
    lines += ["  end interface", ""]
    lines += generic("ulpine_step", ["step_i32", "step_i64"], "Step number n (from 1) begins.")
    lines += generic("ulpine_enter", ["enter_i32", "enter_i64"], "A loop within the step begins its i-th turn, or goes on to it.")
    lines += generic("ulpine_time", ["time_f32", "time_f64"], "Time of the model in seconds, for the files of values.")
    for entry, _, comment in ENTRIES:
        lines += generic(f"ulpine_{entry}", [f"{entry}_{name}_{rank}" for name, *_ in TYPES for rank in RANKS], comment)
    lines += [*BODY.splitlines(), ""]
    for name, kind, code, size in TYPES:
        for rank in RANKS:
            lines += description(name, kind, code, size, rank)
    for entry, intent, _ in ENTRIES:
        for name, kind, *_ in TYPES:
            for rank in RANKS:
                lines += entry_procedure(entry, intent, name, kind, rank)
    return "\n".join([*lines, "end module ulpine", ""])


def main():
    path = pathlib.Path(__file__).with_name("ulpine.f90")
    made = text()
    if "--check" not in sys.argv[1:]:
        path.write_text(made, encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != made:
        print(f"{path}: is not what make_ulpine_f90.py writes (it was changed, or the script): call the script")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
