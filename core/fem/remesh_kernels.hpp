// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/elementary.hpp"

namespace ulpine::fem {

/// P1 interpolation: of point n the nodes of an element and their shares W, 4 a point.
template <class T, class W>
struct Interpolation {
  std::int32_t const* node;
  W const* weight;

  /// value(node) at point n: of the node with the largest share, plus the others' differences from it, so
  /// that a constant stays one, and what a node has keeps its bits where the point is that node.
  template <class Value>
  ULPINE_HD T at(std::int64_t n, Value const& value) const {
    auto const* const share = weight + 4 * n;
    auto const* const corner = node + 4 * n;
    int nearest = 0;
    for (int k = 1; k < 4; ++k) nearest = share[k] > share[nearest] ? k : nearest;
    T const own = value(corner[nearest]);
    auto sum = own;
    for (int k = 0; k < 4; ++k) {
      if (k == nearest || share[k] == W(0)) continue;
      sum = math::fma(static_cast<T>(share[k]), value(corner[k]) - own, sum);
    }
    return sum;
  }
};

/// Interpolates a field to the points.
template <class T, class W>
struct Interpolated {
  Interpolation<T, W> interpolation;
  T const* from;
  T* onto;

  ULPINE_HD void operator()(std::int64_t n) const {
    onto[n] = interpolation.at(n, [&](std::int32_t i) { return from[i]; });
  }
};

/// As a departure from a reference that both sides have: what was the reference is the reference's value.
template <class T, class W>
struct InterpolatedDeparture {
  Interpolation<T, W> interpolation;
  T const *from, *reference_from, *reference_onto;
  T* onto;

  ULPINE_HD void operator()(std::int64_t n) const {
    onto[n] =
        reference_onto[n] + interpolation.at(n, [&](std::int32_t i) { return from[i] - reference_from[i]; });
  }
};

}  // namespace ulpine::fem
