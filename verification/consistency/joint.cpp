// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/joint.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "verification/statistics.hpp"

namespace ulpine::verification::consistency {
namespace {

constexpr double rounding = 1e-24;     // of variances of standardised values
constexpr double beyond_all = 1e3;     // standard deviations
constexpr std::size_t free_runs = 10;  ///< more than variables, to explain one by the others

/// The deviates of two groups among runs; keeps its buffers from one labelling to the next.
class Deviates {
 public:
  /// Columns come standardised: no sum overflows, and the matrices are well scaled.
  Deviates(std::vector<std::vector<double>> columns, std::size_t first)
      : columns_{std::move(columns)}, n_{first}, m_{columns_.front().size() - first}, v_{columns_.size()} {
    conditional_ = v_ > 1 && n_ + m_ >= 2 + (v_ - 1) + free_runs && std::min(n_, m_) >= 3;
    centred_.assign(v_, std::vector<double>(n_ + m_));
    difference_.resize(v_);
  }
  bool conditional() const { return conditional_; }
  /// Means, spreads, and the same given the others: v each.
  static constexpr std::size_t kinds = 4;

  void compute(std::span<std::size_t const> order, std::vector<double>& deviates) {
    deviates.assign(kinds * v_, 0);
    auto const n = double(n_), m = double(m_), freedom = n + m - 2;
    for (std::size_t v = 0; v < v_; ++v) {
      auto const [first, second] = centre(v, order);
      auto const variance = (first + second) / freedom;
      if (variance > rounding) {
        deviates[v] = deviate_of_t(difference_[v] / std::sqrt(variance * (1 / n + 1 / m)), freedom);
      } else if (std::abs(difference_[v]) > std::sqrt(rounding)) {
        deviates[v] = std::copysign(beyond_all, difference_[v]);  // each group has a value of its own
      }
      deviates[v_ + v] = spread(first, second, n - 1, m - 1);
    }
    if (conditional_) compute_given_others(deviates);
  }

 private:
  /// Takes the groups' means off variable v; the sums of squares left in each.
  std::pair<double, double> centre(std::size_t v, std::span<std::size_t const> order) {
    auto const& values = columns_[v];
    double sum[2] = {}, squares[2] = {};
    for (std::size_t i = 0; i < order.size(); ++i) sum[i >= n_] += values[order[i]];
    double const mean[2] = {sum[0] / double(n_), sum[1] / double(m_)};
    for (std::size_t i = 0; i < order.size(); ++i) {
      auto const left = values[order[i]] - mean[i >= n_];
      centred_[v][i] = left;
      squares[i >= n_] += left * left;
    }
    difference_[v] = mean[1] - mean[0];
    return {squares[0], squares[1]};
  }

  /// Of the second group's variance over the first's.
  static double spread(double first, double second, double freedom_first, double freedom_second) {
    constexpr double least = 1e-12;  // of the other: both deviates are then beyond all limits
    if (first <= 0 && second <= 0) return 0;
    auto const a = std::max(first, least * second) / freedom_first,
               b = std::max(second, least * first) / freedom_second;
    return deviate_of_ratio(b / a, freedom_second, freedom_first);
  }

  void compute_given_others(std::vector<double>& deviates) {
    auto const n = double(n_), m = double(m_), freedom = n + m - 2, left = freedom - double(v_ - 1);
    auto const inverse = inverse_of_definite(covariance(0, n_ + m_, freedom), v_);
    if (inverse.empty()) return;
    std::vector<double> weighted(v_, 0);
    double distance = 0;  // Hotelling's T^2
    auto const between = n * m / (n + m);
    for (std::size_t i = 0; i < v_; ++i) {
      for (std::size_t j = 0; j < v_; ++j) weighted[i] += inverse[i * v_ + j] * difference_[j];
      distance += between * weighted[i] * difference_[i];
    }
    for (std::size_t v = 0; v < v_; ++v) {
      auto const own = between * weighted[v] * weighted[v] / inverse[v * v_ + v];
      auto const f = left * own / (freedom + std::max(distance - own, 0.0));
      deviates[2 * v_ + v] = deviate_of_t(std::copysign(std::sqrt(f), weighted[v]), left);
    }
    compute_spread_given_others(deviates);
  }

