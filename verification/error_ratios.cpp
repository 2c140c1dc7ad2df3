// SPDX-License-Identifier: Apache-2.0
#include "verification/error_ratios.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "verification/equivalence.hpp"
#include "verification/statistics.hpp"

namespace ulpine::verification {
namespace {

using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, InDouble>;

/// P(T < x / scale) of n - 1 degrees of freedom.
double confidence(double x, double scale, std::int64_t n) {
  if (!(scale > 0) || std::isinf(x)) {
    return x > 0 ? 1 : x < 0 ? 0 : 0.5;
  }
  return boost::math::cdf(StudentsT(double(n - 1)), x / scale);
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
  StudentsT const t(double(n - 1));
  ErrorRatio result;
  result.members = n;
  result.scatter = sd / mean;
  result.ratio = error / (largest * std::sqrt(mean));
  auto const half = boost::math::quantile(t, 0.975) * result.scatter / root / 2;
  result.low = result.ratio * std::exp(-half);
  result.high = result.ratio * std::exp(half);
  result.detectable = std::exp((boost::math::quantile(t, 0.95) + boost::math::quantile(t, 0.8)) *
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
    StudentsT const t(double(n - 1));
    if (distance * std::sqrt(double(n)) >=
        found.scatter * (boost::math::quantile(t, 0.95) + boost::math::quantile(t, 0.8))) {
      return n;
    }
  }
  return most_pairs + 1;
}

}  // namespace ulpine::verification
