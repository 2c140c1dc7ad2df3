// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "precision/quad.hpp"

namespace ulpine {

/// |got - reference| in units in the last place of the reference as a T (subnormals: of the smallest
/// subnormal). A got infinity counts as the first number beyond the largest. NaN where NaN is expected is no
/// error, and nothing else is then right.
template <class T>
double error_in_ulp(T got, float128 const& reference) {
  using Limits = std::numeric_limits<T>;
  if (isnan(reference) || std::isnan(got)) {
    return isnan(reference) && std::isnan(got) ? 0 : Limits::infinity();
  }
  float128 const beyond = ldexp(float128(1), Limits::max_exponent);
  if (isinf(reference) || abs(reference) >= beyond) {
    return std::isinf(got) && (got > 0) == (reference > 0) ? 0 : Limits::infinity();
  }
  int exponent = 0;
  frexp(reference, &exponent);
  int const unit = std::max(exponent - Limits::digits, Limits::min_exponent - Limits::digits);
  float128 const value = std::isinf(got) ? (got > 0 ? beyond : float128(-beyond)) : float128(got);
  return static_cast<double>(ldexp(abs(value - reference), -unit));
}

/// Random arguments for tests of elementary functions.
template <class T>
class Arguments {
 public:
  explicit Arguments(std::uint64_t seed) : generator_{seed} {}

  T uniform(T low, T high) { return std::uniform_real_distribution<T>(low, high)(generator_); }
  /// Either sign, every binary exponent in [low, high] equally often.
  T any_exponent(int low, int high) {
    T const magnitude = std::ldexp(uniform(1, 2), std::uniform_int_distribution<int>(low, high)(generator_));
    return (generator_() & 1) != 0 ? magnitude : -magnitude;
  }
  /// Every bit pattern equally often.
  T any_bits() {
    if constexpr (sizeof(T) == 8) {
      return std::bit_cast<T>(static_cast<std::uint64_t>(generator_()));
    } else {
      return std::bit_cast<T>(static_cast<std::uint32_t>(generator_()));
    }
  }
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator_);
  }

  static constexpr int lowest_exponent =
      std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  static constexpr int highest_exponent = std::numeric_limits<T>::max_exponent - 1;

 private:
  std::mt19937_64 generator_;
};

}  // namespace ulpine
