// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics.hpp"
#include "precision/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace ulpine::verification {
namespace {

constexpr MetricInfo metric_table[] = {
    {"l2_relative", Direction::lower, "||x-y|| / ||y||, weighted L2 norms"},
    {"linf", Direction::lower, "max |x-y|"},
    {"rmse", Direction::lower, "sqrt(mean (x-y)^2)"},
    {"mae", Direction::lower, "mean |x-y|"},
    {"bias", Direction::zero, "mean x - mean y"},
    {"nmse", Direction::lower, "mean (x-y)^2 / (mean x mean y)"},
    {"fb", Direction::zero, "2 (mean x - mean y) / (mean x + mean y), new minus reference"},
    {"r", Direction::higher, "Pearson correlation"},
    {"one_minus_r", Direction::lower, "1 - r, formed without cancellation"},
    {"fac2", Direction::higher, "share of pairs with 1/2 <= x/y <= 2"},
    {"mg", Direction::one, "exp(mean ln y - mean ln x)"},
    {"vg", Direction::one, "exp(mean (ln y - ln x)^2)"},
    {"max_ulp", Direction::lower, "largest distance in units in the last place of double"},
    {"significant_bits", Direction::higher, "-log2 l2_relative, from 0 to 53"},
    {"log10_l2_relative", Direction::none, "log10 l2_relative"},
    {"log10_linf", Direction::none, "log10 linf"},
    {"count_relative", Direction::lower, "features: |count - reference's| / reference's"},
    {"total_length_relative", Direction::lower, "features: |total length - reference's| / reference's"},
};
constexpr std::size_t field_metrics = std::size(metric_table) - 2;  // the rest are of features

/// Weighted means over a fixed set of points; sums are exact.
class Average {
 public:
  Average(std::vector<double> weights, std::size_t points)
      : weights_(std::move(weights)), total_(double(points)) {
    if (!weights_.empty()) {
      scale(weights_, -exponent_of_largest(weights_));
      total_ = exact_sum(weights_);
    }
  }

  double total() const { return total_; }

  /// Mean of a, or of a - b without rounding the difference.
  double mean(std::span<double const> a, std::span<double const> b = {}) const {
    int exponent = exponent_of_largest(a);
    if (!b.empty()) {
      exponent = std::max(exponent, exponent_of_largest(b));
    }
    exponent = needs_scaling(exponent) ? exponent : 0;
    ExactSum sum;
    auto const add = [&](std::span<double const> values, double sign) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        double const term = sign * (exponent == 0 ? values[i] : std::ldexp(values[i], -exponent));
        if (weights_.empty()) {
          sum.add(term);
        } else {
          sum.add_product(term, weights_[i]);
        }
      }
    };
    add(a, 1);
    add(b, -1);
    return std::ldexp(sum.to_double() / total_, exponent);
  }

  /// Makes both smaller by one power of two where differences of differences could overflow, and zero where
  /// their weight is: values that do not count may lie beyond all others.
  void leave_room_for_differences(std::vector<double>& x, std::vector<double>& y) const {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == 0) x[i] = y[i] = 0;
    }
    if (std::max(exponent_of_largest(x), exponent_of_largest(y)) > 1020) {
      scale(x, -4);
      scale(y, -4);
    }
  }

  double root_mean_square(std::span<double const> values) const {
    int const largest = exponent_of_largest(values);
    int const exponent = needs_scaling(largest) ? largest : 0;
    ExactSum sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
      double const value = exponent == 0 ? values[i] : std::ldexp(values[i], -exponent);
      sum.add(weights_.empty() ? value * value : value * value * weights_[i]);
    }
    return std::ldexp(std::sqrt(sum.to_double() / total_), exponent);
  }

  /// values - mean; the mean's own rounding is taken off too.
  std::vector<double> deviations(std::span<double const> values) const {
    std::vector<double> result(values.begin(), values.end());
    for (int pass = 0; pass < 2; ++pass) {
      double const centre = mean(result);
      for (double& value : result) {
        value -= centre;
      }
    }
    return result;
  }

 private:
  static int exponent_of_largest(std::span<double const> values) {
    double largest = 0;
    for (double const value : values) {
      largest = std::max(largest, std::abs(value));
    }
    return largest == 0 ? 0 : std::isinf(largest) ? 1025 : std::ilogb(largest) + 1;
  }
  /// Squares would leave the range of double, or lose bits at its lower end.
  static bool needs_scaling(int exponent) { return std::abs(exponent) > 300; }
  static void scale(std::vector<double>& values, int exponent) {
    for (double& value : values) {
      value = std::ldexp(value, exponent);
    }
  }

  std::vector<double> weights_;
  double total_;
};

/// ln(y/x) for positive x, y; neighbouring values do not cancel.
double log_ratio(double x, double y) {
  return 2 * x >= y && x <= 2 * y ? std::log1p((y - x) / x) : std::log(y) - std::log(x);
}

