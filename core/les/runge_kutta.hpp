// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/grid.hpp"

/// The Runge-Kutta scheme, and the fields at the end of its stages. Of the wind that is but for the pressure,
/// wind + length stored: never in memory, all kernels form it alike.
namespace ulpine::les {

/// Where a point lies in fields with a halo and in those without; of w, with its tendency, the top of cell k.
struct MemoryPlace {
  std::int64_t in_halo, dense;
};
template <class T>
ULPINE_HD MemoryPlace place_of(Grid<T> const& grid, std::int32_t k, std::int32_t j, std::int32_t i) {
  return {std::int64_t{k} * grid.plane + (std::int64_t{j} * grid.row + i),
          (std::int64_t{k} * grid.dense_rows() + j) * grid.dense_row() + i};
}

/// A field at the end of a stage but for the pressure.
template <class T>
struct Provisional {
  T* now;           ///< with a halo
  T const* stored;  ///< tendency, without
  ULPINE_HD T operator()(T length, MemoryPlace at) const {
    return math::fma(length, stored[at.dense], now[at.in_halo]);
  }
};

/// Weights of the low-storage Runge-Kutta scheme of three stages (Williamson 1980, case 7): how much of the
/// stored tendency is kept, how much of the step the stored one weighs, and what part of the step passes.
struct RungeKuttaStage {
  Global keep, weight, forward;
};
inline constexpr RungeKuttaStage runge_kutta[] = {{0, Global(1) / 3, Global(1) / 3},
                                                  {-Global(5) / 9, Global(15) / 16, Global(5) / 12},
                                                  {-Global(153) / 128, Global(8) / 15, Global(1) / 4}};

/// Lengths that a Runge-Kutta stage derives from the step's: three values in device memory.
template <class T>
struct StageLength {
  T const* values;

  ULPINE_HD T of_tendencies() const { return values[0]; }  ///< s
  ULPINE_HD T forward() const { return values[1]; }        ///< s
  ULPINE_HD T per_forward() const { return values[2]; }    ///< s-1
  static constexpr std::int64_t count = 3;
};
/// Where a scalar at the end of a stage goes, if anywhere: neighbours still read the present one.
template <class T>
struct Carrying {
  StageLength<T> stage;
  Rows<T> next;  ///< with a halo; absent where the stage carries in place

  /// `at` points at the present value, `present` at point (0, 0, 0).
  ULPINE_HD void operator()(T const* at, T const* present, T value) const {
    next.first[at - present] = value;
  }
};

}  // namespace ulpine::les
