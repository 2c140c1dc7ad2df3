// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ulpine::ensembles {

/// Draws of a control: a mean count is then known to a quarter of its spread.
inline constexpr std::uint32_t control_draws = 16;

/// `field` times (1 + amplitude * u), u uniform in [-1, 1), a function of seed, draw, the evaluation that the
/// noise is for and the index of the value.
std::vector<double> noisy(std::vector<double> field, double amplitude, std::uint64_t seed, std::uint32_t draw,
                          std::string const& evaluation);

}  // namespace ulpine::ensembles
