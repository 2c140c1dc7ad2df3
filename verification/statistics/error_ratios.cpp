// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/error_ratios.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "verification/statistics/distributions.hpp"
#include "verification/statistics/equivalence.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification {
namespace {

using distributions::in_double::student_t_below;
using distributions::in_double::student_t_quantile;

/// P(T < x / scale) of n - 1 degrees of freedom.
double confidence(double x, double scale, std::int64_t n) {
  if (!(scale > 0) || std::isinf(x)) {
    return x > 0 ? 1 : x < 0 ? 0 : 0.5;
  }
  return student_t_below(x / scale, double(n - 1));
}

}  // namespace

ErrorRatio error_ratio(double error, std::span<double const> distances) {
  // Squares in parts of the largest neither overflow nor vanish.
  double largest = 0;
  for (auto const distance : distances) largest = std::max(largest, distance);
  std::vector<double> squares;
  for (auto const distance : distances) squares.push_back((distance / largest) * (distance / largest));
  auto const [mean, sd, n] = moments(squares);
  auto const root = std::sqrt(double(n));
  auto const freedom = double(n - 1);
  ErrorRatio result;
  result.members = n;
  result.scatter = sd / mean;
  result.ratio = error / (largest * std::sqrt(mean));
  auto const half = student_t_quantile(0.975, freedom) * result.scatter / root / 2;
  result.low = result.ratio * std::exp(-half);
  result.high = result.ratio * std::exp(half);
  result.detectable = std::exp((student_t_quantile(0.95, freedom) + student_t_quantile(0.8, freedom)) *
                               result.scatter * std::sqrt(1 + 1 / double(n)) / 2);
  auto const logarithm =
      result.ratio > 0 ? 2 * std::log(result.ratio) : -std::numeric_limits<double>::infinity();
  result.inside = confidence(-logarithm, result.scatter / root, n);
  result.outside = confidence(-logarithm, result.scatter * std::sqrt(1 + 1 / double(n)), n);
  return result;
}

std::int64_t members_to_decide(ErrorRatio const& found) {
  if (!(found.ratio < 1)) {
    return most_pairs + 1;
  }
  auto const distance = -2 * std::log(found.ratio);
  for (auto n = std::max(found.members, least_members); n <= most_pairs; ++n) {
    auto const freedom = double(n - 1);
    if (distance * std::sqrt(double(n)) >=
        found.scatter * (student_t_quantile(0.95, freedom) + student_t_quantile(0.8, freedom))) {
      return n;
    }
  }
  return most_pairs + 1;
}

}  // namespace ulpine::verification
