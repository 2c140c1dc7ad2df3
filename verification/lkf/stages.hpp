// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verification/lkf/detector.hpp"

/// The stages of detect(), each a function of what the one before it gave. Fields are row-major.
namespace ulpine::lkf::detail {

/// Natural logarithm, then 256-bin histogram equalisation to whole numbers 0..255; NaN where the logarithm is
/// not finite. Zero everywhere where all valid cells are equal.
std::vector<double> equalise(std::span<double const> eps);

/// Filters along the rows (axis 0), then along the columns; weights are those of the distances 0, 1, ...,
/// edges are mirrored with the edge sample repeated. The sums are in the order of scipy.ndimage.correlate1d,
/// so that the same weights give the same bits.
std::vector<double> smooth(std::span<double const> field, std::int64_t rows, std::int64_t columns,
                           std::span<double const> weights);

/// Narrow minus wide Gaussian mean of a field with NaN left out.
std::vector<double> difference_of_gaussians(std::span<double const> field, std::int64_t rows,
                                            std::int64_t columns, double min_kernel, double max_kernel);

/// Skeleton by parallel thinning (Zhang and Suen 1984, in the variant of scikit-image, which also takes off
/// the corners of stairs).
std::vector<std::uint8_t> thin(std::span<std::uint8_t const> binary, std::int64_t rows, std::int64_t columns);

/// Follows the skeleton from its ends, all traces at the same time, and cuts it at branches and sharp turns.
std::vector<Segment> trace(std::span<std::uint8_t const> skeleton, std::int64_t rows, std::int64_t columns,
                           std::int64_t max_steps, Rules rules);

/// Limits of one pass of joining, as in Parameters.
struct JoinLimits {
  double distance;
  double ellipse_factor;
  double angle;
  double deformation;
  Spacing cell = 1;  ///< by which distances and angles are measured
};

/// Joins segments end to end, most probable pair first. `eps` is the deformation field of `columns` columns.
std::vector<Segment> join(std::vector<Segment> const& segments, std::span<double const> eps,
                          std::int64_t columns, JoinLimits const& limits, Rules rules);

}  // namespace ulpine::lkf::detail
