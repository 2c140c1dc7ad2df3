// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "verification/metrics/wide_sum.hpp"

namespace ulpine::verification {

/// Sums that MetricsAccumulator forms over pairs of a test field x and a reference field y, at least one.
/// All metrics follow from them. Means are weighted where the fields have weights. All but the dimensionless
/// members have the unit of the field.
struct PairSums {
  Scaled mean_test, mean_reference;
  Scaled mean_difference;  ///< mean (x - y)
  Scaled mean_magnitude;   ///< mean |x - y|
  Scaled rms_difference, rms_reference;
  double largest_difference = 0;       ///< max |x - y|
  std::uint64_t largest_distance = 0;  ///< in units in the last place, UlpUnit
  Scaled within_factor_two;            ///< share of the pairs with 1/2 <= x/y <= 2
  /// 1 - r, r Pearson's correlation; none where one of the fields is constant.
  std::optional<Scaled> one_minus_r;
  /// Mean and root mean square of ln(y/x); none where a value is not positive.
  std::optional<Scaled> mean_log_ratio, rms_log_ratio;
};

}  // namespace ulpine::verification
