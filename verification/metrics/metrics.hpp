// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "verification/metrics/value.hpp"

namespace ulpine::verification {

/// Which values of a metric are good ones.
enum class Direction {
  lower,   ///< the smaller the better: passes where value <= limit
  higher,  ///< the larger the better: passes where value >= limit
  zero,    ///< signed, 0 is perfect: passes where |value| <= limit
  one,     ///< a ratio, 1 is perfect: passes where max(value, 1/value) <= limit
  none     ///< for reading only, no gate
};

/// The places where a metric is shown unless more is asked for; files of results hold all of them.
enum class Shown {
  everywhere,  ///< on the terminal and on the report's page
  on_pages,    ///< on the report's page alone
  in_files     ///< in neither
};

struct PairSums;

struct MetricInfo {
  char const* name;
  Direction direction;
  char const* unit;     ///< "1", "ulp", "bit", or "field": that of the field
  char const* meaning;  ///< one line, formula in terms of test x and reference y
  char const* heading;  ///< heading of its column
  int digits;           ///< significant ones, where a page shows it
  Shown shown;
  /// The value for a pair of fields (pair_sums.hpp); null for those of single numbers.
  Value (*of_fields)(PairSums const&);
};

/// Every metric that compute_metrics() gives and those of single numbers that gates know (`relative`,
/// `difference`, `drift`), in the order in which people read them: the one place that says what a metric is
/// (metric_list.cpp).
std::span<MetricInfo const> metric_list();
/// "lower", "higher", "zero", "one", "none": as files of results name it.
char const* name_of(Direction direction);
/// "everywhere", "pages", "files".
char const* name_of(Shown shown);
/// The entry of metric_list(), null where unknown.
MetricInfo const* find_metric(std::string const& name);

/// Counts of pairs by distance in units in the last place (UlpUnit; +0 and -0 are one): bin 0 holds distance
/// 0, bin k distances in [2^(k-1), 2^k).
using UlpHistogram = std::array<std::int64_t, 65>;

/// Places at which one side has a value and the other none.
struct OneSided {
  std::int64_t missing_in_reference = 0, missing_in_test = 0;  ///< marked as missing by the file
  std::int64_t nan_in_reference = 0, nan_in_test = 0;          ///< NaN as such
  std::int64_t all() const { return missing_in_reference + missing_in_test + nan_in_reference + nan_in_test; }
};

/// Test field x against reference field y, without the pairs that are missing (NaN) on both sides or have no
/// weight; means are weighted where weights are given.
struct Metrics {
  std::int64_t points = 0;   ///< pairs used
  std::int64_t missing = 0;  ///< pairs left out: NaN on a side (land), of weight 0, or the same infinity
  /// Places whose values are not equal (+0 and -0 are), of any weight; with those of one_sided.
  std::int64_t differing = 0;
  OneSided one_sided;  ///< where these are counted and no failure
  /// Places without a value on both sides that may differ all the same: a number outside of its valid range
  /// on a side, or NaN on one and marked as missing on the other.
  std::int64_t unseen = 0;
  /// Row-major place of the largest difference, or where there is none of the first differing place.
  std::optional<std::int64_t> largest_at;
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

/// Neighbouring numbers of the type between a and b (neither NaN); +0 and -0 are the same number.
std::uint64_t ulp_distance(double a, double b);
std::uint64_t float_ulp_distance(float a, float b);

/// The unit that differences of two files' values are counted in: the last place of the coarser of the types
/// that they are stored in.
struct UlpUnit {
  enum class Kind { of_double, of_float, steps } kind = Kind::of_double;
  double step = 1;  ///< step of integers: 1, or the scale_factor of packed ones
  /// Units between x and y, at least 1 where they differ. `difference` is x - y, exact for 64-bit integers.
  std::uint64_t distance(double x, double y, double difference) const;
};

}  // namespace ulpine::verification
