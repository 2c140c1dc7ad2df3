// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/pressure_solver.hpp"
#include "precision/elementary.hpp"

namespace ulpine::fem {

/// A row of what PressureOperator applies, on the pattern `formed` of the neighbours of neighbours:
///   C_P M_L^-1 C^T + K f (theta^2 m_L)^-1 K + P; of the identity at fixed nodes.
template <class T>
struct FormedPressure {
  PressureSystem<T> parts;
  CsrPattern formed;
  T* value;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto const begin = formed.start[row], end = formed.start[row + 1];
    bool const fixed = parts.fixed[row] != 0;
    for (auto e = begin; e < end; ++e) value[e] = fixed && formed.column[e] == row ? T(1) : T(0);
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
      for (auto f = first.start[middle]; f < first.start[middle + 1]; ++f) {
        place = next(place, first.column[f]);
        auto const* const gradient = parts.gradient + std::int64_t{3} * f;
        T sum = math::fma(weight, parts.diffusion[f], value[place]);
        for (int d = 0; d < 3; ++d) sum = math::fma(flow[d], gradient[d], sum);
        value[place] = sum;
      }
    }
    auto place = begin;
    for (auto e = first.start[row]; e < first.start[row + 1]; ++e) {
      place = next(place, first.column[e]);
      value[place] += parts.projection[e];
    }
  }

 private:
  /// Columns ascend.
  ULPINE_HD std::int32_t next(std::int32_t place, std::int32_t column) const {
    while (formed.column[place] < column) ++place;
    return place;
  }
};

}  // namespace ulpine::fem
