// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Limits and defaults of a case that several of its keys share.
namespace ulpine::fdm {

inline constexpr std::int32_t most_columns = 1 << 14, most_levels = 1 << 13;
inline constexpr std::int32_t most_small_steps = 10'000;
inline constexpr double longest_step = 86400;           ///< s
inline constexpr double farthest = 1e6 * most_columns;  ///< m, the width of the widest grid
inline constexpr double default_phase_speed = 50;       ///< m s-1
inline constexpr double highest_lid = 1e6;              ///< m

}  // namespace ulpine::fdm
