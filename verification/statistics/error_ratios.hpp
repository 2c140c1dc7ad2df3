// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace ulpine::verification {

/// An error held against the distances that members of an ensemble have from its unperturbed run.
struct ErrorRatio {
  double ratio = 0;          ///< error over the root mean square of the distances
  double low = 0, high = 0;  ///< 95 % interval, of the mean square over the ensemble's members
  double scatter = 0;        ///< standard deviation of the squared distances over their mean
  double inside = 0;         ///< confidence that the ratio is at most 1
  double outside =
      0;  ///< chance that one more member is that far away; small: the error is no perturbation's
  double detectable = 0;  ///< smallest ratio that would be told from 1 with 80 % power
  std::int64_t members = 0;
};

/// Fewest members that make a spread of errors.
inline constexpr std::int64_t least_members = 3;

/// `distances` of least_members at least, all finite, some above 0; `error` at least 0, in the same norm.
/// Intervals are Student's t of the logarithm of the mean square (delta method). Inside and outside ask
/// different things: the spread's mean is known to scatter / sqrt(n), but where trajectories have nearly
/// diverged an error is as scattered as any member's distance, and only what exceeds that (scatter sqrt(1 +
/// 1/n)) is one.
ErrorRatio error_ratio(double error, std::span<double const> distances);

/// Fewest members with which a ratio found below 1 would be inside with 80 % power, the scatter staying as
/// found; most_pairs + 1 where none do.
std::int64_t members_to_decide(ErrorRatio const& found);

}  // namespace ulpine::verification
