// SPDX-License-Identifier: Apache-2.0
#include "verification/statistics/two_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "verification/statistics/distributions.hpp"
#include "verification/statistics/samples.hpp"

namespace ulpine::verification {
namespace {

/// Share of Kolmogorov's limiting distribution above x.
double kolmogorov_tail(double x) {
  if (x <= 0) return 1;
  constexpr double turn = 1.18;  // from where on the other series has fewer terms (Marsaglia et al. 2003)
  constexpr int terms = 20;
  if (x < turn) {
    double below = 0;
    auto const y = std::exp(-std::numbers::pi * std::numbers::pi / (8 * x * x));
    for (int k = 0; k < terms; ++k) below += std::pow(y, (2 * k + 1) * (2 * k + 1));
    return 1 - std::sqrt(2 * std::numbers::pi) / x * below;
  }
  double tail = 0;
  for (int k = terms; k >= 1; --k) tail += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return std::min(tail, 1.0);
}

/// Share of the limiting distribution of Cramer-von Mises' statistic above x: Anderson and Darling (1952),
/// equation 4.35, in Bessel functions of the second kind.
double cramer_von_mises_tail(double x) {
  if (x <= 0) return 1;
  double below = 0;
  for (int k = 0;; ++k) {
    // u(k) = (-1)^k binomial(-1/2, k) = Gamma(k + 1/2) / (sqrt(pi) k!)
    auto const u = std::exp(distributions::log_gamma(k + 0.5) - distributions::log_gamma(k + 1.0)) /
                   (std::pow(std::numbers::pi, 1.5) * std::sqrt(x));
    auto const y = 4.0 * k + 1;
    auto const q = y * y / (16 * x);
    if (q > 700) break;  // exp(-q) is zero
    auto const term = u * std::sqrt(y) * std::exp(-q) * distributions::bessel_k(0.25, q);
    below += term;
    if (std::abs(term) < 1e-17) break;
  }
  return std::max(0.0, 1 - below);
}

/// Ranks 1, 2, ... of a, then of b, among both; tied ones get their mean.
std::vector<double> pooled_ranks(std::span<double const> a, std::span<double const> b, bool& tied) {
  std::vector<double> values(a.begin(), a.end());
  values.insert(values.end(), b.begin(), b.end());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  tied = false;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (end = begin; end < order.size() && values[order[end]] == values[order[begin]]; ++end) {
    }
    tied = tied || end - begin > 1;
    for (auto i = begin; i < end; ++i) ranks[order[i]] = (double(begin + end) + 1) / 2;
  }
  return ranks;
}

/// Share of all orderings of n_a and n_b members whose sum of (difference of the distribution functions x n_a
/// n_b)^2 over the pooled members is at least `sum`: counts of orderings by that sum, along the lattice of
/// members seen.
double share_of_orderings(std::int64_t sum, std::int64_t n_a, std::int64_t n_b) {
  using Counts = std::map<std::int64_t, double>;  // shares of orderings of (i, j) members
  std::vector<Counts> row(std::size_t(n_b) + 1);
  for (std::int64_t i = 0; i <= n_a; ++i) {
    for (std::int64_t j = 0; j <= n_b; ++j) {
      Counts here;
      if (i + j == 0) {
        here[0] = 1;
      } else {
        auto const difference = i * n_b - j * n_a;
        auto const arrive = [&](Counts const& from, double share) {
          for (auto const& [value, count] : from) here[value + difference * difference] += share * count;
        };
        if (i > 0) arrive(row[std::size_t(j)], double(i) / double(i + j));
        if (j > 0) arrive(row[std::size_t(j) - 1], double(j) / double(i + j));
      }
      row[std::size_t(j)] = std::move(here);
    }
  }
  double share = 0;
  for (auto const& [value, count] : row.back()) share += value >= sum ? count : 0;
  return std::min(share, 1.0);
}

std::vector<double> distances_to_median(std::span<double const> values) {
  auto const median = median_of({values.begin(), values.end()});
  std::vector<double> distances;
  for (auto const value : values) distances.push_back(std::abs(value - median));
  return distances;
}

}  // namespace

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  auto const n = values.size();
  return n % 2 == 1 ? values[n / 2] : values[n / 2 - 1] / 2 + values[n / 2] / 2;
}

