// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "io/calendar.hpp"

namespace ulpine::io {

/// netCDF-C and HDF5 are not thread-safe: whoever calls them, for any file, holds this lock.
std::unique_lock<std::mutex> lock_netcdf();

/// What went wrong in a netCDF call that returned `status`: the system's word where errno has one of a full
/// disk, else netCDF's. To be asked for right after the call; clear errno before it.
std::string netcdf_reason(int status);

/// Bytes that a NetCDF classic file (CDF-1, -2, -5) needs for all that its header promises; 0 for other
/// formats. netCDF-C reads what is missing as zeros. InputError where the header itself is cut short or
/// damaged. Format: NetCDF User's Guide, appendix "File Format Specifications".
std::uint64_t netcdf_classic_size(std::filesystem::path const& path);

/// CF time units "<unit> since <epoch>" or "<unit>".
struct TimeUnits {
  double seconds = 0;  ///< a unit has; 0 where unknown (months, years, anything else)
  double epoch = 0;    ///< s since 1970-01-01 of the calendar; NaN where none can be read
};
TimeUnits parse_time_units(std::string const& units, Calendar calendar = Calendar::standard);

/// Whether times are dates as numbers, "day as %Y%m%d.%f": 20000131.25 is 6 h of 2000-01-31 (ICON, CDO).
bool is_absolute_time(std::string const& units);
/// Of such a time, to the nearest millisecond, which a double resolves: s since 1970-01-01 of the calendar;
/// NaN where it is no date of it.
double seconds_of_absolute_time(double date, Calendar calendar);
/// Rows of `length` characters as dates ("2005-08-28_00:00:00"), s since 1970-01-01; empty where one is none.
std::vector<double> parse_dates(std::vector<double> const& characters, std::uint64_t length);

}  // namespace ulpine::io
