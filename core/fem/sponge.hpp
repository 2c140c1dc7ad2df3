// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace ulpine::fem {

/// Where the wind and the temperature are drawn to their reference: layers along the sides and below the lid.
struct Sponge {
  double rate = 0;                      ///< greatest, s-1
  std::array<double, 3> thickness{};    ///< m, along x and y at both ends, along z at the lid; 0: none
  std::array<double, 3> low{}, high{};  ///< corners of the domain, m

  /// s-1 at a point in m: rate times the root of the mean square of the three directions' sin^2(pi / 2
  /// depth), which is 1 in the outer quarter of a layer (after ATHAM-Fluidity, whose rate counts per step).
  double at(std::array<double, 3> const& point) const;
};

}  // namespace ulpine::fem
