! SPDX-License-Identifier: Apache-2.0
! Shallow water on a rotating plane with a moist tracer that rains out above saturation, on a C-grid: water [CELLS ROWS STEPS].
!
!   dh/dt = -div(h u) - sink rain        dq/dt = -u . grad q - rain        rain where q > saturation h / depth
!   du/dt = -f k x u - g grad h - drag |u| u
!
! One source for a serial program, MPI (-DUSE_MPI), OpenMP and OpenACC, whose results have the same bits: there is no sum over
! cells, and nothing but + - * / and sqrt. With -DFORGETS_HALO it has a fault that ports have: a halo that nobody fills.
module water
  use domain
  use ulpine
  implicit none
  private
  public :: begin_water, take_step, print_water

  real(real64), parameter :: width = 1e4_real64, length = 300   ! of a cell in m, of a step in s
  real(real64), parameter :: depth = 1000, gravity = 0.1_real64 ! in m, reduced gravity in m s-2
  real(real64), parameter :: coriolis = 1e-4_real64, drag = 1e-6_real64
  real(real64), parameter :: saturation = 1, sink = 20          ! of q, and m of water for a unit of q

  ! Height and tracer in cells, flow and fluxes of water through their western and southern faces.
  real(real64), allocatable :: h(:, :), q(:, :), hq(:, :), rain(:, :), u(:, :), v(:, :), fx(:, :), fy(:, :)

contains

  ! A smooth hill between 0 and 1 on a periodic line of length 1.
  elemental real(real64) function hill(s)
    real(real64), intent(in) :: s
    real(real64) :: t
    t = s - floor(s)
    hill = 16 * (t * (1 - t))**2
  end function hill

  subroutine begin_water()
    real(real64) :: x, y
    integer :: i, j
    allocate(h(1 - halo:nx + halo, 1 - halo:ny + halo), source=0.0_real64)
    allocate(q, hq, rain, u, v, fx, fy, source=h)
    do j = 1, ny
      y = (j_first + j - 1.5_real64) / ny_all
      do i = 1, nx
        x = (i - 0.5_real64) / nx
        h(i, j) = depth + 20 * hill(x) * hill(y)
        u(i, j) = 4 * hill(y) - 2
        v(i, j) = hill(x + 0.25_real64) - 0.5_real64
        q(i, j) = 0.7_real64 + 0.28_real64 * hill(x + 0.5_real64)
      end do
    end do
    !$acc enter data copyin(h, q, hq, rain, u, v, fx, fy)
    call exchange(h)
    call exchange(q)
    call exchange(u)
    call exchange(v)
  end subroutine begin_water

  subroutine take_step(n)
    integer, intent(in) :: n
    call ulpine_step(n)
    call find_fluxes()
    call move_tracer()
    call move_water()
    call exchange(h)
    call turn_flow()
    call rain_out()
    call exchange(h)
#ifndef FORGETS_HALO
    call exchange(q)
