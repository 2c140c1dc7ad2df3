// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>

#include "precision/exact_sum.hpp"
#include "verification/statistics/distributions.hpp"
#include "verification/statistics/samples.hpp"

namespace ulpine::verification {
namespace {

TwoSampleTest without_verdict(TwoSampleTest test, std::string reason) {
  test.reason = std::move(reason);
  return test;
}

/// Share of the orderings of a and b, all equally likely, whose empirical distributions are somewhere at
/// least `distance`/(n_a n_b) apart: a walk on the lattice of (members of a, members of b) seen so far. Every
/// term is positive, so that small shares keep their digits.
double share_of_paths_touching(std::int64_t distance, std::int64_t n_a, std::int64_t n_b) {
  std::vector<double> touched(std::size_t(n_b) + 1);
  for (std::int64_t i = 0; i <= n_a; ++i) {
    for (std::int64_t j = 0; j <= n_b; ++j) {
      double share = 0;
      if (std::abs(i * n_b - j * n_a) >= distance) {
        share = 1;
      } else if (i + j > 0) {
        double const from_a = i > 0 ? touched[j] * double(i) : 0;
        double const from_b = j > 0 ? touched[j - 1] * double(j) : 0;
        share = (from_a + from_b) / double(i + j);
      }
      touched[j] = share;
    }
  }
  return touched[n_b];
}

TwoSampleTest t_test(char const* method, std::span<double const> a, std::span<double const> b, bool pooled) {
  auto test = begun(method, a, b, 3);
  if (!test.reason.empty()) {
    return test;
  }
  auto const [mean_a, sd_a, n_a] = moments(a);
  auto const [mean_b, sd_b, n_b] = moments(b);
  if (sd_a == 0 && sd_b == 0) {
    return without_verdict(std::move(test), "no spread in either sample");
  }
  // Variances in units of the larger, so that they stay in range.
  double const scale = std::max(sd_a, sd_b);
  double const na = double(n_a), nb = double(n_b);
  double const var_a = sd_a / scale * (sd_a / scale), var_b = sd_b / scale * (sd_b / scale);
  double freedom = na + nb - 2, error2 = 0;
  if (pooled) {
    error2 = ((na - 1) * var_a + (nb - 1) * var_b) / freedom * (1 / na + 1 / nb);
  } else {
    double const a2 = var_a / na, b2 = var_b / nb;
    error2 = a2 + b2;
    freedom = error2 * error2 / (a2 * a2 / (na - 1) + b2 * b2 / (nb - 1));
  }
  double const t = (mean_a - mean_b) / scale / std::sqrt(error2);
  test.statistic = t;
  test.p = 2 * distributions::student_t_above(std::abs(t), freedom);
  return test;
}

std::vector<bool> step_up(std::span<double const> p, double alpha) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  // NaN, a test without a verdict, comes last: no order holds with it.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return p[i] < p[j] || (std::isnan(p[j]) && !std::isnan(p[i]));
  });
  std::size_t rejected = 0;
  for (std::size_t k = 1; k <= order.size(); ++k) {
    if (p[order[k - 1]] <= double(k) * alpha / double(p.size())) {
      rejected = k;
    }
  }
  std::vector<bool> result(p.size(), false);
  for (std::size_t k = 0; k < rejected; ++k) {
    result[order[k]] = true;
  }
  return result;
}

double harmonic(std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = n; i >= 1; --i) {
    sum += 1 / double(i);
  }
  return sum;
}

}  // namespace

