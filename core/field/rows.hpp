// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/grid_view.hpp"

/// Structured grids as kernels of large stencils see them.
namespace ulpine {

/// A GridView whose points lie one after the other in a row, as the compiler has to know to vectorise. Steps
/// of 32 bits, which a plane never exceeds: products with wider ones cost a device several instructions each.
template <class T>
struct Rows {
  T* first = nullptr;  ///< point (0, 0, 0)
  std::int32_t plane = 0, row = 0;

  Rows() = default;
  ULPINE_HD constexpr Rows(T* first, std::int64_t plane, std::int64_t row)
      : first{first}, plane{static_cast<std::int32_t>(plane)}, row{static_cast<std::int32_t>(row)} {}
  /// Takes the view of a field whose last axis is x.
  template <class U>
  Rows(GridView<U> const& view) : Rows(view.first, view.plane, view.row) {}
  template <class U>
  ULPINE_HD constexpr Rows(Rows<U> const& other) : first{other.first}, plane{other.plane}, row{other.row} {}

  ULPINE_HD constexpr T& operator()(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return first[std::int64_t{k} * plane + (std::int64_t{j} * row + i)];
  }
  ULPINE_HD constexpr T& operator()(std::int32_t j, std::int32_t i) const {
    return first[std::int64_t{j} * row + i];
  }
};

/// Values of a field around a point, by steps of levels, rows and points. All fields with a halo share the
/// steps, which then cost a device one addition each.
template <class T>
struct Near {
  T const* at;
  std::int32_t plane, row;
  ULPINE_HD T operator()(std::int32_t dk, std::int32_t dj, std::int32_t di) const {
    return (at + (dk * plane + dj * row))[di];
  }
  ULPINE_HD void up() { at += plane; }
};

}  // namespace ulpine
