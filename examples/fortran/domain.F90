! SPDX-License-Identifier: Apache-2.0
! The plane of the model, periodic in both directions: rows of cells, divided among ranks, with a halo of two cells around.
module domain
  use, intrinsic :: iso_fortran_env, only: real64
#ifdef USE_MPI
  use mpi_f08
#endif
  implicit none
  private
  public :: real64, halo, nx, ny, ny_all, j_first, begin_domain, end_domain, exchange, largest

  integer, parameter :: halo = 2
  integer, protected :: nx = 0       ! cells along x
  integer, protected :: ny_all = 0   ! rows of the plane
  integer, protected :: ny = 0       ! rows of this rank
  integer, protected :: j_first = 1  ! the first of them in the plane
  integer :: rank = 0, ranks = 1

contains

  subroutine begin_domain(cells, rows)
    integer, intent(in) :: cells, rows
#ifdef USE_MPI
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
#endif
    nx = cells
    ny_all = rows
    j_first = rank * rows / ranks + 1
    ny = (rank + 1) * rows / ranks - j_first + 1
    if (nx < halo .or. rows / ranks < halo) error stop 'water: fewer cells than the halo has: take a larger grid or fewer ranks'
  end subroutine begin_domain

  subroutine end_domain()
#ifdef USE_MPI
    call MPI_Finalize()
#endif
  end subroutine end_domain

  ! Fills the halo of a field from the opposite side, along y from the ranks beside.
  subroutine exchange(a)
    real(real64), intent(inout) :: a(1 - halo:, 1 - halo:)
    real(real64) :: to_south(nx, halo), to_north(nx, halo), from_south(nx, halo), from_north(nx, halo)
    integer :: i, j
    !$acc parallel loop collapse(2) present(a) copyout(to_south, to_north)
    do j = 1, halo
      do i = 1, nx
        to_south(i, j) = a(i, j)
        to_north(i, j) = a(i, ny - halo + j)
      end do
    end do
#ifdef USE_MPI
    block
      integer :: south, north
      south = modulo(rank - 1, ranks)
      north = modulo(rank + 1, ranks)
      call MPI_Sendrecv(to_south, size(to_south), MPI_DOUBLE_PRECISION, south, 1, from_north, size(from_north), &
                        MPI_DOUBLE_PRECISION, north, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Sendrecv(to_north, size(to_north), MPI_DOUBLE_PRECISION, north, 2, from_south, size(from_south), &
                        MPI_DOUBLE_PRECISION, south, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end block
#else
    from_south = to_north
    from_north = to_south
#endif
    !$acc parallel loop collapse(2) present(a) copyin(from_south, from_north)
    do j = 1, halo
      do i = 1, nx
        a(i, j - halo) = from_south(i, j)
        a(i, ny + j) = from_north(i, j)
      end do
    end do
    !$acc parallel loop collapse(2) present(a)
    do j = 1 - halo, ny + halo
      do i = 1, halo
        a(i - halo, j) = a(nx - halo + i, j)
        a(nx + i, j) = a(i, j)
      end do
    end do
  end subroutine exchange

  ! The largest value of a field in the whole plane; rank 0 has it. The same for every number of ranks.
  real(real64) function largest(a)
    real(real64), intent(in) :: a(1 - halo:, 1 - halo:)
    real(real64) :: mine
    mine = maxval(a(1:nx, 1:ny))
    largest = mine
#ifdef USE_MPI
    call MPI_Reduce(mine, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank /= 0) largest = -1
#endif
  end function largest

end module domain
