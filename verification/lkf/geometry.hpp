// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verification/lkf/detector.hpp"

namespace ulpine::lkf {

/// Distance between the first and the last cell, in the unit of `spacing`.
double chord(Segment const& segment, Spacing const& spacing = 1);

/// Length along the polyline, in the unit of `spacing`.
double polyline_length(Segment const& segment, Spacing const& spacing = 1);

/// Direction of the cells' principal axis against the column axis, degrees in [0, 180).
double orientation(std::span<Cell const> cells, Spacing const& spacing = 1);

/// 1 / radius of the circle fitted to the cells (Taubin, IEEE PAMI 13 (1991) 1115), in the inverse unit of
/// `spacing`; 0 for a straight line.
double curvature(std::span<Cell const> cells, Spacing const& spacing = 1);

/// A segment with all its measures. `eps` has `columns` columns.
Feature describe(Segment const& segment, std::span<double const> eps, std::int64_t columns,
                 Spacing const& spacing = 1);

/// The place where two features meet.
struct Intersection {
  std::size_t first;   ///< index of the one feature
  std::size_t second;  ///< index of the other feature, > first
  Cell cell;           ///< the first's cell nearest to the second
  double degrees;      ///< angle between them there, 0 to 90
};

/// Pairs of features that come within `gap` of each other (cells, or the unit of `spacing`), one entry a pair
/// (at the place nearest to each other), with the angle between their principal axes over the `reach` points
/// to either side of that place.
std::vector<Intersection> intersections(std::span<Feature const> features, double gap = 1.5,
                                        std::int64_t reach = 10, Spacing const& spacing = 1);

}  // namespace ulpine::lkf
