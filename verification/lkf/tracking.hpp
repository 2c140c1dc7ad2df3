// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "verification/lkf/detector.hpp"

namespace ulpine::lkf {

/// Row and column, fractional.
using Point = std::array<double, 2>;

/// The displacement of the ice in cells between the two times, rows x columns, NaN where there is none.
struct Drift {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::span<double const> along_rows;     ///< added to the row
  std::span<double const> along_columns;  ///< added to the column
};

/// The features' points moved by the drift. Points that leave 1 <= index < size - 2, or have no drift, are
/// dropped. InputError where a cell lies outside the drift field.
std::vector<std::vector<Point>> advect(std::span<Feature const> features, Drift const& drift);

/// Moves points further, e.g. by the drift of the day after: each by that of the cell it is in, by lkf_tools'
/// rules the cell of the indices rounded down, by `repaired` ones the nearest. Points are dropped as above.
void advect(std::vector<std::vector<Point>>& points, Drift const& drift, Rules rules);

/// The values are those of lkf_tools' `track_lkf`. Distances and angles are among cells counted as square, as
/// there, under all rules.
struct TrackParameters {
  int search_area_expansion = 1;  ///< dilations of the moved points, cells
  std::int64_t min_overlap = 4;   ///< least number of points in common
  double thres_frac =
      0.75;  ///< least share of the second feature's cells beside the first that lie close to it
  double overlap_thres = 1.5;  ///< distance at which points overlap, cells
  double angle_thres = 25;     ///< largest angle between the overlapping parts, degrees
};

/// A feature found again.
struct Track {
  std::size_t from;           ///< index in the earlier time
  std::size_t to;             ///< index in the later time
  double hausdorff_distance;  ///< modified Hausdorff distance (Dubuisson and Jain 1994), cells
};

/// Which of `later` continue which of `moved`, earlier features moved by advect(); a feature may have several
/// partners. In order of `from`, then `to`. `repaired` mends three slips of lkf_tools: a search area that
/// lacks the neighbour at the column before; cells listed twice in a feature counting as overlap anywhere;
/// and the chord of the later feature's overlapping part drawn from its first to its last cell in the order
/// of rows, which turns away from the feature where one end is hooked.
std::vector<Track> track(std::span<std::vector<Point> const> moved, std::span<Feature const> later,
                         std::int64_t rows, std::int64_t columns, TrackParameters const& parameters,
                         Rules rules);

}  // namespace ulpine::lkf
