// SPDX-License-Identifier: Apache-2.0
#include "core/fem/sponge.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace ulpine::fem {

double Sponge::at(std::array<double, 3> const& point) const {
  constexpr double full = 0.75;  // depth from which a layer has its whole strength
  auto sum = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (thickness[d] <= 0) continue;
    auto const from_low = d == 2 ? 0.0 : low[d] + thickness[d] - point[d];
    auto const depth = std::max({from_low, point[d] - (high[d] - thickness[d]), 0.0}) / thickness[d];
    auto const share = std::pow(std::sin(std::numbers::pi / 2 * std::min(depth / full, 1.0)), 2);
    sum += share * share;
  }
  return rate * std::sqrt(sum / 3);
}

}  // namespace ulpine::fem
