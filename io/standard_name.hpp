// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>

namespace ulpine::io {

/// Whether a variable of this CF standard name may be what is looked for: the name is empty or "unknown"
/// (which converters of GRIB write), or ends with one of `endings` and is derived from no such quantity
/// ("tendency_of_eastward_wind").
inline bool may_mean(std::string const& standard_name, std::span<char const* const> endings) {
  if (standard_name.empty() || standard_name == "unknown") return true;
  if (standard_name.find("_of_") != std::string::npos) return false;
  return std::ranges::any_of(endings, [&](char const* ending) { return standard_name.ends_with(ending); });
}

}  // namespace ulpine::io
