! SPDX-License-Identifier: Apache-2.0
!> What the model needs of netCDF's C library, so that it can be built without the Fortran one.
module netcdf_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_null_char, c_size_t
  implicit none
  private
  public :: create_file, write_record, close_file

  integer(c_int), parameter :: clobber = 0, double = 6
  integer(c_size_t), parameter :: unlimited = 0
  integer(c_int) :: file = -1, time_id = -1, field_id = -1
  integer(c_size_t) :: records = 0

  interface
    integer(c_int) function nc_create(path, mode, id) bind(c)
      import
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int), intent(out) :: id
    end function
    integer(c_int) function nc_def_dim(file, name, length, id) bind(c)
      import
      integer(c_int), value :: file
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_int), intent(out) :: id
    end function
    integer(c_int) function nc_def_var(file, name, kind, rank, dimensions, id) bind(c)
      import
      integer(c_int), value :: file, kind, rank
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(in) :: dimensions(*)
      integer(c_int), intent(out) :: id
    end function
    integer(c_int) function nc_put_att_text(file, variable, name, length, text) bind(c)
      import
      integer(c_int), value :: file, variable
      character(kind=c_char), intent(in) :: name(*), text(*)
      integer(c_size_t), value :: length
    end function
    integer(c_int) function nc_enddef(file) bind(c)
      import
      integer(c_int), value :: file
    end function
    integer(c_int) function nc_put_vara_double(file, variable, start, count, values) bind(c)
      import
      integer(c_int), value :: file, variable
      integer(c_size_t), intent(in) :: start(*), count(*)
      real(c_double), intent(in) :: values(*)
    end function
    integer(c_int) function nc_close(file) bind(c)
      import
      integer(c_int), value :: file
    end function
  end interface

contains

  !> A file with a field of (time, x), x of `extent` points.
  subroutine create_file(path, name, units, extent)
    character(*), intent(in) :: path, name, units
    integer, intent(in) :: extent
    integer(c_int) :: time_dimension, x_dimension
    call check(nc_create(path // c_null_char, clobber, file))
    call check(nc_def_dim(file, "time" // c_null_char, unlimited, time_dimension))
    call check(nc_def_dim(file, "x" // c_null_char, int(extent, c_size_t), x_dimension))
    call check(nc_def_var(file, "time" // c_null_char, double, 1_c_int, [time_dimension], time_id))
    call check(nc_def_var(file, name // c_null_char, double, 2_c_int, [time_dimension, x_dimension], field_id))
    call add_text(time_id, "units", "days since 2000-01-01 00:00:00")
    call add_text(field_id, "units", units)
    call check(nc_enddef(file))
  end subroutine

  subroutine write_record(days, values)
    real(c_double), intent(in) :: days, values(:)
    call check(nc_put_vara_double(file, time_id, [records], [1_c_size_t], [days]))
    call check(nc_put_vara_double(file, field_id, [records, 0_c_size_t], [1_c_size_t, size(values, kind=c_size_t)], values))
    records = records + 1
  end subroutine

  subroutine close_file()
    call check(nc_close(file))
  end subroutine

  subroutine add_text(variable, name, text)
    integer(c_int), intent(in) :: variable
    character(*), intent(in) :: name, text
    call check(nc_put_att_text(file, variable, name // c_null_char, len(text, c_size_t), text))
  end subroutine

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop "weather: the output cannot be written"
  end subroutine

end module
