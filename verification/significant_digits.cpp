// SPDX-License-Identifier: Apache-2.0
#include "verification/significant_digits.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cassert>
#include <cmath>
#include <string>
#include <vector>

#include "verification/statistics.hpp"

namespace ulpine::verification {
namespace {

bool all_finite(std::span<double const> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

/// Errors Z of the samples, or a value that says why there are none.
Value errors(std::span<double const> samples, double reference, ErrorKind kind, std::vector<double>& z) {
  if (!all_finite(samples) || !std::isfinite(reference)) {
    return Value::failure("a sample or the reference is not finite");
  }
  if (kind == ErrorKind::relative && reference == 0) {
    return Value::undefined("a relative error against zero: use an absolute one with a physical scale");
  }
  for (double const sample : samples) {
    z.push_back(kind == ErrorKind::relative ? (sample - reference) / reference : sample - reference);
  }
  return Value::of(0);
}

}  // namespace

Value parker_bits(std::span<double const> samples, int mantissa) {
  if (samples.size() < 2) {
    return Value::undefined("fewer than two samples");
  }
  if (!all_finite(samples)) {
    return Value::failure("a sample is not finite");
  }
  auto const [mean, sd, n] = moments(samples);
  if (sd == 0) {
    return Value::of(mantissa);
  }
  return mean == 0 ? Value::undefined("the mean is zero") : Value::of(-std::log2(sd / std::abs(mean)));
}

double normal_hypothesis_penalty(std::int64_t samples, double probability, double confidence) {
  assert(samples >= 2 && probability > 0 && probability < 1 && confidence > 0 && confidence < 1);
  double const freedom = double(samples - 1);
  double const chi2 = boost::math::quantile(boost::math::chi_squared(freedom), (1 - confidence) / 2);
  double const z = boost::math::quantile(boost::math::normal(), (probability + 1) / 2);
  return std::log2(freedom / chi2) / 2 + std::log2(z);
}

Value normal_hypothesis_bits(std::span<double const> samples, double reference, ErrorKind kind,
                             double probability, double confidence, int mantissa) {
  if (samples.size() < 2) {
    return Value::undefined("fewer than two samples");
  }
  std::vector<double> z;
  if (auto const problem = errors(samples, reference, kind, z); !problem.defined()) {
    return problem;
  }
  auto const n = std::int64_t(samples.size());
  double const sd = moments(z).sd * std::sqrt(double(n - 1) / double(n));
  double const bits = sd == 0 ? mantissa : -std::log2(sd);
  return Value::of(bits - normal_hypothesis_penalty(n, probability, confidence));
}

Value bernoulli_bits(std::span<double const> samples, double reference, ErrorKind kind, int mantissa) {
  if (samples.empty()) {
    return Value::undefined("no samples");
  }
  std::vector<double> z;
  if (auto const problem = errors(samples, reference, kind, z); !problem.defined()) {
    return problem;
  }
  double largest = 0;
  for (double const error : z) {
    largest = std::max(largest, std::abs(error));
  }
  if (largest == 0) {
    return Value::of(mantissa);
  }
  int exponent = 0;
  double const fraction = std::frexp(largest, &exponent);  // in [1/2, 1): a power of two exactly at 1/2
  int const bits = fraction == 0.5 ? 1 - exponent : -exponent;
  return Value::of(std::min(bits, mantissa));
}

std::int64_t bernoulli_samples(double probability, double confidence) {
  assert(probability > 0 && probability < 1 && confidence > 0 && confidence < 1);
  return std::int64_t(std::ceil(std::log1p(-confidence) / std::log(probability)));
}

}  // namespace ulpine::verification
