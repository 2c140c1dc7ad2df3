// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace ulpine::test {

/// Random input of tests, the same on every machine (std::mt19937_64 is specified; std distributions are
/// not).
class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, 1).
  double uniform() { return double(engine_() >> 11) * 0x1p-53; }
  /// Standard normal (Box and Muller).
  double normal() {
    double const radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  /// Random sign and mantissa, exponents uniform in [least, most].
  double ugly(int least, int most) {
    double const sign = uniform() < 0.5 ? -1 : 1;
    return sign * std::ldexp(1 + uniform(), least + int(double(most - least + 1) * uniform()));
  }
  std::size_t below(std::size_t n) { return std::size_t(double(n) * uniform()); }

  std::vector<double> uniform(std::size_t n, double low, double high) {
    std::vector<double> values(n);
    for (double& value : values) {
      value = between(low, high);
    }
    return values;
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(i)]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ulpine::test
