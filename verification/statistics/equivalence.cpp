// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/equivalence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "verification/statistics/distributions.hpp"
#include "verification/statistics/statistics.hpp"

namespace ulpine::verification {
namespace {

using distributions::in_double::chi_squared_below;
using distributions::in_double::chi_squared_density;
using distributions::in_double::student_t_below;
using distributions::in_double::student_t_quantile;

/// Fewest pairs from `found` on that decide; most_pairs + 1 where none do.
std::int64_t fewest_pairs(std::int64_t found, std::function<bool(std::int64_t)> const& decides) {
  if (found >= most_pairs) {
    return most_pairs + 1;
  }
  auto enough = std::max<std::int64_t>(found, least_pairs);
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

/// Mean, standard error and confidence that the mean is below 0 of a sample.
struct Sample {
  double mean = 0, error = 0, below = 0;
};
Sample sample_of(std::span<double const> values, double added_variance) {
  auto const [mean, sd, n] = moments(values);
  Sample sample{mean, std::sqrt((sd * sd + added_variance) / double(n)), 0};
  sample.below = sample.error > 0 ? student_t_below(-mean / sample.error, double(n - 1)) : mean < 0 ? 1 : 0;
  return sample;
}

/// Confidence that the mean of test - reference is within +-`part` times the reference's mean.
double inside_relative(std::span<double const> test, std::span<double const> reference, double added_variance,
                       double part) {
  auto const sign = moments(reference).mean < 0 ? -1 : 1;
  std::vector<double> above(test.size()), below(test.size());
  for (std::size_t i = 0; i < test.size(); ++i) {
    above[i] = test[i] - reference[i] - sign * part * reference[i];
    below[i] = -(test[i] - reference[i]) - sign * part * reference[i];
  }
  return std::max(0.0, sample_of(above, added_variance).below + sample_of(below, added_variance).below - 1);
}

/// Confidence that the mean difference is within +-`margin`, a number known without error.
double inside_fixed(double difference, double error, double margin, std::int64_t n) {
  if (!(error > 0)) {
    return std::abs(difference) < margin ? 1 : 0;
  }
  auto const freedom = double(n - 1);
  return student_t_below((margin - difference) / error, freedom) -
         student_t_below((-margin - difference) / error, freedom);
}

/// Pitman's and Morgan's correlation of x - r y and x + r y from variances and correlation, as Student's t of
/// n - 2.
double pitman_morgan(double variance_ratio, double correlation, double r, double freedom) {
  auto const a = variance_ratio, b = r * r;
  auto const scale = std::sqrt(std::max(0.0, (a + b) * (a + b) - 4 * a * b * correlation * correlation));
  if (!(scale > std::abs(a - b))) {
    return a == b ? 0 : std::copysign(std::numeric_limits<double>::infinity(), a - b);
  }
  auto const c = (a - b) / scale;
  return c * std::sqrt(freedom / (1 - c * c));
}

/// Largest ratio of standard deviations whose square a t as large as that leaves open, the found ratio taken
/// as 1.
double ratio_of(double t, double correlation, double freedom) {
  auto const k = 1 + 2 * (1 - correlation * correlation) * t * t / freedom;
  return std::sqrt(k + std::sqrt(k * k - 1));
}

}  // namespace

EquivalenceTest test_means(std::span<double const> test, std::span<double const> reference, double resolution,
                           Margin const& margin) {
  std::vector<double> differences(test.size());
  std::transform(test.begin(), test.end(), reference.begin(), differences.begin(), std::minus<>());
  auto const added = resolution * resolution / 12;
  auto const [mean, sd, pairs] = moments(differences);
  auto const references = moments(reference);
  EquivalenceTest result;
  result.pairs = pairs;
  result.difference = mean;
  result.error = std::sqrt((sd * sd + added) / double(pairs));
  result.spread = references.sd;
  result.kind = margin.kind;
  auto const freedom = double(pairs - 1);
  auto const half = student_t_quantile(0.975, freedom) * result.error;
  result.interval = {mean - half, mean + half};
  result.detectable = half + student_t_quantile(0.8, freedom) * result.error;
  switch (margin.kind) {
    case Margin::Kind::spread:
      result.margin = margin.value * result.spread;
      result.inside = share_inside(mean, result.error, result.margin, pairs);
      break;
    case Margin::Kind::relative:
      result.margin = margin.value * std::abs(references.mean);
      result.inside = inside_relative(test, reference, added, margin.value);
      break;
    case Margin::Kind::absolute:
      result.margin = margin.value;
      result.inside = inside_fixed(mean, result.error, result.margin, pairs);
      break;
  }
  return result;
}

EquivalenceTest test_spreads(std::span<double const> test, std::span<double const> reference,
                             double resolution, double ratio) {
  auto const added = resolution * resolution / 12;
  auto const x = moments(test), y = moments(reference);
  double covariance = 0;
  for (std::size_t i = 0; i < test.size(); ++i) covariance += (test[i] - x.mean) * (reference[i] - y.mean);
  auto const freedom = double(x.n - 2);
  covariance /= double(x.n - 1);
  auto const of_x = x.sd * x.sd + added, of_y = y.sd * y.sd + added;
  EquivalenceTest result;
  result.pairs = x.n;
  result.spread = y.sd;
  result.margin = ratio;
  auto const known = of_x > 0 && of_y > 0;
  result.difference = known          ? std::sqrt(of_x / of_y)
                      : of_x == of_y ? 1
                      : of_x > 0     ? std::numeric_limits<double>::infinity()
                                     : 0;
  if (!known) {
    result.inside = of_x == of_y ? 1 : 0;
    result.interval = {result.difference, result.difference};
    result.detectable = 1;
    return result;
  }
  result.correlation = std::clamp(covariance / std::sqrt(of_x * of_y), -1.0, 1.0);
  auto const wide = ratio_of(student_t_quantile(0.975, freedom), result.correlation, freedom);
  result.interval = {result.difference / wide, result.difference * wide};
  result.detectable = ratio_of(student_t_quantile(0.975, freedom) + student_t_quantile(0.8, freedom),
                               result.correlation, freedom);
  auto const above = pitman_morgan(of_x / of_y, result.correlation, ratio, freedom);
  auto const below = pitman_morgan(of_x / of_y, result.correlation, 1 / ratio, freedom);
  auto const cdf = [&](double value) {
    return std::isinf(value) ? (value > 0 ? 1.0 : 0.0) : student_t_below(value, freedom);
  };
  result.inside = std::max(0.0, cdf(below) - cdf(above));
  return result;
}

namespace {
/// n x^2 at which the bound of test_distributions(), 4 exp(-n x^2 / 2), is 5 %.
double const two_log_bound = 2 * std::log(4 / 0.05);
}  // namespace

std::optional<std::int64_t> pairs_for_distributions(double margin) {
  auto const beyond = 1 - margin;
  auto const least = std::ceil(two_log_bound / (beyond * beyond));
  if (!(beyond > 0) || !(least <= double(most_pairs))) return {};
  return static_cast<std::int64_t>(least);
}

DistributionTest test_distributions(std::span<double const> test, std::span<double const> reference,
                                    double shift) {
  DistributionTest result;
  auto const n = double(std::min(test.size(), reference.size()));
  result.distance = kolmogorov_smirnov(test, reference).statistic.value_or(0);
  result.margin = std::erf(shift / (2 * std::sqrt(2.0)));
  result.detectable = result.margin + std::sqrt(two_log_bound / n);
  auto const beyond = std::max(0.0, result.distance - result.margin);
  result.outside = std::min(1.0, 4 * std::exp(-n * beyond * beyond / 2));
  return result;
}

double share_inside(double difference, double error, double margin, std::int64_t n) {
  auto const freedom = double(n - 1);
  auto const distance = std::abs(difference);
  // The margin equals the distance at this value of C; below it the margin is the larger.
  auto const even = freedom * (margin / distance) * (margin / distance);
  if (!(error > 0)) {
    return distance == 0 ? (margin > 0 ? 1 : 0) : chi_squared_below(even, freedom);
  }
  auto const density = [&](double c) {
    auto const drawn = margin * std::sqrt(freedom / c);
    return chi_squared_density(c, freedom) * (student_t_below((distance + drawn) / error, freedom) -
                                              student_t_below((distance - drawn) / error, freedom));
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
      share += distributions::integral(density, from, to, accuracy);
    }
  }
  return std::clamp(share, 0.0, 1.0);
}

std::int64_t pairs_to_decide(EquivalenceTest const& found, double level) {
  auto const distance = std::abs(found.difference);
  auto const inside = distance < found.margin;
  auto const scatter = found.error * std::sqrt(double(found.pairs));
  auto const decides = [&](std::int64_t n) {
    auto const freedom = double(n - 1);
    auto const error = scatter / std::sqrt(double(n));
    // A mean that chance has moved towards the margin, as one of five is; within it, there are two sides.
    auto const moved =
        (inside ? student_t_quantile(0.9, freedom) : -student_t_quantile(0.8, freedom)) * error;
    auto const shifted = std::max(0.0, distance + moved);
    auto const share = found.kind == Margin::Kind::spread ? share_inside(shifted, error, found.margin, n)
                                                          : inside_fixed(shifted, error, found.margin, n);
    return inside ? share >= 0.95 : share <= level;
  };
  return fewest_pairs(found.pairs, decides);
}

std::int64_t pairs_to_decide_spreads(EquivalenceTest const& found, double level) {
  auto const squared = found.difference * found.difference;
  auto const inside = found.difference < found.margin && found.difference > 1 / found.margin;
  auto const decides = [&](std::int64_t n) {
    auto const freedom = double(n - 2);
    auto const above = pitman_morgan(squared, found.correlation, found.margin, freedom);
    auto const below = pitman_morgan(squared, found.correlation, 1 / found.margin, freedom);
    if (inside) {
      return std::min(-above, below) >= student_t_quantile(0.95, freedom) + student_t_quantile(0.9, freedom);
    }
    return std::max(above, -below) >=
           student_t_quantile(1 - level, freedom) + student_t_quantile(0.8, freedom);
  };
  return fewest_pairs(found.pairs, decides);
}

}  // namespace ulpine::verification