Moments moments(std::span<double const> values) {
  Moments result;
  result.n = std::int64_t(values.size());
  if (values.empty()) {
    result.mean = result.sd = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  double const n = double(values.size());
  result.mean = exact_sum(values) / n;
  if (values.size() == 1 ||
      std::all_of(values.begin(), values.end(), [&](double v) { return v == values[0]; })) {
    result.mean = values[0];
    return result;
  }
  double largest = 0;
  std::vector<double> deviation(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    deviation[i] = values[i] - result.mean;
    largest = std::max(largest, std::abs(deviation[i]));
  }
  ExactSum sum, squares;
  for (double const value : deviation) {
    sum.add(value / largest);
    squares.add(value / largest * (value / largest));
  }
  // The mean's rounding leaves a sum of deviations; its square is taken off.
  double const left = sum.to_double();
  result.sd = largest * std::sqrt(std::max(0.0, squares.to_double() - left * left / n) / (n - 1));
  return result;
}

TwoSampleTest kolmogorov_smirnov(std::span<double const> a, std::span<double const> b) {
  auto test = begun("KS", a, b, 1);
  if (!test.reason.empty()) {
    return test;
  }
  auto const [n_a, n_b] = test.n;
  std::vector<double> sorted_a(a.begin(), a.end()), sorted_b(b.begin(), b.end());
  std::sort(sorted_a.begin(), sorted_a.end());
  std::sort(sorted_b.begin(), sorted_b.end());
  std::int64_t i = 0, j = 0, distance = 0;
  while (i < n_a && j < n_b) {
    double const step = std::min(sorted_a[i], sorted_b[j]);
    while (i < n_a && sorted_a[i] == step) {
      ++i;
    }
    while (j < n_b && sorted_b[j] == step) {
      ++j;
    }
    distance = std::max(distance, std::abs(i * n_b - j * n_a));
  }
  test.statistic = double(distance) / (double(n_a) * double(n_b));
  if (share_of_paths_touching(n_a * n_b, n_a, n_b) > 0.05) {
    return without_verdict(std::move(test), "too few members: " + std::to_string(n_a) + " and " +
                                                std::to_string(n_b) +
                                                " cannot reach p = 0.05 (4 each could)");
  }
  test.p = std::min(1.0, share_of_paths_touching(distance, n_a, n_b));
  return test;
}

TwoSampleTest paired_t(std::span<double const> a, std::span<double const> b) {
  auto test = begun("paired t", a, b, 8);
  if (a.size() != b.size()) {
    return without_verdict(std::move(test), "the samples are not paired");
  }
  if (!test.reason.empty()) {
    return test;
  }
  std::vector<double> difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  auto const [mean, sd, n] = moments(difference);
  if (sd == 0) {
    return without_verdict(std::move(test), "all differences are equal");
  }
  double const t = mean / (sd / std::sqrt(double(n)));
  test.statistic = t;
  test.p = 2 * distributions::student_t_above(std::abs(t), double(n - 1));
  return test;
}

TwoSampleTest mann_whitney(std::span<double const> a, std::span<double const> b) {
  auto test = begun("Mann-Whitney", a, b, 8);
  if (!test.reason.empty()) {
    return test;
  }
  std::vector<std::pair<double, bool>> pooled;  // value, is of a
  for (double const value : a) {
    pooled.emplace_back(value, true);
  }
  for (double const value : b) {
    pooled.emplace_back(value, false);
  }
  std::sort(pooled.begin(), pooled.end());
  double rank_sum = 0, ties = 0;
  for (std::size_t begin = 0, end = 0; begin < pooled.size(); begin = end) {
    std::size_t of_a = 0;
    for (end = begin; end < pooled.size() && pooled[end].first == pooled[begin].first; ++end) {
      of_a += pooled[end].second ? 1 : 0;
    }
    double const t = double(end - begin);
    rank_sum += double(of_a) * (double(begin + end) + 1) / 2;  // mean rank of the tied values
    ties += t * t * t - t;
  }
  double const na = double(a.size()), nb = double(b.size()), n = na + nb;
  double const u = rank_sum - na * (na + 1) / 2;
  test.statistic = u;
  double const variance = na * nb / 12 * ((n + 1) - ties / (n * (n - 1)));
  if (!(variance > 0)) {
    return without_verdict(std::move(test), "all values are equal");
  }
  double const z = std::max(0.0, std::abs(u - na * nb / 2) - 0.5) / std::sqrt(variance);
  test.p = std::erfc(z / std::sqrt(2.0));
  return test;
}

TwoSampleTest welch_t(std::span<double const> a, std::span<double const> b) {
  return t_test("Welch t", a, b, false);
}

TwoSampleTest student_t(std::span<double const> a, std::span<double const> b) {
  return t_test("Student t", a, b, true);
}

std::vector<bool> benjamini_hochberg(std::span<double const> p, double alpha) { return step_up(p, alpha); }

std::vector<bool> benjamini_yekutieli(std::span<double const> p, double alpha) {
  return p.empty() ? std::vector<bool>{} : step_up(p, alpha / harmonic(std::int64_t(p.size())));
}

std::int64_t members_needed(std::int64_t tests, double alpha, bool any_dependence) {
  double const level = alpha / double(tests) / (any_dependence ? harmonic(tests) : 1);
  double least_p = 1;  // 2/C(2n, n)
  std::int64_t n = 1;
  while (least_p > level) {
    ++n;
    least_p *= double(n) / (2 * (2 * double(n) - 1));
  }
  return n;
}

}  // namespace ulpine::verification
