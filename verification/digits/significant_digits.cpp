// SPDX-License-Identifier: Apache-2.0
#include "verification/digits/significant_digits.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "verification/statistics/distributions.hpp"
#include "verification/statistics/samples.hpp"

namespace ulpine::verification {
namespace {

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

/// Bits by which the spread of few samples may be underestimated: half of log2((n-1)/chi2).
double spread_penalty(std::int64_t samples, double confidence) {
  assert(samples >= 2 && confidence > 0 && confidence < 1);
  double const freedom = double(samples - 1);
  double const chi2 = distributions::chi_squared_quantile((1 - confidence) / 2, freedom);
  return std::log2(freedom / chi2) / 2;
}

/// -log2(sd_Z), sd with n.
Value spread_bits(std::span<double const> samples, double reference, ErrorKind kind, int mantissa) {
  if (samples.size() < 2) {
    return Value::undefined("fewer than two samples");
  }
  std::vector<double> z;
  if (auto const problem = errors(samples, reference, kind, z); !problem.defined()) {
    return problem;
  }
  auto const n = double(samples.size());
  double const sd = moments(z).sd * std::sqrt((n - 1) / n);
  return Value::of(sd == 0 ? mantissa : -std::log2(sd));
}

template <class Penalty>
Value less(Value const& bits, Penalty const& penalty) {
  return bits.defined() ? Value::of(bits.number() - penalty()) : bits;
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
  assert(probability > 0 && probability < 1);
  double const z = distributions::normal_quantile((probability + 1) / 2);
  return spread_penalty(samples, confidence) + std::log2(z);
}

double contributing_penalty(std::int64_t samples, double probability, double confidence) {
  assert(probability > 0.5 && probability < 1);
  return spread_penalty(samples, confidence) + std::log2(probability - 0.5) +
         std::log2(2 * std::sqrt(2 * std::numbers::pi));
}

Value normal_hypothesis_bits(std::span<double const> samples, double reference, ErrorKind kind,
                             double probability, double confidence, int mantissa) {
  return less(spread_bits(samples, reference, kind, mantissa), [&] {
    return normal_hypothesis_penalty(std::int64_t(samples.size()), probability, confidence);
  });
}

Value contributing_bits(std::span<double const> samples, double reference, ErrorKind kind, double probability,
                        double confidence, int mantissa) {
  return less(spread_bits(samples, reference, kind, mantissa),
              [&] { return contributing_penalty(std::int64_t(samples.size()), probability, confidence); });
}

int bits_of_error(double error, int mantissa) {
  if (error == 0) {
    return mantissa;
  }
  int exponent = 0;
  double const fraction = std::frexp(std::abs(error), &exponent);  // in [1/2, 1): a power of two at 1/2
  return std::min(fraction == 0.5 ? 1 - exponent : -exponent, mantissa);
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
  return Value::of(bits_of_error(largest, mantissa));
}

std::int64_t bernoulli_samples(double probability, double confidence) {
  assert(probability > 0 && probability < 1 && confidence > 0 && confidence < 1);
  return std::int64_t(std::ceil(std::log1p(-confidence) / std::log(probability)));
}

double bernoulli_probability(std::int64_t samples, double confidence) {
  assert(samples > 0 && confidence > 0 && confidence < 1);
  return std::pow(1 - confidence, 1 / double(samples));
}

std::optional<double> normality(std::span<double const> values) {
  auto const [mean, sd, count] = moments(values);
  auto const n = double(count);
  if (count < 8 || !(sd > 0)) {
    return std::nullopt;
  }
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  // log of the normal distribution below, and above, the place of a value.
  auto const tail = [&](double value) { return std::log(std::erfc(-value / std::numbers::sqrt2) / 2); };
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    auto const below = tail((sorted[i] - mean) / sd);
    auto const above = tail((mean - sorted[sorted.size() - 1 - i]) / sd);
    sum += double(2 * i + 1) * (below + above);
  }
  double const a = (-n - sum / n) * (1 + 0.75 / n + 2.25 / (n * n));
  if (a < 0.2) return 1 - std::exp(-13.436 + 101.14 * a - 223.73 * a * a);
  if (a < 0.34) return 1 - std::exp(-8.318 + 42.796 * a - 59.938 * a * a);
  if (a < 0.6) return std::exp(0.9177 - 4.279 * a - 1.38 * a * a);
  return std::exp(1.2937 - 5.709 * a + 0.0186 * a * a);
}

}  // namespace ulpine::verification
