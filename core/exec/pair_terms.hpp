// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/reduce_arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/double_float.hpp"
#include "precision/exact_sum.hpp"
#include "precision/sum_words.hpp"

/// How a device adds up numbers of two floats, and products of them, exactly and without double instructions:
/// products that two floats hold as these, others by integers.
namespace ulpine::detail {

/// The double that equals x, made of its bits.
ULPINE_HD inline double widened(float x) {
  auto const bits = to_bits(x);
  auto const sign = std::uint64_t{bits >> 31} << 63;
  auto mantissa = bits & 0x7fffffu;
  auto exponent = static_cast<int>(bits >> 23 & 0xff);
  if (exponent == 0) {
    if (mantissa == 0) return from_bits(sign);
    auto const shift = 24 - bit_width(mantissa);
    mantissa = mantissa << shift & 0x7fffffu;
    exponent = 1 - shift;
  }
  auto const wide = static_cast<std::uint64_t>(exponent == 0xff ? 0x7ff : exponent + 1023 - 127);
  return from_bits(sign | wide << 52 | std::uint64_t{mantissa} << 29);
}

/// Adds a b to a superaccumulator (deposit() in exact_sum.hpp) by integers.
template <class Target>
ULPINE_HD void deposit_product(Target target, float a, float b) {
  auto const a_bits = to_bits(a), b_bits = to_bits(b);
  auto const a_exponent = static_cast<int>(a_bits >> 23 & 0xff),
             b_exponent = static_cast<int>(b_bits >> 23 & 0xff);
  if (a_exponent == 0xff || b_exponent == 0xff) return deposit(target, widened(a * b));
  auto const mantissa = [](std::uint32_t bits, int exponent) {
    return std::uint64_t{(bits & 0x7fffffu) | (exponent == 0 ? 0 : 0x800000u)};
  };
  auto const product = mantissa(a_bits, a_exponent) * mantissa(b_bits, b_exponent);
  // Of exponent 0 and 1 numbers are multiples of 2^-149.
  int const position = math::max(a_exponent, 1) + math::max(b_exponent, 1) - 2 + 1074 - 2 * 149;
  int const limb = position / 32, shift = position % 32;
  auto const rest = product >> (32 - shift);
  std::int64_t const digits[3] = {static_cast<std::int64_t>(product << shift & 0xffffffffu),
                                  static_cast<std::int64_t>(rest & 0xffffffffu),
                                  static_cast<std::int64_t>(rest >> 32)};
  bool const negative = (a_bits ^ b_bits) >> 31 != 0;
  for (int i = 0; i < 3; ++i) {
    if (digits[i] != 0) target.add(limb + i, negative ? -digits[i] : digits[i]);
  }
}

/// Calls add(term) with floats below most_in_expansion that sum to a b exactly, or, where there are none
/// such, apart(p, q) for a product p q of floats.
template <class Add, class Apart>
ULPINE_HD void for_floats_of_product(DoubleFloat a, DoubleFloat b, Add const& add, Apart const& apart) {
  auto const product_of = [&](float p, float q) {
    float const product = p * q, size = math::abs(product);
    // From 2^-100 on what rounding has lost is no less than the smallest float's unit.
    if (size >= 0x1p-100f && size < most_in_expansion<float>) {
      add(product);
      add(math::fma(p, q, -product));
    } else if (p != 0 && q != 0) {
      apart(p, q);
    }
  };
  constexpr float infinity = WindowTraits<float>::infinity;
  // Of what is no number the other products would be others.
  if (!(math::abs(a.hi()) < infinity && math::abs(b.hi()) < infinity)) return apart(a.hi(), b.hi());
  product_of(a.hi(), b.hi());
  product_of(a.hi(), b.lo());
  product_of(a.lo(), b.hi());
  product_of(a.lo(), b.lo());
}

}  // namespace ulpine::detail
