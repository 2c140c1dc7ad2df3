// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/grid_memory.hpp"

namespace ulpine::les {

/// Largest numbers of cells along x or y, and along z.
inline constexpr std::int32_t most_columns = 1 << 14, most_levels = 1 << 13;

/// InputError where the case's grid has more cells than the core counts.
GridSize read_grid_size(io::CaseFile const& case_file);

}  // namespace ulpine::les