bool within_factor_two(double x, double y) {
  if (y == 0) {
    return x == 0;
  }
  return y > 0 ? 2 * x >= y && x <= 2 * y : 2 * x <= y && x >= 2 * y;
}

struct Pairs {
  std::vector<double> test, reference, weights;
};

/// The pairs to compare, or why they cannot be.
std::optional<std::string> select_pairs(std::span<double const> test, std::span<double const> reference,
                                        std::span<double const> weights, Pairs& pairs) {
  auto const at = [](std::size_t i) { return " at element " + std::to_string(i); };
  if (test.size() != reference.size()) {
    return "sizes differ: " + std::to_string(test.size()) + " values against " +
           std::to_string(reference.size());
  }
  if (!weights.empty() && weights.size() != test.size()) {
    return std::to_string(weights.size()) + " weights for " + std::to_string(test.size()) + " values";
  }
  for (std::size_t i = 0; i < test.size(); ++i) {
    if (std::isnan(test[i]) && std::isnan(reference[i])) {
      continue;
    }
    if (std::isnan(test[i]) || std::isnan(reference[i])) {
      return std::string("NaN only in the ") + (std::isnan(test[i]) ? "test" : "reference") + at(i);
    }
    if (std::isinf(test[i]) || std::isinf(reference[i])) {
      return std::string("infinite value in the ") + (std::isinf(test[i]) ? "test" : "reference") + at(i);
    }
    if (!weights.empty()) {
      if (!(weights[i] >= 0) || std::isinf(weights[i])) {
        return "weight is negative or not finite" + at(i);
      }
      pairs.weights.push_back(weights[i]);
    }
    pairs.test.push_back(test[i]);
    pairs.reference.push_back(reference[i]);
  }
  return std::nullopt;
}

/// x - y - shift, of which only the last step rounds for neighbouring x and y and for differences close to
/// `shift`.
double shifted_difference(double x, double y, double shift) {
  double const difference = x - y;
  double const y_part = x - difference, x_part = difference + y_part;
  double const lost = (x - x_part) + (y_part - y);  // x - y = difference + lost exactly (Knuth)
  return (difference - shift) + lost;
}

/// Standard deviation of a/sd_a - b/sd_b with a, b the deviations of x and y from their means; empty where a
/// spread underflows. Formed from a - b: a/sd_a - b/sd_b = (a-b)/sd_a - b/sd_b delta with delta = (sd_a -
/// sd_b)/sd_a = mean((a-b)(a+b)) / (sd_a (sd_a + sd_b)). Of x and y the one that spreads more is a, so that
/// nothing leaves the range of double however far apart they are.
std::optional<double> spread_of_standardised_difference(Average const& average, std::vector<double> x,
                                                        std::vector<double> y) {
  average.leave_room_for_differences(x, y);
  auto a = average.deviations(x), b = average.deviations(y);
  double sd_a = average.root_mean_square(a), sd_b = average.root_mean_square(b);
  if (sd_a < sd_b) {
    x.swap(y);
    a.swap(b);
    std::swap(sd_a, sd_b);
  }
  if (sd_b == 0) {
    return std::nullopt;
  }
  double const bias = average.mean(x, y), ratio = sd_b / sd_a;
  std::vector<double> error(x.size());
  for (std::size_t i = 0; i < error.size(); ++i) {
    error[i] = shifted_difference(x[i], y[i], bias);
  }
  error = average.deviations(error);
  std::vector<double> product(error.size());
  for (std::size_t i = 0; i < error.size(); ++i) {
    error[i] /= sd_a;
    b[i] /= sd_b;
    product[i] = error[i] * (a[i] / sd_a + b[i] * ratio);
  }
  double const delta = average.mean(product) / (1 + ratio);
  for (std::size_t i = 0; i < error.size(); ++i) {
    error[i] -= b[i] * delta;
  }
  return average.root_mean_square(average.deviations(error));
}

bool is_constant(std::span<double const> values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

Value log10_of(Value const& error) {
  if (!error.defined()) {
    return error;
  }
  return error.number() > 0 ? Value::of(std::log10(error.number()))
                            : Value::undefined("the fields are equal");
}

}  // namespace

std::span<MetricInfo const> metric_list() { return metric_table; }

MetricInfo const* find_metric(std::string const& name) {
  for (auto const& metric : metric_table) {
    if (name == metric.name) {
      return &metric;
    }
  }
  return nullptr;
}

Value const& Metrics::operator[](std::string const& name) const {
  static Value const none = Value::undefined("no such metric");
  for (auto const& [key, value] : values) {
    if (key == name) {
      return value;
    }
  }
  return none;
}

bool Metrics::equal() const { return failure.empty() && ulp_histogram[0] == points; }

