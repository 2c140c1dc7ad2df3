// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/physics/moist_air.hpp"

namespace ulpine::fem {

/// Mixing ratios at nodes, kg of water per kg of dry air; null: the air is dry.
template <class T>
struct Moisture {
  T const *vapour = nullptr, *cloud = nullptr, *rain = nullptr;

  /// Mixing ratio of all water: vapour, cloud and rain.
  ULPINE_HD T total(std::int64_t n) const { return vapour[n] + (cloud[n] + rain[n]); }
  /// theta (1 + r_v R_v / R_d) / (1 + r): the potential temperature of dry air of the same density and
  /// pressure (Emanuel 1994, Atmospheric Convection, 4.3). Without water it is theta to the bit.
  ULPINE_HD T density_theta(T theta, std::int64_t n) const {
    if (vapour == nullptr) return theta;
    return theta * (with_vapour(vapour[n]) / (T(1) + total(n)));
  }
  /// 1 + r_v R_v / R_d: by how much vapour raises the pressure of dry air of the same density and
  /// temperature.
  ULPINE_HD static T with_vapour(T vapour) {
    return math::fma(vapour, T(1) / physics::arps::gas_constant_ratio<T>(), T(1));
  }
};

}  // namespace ulpine::fem
