// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/margins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/statistics/statistics.hpp"
#include "verification/statistics/two_sample.hpp"

namespace ulpine::verification::consistency {
namespace {

/// Which of two groups of values is shifted or spread how, as two deviates: of values and of their scores.
class Pair {
 public:
  Pair(std::vector<double> const& first, std::vector<double> const& second, bool of_spread, double sign)
      : n_{first.size()}, m_{second.size()}, of_spread_{of_spread}, sign_{sign} {
    auto all = first;
    all.insert(all.end(), second.begin(), second.end());
    columns_[1] = standardised(normal_scores(all));
    columns_[0] = standardised(std::move(all));
  }
  static constexpr std::size_t families = 2;
  /// Positive where the second group is the lower one, or the narrower one (sign -1), or the other way (1).
  void operator()(std::span<std::size_t const> order, std::span<double> deviates) const {
    auto const n = double(n_), m = double(m_), freedom = n + m - 2;
    for (std::size_t family = 0; family < families; ++family) {
      double sum[2] = {}, squares[2] = {};
      for (std::size_t i = 0; i < order.size(); ++i) {
        auto const value = columns_[family][order[i]];
        sum[i >= n_] += value;
        squares[i >= n_] += value * value;
      }
      // Standardised values lose nothing to their squares' difference that would count here.
      auto const first = std::max(squares[0] - sum[0] * sum[0] / n, 0.0),
                 second = std::max(squares[1] - sum[1] * sum[1] / m, 0.0);
      auto const error = std::sqrt(std::max((first + second) / freedom, 1e-24) * (1 / n + 1 / m));
      deviates[family] = sign_ * (of_spread_ ? deviate_of_squares(first, n - 1, second, m - 1)
                                             : deviate_of_t((sum[1] / m - sum[0] / n) / error, freedom));
    }
  }

 private:
  std::size_t n_, m_;
  bool of_spread_;
  double sign_;
  std::vector<double> columns_[families];
};

double kurtosis_of(std::vector<double> const& values) {
  double sum = 0;
  for (auto const value : standardised(values)) sum += std::pow(value, 4);
  return sum / double(values.size());
}

constexpr double deviate_of_wanted_power = 0.8416;  // of 80 %

}  // namespace

std::vector<Unexcluded> not_excluded(Table const& ensemble, Table const& tests, Margins const& margins,
                                     double alpha, std::uint64_t seed) {
  std::vector<Unexcluded> open;
  Labellings labellings(ensemble.rows.size(), tests.rows.size(), seed);
  auto const one_sided = two_sided_deviate(2 * alpha);
  for (std::size_t v = 0; v < ensemble.columns(); ++v) {
    auto const accepted = ensemble.column(v), tested = tests.column(v);
    auto const n = accepted.size(), m = tested.size();
    auto const [mean, sd, count] = moments(accepted);
    auto const kurtosis = kurtosis_of(accepted);
    // Errors in standard deviations: of the difference of means, and of the margin that the ensemble's makes.
    auto const of_means = 1 / double(n) + 1 / double(m);
    auto const of_margin = margins.shift * margins.shift * std::max(kurtosis - 1, 0.0) / 4;
    auto const shift =
        margins.shift - one_sided * (std::sqrt(of_means + of_margin / double(n)) - std::sqrt(of_means));
    auto const test = [&](std::vector<double> const& undone, bool of_spread, double sign, std::string what,
                          double runs_needed) {
      auto const relabelled =
          relabel(labellings, alpha, Pair::families, Pair(accepted, undone, of_spread, sign));
      if (relabelled.p > alpha) {
        open.push_back({ensemble.names[v], std::move(what), relabelled.p,
                        std::max(std::int64_t(std::ceil(runs_needed)), std::int64_t(2 / of_means) + 1)});
      }
    };
    auto const runs_for = [&](double gap, double variance) {
      return std::pow((one_sided + deviate_of_wanted_power) / gap, 2) * variance;
    };
    auto const tested_moments = moments(tested);
    auto undone = tested;
    for (auto const sign : {1.0, -1.0}) {
      auto const supposed = sign * std::max(shift, 0.0) * sd;
      std::ranges::transform(tested, undone.begin(), [&](double value) { return value - supposed; });
      auto const off = sd > 0 ? sign * (tested_moments.mean - mean) / sd : 0;
      test(undone, false, -sign,
           fmt::format("a mean {} by {:g} standard deviations", sign > 0 ? "higher" : "lower", margins.shift),
           runs_for(std::max(margins.shift - off, margins.shift / 4), 2 + of_margin));
    }
    auto const centre = median_of(accepted), own = median_of(tested);
    for (auto const sign : {1.0, -1.0}) {
      auto const factor = std::pow(margins.spread, -sign);
      std::ranges::transform(tested, undone.begin(),
                             [&](double value) { return centre + (value - own) * factor; });
      auto const off = sd > 0 && tested_moments.sd > 0 ? sign * std::log(tested_moments.sd / sd) : 0;
      test(undone, true, -sign,
           fmt::format("a spread {:g} times as {}", margins.spread, sign > 0 ? "large" : "small"),
           runs_for(std::max(std::log(margins.spread) - off, std::log(margins.spread) / 4),
                    std::max(kurtosis - 1, 0.5) / 2));
    }
  }
  std::ranges::stable_sort(open, std::greater<>(), &Unexcluded::p);
  return open;
}

}  // namespace ulpine::verification::consistency
