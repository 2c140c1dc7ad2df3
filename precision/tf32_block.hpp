// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include <cstdint>

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/formats.hpp"
#include "precision/host_device.hpp"
#include "precision/tf32_mma.hpp"

/// The result of `mma_block(hopper_mma, ...)` of tf32_mma.hpp, written for loops that are to be vectorised:
/// no branches, all in double, where products of TF32 numbers, aligned terms and their sums are exact.
namespace ulpine {

namespace detail {

ULPINE_HD inline double truncated(double x) { return ::trunc(x); }

/// The exponent by which a term is aligned; that of a zero never leads.
ULPINE_HD inline int aligning_exponent(float x) {
  auto const magnitude = to_bits(x) & 0x7fffffffu;
  auto const biased = static_cast<int>(magnitude >> 23);
  return magnitude == 0 ? -1024 : math::max(biased, 1) - 127;
}

/// 2^exponent for -1022 <= exponent <= 1023.
ULPINE_HD inline double double_power(int exponent) {
  return from_bits(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// x truncated to a float's bits, beyond the largest one infinite; a zero is +0.
ULPINE_HD inline float truncated_to_float(double x) {
  auto const exponent = static_cast<int>((to_bits(x) >> 52) & 0x7ffu) - 1023;
  int const unit = math::max(exponent - 23, -149);
  return static_cast<float>(truncated(x * double_power(-unit)) * double_power(unit)) + 0.0f;
}

/// c + a[0] b[0] + ... + a[7] b[7]. `exponent(k)`, `product(k)`: of a[k] b[k].
template <class Exponent, class Product>
ULPINE_HD inline float block(Exponent const& exponent, Product const& product, float c) {
  static_assert(hopper_mma.block_length == 8, "one block of the tensor core");
  constexpr int least_exponent = hopper_mma.least_exponent, kept_bits = 23 + hopper_mma.extra_bits;
  int largest = math::max(least_exponent, aligning_exponent(c));
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    largest = math::max(largest, exponent(k));
  }
  double const scale = double_power(kept_bits - largest);
  double sum = truncated(static_cast<double>(c) * scale);
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    sum += truncated(product(k) * scale);
  }
  return truncated_to_float(sum * double_power(largest - kept_bits));
}

}  // namespace detail

/// A constant operand of m16n8k8, of values of the format.
struct Tf32Matrix {
  float value[8][8];
};

/// c + a[0] b[0][column] + ... + a[7] b[7][column] as the TF32 tensor cores of compute capability 9.0 give
/// it; a has values of the format.
ULPINE_HD inline float tf32_product(float const (&a)[8], Tf32Matrix const& b, int column, float c) {
  return detail::block(
      [&](int k) { return detail::aligning_exponent(a[k]) + detail::aligning_exponent(b.value[k][column]); },
      [&](int k) { return static_cast<double>(a[k]) * static_cast<double>(b.value[k][column]); }, c);
}

/// tf32_product() for all columns: sums += a b. A call, as it is long and its loop is vectorised by itself.
[[gnu::noinline]] ULPINE_HD inline void tf32_row(float const (&a)[8], Tf32Matrix const& b, float (&sums)[8]) {
  int exponents[8];
  double operands[8];
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    exponents[k] = detail::aligning_exponent(a[k]);
    operands[k] = static_cast<double>(a[k]);
  }
#pragma GCC ivdep
  for (int n = 0; n < 8; ++n) {
    sums[n] = detail::block([&](int k) { return exponents[k] + detail::aligning_exponent(b.value[k][n]); },
                            [&](int k) { return operands[k] * static_cast<double>(b.value[k][n]); }, sums[n]);
  }
}

/// A constant operand in two terms, what the format holds of it and of the rest: some 22 bits.
struct Tf32Pair {
  Tf32Matrix high, low;

  /// A call: where g++ 12 vectorises the loop that fills a matrix, entries found by a condition come out
  /// wrong.
  [[gnu::noinline]] void set(int k, int n, float entry) {
    auto const nearest = Tf32::round(entry);
    high.value[k][n] = nearest;
    low.value[k][n] = Tf32::round(entry - nearest);
  }
};

/// Eight operands in two terms each, of any value, and their products with a matrix in three: without that of
/// the low terms.
struct Tf32Operands {
  float high[8], low[8];

  ULPINE_HD void set(int k, float value) {
    high[k] = Tf32::round(value);
    low[k] = Tf32::round(value - high[k]);
  }
  /// sums += a product with all columns.
  ULPINE_HD void multiply(Tf32Pair const& matrix, float (&sums)[8]) const {
    tf32_row(high, matrix.high, sums);
    tf32_row(high, matrix.low, sums);
    tf32_row(low, matrix.high, sums);
  }
  /// start + a product with one.
  ULPINE_HD float multiply(Tf32Pair const& matrix, int column, float start) const {
    start = tf32_product(high, matrix.high, column, start);
    start = tf32_product(high, matrix.low, column, start);
    return tf32_product(low, matrix.high, column, start);
  }
};

}  // namespace ulpine
