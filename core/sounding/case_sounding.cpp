// SPDX-License-Identifier: Apache-2.0
#include "core/sounding/case_sounding.hpp"

namespace ulpine {
namespace {

constexpr auto needed = R"(base.kind = "sounding")";
constexpr double fastest_frame = 100;  // m s-1

}  // namespace

std::vector<io::CaseKey> sounding_keys(std::string const& reach) {
  return {
      io::file_key("base.file", "sounding, in any format of the page on soundings; it must reach " + reach)
          .follows("required")
          .needing(needed),
      io::quantity_key(
          "base.frame_u", "m s-1", 0, -fastest_frame, fastest_frame,
          "speed of the grid along x, which a sounding's wind is counted from, so that a storm stays on "
          "the grid")
          .needing(needed),
      io::quantity_key("base.frame_v", "m s-1", 0, -fastest_frame, fastest_frame,
                       "speed of the grid along y, which a sounding's wind is counted from")
          .needing(needed),
  };
}

Sounding sounding_of_case(io::KeyReader const& keys) {
  auto sounding = from_ground(read_sounding(keys.file("base.file", true)));
  auto const frame_u = keys.number("base.frame_u"), frame_v = keys.number("base.frame_v");
  for (auto& u : sounding.u) u -= frame_u;
  for (auto& v : sounding.v) v -= frame_v;
  return sounding;
}

}  // namespace ulpine
