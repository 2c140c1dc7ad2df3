// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/metrics_accumulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "io/absence.hpp"
#include "verification/metrics/pair_sums.hpp"

namespace ulpine::verification {
namespace {

/// ln(y/x) for positive x, y of difference x - y; neighbouring values do not cancel.
double log_ratio(double x, double y, double difference) {
  return 2 * x >= y && x <= 2 * y ? std::log1p(-difference / x) : std::log(y) - std::log(x);
}

bool within_factor_two(double x, double y) {
  if (y == 0) {
    return x == 0;
  }
  return y > 0 ? 2 * x >= y && x <= 2 * y : 2 * x <= y && x >= 2 * y;
}

/// (x + x_low) - (y + y_low), rounded once where the lower parts are zero or of integers.
double difference_of(double x, double y, double x_low, double y_low) {
  double const difference = x - y;
  if (x_low == 0 && y_low == 0) {
    return difference;
  }
  double const y_part = x - difference, x_part = difference + y_part;
  double const lost = (x - x_part) + (y_part - y);  // x - y = difference + lost exactly (Knuth)
  return difference + (lost + (x_low - y_low));
}

/// Adds value^2 weight, rounded after each product as doubles without limits of range would be.
void add_square(WideSum& sum, double value, double weight, bool weighted) {
  auto const v = Scaled::of(value);
  auto const square = v.mantissa * v.mantissa;
  if (!weighted) {
    sum.add(square, 2 * v.exponent);
    return;
  }
  auto const w = Scaled::of(weight);
  sum.add(square * w.mantissa, 2 * v.exponent + w.exponent);
}

}  // namespace

void MetricsAccumulator::set_failure(std::string const& reason, Where const& where) {
  if (failure_.empty()) failure_ = reason + " at element " + std::to_string(where());
}

void MetricsAccumulator::set_differing(double difference, Where const& where) {
  ++differing_;
  if (!first_differing_) first_differing_ = where();
  if (std::abs(difference) > largest_) {
    largest_ = std::abs(difference);
    largest_at_ = where();
  }
}

MetricsAccumulator::Pair MetricsAccumulator::look_at(double x, double y, double x_low, double y_low,
                                                     Where const& where) {
  auto const counted = one_sided_values_ == OneSidedValues::count;
  auto const no_x = std::isnan(x), no_y = std::isnan(y);
  if (no_x && no_y) {
    unseen_ += io::may_hide_difference(x, y) ? 1 : 0;
    return Pair::left_out;
  }
  if (no_x || no_y) {
    set_differing(0, where);
    auto const computed = io::absence_of(no_x ? x : y) == io::Absence::nan;
    if (!counted) {
      set_failure(
          std::string(computed ? "NaN" : "a missing value") + " only in the " + (no_x ? "test" : "reference"),
          where);
      return Pair::failed;
    }
    auto& count = computed ? (no_x ? one_sided_.nan_in_test : one_sided_.nan_in_reference)
                           : (no_x ? one_sided_.missing_in_test : one_sided_.missing_in_reference);
    ++count;
    return Pair::left_out;
  }
  if (std::isinf(x) || std::isinf(y)) {
    if (x == y && counted) return Pair::left_out;
    if (x != y) set_differing(std::numeric_limits<double>::max(), where);
    set_failure(std::string("infinite value in the ") + (std::isinf(x) ? "test" : "reference"), where);
    return Pair::failed;
  }
  if (std::isinf(x - y)) {
    set_differing(std::numeric_limits<double>::max(), where);
    set_failure("the difference exceeds the range of double", where);
    return Pair::failed;
  }
  if (auto const difference = difference_of(x, y, x_low, y_low); difference != 0) {
    set_differing(difference, where);
  }
  return Pair::usable;
}

bool MetricsAccumulator::add(FieldPart const& part, Place const& place) {
  auto const& [test, reference, weights, test_low, reference_low] = part;
  for (std::size_t i = 0; i < test.size(); ++i) {
    if (!failure_.empty() && one_sided_values_ == OneSidedValues::fail) break;
    Where const where{place, i, values_};
    double const x = test[i], y = reference[i], weight = weights.empty() ? 1 : weights[i];
    double const x_low = test_low.empty() ? 0 : test_low[i],
                 y_low = reference_low.empty() ? 0 : reference_low[i];
    if (weight == 0) {
      ++weightless_;
      // The pair has no weight in any metric, but its values still count for whether the fields are equal.
      if (std::isnan(x) && std::isnan(y)) {
        unseen_ += io::may_hide_difference(x, y) ? 1 : 0;
      } else if (x != y || x_low != y_low) {
        set_differing(0, where);
      }
      continue;
    }
    if (look_at(x, y, x_low, y_low, where) != Pair::usable || !failure_.empty()) continue;
    if (!(weight >= 0) || std::isinf(weight)) {
      set_failure("weight is negative or not finite", where);
      continue;
    }
    add_pair(x, y, x_low, y_low, weight, !weights.empty());
  }
  values_ += static_cast<std::int64_t>(test.size());
  return failure_.empty();
}

void MetricsAccumulator::add_pair(double x, double y, double x_low, double y_low, double weight,
                                  bool weighted) {
  if (points_++ == 0) {
    first_ = {x, x_low, y, y_low};
  }
  constant_test_ = constant_test_ && x == first_.test && x_low == first_.test_low;
  constant_reference_ = constant_reference_ && y == first_.reference && y_low == first_.reference_low;

  double const difference = difference_of(x, y, x_low, y_low);
  linf_ = std::max(linf_, std::abs(difference));
  auto const distance = unit_.distance(x, y, difference);
  max_ulp_ = std::max(max_ulp_, distance);
  ++histogram_[std::size_t(std::bit_width(distance))];

  auto const x_binary = Binary::of(x, x_low), y_binary = Binary::of(y, y_low),
             weight_binary = Binary::of(weight);
  auto const add = [&](WideSum& sum, double value) {
    weighted ? sum.add_product(Binary::of(value), weight_binary) : sum.add(value);
  };
  weighted ? moments_.add(x_binary, y_binary, weight_binary) : moments_.add(x_binary, y_binary);
  add(magnitude_, std::abs(difference));
  add_square(squared_error_, difference, weight, weighted);
  add_square(squared_reference_, y, weight, weighted);
  if (within_factor_two(x, y)) {
    good_.add(weight_binary);
  }
  positive_ = positive_ && x > 0 && y > 0;
  if (positive_) {
    double const ratio = log_ratio(x, y, difference);
    add(log_ratio_, ratio);
    add_square(squared_log_ratio_, ratio, weight, weighted);
  }
}

Metrics MetricsAccumulator::finish() const {
  auto const put_counts = [&](Metrics& metrics) {
    metrics.differing = differing_;
    metrics.one_sided = one_sided_;
    metrics.unseen = unseen_;
    metrics.largest_at = largest_at_ ? largest_at_ : first_differing_;
  };
  if (!failure_.empty()) {
    auto failed = failed_metrics(failure_);
    put_counts(failed);
    return failed;
  }
  auto result = points_ > 0       ? Metrics{}
                : weightless_ > 0 ? undefined_metrics("all weights are zero")
                                  : undefined_metrics("no pair of values");
  result.points = points_;
  result.missing = values_ - points_;
  put_counts(result);
  result.ulp_histogram = histogram_;
  if (points_ == 0) {
    return result;
  }
  auto const total = moments_.w.rounded();
  auto const mean = [&](WideSum const& sum) { return sum.rounded() / total; };
  auto const root_mean = [&](WideSum const& sum) { return square_root(mean(sum)); };
  auto sum_of_differences = moments_.wx;
  sum_of_differences.subtract(moments_.wy);

  PairSums sums;
  sums.mean_test = mean(moments_.wx);
  sums.mean_reference = mean(moments_.wy);
  sums.mean_difference = mean(sum_of_differences);
  sums.mean_magnitude = mean(magnitude_);
  sums.rms_difference = root_mean(squared_error_);
  sums.rms_reference = root_mean(squared_reference_);
  sums.largest_difference = linf_;
  sums.largest_distance = max_ulp_;
  sums.within_factor_two = mean(good_);
  if (!constant_test_ && !constant_reference_) sums.one_minus_r = moments_.one_minus_r();
  if (positive_) {
    sums.mean_log_ratio = mean(log_ratio_);
    sums.rms_log_ratio = root_mean(squared_log_ratio_);
  }
  for (auto const& metric : metric_list()) {
    if (metric.of_fields != nullptr) result.values.emplace_back(metric.name, metric.of_fields(sums));
  }
  return result;
}

}  // namespace ulpine::verification