std::uint64_t ulp_distance(double a, double b) {
  // Sign and magnitude to two's complement: neighbouring doubles become neighbouring integers.
  auto const ordered = [](double x) {
    auto const bits = std::bit_cast<std::int64_t>(x);
    return bits < 0 ? std::uint64_t(0) - (std::uint64_t(bits) & ~(1ULL << 63)) : std::uint64_t(bits);
  };
  std::uint64_t const difference = ordered(a) - ordered(b);
  return a >= b ? difference : std::uint64_t(0) - difference;
}

Metrics failed_metrics(std::string const& reason) {
  Metrics result;
  result.failure = reason;
  for (std::size_t i = 0; i < field_metrics; ++i) {
    result.values.emplace_back(metric_table[i].name, Value::failure(reason));
  }
  return result;
}

Metrics compute_metrics(std::span<double const> test, std::span<double const> reference,
                        std::span<double const> weights) {
  Pairs pairs;
  if (auto const problem = select_pairs(test, reference, weights, pairs)) {
    return failed_metrics(*problem);
  }
  Metrics result;
  result.points = std::int64_t(pairs.test.size());
  result.missing = std::int64_t(test.size()) - result.points;
  auto const undefined = [&](std::string const& reason) {
    for (std::size_t i = 0; i < field_metrics; ++i) {
      result.values.emplace_back(metric_table[i].name, Value::undefined(reason));
    }
    return result;
  };
  if (result.points == 0) {
    return undefined("no pair of values");
  }
  auto const& x = pairs.test;
  auto const& y = pairs.reference;
  std::size_t const n = x.size();
  Average const average(std::move(pairs.weights), n);
  if (average.total() == 0) {
    return undefined("all weights are zero");
  }

  std::vector<double> difference(n), magnitude(n), good(n);
  double linf = 0;
  std::uint64_t max_ulp = 0;
  bool positive = true;
  for (std::size_t i = 0; i < n; ++i) {
    difference[i] = x[i] - y[i];
    magnitude[i] = std::abs(difference[i]);
    good[i] = within_factor_two(x[i], y[i]) ? 1 : 0;
    linf = std::max(linf, magnitude[i]);
    auto const distance = ulp_distance(x[i], y[i]);
    max_ulp = std::max(max_ulp, distance);
    ++result.ulp_histogram[std::size_t(std::bit_width(distance))];
    positive = positive && x[i] > 0 && y[i] > 0;
  }
  if (std::isinf(linf)) {
    return failed_metrics("the difference exceeds the range of double");
  }
  double const rmse = average.root_mean_square(difference);
  double const norm = average.root_mean_square(y);
  double const mean_x = average.mean(x), mean_y = average.mean(y), bias = average.mean(x, y);

  auto const l2_relative = rmse == 0   ? Value::of(0)
                           : norm == 0 ? Value::undefined("the reference is zero everywhere")
                                       : Value::of(rmse / norm);
  bool const same_sign = (mean_x > 0 && mean_y > 0) || (mean_x < 0 && mean_y < 0);
  auto const opposite = Value::undefined("the means are zero or of opposite sign");

  auto one_minus_r = Value::undefined("a constant field has no correlation");
  auto r = one_minus_r;
  if (!is_constant(x) && !is_constant(y)) {
    if (auto const spread = spread_of_standardised_difference(average, x, y)) {
      double const less = std::min(*spread * *spread / 2, 2.0);
      one_minus_r = Value::of(less);
      r = Value::of(1 - less);
    }
  }

  auto mg = Value::undefined("values that are not positive have no logarithm");
  auto vg = mg;
  if (positive) {
    std::vector<double> ratio(n);
    for (std::size_t i = 0; i < n; ++i) {
      ratio[i] = log_ratio(x[i], y[i]);
    }
    mg = Value::of(std::exp(average.mean(ratio)));
    double const root = average.root_mean_square(ratio);
    vg = Value::of(std::exp(root * root));
  }

  auto significant_bits = l2_relative;
  if (l2_relative.defined()) {
    double const error = l2_relative.number();
    significant_bits = Value::of(error == 0 ? 53 : std::clamp(-std::log2(error), 0.0, 53.0));
  }

  result.values = {
      {"l2_relative", l2_relative},
      {"linf", Value::of(linf)},
      {"rmse", Value::of(rmse)},
      {"mae", Value::of(average.mean(magnitude))},
      {"bias", Value::of(bias)},
      {"nmse", same_sign ? Value::of(rmse / mean_x * (rmse / mean_y)) : opposite},
      // Halves, so that the sum of the means stays in range.
      {"fb", same_sign ? Value::of(bias / (mean_x / 2 + mean_y / 2)) : opposite},
      {"r", r},
      {"one_minus_r", one_minus_r},
      {"fac2", Value::of(average.mean(good))},
      {"mg", mg},
      {"vg", vg},
      {"max_ulp", Value::of(double(max_ulp))},
      {"significant_bits", significant_bits},
      {"log10_l2_relative", log10_of(l2_relative)},
      {"log10_linf", log10_of(Value::of(linf))},
  };
  return result;
}

}  // namespace ulpine::verification
