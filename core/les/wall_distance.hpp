// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/les/topography.hpp"

namespace ulpine::les {

/// Distance in m from the centre of the fluid cell (k, j, i) to the nearest point of the ground or of a solid
/// cell, edges and corners included, across the periodic sides too; `cut_off` where that is farther.
double wall_distance(std::vector<std::int32_t> const& top, TownGrid const& grid, std::int32_t k,
                     std::int32_t j, std::int32_t i, double cut_off);

/// The largest mixing length delta = min(Delta, 1.8 wall_distance) in m of every cell, [nz][ny][nx], with
/// Delta = (dx dy dz)^(1/3) of the cell (as in PALM); Delta within walls. Over flat ground it depends on k
/// only.
std::vector<double> mixing_length_limits(std::vector<std::int32_t> const& top, TownGrid const& grid,
                                         int threads = 1);

}  // namespace ulpine::les
