// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace exec_test {

/// Values of both signs with exponents uniform in [-spread, spread].
template <class T>
std::vector<T> scattered(std::size_t size, int spread, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-spread, spread);
  std::vector<T> values(size);
  for (auto& value : values) {
    value = static_cast<T>(std::ldexp(mantissa(engine), exponent(engine)));
    value = engine() % 2 == 0 ? value : -value;
  }
  return values;
}

/// Finite numbers that sums find hard, by name, at odd sizes.
template <class T>
std::vector<std::pair<std::string, std::vector<T>>> number_zoo() {
  using Limits = std::numeric_limits<T>;
  std::vector<std::pair<std::string, std::vector<T>>> zoo;
  for (std::size_t const size : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 1001, 10007}) {
    zoo.emplace_back("like magnitudes", scattered<T>(size, 1, 1));
    zoo.emplace_back("twelve decades", scattered<T>(size, 20, 2));
    zoo.emplace_back("all exponents", scattered<T>(size, Limits::max_exponent - 2, 3));
    auto cancelling = scattered<T>(size, Limits::max_exponent / 2, 4);
    for (std::size_t i = 0; i + 1 < size; i += 2) {
      cancelling[i + 1] = -cancelling[i];
    }
    std::shuffle(cancelling.begin(), cancelling.end(), std::mt19937_64(5));
    zoo.emplace_back("cancellation", std::move(cancelling));
    std::vector<T> subnormal(size), huge(size);
    for (std::size_t i = 0; i < size; ++i) {
      subnormal[i] = static_cast<T>(static_cast<int>(i * 7919 % 1000) - 300) * Limits::denorm_min();
      huge[i] =
          i % 2 == 0 ? Limits::max() : Limits::lowest() + Limits::epsilon() * Limits::max() / T(2 + i % 5);
    }
    zoo.emplace_back("subnormals", std::move(subnormal));
    zoo.emplace_back("largest", std::move(huge));
  }
  return zoo;
}

}  // namespace exec_test
