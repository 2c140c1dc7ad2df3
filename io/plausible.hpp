// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::io {

/// The values that a quantity of an input file may have, in its unit: generously, so that what lies outside
/// is a missing value that the file does not declare, or in another unit.
struct PlausibleRange {
  char const* what;  ///< in the plural
  double least, most;
  char const* unit;
};

/// Winds at any height: jet streams and tornadoes stay below 150 m s-1, thermospheric storms below 300.
inline constexpr PlausibleRange plausible_winds = {"winds", -300, 300, "m s-1"};

/// Whether a value is in the range, or is NaN or infinite, which its reader refuses as missing.
bool is_plausible(double value, PlausibleRange const& range);

/// The error for a value outside the range: "VARIABLE is VALUE UNIT PLACE (...) remedy".
std::string implausible_text(std::string const& variable, double value, std::string const& place,
                             PlausibleRange const& range);

}  // namespace ulpine::io
