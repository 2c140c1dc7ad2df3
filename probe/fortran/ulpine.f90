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
    subroutine c_field(name, length, x) bind(C, name='ulpine_field_n')
      import :: array, c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(array), intent(in) :: x
    end subroutine c_field
    subroutine c_state(name, length, x) bind(C, name='ulpine_state_n')
      import :: array, c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(array), intent(in) :: x
    end subroutine c_state
    subroutine c_unset(name, length, x) bind(C, name='ulpine_unset_n')
      import :: array, c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(array), intent(in) :: x
    end subroutine c_unset
    subroutine c_watch(name, length, x) bind(C, name='ulpine_watch_n')
      import :: array, c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      type(array), intent(in) :: x
    end subroutine c_watch
  end interface

  ! Step number n (from 1) begins.
  interface ulpine_step
    module procedure step_i32, step_i64
  end interface ulpine_step

  ! A loop within the step begins its i-th turn, or goes on to it.
  interface ulpine_enter
    module procedure enter_i32, enter_i64
  end interface ulpine_enter

  ! Time of the model in seconds, for the files of values.
  interface ulpine_time
    module procedure time_f32, time_f64
  end interface ulpine_time

  ! The stage that was named last wrote this field, or this part of it: the probe looks only.
  interface ulpine_field
    module procedure field_f32_0, field_f32_1, field_f32_2, field_f32_3
    module procedure field_f32_4, field_f32_5, field_f32_6, field_f32_7
    module procedure field_f64_0, field_f64_1, field_f64_2, field_f64_3
    module procedure field_f64_4, field_f64_5, field_f64_6, field_f64_7
    module procedure field_i32_0, field_i32_1, field_i32_2, field_i32_3
    module procedure field_i32_4, field_i32_5, field_i32_6, field_i32_7
    module procedure field_i64_0, field_i64_1, field_i64_2, field_i64_3
    module procedure field_i64_4, field_i64_5, field_i64_6, field_i64_7
    module procedure field_lbool_0, field_lbool_1, field_lbool_2, field_lbool_3
    module procedure field_lbool_4, field_lbool_5, field_lbool_6, field_lbool_7
    module procedure field_l_0, field_l_1, field_l_2, field_l_3
    module procedure field_l_4, field_l_5, field_l_6, field_l_7
    module procedure field_c32_0, field_c32_1, field_c32_2, field_c32_3
    module procedure field_c32_4, field_c32_5, field_c32_6, field_c32_7
    module procedure field_c64_0, field_c64_1, field_c64_2, field_c64_3
    module procedure field_c64_4, field_c64_5, field_c64_6, field_c64_7
  end interface ulpine_field

  ! The same of a field that the run goes on from: the settings may perturb, round or reset it.
  interface ulpine_state
    module procedure state_f32_0, state_f32_1, state_f32_2, state_f32_3
    module procedure state_f32_4, state_f32_5, state_f32_6, state_f32_7
    module procedure state_f64_0, state_f64_1, state_f64_2, state_f64_3
    module procedure state_f64_4, state_f64_5, state_f64_6, state_f64_7
    module procedure state_i32_0, state_i32_1, state_i32_2, state_i32_3
    module procedure state_i32_4, state_i32_5, state_i32_6, state_i32_7
    module procedure state_i64_0, state_i64_1, state_i64_2, state_i64_3
    module procedure state_i64_4, state_i64_5, state_i64_6, state_i64_7
    module procedure state_lbool_0, state_lbool_1, state_lbool_2, state_lbool_3
    module procedure state_lbool_4, state_lbool_5, state_lbool_6, state_lbool_7
    module procedure state_l_0, state_l_1, state_l_2, state_l_3
    module procedure state_l_4, state_l_5, state_l_6, state_l_7
    module procedure state_c32_0, state_c32_1, state_c32_2, state_c32_3
    module procedure state_c32_4, state_c32_5, state_c32_6, state_c32_7
    module procedure state_c64_0, state_c64_1, state_c64_2, state_c64_3
    module procedure state_c64_4, state_c64_5, state_c64_6, state_c64_7
  end interface ulpine_state

  ! The stage that comes next writes all of this array: the settings may fill it with values that show where it does not.
  interface ulpine_unset
    module procedure unset_f32_0, unset_f32_1, unset_f32_2, unset_f32_3
    module procedure unset_f32_4, unset_f32_5, unset_f32_6, unset_f32_7
    module procedure unset_f64_0, unset_f64_1, unset_f64_2, unset_f64_3
    module procedure unset_f64_4, unset_f64_5, unset_f64_6, unset_f64_7
    module procedure unset_i32_0, unset_i32_1, unset_i32_2, unset_i32_3
    module procedure unset_i32_4, unset_i32_5, unset_i32_6, unset_i32_7
    module procedure unset_i64_0, unset_i64_1, unset_i64_2, unset_i64_3
    module procedure unset_i64_4, unset_i64_5, unset_i64_6, unset_i64_7
    module procedure unset_lbool_0, unset_lbool_1, unset_lbool_2, unset_lbool_3
    module procedure unset_lbool_4, unset_lbool_5, unset_lbool_6, unset_lbool_7
    module procedure unset_l_0, unset_l_1, unset_l_2, unset_l_3
    module procedure unset_l_4, unset_l_5, unset_l_6, unset_l_7
    module procedure unset_c32_0, unset_c32_1, unset_c32_2, unset_c32_3
    module procedure unset_c32_4, unset_c32_5, unset_c32_6, unset_c32_7
    module procedure unset_c64_0, unset_c64_1, unset_c64_2, unset_c64_3
    module procedure unset_c64_4, unset_c64_5, unset_c64_6, unset_c64_7
  end interface ulpine_unset

  ! A field of a lasting array, which has the attribute target, is looked at after every stage from now on.
  interface ulpine_watch
    module procedure watch_f32_0, watch_f32_1, watch_f32_2, watch_f32_3
    module procedure watch_f32_4, watch_f32_5, watch_f32_6, watch_f32_7
    module procedure watch_f64_0, watch_f64_1, watch_f64_2, watch_f64_3
    module procedure watch_f64_4, watch_f64_5, watch_f64_6, watch_f64_7
    module procedure watch_i32_0, watch_i32_1, watch_i32_2, watch_i32_3
    module procedure watch_i32_4, watch_i32_5, watch_i32_6, watch_i32_7
    module procedure watch_i64_0, watch_i64_1, watch_i64_2, watch_i64_3
    module procedure watch_i64_4, watch_i64_5, watch_i64_6, watch_i64_7
    module procedure watch_lbool_0, watch_lbool_1, watch_lbool_2, watch_lbool_3
    module procedure watch_lbool_4, watch_lbool_5, watch_lbool_6, watch_lbool_7
    module procedure watch_l_0, watch_l_1, watch_l_2, watch_l_3
    module procedure watch_l_4, watch_l_5, watch_l_6, watch_l_7
    module procedure watch_c32_0, watch_c32_1, watch_c32_2, watch_c32_3
    module procedure watch_c32_4, watch_c32_5, watch_c32_6, watch_c32_7
    module procedure watch_c64_0, watch_c64_1, watch_c64_2, watch_c64_3
    module procedure watch_c64_4, watch_c64_5, watch_c64_6, watch_c64_7
  end interface ulpine_watch

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

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_0(x) result(a)
    real(real32), target :: x
    type(array) :: a
    a%type = 1_c_int
    a%rank = 0
    a%data = c_loc(x)
  end function array_f32_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_1(x) result(a)
    real(real32), target :: x(:)
    type(array) :: a
    a%type = 1_c_int
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_f32_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_2(x) result(a)
    real(real32), target :: x(:, :)
    type(array) :: a
    a%type = 1_c_int
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_f32_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_3(x) result(a)
    real(real32), target :: x(:, :, :)
    type(array) :: a
    a%type = 1_c_int
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_f32_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_4(x) result(a)
    real(real32), target :: x(:, :, :, :)
    type(array) :: a
    a%type = 1_c_int
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_f32_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_5(x) result(a)
    real(real32), target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = 1_c_int
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_f32_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_6(x) result(a)
    real(real32), target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = 1_c_int
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_f32_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f32_7(x) result(a)
    real(real32), target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = 1_c_int
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_f32_7

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_0(x) result(a)
    real(real64), target :: x
    type(array) :: a
    a%type = 2_c_int
    a%rank = 0
    a%data = c_loc(x)
  end function array_f64_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_1(x) result(a)
    real(real64), target :: x(:)
    type(array) :: a
    a%type = 2_c_int
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_f64_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_2(x) result(a)
    real(real64), target :: x(:, :)
    type(array) :: a
    a%type = 2_c_int
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_f64_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_3(x) result(a)
    real(real64), target :: x(:, :, :)
    type(array) :: a
    a%type = 2_c_int
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_f64_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_4(x) result(a)
    real(real64), target :: x(:, :, :, :)
    type(array) :: a
    a%type = 2_c_int
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_f64_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_5(x) result(a)
    real(real64), target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = 2_c_int
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_f64_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_6(x) result(a)
    real(real64), target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = 2_c_int
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_f64_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_f64_7(x) result(a)
    real(real64), target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = 2_c_int
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_f64_7

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_0(x) result(a)
    integer(int32), target :: x
    type(array) :: a
    a%type = 3_c_int
    a%rank = 0
    a%data = c_loc(x)
  end function array_i32_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_1(x) result(a)
    integer(int32), target :: x(:)
    type(array) :: a
    a%type = 3_c_int
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_i32_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_2(x) result(a)
    integer(int32), target :: x(:, :)
    type(array) :: a
    a%type = 3_c_int
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_i32_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_3(x) result(a)
    integer(int32), target :: x(:, :, :)
    type(array) :: a
    a%type = 3_c_int
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_i32_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_4(x) result(a)
    integer(int32), target :: x(:, :, :, :)
    type(array) :: a
    a%type = 3_c_int
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_i32_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_5(x) result(a)
    integer(int32), target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = 3_c_int
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_i32_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_6(x) result(a)
    integer(int32), target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = 3_c_int
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_i32_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i32_7(x) result(a)
    integer(int32), target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = 3_c_int
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = 4
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_i32_7

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_0(x) result(a)
    integer(int64), target :: x
    type(array) :: a
    a%type = 4_c_int
    a%rank = 0
    a%data = c_loc(x)
  end function array_i64_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_1(x) result(a)
    integer(int64), target :: x(:)
    type(array) :: a
    a%type = 4_c_int
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_i64_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_2(x) result(a)
    integer(int64), target :: x(:, :)
    type(array) :: a
    a%type = 4_c_int
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_i64_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_3(x) result(a)
    integer(int64), target :: x(:, :, :)
    type(array) :: a
    a%type = 4_c_int
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_i64_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_4(x) result(a)
    integer(int64), target :: x(:, :, :, :)
    type(array) :: a
    a%type = 4_c_int
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_i64_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_5(x) result(a)
    integer(int64), target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = 4_c_int
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_i64_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_6(x) result(a)
    integer(int64), target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = 4_c_int
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_i64_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_i64_7(x) result(a)
    integer(int64), target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = 4_c_int
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_i64_7

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_0(x) result(a)
    logical(c_bool), target :: x
    type(array) :: a
    a%type = 5_c_int
    a%rank = 0
    a%data = c_loc(x)
  end function array_lbool_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_1(x) result(a)
    logical(c_bool), target :: x(:)
    type(array) :: a
    a%type = 5_c_int
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = 1
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_lbool_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_2(x) result(a)
    logical(c_bool), target :: x(:, :)
    type(array) :: a
    a%type = 5_c_int
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = 1
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_lbool_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_3(x) result(a)
    logical(c_bool), target :: x(:, :, :)
    type(array) :: a
    a%type = 5_c_int
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = 1
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_lbool_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_4(x) result(a)
    logical(c_bool), target :: x(:, :, :, :)
    type(array) :: a
    a%type = 5_c_int
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = 1
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_lbool_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_5(x) result(a)
    logical(c_bool), target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = 5_c_int
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = 1
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_lbool_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_6(x) result(a)
    logical(c_bool), target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = 5_c_int
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = 1
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_lbool_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_lbool_7(x) result(a)
    logical(c_bool), target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = 5_c_int
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = 1
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_lbool_7

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_0(x) result(a)
    logical, target :: x
    type(array) :: a
    a%type = type_of_logical
    a%rank = 0
    a%data = c_loc(x)
  end function array_l_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_1(x) result(a)
    logical, target :: x(:)
    type(array) :: a
    a%type = type_of_logical
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = bytes_of_logical
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_l_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_2(x) result(a)
    logical, target :: x(:, :)
    type(array) :: a
    a%type = type_of_logical
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = bytes_of_logical
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_l_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_3(x) result(a)
    logical, target :: x(:, :, :)
    type(array) :: a
    a%type = type_of_logical
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = bytes_of_logical
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_l_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_4(x) result(a)
    logical, target :: x(:, :, :, :)
    type(array) :: a
    a%type = type_of_logical
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = bytes_of_logical
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_l_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_5(x) result(a)
    logical, target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = type_of_logical
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = bytes_of_logical
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_l_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_6(x) result(a)
    logical, target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = type_of_logical
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = bytes_of_logical
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_l_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_l_7(x) result(a)
    logical, target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = type_of_logical
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = bytes_of_logical
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_l_7

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_0(x) result(a)
    complex(real32), target :: x
    type(array) :: a
    a%type = 8_c_int
    a%rank = 0
    a%data = c_loc(x)
  end function array_c32_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_1(x) result(a)
    complex(real32), target :: x(:)
    type(array) :: a
    a%type = 8_c_int
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_c32_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_2(x) result(a)
    complex(real32), target :: x(:, :)
    type(array) :: a
    a%type = 8_c_int
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_c32_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_3(x) result(a)
    complex(real32), target :: x(:, :, :)
    type(array) :: a
    a%type = 8_c_int
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_c32_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_4(x) result(a)
    complex(real32), target :: x(:, :, :, :)
    type(array) :: a
    a%type = 8_c_int
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_c32_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_5(x) result(a)
    complex(real32), target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = 8_c_int
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_c32_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_6(x) result(a)
    complex(real32), target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = 8_c_int
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_c32_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c32_7(x) result(a)
    complex(real32), target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = 8_c_int
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = 8
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_c32_7

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_0(x) result(a)
    complex(real64), target :: x
    type(array) :: a
    a%type = 9_c_int
    a%rank = 0
    a%data = c_loc(x)
  end function array_c64_0

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_1(x) result(a)
    complex(real64), target :: x(:)
    type(array) :: a
    a%type = 9_c_int
    a%rank = 1
    a%extent(:1) = shape(x, c_int64_t)
    a%stride(:1) = 16
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2)))
  end function array_c64_1

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_2(x) result(a)
    complex(real64), target :: x(:, :)
    type(array) :: a
    a%type = 9_c_int
    a%rank = 2
    a%extent(:2) = shape(x, c_int64_t)
    a%stride(:2) = 16
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2)))
  end function array_c64_2

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_3(x) result(a)
    complex(real64), target :: x(:, :, :)
    type(array) :: a
    a%type = 9_c_int
    a%rank = 3
    a%extent(:3) = shape(x, c_int64_t)
    a%stride(:3) = 16
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2)))
  end function array_c64_3

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_4(x) result(a)
    complex(real64), target :: x(:, :, :, :)
    type(array) :: a
    a%type = 9_c_int
    a%rank = 4
    a%extent(:4) = shape(x, c_int64_t)
    a%stride(:4) = 16
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2)))
  end function array_c64_4

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_5(x) result(a)
    complex(real64), target :: x(:, :, :, :, :)
    type(array) :: a
    a%type = 9_c_int
    a%rank = 5
    a%extent(:5) = shape(x, c_int64_t)
    a%stride(:5) = 16
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2)))
  end function array_c64_5

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_6(x) result(a)
    complex(real64), target :: x(:, :, :, :, :, :)
    type(array) :: a
    a%type = 9_c_int
    a%rank = 6
    a%extent(:6) = shape(x, c_int64_t)
    a%stride(:6) = 16
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2)))
  end function array_c64_6

  ! Address, extents and distances of x: no intent, as what is done by the address is the caller's to say.
  function array_c64_7(x) result(a)
    complex(real64), target :: x(:, :, :, :, :, :, :)
    type(array) :: a
    a%type = 9_c_int
    a%rank = 7
    a%extent(:7) = shape(x, c_int64_t)
    a%stride(:7) = 16
    if (size(x, kind=c_int64_t) == 0) return
    a%data = c_loc(x(1, 1, 1, 1, 1, 1, 1))
    if (size(x, 1) > 1) a%stride(1) = distance(a%data, c_loc(x(2, 1, 1, 1, 1, 1, 1)))
    if (size(x, 2) > 1) a%stride(2) = distance(a%data, c_loc(x(1, 2, 1, 1, 1, 1, 1)))
    if (size(x, 3) > 1) a%stride(3) = distance(a%data, c_loc(x(1, 1, 2, 1, 1, 1, 1)))
    if (size(x, 4) > 1) a%stride(4) = distance(a%data, c_loc(x(1, 1, 1, 2, 1, 1, 1)))
    if (size(x, 5) > 1) a%stride(5) = distance(a%data, c_loc(x(1, 1, 1, 1, 2, 1, 1)))
    if (size(x, 6) > 1) a%stride(6) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 2, 1)))
    if (size(x, 7) > 1) a%stride(7) = distance(a%data, c_loc(x(1, 1, 1, 1, 1, 1, 2)))
  end function array_c64_7

  subroutine field_f32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_f32_0

  subroutine field_f32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f32_1

  subroutine field_f32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f32_2

  subroutine field_f32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f32_3

  subroutine field_f32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f32_4

  subroutine field_f32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f32_5

  subroutine field_f32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f32_6

  subroutine field_f32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f32_7

  subroutine field_f64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_f64_0

  subroutine field_f64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f64_1

  subroutine field_f64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f64_2

  subroutine field_f64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f64_3

  subroutine field_f64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f64_4

  subroutine field_f64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f64_5

  subroutine field_f64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f64_6

  subroutine field_f64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_f64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_f64_7

  subroutine field_i32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_i32_0

  subroutine field_i32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i32_1

  subroutine field_i32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i32_2

  subroutine field_i32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i32_3

  subroutine field_i32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i32_4

  subroutine field_i32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i32_5

  subroutine field_i32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i32_6

  subroutine field_i32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i32_7

  subroutine field_i64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_i64_0

  subroutine field_i64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i64_1

  subroutine field_i64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i64_2

  subroutine field_i64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i64_3

  subroutine field_i64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i64_4

  subroutine field_i64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i64_5

  subroutine field_i64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i64_6

  subroutine field_i64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_i64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_i64_7

  subroutine field_lbool_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_lbool_0

  subroutine field_lbool_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_lbool_1

  subroutine field_lbool_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_lbool_2

  subroutine field_lbool_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_lbool_3

  subroutine field_lbool_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_lbool_4

  subroutine field_lbool_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_lbool_5

  subroutine field_lbool_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_lbool_6

  subroutine field_lbool_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_lbool_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_lbool_7

  subroutine field_l_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_l_0

  subroutine field_l_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_l_1

  subroutine field_l_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_l_2

  subroutine field_l_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_l_3

  subroutine field_l_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_l_4

  subroutine field_l_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_l_5

  subroutine field_l_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_l_6

  subroutine field_l_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_l_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_l_7

  subroutine field_c32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_c32_0

  subroutine field_c32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c32_1

  subroutine field_c32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c32_2

  subroutine field_c32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c32_3

  subroutine field_c32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c32_4

  subroutine field_c32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c32_5

  subroutine field_c32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c32_6

  subroutine field_c32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c32_7

  subroutine field_c64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine field_c64_0

  subroutine field_c64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c64_1

  subroutine field_c64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c64_2

  subroutine field_c64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c64_3

  subroutine field_c64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c64_4

  subroutine field_c64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c64_5

  subroutine field_c64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c64_6

  subroutine field_c64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_field, name, array_c64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine field_c64_7

  subroutine state_f32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_f32_0

  subroutine state_f32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f32_1

  subroutine state_f32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f32_2

  subroutine state_f32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f32_3

  subroutine state_f32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f32_4

  subroutine state_f32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f32_5

  subroutine state_f32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f32_6

  subroutine state_f32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f32_7

  subroutine state_f64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_f64_0

  subroutine state_f64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f64_1

  subroutine state_f64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f64_2

  subroutine state_f64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f64_3

  subroutine state_f64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f64_4

  subroutine state_f64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f64_5

  subroutine state_f64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f64_6

  subroutine state_f64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_f64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_f64_7

  subroutine state_i32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_i32_0

  subroutine state_i32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i32_1

  subroutine state_i32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i32_2

  subroutine state_i32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i32_3

  subroutine state_i32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i32_4

  subroutine state_i32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i32_5

  subroutine state_i32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i32_6

  subroutine state_i32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i32_7

  subroutine state_i64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_i64_0

  subroutine state_i64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i64_1

  subroutine state_i64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i64_2

  subroutine state_i64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i64_3

  subroutine state_i64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i64_4

  subroutine state_i64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i64_5

  subroutine state_i64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i64_6

  subroutine state_i64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_i64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_i64_7

  subroutine state_lbool_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_lbool_0

  subroutine state_lbool_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_lbool_1

  subroutine state_lbool_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_lbool_2

  subroutine state_lbool_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_lbool_3

  subroutine state_lbool_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_lbool_4

  subroutine state_lbool_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_lbool_5

  subroutine state_lbool_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_lbool_6

  subroutine state_lbool_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_lbool_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_lbool_7

  subroutine state_l_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_l_0

  subroutine state_l_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_l_1

  subroutine state_l_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_l_2

  subroutine state_l_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_l_3

  subroutine state_l_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_l_4

  subroutine state_l_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_l_5

  subroutine state_l_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_l_6

  subroutine state_l_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_l_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_l_7

  subroutine state_c32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_c32_0

  subroutine state_c32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c32_1

  subroutine state_c32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c32_2

  subroutine state_c32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c32_3

  subroutine state_c32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c32_4

  subroutine state_c32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c32_5

  subroutine state_c32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c32_6

  subroutine state_c32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c32_7

  subroutine state_c64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine state_c64_0

  subroutine state_c64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c64_1

  subroutine state_c64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c64_2

  subroutine state_c64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c64_3

  subroutine state_c64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c64_4

  subroutine state_c64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c64_5

  subroutine state_c64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c64_6

  subroutine state_c64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_state, name, array_c64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine state_c64_7

  subroutine unset_f32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_f32_0

  subroutine unset_f32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f32_1

  subroutine unset_f32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f32_2

  subroutine unset_f32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f32_3

  subroutine unset_f32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f32_4

  subroutine unset_f32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f32_5

  subroutine unset_f32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f32_6

  subroutine unset_f32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f32_7

  subroutine unset_f64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_f64_0

  subroutine unset_f64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f64_1

  subroutine unset_f64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f64_2

  subroutine unset_f64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f64_3

  subroutine unset_f64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f64_4

  subroutine unset_f64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f64_5

  subroutine unset_f64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f64_6

  subroutine unset_f64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_f64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_f64_7

  subroutine unset_i32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_i32_0

  subroutine unset_i32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i32_1

  subroutine unset_i32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i32_2

  subroutine unset_i32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i32_3

  subroutine unset_i32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i32_4

  subroutine unset_i32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i32_5

  subroutine unset_i32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i32_6

  subroutine unset_i32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i32_7

  subroutine unset_i64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_i64_0

  subroutine unset_i64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i64_1

  subroutine unset_i64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i64_2

  subroutine unset_i64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i64_3

  subroutine unset_i64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i64_4

  subroutine unset_i64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i64_5

  subroutine unset_i64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i64_6

  subroutine unset_i64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_i64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_i64_7

  subroutine unset_lbool_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_lbool_0

  subroutine unset_lbool_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_lbool_1

  subroutine unset_lbool_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_lbool_2

  subroutine unset_lbool_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_lbool_3

  subroutine unset_lbool_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_lbool_4

  subroutine unset_lbool_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_lbool_5

  subroutine unset_lbool_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_lbool_6

  subroutine unset_lbool_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_lbool_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_lbool_7

  subroutine unset_l_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_l_0

  subroutine unset_l_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_l_1

  subroutine unset_l_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_l_2

  subroutine unset_l_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_l_3

  subroutine unset_l_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_l_4

  subroutine unset_l_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_l_5

  subroutine unset_l_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_l_6

  subroutine unset_l_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_l_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_l_7

  subroutine unset_c32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_c32_0

  subroutine unset_c32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c32_1

  subroutine unset_c32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c32_2

  subroutine unset_c32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c32_3

  subroutine unset_c32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c32_4

  subroutine unset_c32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c32_5

  subroutine unset_c32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c32_6

  subroutine unset_c32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c32_7

  subroutine unset_c64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine unset_c64_0

  subroutine unset_c64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c64_1

  subroutine unset_c64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c64_2

  subroutine unset_c64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c64_3

  subroutine unset_c64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c64_4

  subroutine unset_c64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c64_5

  subroutine unset_c64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c64_6

  subroutine unset_c64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(inout), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_unset, name, array_c64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine unset_c64_7

  subroutine watch_f32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_f32_0

  subroutine watch_f32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f32_1

  subroutine watch_f32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f32_2

  subroutine watch_f32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f32_3

  subroutine watch_f32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f32_4

  subroutine watch_f32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f32_5

  subroutine watch_f32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f32_6

  subroutine watch_f32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real32), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f32_7

  subroutine watch_f64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_f64_0

  subroutine watch_f64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f64_1

  subroutine watch_f64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f64_2

  subroutine watch_f64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f64_3

  subroutine watch_f64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f64_4

  subroutine watch_f64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f64_5

  subroutine watch_f64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f64_6

  subroutine watch_f64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    real(real64), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_f64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_f64_7

  subroutine watch_i32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_i32_0

  subroutine watch_i32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i32_1

  subroutine watch_i32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i32_2

  subroutine watch_i32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i32_3

  subroutine watch_i32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i32_4

  subroutine watch_i32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i32_5

  subroutine watch_i32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i32_6

  subroutine watch_i32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i32_7

  subroutine watch_i64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_i64_0

  subroutine watch_i64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i64_1

  subroutine watch_i64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i64_2

  subroutine watch_i64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i64_3

  subroutine watch_i64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i64_4

  subroutine watch_i64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i64_5

  subroutine watch_i64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i64_6

  subroutine watch_i64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_i64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_i64_7

  subroutine watch_lbool_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_lbool_0

  subroutine watch_lbool_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_lbool_1

  subroutine watch_lbool_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_lbool_2

  subroutine watch_lbool_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_lbool_3

  subroutine watch_lbool_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_lbool_4

  subroutine watch_lbool_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_lbool_5

  subroutine watch_lbool_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_lbool_6

  subroutine watch_lbool_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical(c_bool), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_lbool_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_lbool_7

  subroutine watch_l_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_l_0

  subroutine watch_l_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_l_1

  subroutine watch_l_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_l_2

  subroutine watch_l_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_l_3

  subroutine watch_l_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_l_4

  subroutine watch_l_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_l_5

  subroutine watch_l_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_l_6

  subroutine watch_l_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    logical, intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_l_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_l_7

  subroutine watch_c32_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_c32_0

  subroutine watch_c32_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c32_1

  subroutine watch_c32_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c32_2

  subroutine watch_c32_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c32_3

  subroutine watch_c32_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c32_4

  subroutine watch_c32_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c32_5

  subroutine watch_c32_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c32_6

  subroutine watch_c32_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real32), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c32_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c32_7

  subroutine watch_c64_0(name, x, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_0(x), replicated=replicated, device=device, queue=queue)
  end subroutine watch_c64_0

  subroutine watch_c64_1(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:)
    integer, intent(in), optional :: at(1), of(1), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_1(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c64_1

  subroutine watch_c64_2(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :)
    integer, intent(in), optional :: at(2), of(2), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_2(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c64_2

  subroutine watch_c64_3(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :)
    integer, intent(in), optional :: at(3), of(3), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_3(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c64_3

  subroutine watch_c64_4(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :)
    integer, intent(in), optional :: at(4), of(4), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_4(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c64_4

  subroutine watch_c64_5(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :, :)
    integer, intent(in), optional :: at(5), of(5), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_5(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c64_5

  subroutine watch_c64_6(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :, :, :)
    integer, intent(in), optional :: at(6), of(6), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_6(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c64_6

  subroutine watch_c64_7(name, x, at, of, numbers, axis, replicated, device, queue)
    character(*), intent(in) :: name
    complex(real64), intent(in), target :: x(:, :, :, :, :, :, :)
    integer, intent(in), optional :: at(7), of(7), numbers(:), axis
    logical, intent(in), optional :: replicated, device
    integer(c_intptr_t), intent(in), optional :: queue
    if (ulpine_active == 0) return
    call tell(entry_watch, name, array_c64_7(x), at, of, numbers, axis, replicated, device, queue)
  end subroutine watch_c64_7

end module ulpine