#endif
  end subroutine take_step

  ! Water through the western and southern faces of each cell, in m2 s-1.
  subroutine find_fluxes()
    integer :: i, j
    !$omp parallel do private(i)
    !$acc parallel loop collapse(2) present(h, u, v, fx, fy)
    do j = 1, ny + 1
      do i = 1, nx + 1
        fx(i, j) = u(i, j) * (h(i - 1, j) + h(i, j)) / 2
        fy(i, j) = v(i, j) * (h(i, j - 1) + h(i, j)) / 2
      end do
    end do
    call ulpine_stage('fluxes')
    call look('fx', fx)
    call look('fy', fy)
  end subroutine find_fluxes

  ! The tracer at a face between cells 0 and 1, from the side that the water comes from, along the smaller of two slopes.
  pure real(real64) function at_face(flux, before, zero, one, behind)
    !$acc routine seq
    real(real64), intent(in) :: flux, before, zero, one, behind
    if (flux > 0) then
      at_face = zero + smaller(zero - before, one - zero) / 2
    else
      at_face = one - smaller(one - zero, behind - one) / 2
    end if
  end function at_face

  pure real(real64) function smaller(a, b)
    !$acc routine seq
    real(real64), intent(in) :: a, b
    smaller = 0
    if (a * b > 0) smaller = sign(min(abs(a), abs(b)), a)
  end function smaller

  subroutine move_tracer()
    real(real64) :: west, east, south, north
    integer :: i, j
    !$omp parallel do private(i, west, east, south, north)
    !$acc parallel loop collapse(2) present(h, q, hq, fx, fy) private(west, east, south, north)
    do j = 1, ny
      do i = 1, nx
        west = fx(i, j) * at_face(fx(i, j), q(i - 2, j), q(i - 1, j), q(i, j), q(i + 1, j))
        east = fx(i + 1, j) * at_face(fx(i + 1, j), q(i - 1, j), q(i, j), q(i + 1, j), q(i + 2, j))
        south = fy(i, j) * at_face(fy(i, j), q(i, j - 2), q(i, j - 1), q(i, j), q(i, j + 1))
        north = fy(i, j + 1) * at_face(fy(i, j + 1), q(i, j - 1), q(i, j), q(i, j + 1), q(i, j + 2))
        hq(i, j) = h(i, j) * q(i, j) - length / width * ((east - west) + (north - south))
      end do
    end do
    call ulpine_stage('tracer')
    call look('hq', hq)
  end subroutine move_tracer

  subroutine move_water()
    integer :: i, j
    !$omp parallel do private(i)
    !$acc parallel loop collapse(2) present(h, q, hq, fx, fy)
    do j = 1, ny
      do i = 1, nx
        h(i, j) = h(i, j) - length / width * ((fx(i + 1, j) - fx(i, j)) + (fy(i, j + 1) - fy(i, j)))
        q(i, j) = hq(i, j) / h(i, j)
      end do
    end do
    call ulpine_stage('water')
    call keep('h', h)
    call keep('q', q)
  end subroutine move_water

  ! The Coriolis force takes u of before for v, and v of after for u, every second half.
  subroutine turn_flow()
    real(real64) :: across
    integer :: i, j
    !$omp parallel do private(i, across)
    !$acc parallel loop collapse(2) present(h, u, v) private(across)
    do j = 1, ny
      do i = 1, nx
        across = (u(i, j - 1) + u(i + 1, j - 1) + u(i, j) + u(i + 1, j)) / 4
        v(i, j) = v(i, j) + length * (-coriolis * across - gravity * (h(i, j) - h(i, j - 1)) / width &
                                      - drag * sqrt(across * across + v(i, j) * v(i, j)) * v(i, j))
      end do
    end do
    call exchange(v)
    call ulpine_stage('meridional')
    call keep('v', v)
    !$omp parallel do private(i, across)
    !$acc parallel loop collapse(2) present(h, u, v) private(across)
    do j = 1, ny
      do i = 1, nx
        across = (v(i - 1, j) + v(i, j) + v(i - 1, j + 1) + v(i, j + 1)) / 4
        u(i, j) = u(i, j) + length * (coriolis * across - gravity * (h(i, j) - h(i - 1, j)) / width &
                                      - drag * sqrt(across * across + u(i, j) * u(i, j)) * u(i, j))
      end do
    end do
    call exchange(u)
    call ulpine_stage('zonal')
    call keep('u', u)
  end subroutine turn_flow

  subroutine rain_out()
    real(real64) :: excess
    integer :: i, j
    !$omp parallel do private(i, excess)
    !$acc parallel loop collapse(2) present(h, q, rain) private(excess)
    do j = 1, ny
      do i = 1, nx
        excess = q(i, j) - saturation * h(i, j) / depth
        rain(i, j) = 0
        if (excess > 0) then
          q(i, j) = q(i, j) - excess
          h(i, j) = h(i, j) - sink * excess
          rain(i, j) = excess
        end if
      end do
    end do
    call ulpine_stage('rain')
    call look('rain', rain)
    call keep('h', h)
    call keep('q', q)
  end subroutine rain_out

  ! Tells a field without its halo, and where these rows lie in the plane.
  subroutine look(name, a)
    character(*), intent(in) :: name
    real(real64), intent(in) :: a(1 - halo:, 1 - halo:)
    !$acc host_data use_device(a)
    call ulpine_field(name, a(1:nx, 1:ny), at=[1, j_first], of=[nx, ny_all])
    !$acc end host_data
  end subroutine look

  ! The same of a field that the next step goes on from.
  subroutine keep(name, a)
    character(*), intent(in) :: name
    real(real64), intent(inout) :: a(1 - halo:, 1 - halo:)
    !$acc host_data use_device(a)
    call ulpine_state(name, a(1:nx, 1:ny), at=[1, j_first], of=[nx, ny_all])
    !$acc end host_data
  end subroutine keep

  subroutine print_water(n)
    integer, intent(in) :: n
    real(real64) :: height, flow, moisture
    !$acc update host(h, u, q)
    height = largest(h)
    flow = largest(u)
    moisture = largest(q)
    if (height > 0) print "('step ', i0, ', largest: h ', f0.9, ' m, u ', f13.11, ' m s-1, q ', f15.13)", n, height, flow, moisture
  end subroutine print_water

end module water

program main
  use domain
  use water
  implicit none
  integer :: cells = 96, rows = 64, steps = 200, n
  if (command_argument_count() == 3) then
    call read_argument(1, cells)
    call read_argument(2, rows)
    call read_argument(3, steps)
  end if
  call begin_domain(cells, rows)
  call begin_water()
  do n = 1, steps
    call take_step(n)
  end do
  call print_water(steps)
  call end_domain()

contains

  subroutine read_argument(number, value)
    integer, intent(in) :: number
    integer, intent(inout) :: value
    character(20) :: text
    integer :: problem
    call get_command_argument(number, text)
    read (text, *, iostat=problem) value
    if (problem /= 0) error stop 'water: CELLS, ROWS and STEPS are whole numbers'
  end subroutine read_argument

end program main
