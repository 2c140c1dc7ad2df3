! SPDX-License-Identifier: Apache-2.0
!> Lorenz' weather of 1996: a quantity on a circle of latitude that is carried, damped and forced. Errors double in two days.
program weather
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use netcdf_c, only: close_file, create_file, write_record
  implicit none
#ifdef SINGLE
  integer, parameter :: wp = real32
#else
  integer, parameter :: wp = real64
#endif
#ifdef WRONG
  real(wp), parameter :: damping = 1.05_wp   ! a slip, as may happen in an optimisation by hand
#else
  real(wp), parameter :: damping = 1
#endif
  integer, parameter :: n = 40, steps_a_day = 20, days_of_a_unit = 5
  real(wp), parameter :: dt = 1 / real(steps_a_day * days_of_a_unit, wp)
  ! The namelist.
  integer :: days = 0, seed = 0
  real(real64) :: amplitude = 0, forcing = 8
  namelist /run/ days, seed, amplitude, forcing

  real(wp) :: x(0:n - 1), k1(0:n - 1), k2(0:n - 1), k3(0:n - 1), k4(0:n - 1)
  real(real64) :: noise(0:n - 1)
  integer :: unit, step, i

  open (newunit=unit, file="weather.nml", status="old", action="read")
  read (unit, nml=run)
  close (unit)

  x = [(real(8 + modulo(7 * i, 11) / 10.0_real64, wp), i = 0, n - 1)]
  call random_of(seed, noise)
  x = real(x * (1 + amplitude * noise), wp)

  call create_file("weather.nc", "x", "m s-1", n)
  do step = 0, days * steps_a_day
    if (modulo(step, steps_a_day / 2) == 0) call write_record(step / real(steps_a_day, real64), real(x, real64))
    k1 = tendency(x)
    k2 = tendency(x + dt / 2 * k1)
    k3 = tendency(x + dt / 2 * k2)
    k4 = tendency(x + dt * k3)
    x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    if (any(abs(x) > 1000)) then
      print *, "weather: blown up"
      stop   ! with exit code 0, as many a model
    end if
  end do
  call close_file()
  print *, "weather: normal end"

contains

  function tendency(x) result(dx)
    real(wp), intent(in) :: x(0:n - 1)
    real(wp) :: dx(0:n - 1)
    integer :: i
    do i = 0, n - 1
      dx(i) = (x(modulo(i + 1, n)) - x(modulo(i - 2, n))) * x(modulo(i - 1, n)) - damping * x(i) + real(forcing, wp)
    end do
  end function

  !> Numbers in [-1, 1) that are the same for a seed whatever the compiler (Park and Miller 1988).
  subroutine random_of(seed, values)
    integer, intent(in) :: seed
    real(real64), intent(out) :: values(:)
    integer, parameter :: int64 = selected_int_kind(18)
    integer(int64) :: state
    integer :: i, warm_up
    state = max(seed, 1)
    do warm_up = 1, 10
      state = modulo(16807 * state, 2147483647_int64)
    end do
    do i = 1, size(values)
      state = modulo(16807 * state, 2147483647_int64)
      values(i) = 2 * real(state, real64) / 2147483647 - 1
    end do
  end subroutine

end program
