// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/grid_view.hpp"
#include "precision/elementary.hpp"

namespace ulpine::physics {

/// Sedimentation with given velocities in columns of layers, by the upwind flux from above: called for (i, j)
/// of every column. d(rho q)/dt = d(rho V q)/dz in equal sub-steps, as few as leave V dt / dz <= 1/2 in this
/// column; nothing falls in at its top, what leaves its lowest layer is summed. Column water and that sum are
/// conserved to rounding, and water that is not negative stays so.
///
/// Fields are anything callable by (k, j, i), 0 the lowest layer: a GridView has any strides, 0 too (a
/// profile that all columns share).
template <class T, class Density = GridView<T const>, class Thickness = GridView<T const>, class Sum = T>
struct Sedimentation {
  /// Not exceeded: water that would pass more than 512 layers in dt falls half a layer a sub-step.
  static constexpr std::int32_t most_substeps = 1024;

  std::int32_t layers;
  T dt;                        ///< s
  Density density;             ///< rho, kg m-3
  Thickness thickness;         ///< dz, m
  GridView<T const> velocity;  ///< V, downward, m s-1, not negative; of the water before it falls
  GridView<T> water;           ///< q, kg kg-1
  GridView<Sum> fallen;        ///< (j, i): takes the sum, kg m-2 (of water: mm)
  T counted = T(1);  ///< share of what falls that the sum takes: 1/2 where steps of dt overlap by half

  /// 0 where nothing falls.
  ULPINE_HD std::int32_t substeps(std::int32_t i, std::int32_t j) const {
    auto largest = T(0);
    for (std::int32_t k = 0; k < layers; ++k) {
      largest = math::max(velocity(k, j, i) * dt / thickness(k, j, i), largest);
    }
    auto const least = math::min(T(most_substeps), T(2) * largest);
    auto const whole = static_cast<std::int32_t>(least);
    return T(whole) < least ? whole + 1 : whole;
  }

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const steps = substeps(i, j);
    if (steps == 0) return;
    auto const step = dt / T(steps);
    auto sum = T(0);
    for (std::int32_t n = 0; n < steps; ++n) {
      auto from_above = T(0);  // kg m-2 in this sub-step
      for (std::int32_t k = layers - 1; k >= 0; --k) {
        auto const depth = thickness(k, j, i);
        auto const air = density(k, j, i) * depth;
        auto& q = water(k, j, i);
        auto const leaving = math::min(T(1) / T(2), velocity(k, j, i) * step / depth) * q;
        q = (q - leaving) + from_above / air;
        from_above = air * leaving;
      }
      sum += from_above;
    }
    fallen(j, i) += static_cast<Sum>(counted * sum);
  }
};

}  // namespace ulpine::physics
