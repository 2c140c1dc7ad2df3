// SPDX-License-Identifier: Apache-2.0
#include "io/axis.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ulpine::io {

std::string axis_of(std::string const& dimension) {
  auto name = dimension;
  for (auto& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  for (auto const& [axis, starts] : {std::pair{"x", std::array{"x", "lon", "rlon", "west_east"}},
                                     std::pair{"y", std::array{"y", "lat", "rlat", "south_north"}}}) {
    if (std::ranges::any_of(starts, [&](char const* start) { return name.starts_with(start); })) return axis;
  }
  return name;
}

}  // namespace ulpine::io
