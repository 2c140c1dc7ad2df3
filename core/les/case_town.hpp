// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/les/parameters.hpp"
#include "core/les/topography.hpp"
#include "io/case_file.hpp"

namespace ulpine::les {

/// The buildings of a case.
struct Town {
  std::vector<std::int32_t> top;  ///< solid cells of each column, [ny][nx]; empty: flat ground
  std::int64_t filled = 0;        ///< cells in gaps that were filled
  TownStatistics statistics = {};
};

TownGrid town_grid(Parameters const& parameters);

/// The buildings of a case by its keys `buildings.*`: none where `kind` is "none" (the default) or no column
/// has a solid cell. InputError where they do not fit the grid: they have to leave `least_air` levels above.
Town read_town(io::CaseFile const& case_file, TownGrid const& grid);
inline constexpr std::int32_t least_air = 4;

}  // namespace ulpine::les
