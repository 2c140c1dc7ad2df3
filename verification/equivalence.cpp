// SPDX-License-Identifier: Apache-2.0
#include "verification/equivalence.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <vector>

#include "verification/statistics.hpp"

namespace ulpine::verification {
namespace {

/// Computed in double, whose accuracy is ample, rather than by way of long double.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, InDouble>;
using ChiSquared = boost::math::chi_squared_distribution<double, InDouble>;

}  // namespace

EquivalenceTest test_equivalence(std::span<double const> test, std::span<double const> reference,
                                 double resolution) {
  std::vector<double> differences(test.size());
  std::transform(test.begin(), test.end(), reference.begin(), differences.begin(), std::minus<>());
  auto const [mean, sd, pairs] = moments(differences);
  EquivalenceTest result;
  result.pairs = pairs;
  result.difference = mean;
  result.error = std::sqrt((sd * sd + resolution * resolution / 12) / double(pairs));
  result.spread = moments(reference).sd;
  result.margin = margin_parts * result.spread;
  StudentsT const t(double(pairs - 1));
  auto const half = boost::math::quantile(t, 0.975) * result.error;
  result.interval = {mean - half, mean + half};
  result.detectable = half + boost::math::quantile(t, 0.8) * result.error;
  result.inside = share_inside(mean, result.error, result.margin, pairs);
  return result;
}

double share_inside(double difference, double error, double margin, std::int64_t n) {
  auto const freedom = double(n - 1);
  auto const distance = std::abs(difference);
  ChiSquared const chi2(freedom);
  // The margin equals the distance at this value of C; below it the margin is the larger.
  auto const even = freedom * (margin / distance) * (margin / distance);
  if (!(error > 0)) {
    return distance == 0 ? (margin > 0 ? 1 : 0) : boost::math::cdf(chi2, even);
  }
  StudentsT const t(freedom);
  auto const density = [&](double c) {
    auto const drawn = margin * std::sqrt(freedom / c);
    return boost::math::pdf(chi2, c) * (boost::math::cdf(t, (distance + drawn) / error) -
                                        boost::math::cdf(t, (distance - drawn) / error));
  };
  // Narrow intervals of the difference make a step at `even`: a corner of the pieces is put there.
  // Quantiles after Wilson and Hilferty leave less than 1e-10 outside.
  constexpr double normal = 7, accuracy = 1e-5;
  auto const bound = [&](double z) {
    auto const root = 1 - 2 / (9 * freedom) + z * std::sqrt(2 / (9 * freedom));
    return freedom * std::pow(std::max(0.0, root), 3);
  };
  auto const low = bound(-normal), high = bound(normal);
  auto const corner = std::clamp(std::isfinite(even) ? even : high, low, high);
  double share = 0;
  for (auto const& [from, to] : {std::array{low, corner}, std::array{corner, high}}) {
    if (to > from) {
      share += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(density, from, to, 12, accuracy);
    }
  }
  return std::clamp(share, 0.0, 1.0);
}

std::int64_t pairs_to_decide(EquivalenceTest const& found, double level) {
  auto const distance = std::abs(found.difference);
  auto const inside = distance < found.margin;
  auto const scatter = found.error * std::sqrt(double(found.pairs));
  auto const decides = [&](std::int64_t n) {
    StudentsT const t(double(n - 1));
    auto const error = scatter / std::sqrt(double(n));
    // A mean that chance has moved towards the margin, as one of five is; within it, there are two sides.
    auto const moved = (inside ? boost::math::quantile(t, 0.9) : -boost::math::quantile(t, 0.8)) * error;
    auto const share = share_inside(std::max(0.0, distance + moved), error, found.margin, n);
    return inside ? share >= 0.95 : share <= level;
  };
  if (found.pairs >= most_pairs) {
    return most_pairs + 1;
  }
  auto enough = std::max<std::int64_t>(found.pairs, least_pairs);
  auto few = enough;
  while (enough <= most_pairs && !decides(enough)) {
    few = enough;
    enough *= 2;
  }
  if (enough > most_pairs) {
    if (!decides(most_pairs)) {
      return most_pairs + 1;
    }
    enough = most_pairs;
  }
  while (enough - few > 1) {
    auto const middle = (few + enough) / 2;
    (decides(middle) ? enough : few) = middle;
  }
  return enough;
}

}  // namespace ulpine::verification
