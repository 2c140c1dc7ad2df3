// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "benchmarks/out_of_core/tile_plan.hpp"
#include "core/exec/view.hpp"
#include "precision/host_device.hpp"

namespace exec_test {

/// Counts the visits of each index; of a lattice with rows of `nx` and planes of `ny` rows.
struct Visit {
  ulpine::View<int> visits;
  std::int32_t nx = 0, ny = 0;
  ULPINE_HD void operator()(std::int64_t i) const { ++visits[i]; }
  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    ++visits[static_cast<std::int64_t>(iy) * nx + ix];
  }
  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy, std::int32_t iz) const {
    ++visits[(static_cast<std::int64_t>(iz) * ny + iy) * nx + ix];
  }
};

/// Visit of boxes by threads that take several points each.
template <int Points>
struct VisitInParts : Visit {
  static constexpr int points_at_once = Points;
  ULPINE_HD std::int64_t at(std::int32_t ix, std::int32_t iy, std::int32_t iz) const {
    return (static_cast<std::int64_t>(iz) * ny + iy) * nx + ix;
  }
  ULPINE_HD int value(std::int32_t ix, std::int32_t iy, std::int32_t iz) const {
    return visits[at(ix, iy, iz)] + 1;
  }
  ULPINE_HD void put(std::int32_t ix, std::int32_t iy, std::int32_t iz, int value) const {
    visits[at(ix, iy, iz)] = value;
  }
};

/// Visit of boxes by threads that climb.
struct VisitClimbing : Visit {
  static constexpr int resident_blocks = 2;
  ULPINE_HD void climb(std::int32_t ix, std::int32_t iy, std::int32_t from, std::int32_t end) const {
    for (auto iz = from; iz < end; ++iz) ++visits[(static_cast<std::int64_t>(iz) * ny + iy) * nx + ix];
  }
};

struct Logistic {
  double a;
  ulpine::View<double> x;
  ULPINE_HD void operator()(std::int64_t i) const { x[i] = a * x[i] * (1 - x[i]); }
};

/// Depends on scalars that reductions left: x <- x / (largest + 2) + (sum + dot) 2^-30.
struct Relax {
  ulpine::View<double const> sum, dot, largest;
  ulpine::View<double> x;
  ULPINE_HD void operator()(std::int64_t i) const {
    x[i] = x[i] / (largest[0] + 2) + (sum[0] + dot[0]) * 0x1p-30;
  }
};

/// Weights 1, 4, 6, 4, 1 over 16 along the axis that tiles are cut along, the first and last of `length`
/// positions again beyond its ends; for (value, position - begin, outer).
template <class T>
struct Smooth {
  std::int64_t begin, length;
  ulpine::SlabView<T const> from;
  ulpine::SlabView<T> to;
  ULPINE_HD void operator()(std::int32_t value, std::int32_t n, std::int32_t outer) const {
    auto const x = begin + n;
    auto const at = [&](std::int64_t position) {
      auto const inside = position < 0 ? 0 : position < length ? position : length - 1;
      return from(outer, inside, value);
    };
    to(outer, x, value) = (at(x - 2) + at(x + 2) + T(4) * (at(x - 1) + at(x + 1)) + T(6) * at(x)) / T(16);
  }
};

/// state <- state + gain * (face above - face below), of faces on either side of each position.
template <class T>
struct Advance {
  std::int64_t begin;
  T gain;
  ulpine::SlabView<T const> face;
  ulpine::SlabView<T> state;
  ULPINE_HD void operator()(std::int32_t value, std::int32_t n, std::int32_t outer) const {
    auto const x = begin + n;
    state(outer, x, value) += gain * (face(outer, x + 1, value) - face(outer, x, value));
  }
};

}  // namespace exec_test
