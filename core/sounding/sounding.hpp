// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ulpine {

/// Air over a place, level by level from the ground upwards.
struct Sounding {
  std::string source;            ///< for messages: the file's name
  double ground_pressure = 0;    ///< Pa, at the first level
  std::vector<double> height;    ///< m, rising; above sea level where the file has them so
  std::vector<double> theta;     ///< potential temperature, K
  std::vector<double> humidity;  ///< specific humidity, kg kg-1
  std::vector<double> u, v;      ///< wind to the east and to the north, m s-1
};

/// Reads a sounding in one of these formats, told apart by content (docs/reference/soundings.md):
/// input_sounding of CM1 and WRF, tables of the University of Wyoming, .snd of ARPS. InputError, with file
/// and line, for anything else.
Sounding read_sounding(std::filesystem::path const& path);
/// Reads a sounding in any format of read_sounding() from a text; `source` is its name in messages.
Sounding parse_sounding(std::string_view text, std::string const& source);

/// Heights counted from the first level.
Sounding from_ground(Sounding sounding);

}  // namespace ulpine
