// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verification/value.hpp"

namespace ulpine::verification {

/// Which values of a metric are good ones.
enum class Direction {
  lower,   ///< the smaller the better: passes where value <= limit
  higher,  ///< the larger the better: passes where value >= limit
  zero,    ///< signed, 0 is perfect: passes where |value| <= limit
  one,     ///< a ratio, 1 is perfect: passes where max(value, 1/value) <= limit
  none     ///< for reading only, no gate
};

struct MetricInfo {
  char const* name;
  Direction direction;
  char const* meaning;  ///< one line, formula in terms of test x and reference y
};

/// Every metric that compute_metrics() gives and those of single numbers that gates know (`relative`,
/// `difference`, `drift`): the one place that says what is good.
std::span<MetricInfo const> metric_list();
/// The entry of metric_list(), null where unknown.
MetricInfo const* find_metric(std::string const& name);

/// Counts of pairs by distance in units in the last place (steps between neighbouring doubles; +0 and -0 are
/// one): bin 0 holds distance 0, bin k distances in [2^(k-1), 2^k).
using UlpHistogram = std::array<std::int64_t, 65>;

/// Test field x against reference field y, without the pairs that are missing (NaN) on both sides or have no
/// weight; means are weighted where weights are given.
struct Metrics {
  std::int64_t points = 0;   ///< pairs used
  std::int64_t missing = 0;  ///< pairs left out: NaN on both sides (land), or of weight 0
  std::string failure;  ///< why the fields cannot be compared; then every value is a failure. Empty otherwise
  UlpHistogram ulp_histogram{};
  std::vector<std::pair<std::string, Value>> values;  ///< in the order of metric_list()

  /// The value of `name`; undefined where there is no such metric.
  Value const& operator[](std::string const& name) const;
  /// Every pair has equal bits but for the sign of zero, and nothing failed.
  bool equal() const;
};

/// Metrics of `test` against `reference` with optional non-negative `weights` (cell areas), all of one size:
///   l2_relative = ||x-y|| / ||y|| (0 for equal fields), linf = max |x-y|, rmse, mae, bias = mean x - mean y,
///   nmse = mean (x-y)^2 / (mean x mean y), fb = 2 (mean x - mean y) / (mean x + mean y) (new minus
///   reference), r (Pearson), one_minus_r = 1 - r, which does not cancel, fac2 (share of pairs with 1/2 <=
///   x/y
///   <= 2; both 0 is good, y = 0 alone bad), mg = exp(mean ln y - mean ln x), vg = exp(mean (ln y - ln x)^2),
///   max_ulp, significant_bits = -log2 l2_relative in [0, 53], log10_l2_relative, log10_linf.
/// Sums are exactly rounded, so the order of the points does not matter, and have no limits of range: errors
/// of fields that differ are never 0. NaN on one side only, infinite values, differing sizes and bad weights
/// are failures, never dropped. Pairs of weight 0 count nowhere. Fields that come in parts:
/// metrics_accumulator.hpp.
Metrics compute_metrics(std::span<double const> test, std::span<double const> reference,
                        std::span<double const> weights = {});

/// All values failures of one reason: for runs that have no field to compare.
Metrics failed_metrics(std::string const& reason);
/// All values undefined for one reason.
Metrics undefined_metrics(std::string const& reason);

/// Neighbouring doubles between a and b (neither NaN); +0 and -0 are the same number.
std::uint64_t ulp_distance(double a, double b);

}  // namespace ulpine::verification
