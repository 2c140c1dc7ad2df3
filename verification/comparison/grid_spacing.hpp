// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// Mean radius of the Earth, m (Moritz, Geodetic Reference System 1980, R1).
inline constexpr double earth_radius = 6371008.8;

/// Distances between neighbouring rows and between neighbouring columns of a field, m; both 0 where neither
/// is known.
struct GridSpacing {
  double rows = 0, columns = 0;
  std::vector<std::string> notes;  ///< assumptions that were made, for people

  bool known() const { return rows > 0; }
};

/// The mean spacings of `variable` along two of its dimensions (numbers as in FieldInfo::dimensions): of
/// coordinates in m or km; of others, longitudes and latitudes on a sphere, those of an axis at the middle
/// latitude; else those of curvilinear grids (CF's auxiliary ones, or by their usual names) along the middle
/// row and column. Where the file has that of one dimension alone it is taken for both; two that are the
/// io::same_spacing() are both given as their mean. InputError where a coordinate of the two dimensions is
/// missing somewhere or not strictly monotonic (longitudes may pass 360 degrees or the date line).
GridSpacing grid_spacing(io::InputFile const& file, std::string const& variable, std::size_t rows,
                         std::size_t columns);

/// Variables of the file that may hold longitudes (or latitudes) of the points of a field: its auxiliary
/// coordinates, then those of usual names (lon, nav_lon, XLONG, TLON, ...), in its group and the root.
std::vector<std::string> names_of_longitudes(io::InputFile const& file, io::FieldInfo const& field);
std::vector<std::string> names_of_latitudes(io::InputFile const& file, io::FieldInfo const& field);

}  // namespace ulpine::verification
