// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/grid.hpp"

/// Values outside the domain.
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

/// Copies the periodic neighbours of up to six fields into their halo, levels -1 to nz: for every point
/// (n, k + 1) of a level's halo.
template <class T>
struct LateralHalo {
  static constexpr int most = 6;
  std::int32_t nx, ny;
  Rows<T> fields[most];
  int count;
  bool cut_x = false, cut_y = false;  ///< no neighbour lies around the period along such an axis

  /// Points of a level's halo: rows beyond the south and north, then what is left of the others.
  static constexpr std::int32_t points(std::int32_t nx, std::int32_t ny) {
    return 2 * halo * (nx + 2 * halo) + 2 * halo * ny;
  }
  ULPINE_HD void operator()(std::int32_t n, std::int32_t level) const {
    auto const row = nx + 2 * halo, rows = 2 * halo * row;
    std::int32_t j, i;
    if (n < rows) {
      auto const number = n / row;
      j = number < halo ? number - halo : ny + number - halo;
      i = n % row - halo;
    } else {
      auto const number = (n - rows) % (2 * halo);
      j = (n - rows) / (2 * halo);
      i = number < halo ? number - halo : nx + number - halo;
    }
    auto const from_j = cut_y ? j : inside(j, ny), from_i = cut_x ? i : inside(i, nx), k = level - 1;
    if (from_j == j && from_i == i) return;
    for (int f = 0; f < count; ++f) fields[f](k, j, i) = fields[f](k, from_j, from_i);
  }

 private:
  static ULPINE_HD std::int32_t inside(std::int32_t index, std::int32_t extent) {
    auto const rest = index % extent;
    return rest < 0 ? rest + extent : rest;
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
