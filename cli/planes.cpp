// SPDX-License-Identifier: Apache-2.0
#include "cli/planes.hpp"

#include <fmt/format.h>

#include <charconv>

#include "io/error.hpp"

namespace ulpine::cli {

verification::PlaneChoice plane_choice(PlaneOptions const& options) {
  verification::PlaneChoice choice{options.level, {}};
  for (auto const& item : options.at) {
    auto const equals = item.rfind('=');
    std::int64_t index = 0;
    auto const* const end = item.data() + item.size();
    auto const* const begin = equals == std::string::npos ? end : item.data() + equals + 1;
    auto const [rest, failed] = std::from_chars(begin, end, index);
    if (failed != std::errc{} || rest != end || equals == 0) {
      throw InputError("--at: '" + item + "' is no choice of a place (DIMENSION=INDEX is) write --at ens=3");
    }
    choice.at.emplace_back(item.substr(0, equals), index);
  }
  if (!options.plane.empty()) {
    if (options.plane.size() != 2) {
      throw InputError(
          fmt::format("--plane: {} names of dimensions (a plane has rows and columns) write two, "
                      "as by --plane y,x",
                      options.plane.size()));
    }
    choice.plane = {options.plane[0], options.plane[1]};
  }
  return choice;
}

}  // namespace ulpine::cli
