// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>

#include "verification/metrics/metrics.hpp"
#include "verification/metrics/pair_sums.hpp"

namespace ulpine::verification {
namespace {

Value l2_relative(PairSums const& sums) {
  return sums.rms_difference.mantissa == 0  ? Value::of(0)
         : sums.rms_reference.mantissa == 0 ? Value::undefined("the reference is zero everywhere")
                                            : Value::of((sums.rms_difference / sums.rms_reference).value());
}

/// A metric that divides by the means of both fields: `value` where these have one sign, else undefined.
template <class Ratio>
Value where_means_agree(PairSums const& sums, Ratio const& value) {
  return sums.mean_test.mantissa * sums.mean_reference.mantissa > 0
             ? Value::of(value())
             : Value::undefined("the means are zero or of opposite sign");
}

Value nmse(PairSums const& sums) {
  return where_means_agree(sums, [&] {
    return (sums.rms_difference / sums.mean_test * (sums.rms_difference / sums.mean_reference)).value();
  });
}

Value fb(PairSums const& sums) {
  return where_means_agree(sums, [&] {
    return (sums.mean_difference / (sums.mean_test.half() + sums.mean_reference.half())).value();
  });
}

Value one_minus_r(PairSums const& sums) {
  return sums.one_minus_r ? Value::of(std::min(sums.one_minus_r->value(), 2.0))
                          : Value::undefined("a constant field has no correlation");
}

Value r(PairSums const& sums) {
  auto const less = one_minus_r(sums);
  return less.defined() ? Value::of(1 - less.number()) : less;
}

Value without_logarithm() { return Value::undefined("values that are not positive have no logarithm"); }

Value mg(PairSums const& sums) {
  return sums.mean_log_ratio ? Value::of(std::exp(sums.mean_log_ratio->value())) : without_logarithm();
}

Value vg(PairSums const& sums) {
  if (!sums.rms_log_ratio) return without_logarithm();
  double const root = sums.rms_log_ratio->value();
  return Value::of(std::exp(root * root));
}

Value significant_bits(PairSums const& sums) {
  auto const relative = l2_relative(sums);
  if (!relative.defined()) return relative;
  double const error = relative.number();
  return Value::of(error == 0 ? 53 : std::clamp(-std::log2(error), 0.0, 53.0));
}

Value log10_of(Value const& error) {
  if (!error.defined()) {
    return error;
  }
  return error.number() > 0 ? Value::of(std::log10(error.number()))
                            : Value::undefined("the fields are equal");
}

using enum Direction;
using enum Shown;
using Sums = PairSums const&;

/// A row is all that a metric of fields needs: gates, `compare`, results.json, the report and the terminal
/// take it from here. One that follows from other sums than PairSums has adds them there and to
/// MetricsAccumulator.
constexpr MetricInfo rows[] = {
    {"l2_relative", lower, "1", "||x-y|| / ||y||, weighted L2 norms", "rel. L2", 2, everywhere, l2_relative},
    {"linf", lower, "field", "max |x-y|", "max |Δ|", 2, everywhere,
     [](Sums sums) { return Value::of(sums.largest_difference); }},
    {"rmse", lower, "field", "sqrt(mean (x-y)^2)", "RMSE", 2, everywhere,
     [](Sums sums) { return Value::of(sums.rms_difference.value()); }},
    {"mae", lower, "field", "mean |x-y|", "MAE", 2, on_pages,
     [](Sums sums) { return Value::of(sums.mean_magnitude.value()); }},
    {"bias", zero, "field", "mean x - mean y", "bias", 2, everywhere,
     [](Sums sums) { return Value::of(sums.mean_difference.value()); }},
    {"nmse", lower, "1", "mean (x-y)^2 / (mean x mean y)", "NMSE", 2, everywhere, nmse},
    {"fb", zero, "1", "2 (mean x - mean y) / (mean x + mean y), new minus reference", "FB", 2, on_pages, fb},
    {"r", higher, "1", "Pearson correlation", "R", 4, in_files, r},
    {"one_minus_r", lower, "1", "1 - r, formed without cancellation", "1 − R", 2, everywhere, one_minus_r},
    {"fac2", higher, "1", "share of pairs with 1/2 <= x/y <= 2", "FAC2", 4, everywhere,
     [](Sums sums) { return Value::of(sums.within_factor_two.value()); }},
    {"mg", one, "1", "exp(mean ln y - mean ln x)", "MG", 4, on_pages, mg},
    {"vg", one, "1", "exp(mean (ln y - ln x)^2)", "VG", 4, on_pages, vg},
    {"max_ulp", lower, "ulp", "largest distance in units in the last place of the type that is stored",
     "max ULP", 2, everywhere, [](Sums sums) { return Value::of(double(sums.largest_distance)); }},
    {"significant_bits", higher, "bit", "-log2 l2_relative, from 0 to 53", "bits", 3, on_pages,
     significant_bits},
    {"log10_l2_relative", none, "1", "log10 l2_relative", "log10 rel. L2", 3, in_files,
     [](Sums sums) { return log10_of(l2_relative(sums)); }},
    {"log10_linf", none, "1", "log10 linf", "log10 max |Δ|", 3, in_files,
     [](Sums sums) { return log10_of(Value::of(sums.largest_difference)); }},
    {"relative", lower, "1", "statistics, integrals: |x-y| / |y|", "relative", 2, in_files, nullptr},
    {"difference", lower, "field", "statistics, integrals: |x-y|", "difference", 2, in_files, nullptr},
    {"magnitude", lower, "field", "statistics: |x|", "magnitude", 2, in_files, nullptr},
    {"drift", lower, "1", "integrals: |end - start| / |start| of x", "drift", 2, in_files, nullptr},
};

}  // namespace

std::span<MetricInfo const> metric_list() { return rows; }

MetricInfo const* find_metric(std::string const& name) {
  auto const* const found = std::ranges::find(rows, name, &MetricInfo::name);
  return found == std::end(rows) ? nullptr : found;
}

char const* name_of(Direction direction) {
  switch (direction) {
    case lower:
      return "lower";
    case higher:
      return "higher";
    case zero:
      return "zero";
    case one:
      return "one";
    case none:
      break;
  }
  return "none";
}

char const* name_of(Shown shown) {
  switch (shown) {
    case everywhere:
      return "everywhere";
    case on_pages:
      return "pages";
    case in_files:
      break;
  }
  return "files";
}

}  // namespace ulpine::verification
