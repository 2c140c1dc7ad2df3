// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf.hpp"

namespace ulpine::verification {

/// How thick the levels of a field are, relative to each other.
struct LevelThickness {
  std::size_t dimension = 0;   ///< which of the field's dimensions runs along the levels
  std::vector<double> values;  ///< a level each, all positive: in units of the coordinate, or of pressure
  std::string source;          ///< what tells it: "lev_bnds", "hyai+hybi"
};

/// As the file says: by the bounds of the vertical coordinate (CF), else by the coefficients of a hybrid
/// pressure coordinate at its interfaces (`hyai`, `hybi` of CAM, E3SM, ECHAM and ICON), at a surface pressure
/// of 1000 hPa. Nothing where it says neither, where a level has no thickness, or where both change in time.
std::optional<LevelThickness> level_thickness(io::InputFile const& file, std::string const& variable);

/// Whether a field has more than one point on a level: it is neither a number nor a profile.
bool is_wide(io::InputFile const& file, std::string const& variable);

}  // namespace ulpine::verification
