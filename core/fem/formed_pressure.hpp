// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/pressure_solver.hpp"
#include "precision/elementary.hpp"

namespace ulpine::fem {

/// A row of what PressureOperator applies, on the pattern `formed` of the neighbours of neighbours:
///   C_P M_L^-1 C^T + K f (theta^2 m_L)^-1 K + P; of the identity at fixed nodes.
/// Where ranks share it, a rank forms the rows that it owns, of columns by the nodes' numbers, with the bits
/// of one.
template <class T>
struct FormedPressure {
  PressureSystem<T> parts;
  CsrPattern formed;
  T* value;
  CsrPattern whole = parts.pattern;                                  ///< rows of all nodes (WholeRows)
  T const *gradient = parts.gradient, *diffusion = parts.diffusion;  ///< on that
  std::int32_t first_owned = 0;                                      ///< the place of the first row
  std::int32_t const* number = nullptr;                              ///< of the node at a place; null: that

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const row = first_owned + n;
    auto const begin = formed.start[n], end = formed.start[n + 1];
    bool const fixed = parts.fixed[row] != 0;
    for (auto e = begin; e < end; ++e) value[e] = fixed && formed.column[e] == number_of(row) ? T(1) : T(0);
    if (fixed) return;
    auto const& first = parts.pattern;
    for (auto e = first.start[row]; e < first.start[row + 1]; ++e) {
      auto const middle = first.column[e];
      T const weight = parts.diffusion[e] * parts.weight[middle];
      T flow[3];
      for (int d = 0; d < 3; ++d) {
        flow[d] = -(parts.divergence[std::int64_t{3} * e + d] * parts.inverse_mass[middle]);
      }
      auto place = begin;
      for (auto f = whole.start[middle]; f < whole.start[middle + 1]; ++f) {
        place = next(place, whole.column[f]);
        T sum = math::fma(weight, diffusion[f], value[place]);
        for (int d = 0; d < 3; ++d) sum = math::fma(flow[d], gradient[std::int64_t{3} * f + d], sum);
        value[place] = sum;
      }
    }
    auto place = begin;
    for (auto e = first.start[row]; e < first.start[row + 1]; ++e) {
      place = next(place, number_of(first.column[e]));
      value[place] += parts.projection[e];
    }
  }

 private:
  ULPINE_HD std::int32_t number_of(std::int64_t place) const {
    return number == nullptr ? static_cast<std::int32_t>(place) : number[place];
  }
  /// Columns ascend.
  ULPINE_HD std::int32_t next(std::int32_t place, std::int32_t column) const {
    while (formed.column[place] < column) ++place;
    return place;
  }
};

}  // namespace ulpine::fem
