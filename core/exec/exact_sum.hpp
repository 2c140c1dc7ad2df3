// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/host_device.hpp"

/// The arithmetic of reduce.hpp for both compilers.
///
/// A superaccumulator holds a sum of doubles exactly, as an integer multiple of 2^-1074 in limbs of weight
/// 2^32 (Kulisch; the overlapping limbs are Neal's small superaccumulator, arXiv:1505.05571). Integer
/// addition commutes, so the state does not depend on the order. Nearly all values never reach it: each
/// thread first adds into an expansion of three numbers of the values' own type, whose additions lose nothing
/// (Knuth's two-sum), and only what falls out of it is deposited (Collange, Defour, Graillat, Iakymchuk,
/// Parallel Computing 49, 2015, doi:10.1016/j.parco.2015.09.001).
namespace ulpine::detail {

inline constexpr int sum_limbs =
    68;  ///< 2^-1074 to 2^1024 and 2^31 values more than that, with room for carries
inline constexpr int special_word = sum_limbs;  ///< after the limbs: which infinities and NaN were met
inline constexpr int sum_words = sum_limbs + 1;
inline constexpr std::int64_t most_deposits =
    std::int64_t{1} << 30;  ///< of less than 2^32 a limb before carries must be resolved

enum Special : std::uint64_t { plus_infinity = 1, minus_infinity = 2, not_a_number = 4 };

/// Adds `x` by `target.add(limb, signed amount)` and `target.mark(Special)`.
template <class Target>
ULPINE_HD void deposit(Target target, double x) {
  auto const bits = to_bits(x);
  auto const exponent = static_cast<int>(bits >> 52 & 0x7ff);
  auto mantissa = bits & 0xfffffffffffffull;
  bool const negative = bits >> 63 != 0;
  if (exponent == 0x7ff) {
    target.mark(mantissa != 0 ? not_a_number : negative ? minus_infinity : plus_infinity);
    return;
  }
  mantissa |= exponent == 0 ? 0 : std::uint64_t{1} << 52;
  int const position = exponent == 0 ? 0 : exponent - 1;
  int const limb = position / 32, shift = position % 32;
  auto const rest = mantissa >> (32 - shift);
  std::int64_t const digits[3] = {static_cast<std::int64_t>(mantissa << shift & 0xffffffffu),
                                  static_cast<std::int64_t>(rest & 0xffffffffu),
                                  static_cast<std::int64_t>(rest >> 32)};
  for (int i = 0; i < 3; ++i) {
    if (digits[i] != 0) {
      target.add(limb + i, negative ? -digits[i] : digits[i]);
    }
  }
}

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
