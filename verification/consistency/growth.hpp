// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace ulpine::verification::consistency {

/// Exponential growth of a difference.
struct GrowthRate {
  double rate = 0;                  ///< growth rate of the logarithm of the difference, 1/s
  double offset = 0;                ///< natural logarithm of the difference at the first time of the fit
  std::size_t first = 0, last = 0;  ///< times of the fit, inclusive
  bool known = false;
};

/// Slope of the logarithm of `differences` by least squares, from the first time with a difference that is
/// not zero until they reach `largest` (where they saturate); unknown for fewer than 3 such times.
GrowthRate growth_rate(std::span<double const> times, std::span<double const> differences, double largest);

}  // namespace ulpine::verification::consistency
