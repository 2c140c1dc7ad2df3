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
  std::vector<std::string> notes;  ///< what was assumed

  bool known() const { return rows > 0; }
};

/// The mean spacings of `variable` along two of its dimensions (numbers as in FieldInfo::dimensions): of
/// coordinates in m or km; else of longitudes and latitudes on a sphere, those of an axis at the middle
/// latitude, those of curvilinear grids (CF's auxiliary ones, or by their usual names) along the middle row
/// and column. Where the file has that of one dimension alone it is taken for both.
GridSpacing grid_spacing(io::InputFile const& file, std::string const& variable, std::size_t rows,
                         std::size_t columns);

}  // namespace ulpine::verification
