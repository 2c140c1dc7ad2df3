// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/grid.hpp"

/// Values below the ground and above the lid.
namespace ulpine::les {

/// Slip condition of the wind at the ground or the lid: how it is set in the level beyond.
enum class SlipCondition : std::int32_t {
  free_slip,  ///< as inside, so that there is no stress
  no_slip,    ///< the opposite, so that air stands still at the boundary
  moving      ///< the geostrophic wind
};

/// Levels -1 and nz of a column.
template <class T>
struct VerticalHalo {
  Grid<T> grid;
  SlipCondition bottom, top;
  Rows<T> u, v, theta, energy, humidity;  ///< the last two may be absent
  T lapse, drying;  ///< change of theta (K) and humidity (kg kg-1) from the last level to beyond the lid

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    beyond(u, Level::geostrophic_u, j, i);
    beyond(v, Level::geostrophic_v, j, i);
    auto const last = grid.nz - 1;
    theta(-1, j, i) = theta(0, j, i);
    theta(last + 1, j, i) = theta(last, j, i) + lapse;
    if (energy.first != nullptr) {
      energy(-1, j, i) = energy(0, j, i);
      energy(last + 1, j, i) = energy(last, j, i);
    }
    if (humidity.first != nullptr) {
      humidity(-1, j, i) = humidity(0, j, i);
      humidity(last + 1, j, i) = humidity(last, j, i) + drying;
    }
  }

 private:
  ULPINE_HD void beyond(Rows<T> const& wind, Level driving, std::int32_t j, std::int32_t i) const {
    auto const last = grid.nz - 1;
    wind(-1, j, i) = outside(bottom, wind(0, j, i), grid.at(driving, -1));
    wind(last + 1, j, i) = outside(top, wind(last, j, i), grid.at(driving, last + 1));
  }
  static ULPINE_HD T outside(SlipCondition side, T inside, T driving) {
    return side == SlipCondition::free_slip ? inside : side == SlipCondition::no_slip ? -inside : driving;
  }
};

/// Sets all of `values` to `value`.
template <class T>
struct Fill {
  T value;
  T* values;
  ULPINE_HD void operator()(std::int64_t n) const { values[n] = value; }
};

}  // namespace ulpine::les
