// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/host_device.hpp"

/// The arithmetic of reduce.hpp for both compilers.
///
/// Nearly all values never reach the superaccumulator of precision/exact_sum.hpp: each thread first adds into
/// an expansion of three numbers of the values' own type, whose additions lose nothing (Knuth's two-sum), and
/// only what falls out of it is deposited (Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49,
/// 2015, doi:10.1016/j.parco.2015.09.001).
namespace ulpine::detail {

/// a <- a + x rounded; returns what rounding lost, exactly.
template <class T>
ULPINE_HD T two_sum(T& a, T x) {
  T const sum = a + x;
  T const part = sum - a;
  T const lost = (a - (sum - part)) + (x - part);
  a = sum;
  return lost;
}

/// Values below this may enter an expansion: 2^40 of them do not overflow.
template <class T>
inline constexpr T most_in_expansion = T(0x1p960);
template <>
inline constexpr float most_in_expansion<float> = 0x1p80f;

/// An unevaluated sum of three numbers.
template <class T>
struct Expansion {
  T high = 0, middle = 0, low = 0;

  /// Adds x and returns what does not fit, usually 0.
  ULPINE_HD T add(T x) {
    T lost = two_sum(high, x);
    lost = two_sum(middle, lost);
    return lost == T(0) ? lost : two_sum(low, lost);
  }
};

/// A map of numbers to integers that keeps their order, with -0 below +0; NaN, of either sign, is `nan_key`.
template <class Number>
struct OrderKey;
template <>
struct OrderKey<double> {
  using Key = std::int64_t;
  static constexpr Key largest = 0x7fffffffffffffff;
  ULPINE_HD static Key to_key(double x, Key nan_key) {
    auto const bits = static_cast<Key>(to_bits(x));
    return x != x ? nan_key : bits ^ static_cast<Key>(static_cast<std::uint64_t>(bits >> 63) >> 1);
  }
};
template <>
struct OrderKey<float> {
  using Key = std::int32_t;
  static constexpr Key largest = 0x7fffffff;
  ULPINE_HD static Key to_key(float x, Key nan_key) {
    auto const bits = static_cast<Key>(to_bits(x));
    return x != x ? nan_key : bits ^ static_cast<Key>(static_cast<std::uint32_t>(bits >> 31) >> 1);
  }
};

}  // namespace ulpine::detail