TwoSampleTest kolmogorov_smirnov_asymptotic(std::span<double const> a, std::span<double const> b) {
  auto test = begun("KS, asymptotic", a, b, 4);
  if (!test.reason.empty()) return test;
  std::vector<double> sorted_a(a.begin(), a.end()), sorted_b(b.begin(), b.end());
  std::ranges::sort(sorted_a);
  std::ranges::sort(sorted_b);
  double largest = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    auto const step = std::min(sorted_a[i], sorted_b[j]);
    while (i < a.size() && sorted_a[i] == step) ++i;
    while (j < b.size() && sorted_b[j] == step) ++j;
    largest = std::max(largest, std::abs(double(i) / double(a.size()) - double(j) / double(b.size())));
  }
  auto const n = double(a.size()) * double(b.size()) / double(a.size() + b.size());
  test.statistic = largest;
  test.p = kolmogorov_tail(std::sqrt(n) * largest);
  return test;
}

TwoSampleTest cramer_von_mises(std::span<double const> a, std::span<double const> b) {
  auto test = begun("Cramer-von Mises", a, b, 3);
  if (!test.reason.empty()) return test;
  bool tied = false;
  auto const ranks = pooled_ranks(a, b, tied);
  auto const m = double(a.size()), n = double(b.size()), all = m + n;
  auto const sum_of = [&](std::size_t first, std::size_t count) {
    std::vector<double> sorted(ranks.begin() + std::ptrdiff_t(first),
                               ranks.begin() + std::ptrdiff_t(first + count));
    std::ranges::sort(sorted);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += (sorted[i] - double(i + 1)) * (sorted[i] - double(i + 1));
    return sum;
  };
  // U and T of Anderson's equations 9 and 10.
  auto const u = m * sum_of(0, a.size()) + n * sum_of(a.size(), b.size());
  auto const t = u / (m * n * all) - (4 * m * n - 1) / (6 * all);
  test.statistic = t;
  constexpr std::size_t most_exact = 20;
  if (!tied && std::max(a.size(), b.size()) <= most_exact) {
    // T is the mean square of the difference of the distribution functions times m n / all: an integer again.
    auto const sum = std::llround(t * all * all * m * n);
    test.p = share_of_orderings(sum, test.n[0], test.n[1]);
    return test;
  }
  auto const expected = (1 + 1 / all) / 6;
  auto const variance =
      (all + 1) * (4 * m * n * all - 3 * (m * m + n * n) - 2 * m * n) / (45 * all * all * 4 * m * n);
  test.p = cramer_von_mises_tail(1.0 / 6 + (t - expected) / std::sqrt(45 * variance));
  return test;
}

TwoSampleTest brown_forsythe(std::span<double const> a, std::span<double const> b) {
  auto test = begun("Brown-Forsythe", a, b, 4);
  if (!test.reason.empty()) return test;
  auto of_distances = student_t(distances_to_median(a), distances_to_median(b));
  test.statistic = of_distances.statistic;
  test.p = of_distances.p;
  test.reason = of_distances.reason;
  return test;
}

std::vector<double> adjusted_p(std::span<double const> p, Correction correction) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!std::isnan(p[i])) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size(), std::numeric_limits<double>::quiet_NaN());
  auto const tests = double(p.size());
  double harmonic = 0;
  for (auto i = p.size(); i >= 1; --i) harmonic += 1 / double(i);
  switch (correction) {
    case Correction::none:
      for (auto const i : order) adjusted[i] = p[i];
      break;
    case Correction::holm: {
      double largest = 0;
      for (std::size_t k = 0; k < order.size(); ++k) {
        largest = std::max(largest, std::min(1.0, (tests - double(k)) * p[order[k]]));
        adjusted[order[k]] = largest;
      }
      break;
    }
    case Correction::benjamini_hochberg:
    case Correction::benjamini_yekutieli: {
      auto const factor = correction == Correction::benjamini_yekutieli ? harmonic : 1;
      double least = 1;
      for (auto k = order.size(); k-- > 0;) {
        least = std::min(least, factor * tests / double(k + 1) * p[order[k]]);
        adjusted[order[k]] = least;
      }
      break;
    }
  }
  return adjusted;
}

}  // namespace ulpine::verification
