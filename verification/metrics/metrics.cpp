// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "verification/metrics/metrics_accumulator.hpp"

namespace ulpine::verification {
namespace {

Metrics all_metrics(Value const& value) {
  Metrics result;
  for (auto const& metric : metric_list()) {
    if (metric.of_fields != nullptr) result.values.emplace_back(metric.name, value);
  }
  return result;
}

}  // namespace

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

namespace {

/// Sign and magnitude to two's complement: neighbouring numbers become neighbouring integers.
template <class Signed, class Real>
std::uint64_t steps_between(Real a, Real b) {
  using Unsigned = std::make_unsigned_t<Signed>;
  auto const ordered = [](Real x) {
    auto const bits = std::bit_cast<Signed>(x);
    auto const magnitude = Unsigned(Unsigned(bits) << 1) >> 1;
    return bits < 0 ? Unsigned(Unsigned(0) - magnitude) : Unsigned(bits);
  };
  Unsigned const difference = ordered(a) - ordered(b);
  return a >= b ? difference : Unsigned(Unsigned(0) - difference);
}

}  // namespace

std::uint64_t ulp_distance(double a, double b) { return steps_between<std::int64_t>(a, b); }
std::uint64_t float_ulp_distance(float a, float b) { return steps_between<std::int32_t>(a, b); }

std::uint64_t UlpUnit::distance(double x, double y, double difference) const {
  if (difference == 0) return 0;
  constexpr double most = 0x1.fffffffffffffp63;
  auto const found = kind == Kind::of_double ? ulp_distance(x, y)
                     : kind == Kind::of_float
                         ? float_ulp_distance(float(x), float(y))
                         : std::uint64_t(std::min(std::abs(difference) / step + 0.5, most));
  return std::max<std::uint64_t>(found, 1);
}

Metrics failed_metrics(std::string const& reason) {
  auto result = all_metrics(Value::failure(reason));
  result.failure = reason;
  return result;
}

Metrics undefined_metrics(std::string const& reason) { return all_metrics(Value::undefined(reason)); }

Metrics compute_metrics(std::span<double const> test, std::span<double const> reference,
                        std::span<double const> weights) {
  if (test.size() != reference.size()) {
    return failed_metrics("sizes differ: " + std::to_string(test.size()) + " values against " +
                          std::to_string(reference.size()));
  }
  if (!weights.empty() && weights.size() != test.size()) {
    return failed_metrics(std::to_string(weights.size()) + " weights for " + std::to_string(test.size()) +
                          " values");
  }
  MetricsAccumulator accumulator;
  accumulator.add({test, reference, weights});
  return accumulator.finish();
}

}  // namespace ulpine::verification