  /// The regression is the first group's: one over both would follow a spread that only the second has.
  void compute_spread_given_others(std::vector<double>& deviates) {
    auto const left = double(n_) - double(v_);
    if (left < double(free_runs)) return;
    auto const inverse = inverse_of_definite(covariance(0, n_, double(n_ - 1)), v_);
    if (inverse.empty()) return;
    std::vector<double> unexplained(n_ + m_);
    for (std::size_t v = 0; v < v_; ++v) {
      std::ranges::fill(unexplained, 0);
      for (std::size_t j = 0; j < v_; ++j) {
        auto const factor = inverse[v * v_ + j] / inverse[v * v_ + v];
        for (std::size_t i = 0; i < unexplained.size(); ++i) unexplained[i] += factor * centred_[j][i];
      }
      double squares[2] = {};
      for (std::size_t i = 0; i < unexplained.size(); ++i) {
        squares[i >= n_] += unexplained[i] * unexplained[i];
      }
      // Runs that the regression has not seen are off by its own error too.
      auto const unseen = 1 + (double(v_) - 1) / left;
      deviates[3 * v_ + v] = spread(squares[0], squares[1] / unseen, left, double(m_) - 1);
    }
  }

  std::vector<double> covariance(std::size_t first, std::size_t next, double freedom) const {
    std::vector<double> matrix(v_ * v_);
    for (std::size_t i = 0; i < v_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double product = 0;
        for (auto k = first; k < next; ++k) product += centred_[i][k] * centred_[j][k];
        matrix[i * v_ + j] = matrix[j * v_ + i] = product / freedom;
      }
    }
    return matrix;
  }

  std::vector<std::vector<double>> columns_;
  std::size_t n_, m_, v_;
  bool conditional_ = false;
  std::vector<std::vector<double>> centred_;
  std::vector<double> difference_;
};

double largest_of(std::vector<double> const& deviates) {
  double largest = 0;
  for (auto const deviate : deviates) largest = std::max(largest, std::abs(deviate));
  return largest;
}

std::vector<double> standardised(std::vector<double> values) {
  auto const [mean, sd, n] = moments(values);
  for (auto& value : values) value = (value - mean) / (sd > 0 ? sd : 1);
  return values;
}

}  // namespace

JointTest joint_test(Table const& ensemble, Table const& tests, double rate, std::uint64_t seed) {
  std::vector<std::vector<double>> columns;
  for (std::size_t v = 0; v < ensemble.columns(); ++v) {
    auto values = ensemble.column(v);
    auto const tested = tests.column(v);
    values.insert(values.end(), tested.begin(), tested.end());
    columns.push_back(standardised(std::move(values)));
  }
  Deviates of(std::move(columns), ensemble.rows.size());
  std::vector<std::size_t> order(ensemble.rows.size() + tests.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> observed, deviates;
  of.compute(order, observed);
  auto const relabelled =
      relabel(ensemble.rows.size(), tests.rows.size(), rate, seed, [&](std::span<std::size_t const> labels) {
        of.compute(labels, deviates);
        return largest_of(deviates);
      });

  JointTest test;
  test.conditional = of.conditional();
  test.relabellings = relabelled.count;
  test.limit = relabelled.limit;
  constexpr char const* whats[] = {"mean", "spread", "mean given the others", "spread given the others"};
  for (std::size_t kind = 0; kind < (test.conditional ? 4u : 2u); ++kind) {
    for (std::size_t v = 0; v < ensemble.columns(); ++v) {
      auto const deviate = observed[kind * ensemble.columns() + v];
      test.findings.push_back(
          {ensemble.names[v], whats[kind], deviate, relabelled.share_of(std::abs(deviate))});
    }
  }
  std::ranges::stable_sort(test.findings, std::greater<>(),
                           [](auto const& f) { return std::abs(f.deviate); });
  test.p = test.findings.front().p;
  return test;
}

}  // namespace ulpine::verification::consistency
