// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "precision/bits.hpp"
#include "precision/host_device.hpp"

/// The result that a tensor core computes for TF32 operands and an FP32 accumulator, to the bit.
///
/// The sum over a block of products and the accumulator is not IEEE arithmetic: all terms are aligned to the
/// largest exponent of the block (or a least one), truncated, added exactly, and the sum is truncated to
/// float. The model
/// follows Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330
/// (2021); what holds for which GPU was measured (see docs/results/bits.md).
namespace ulpine {

/// One generation of tensor cores.
struct MmaModel {
  int block_length = 8;       ///< products that are added to the accumulator at once
  int extra_bits = 2;         ///< bits kept beyond the 23 of a float's fraction when terms are aligned
  int least_exponent = -133;  ///< terms are aligned to no smaller exponent than this
  bool zeros_align =
      false;  ///< whether a product with a zero operand takes part in the search for the largest exponent
  bool overflow_saturates =
      false;  ///< whether a sum beyond the largest float gives that float (else infinity)
  bool underflow_keeps_sign = false;  ///< whether a negative sum truncated to zero gives -0 (else +0)
  friend constexpr bool operator==(MmaModel const&, MmaModel const&) = default;
};

inline constexpr MmaModel hopper_mma{};

/// The model of the tensor cores of compute capability `major`.`minor`; none where nobody has compared it
/// with the hardware.
constexpr std::optional<MmaModel> tf32_mma_model(int major, int minor) {
  return major == 9 && minor == 0 ? std::optional{hopper_mma} : std::nullopt;
}

namespace detail {

/// A finite float as (-1)^negative significand 2^(exponent - 23); subnormals have the exponent -126 and no
/// leading bit.
struct Unpacked {
  std::uint32_t significand;
  int exponent;
  bool negative;
};

ULPINE_HD constexpr Unpacked unpack(float x) {
  auto const bits = to_bits(x);
  int const biased = static_cast<int>((bits >> 23) & 0xff);
  auto const fraction = bits & 0x007fffffu;
  return {biased == 0 ? fraction : fraction | 0x00800000u, (biased == 0 ? 1 : biased) - 127,
          (bits >> 31) != 0};
}

/// sum 2^unit_exponent truncated to a float.
ULPINE_HD constexpr float truncate_to_float(MmaModel const& model, std::int64_t sum, int unit_exponent) {
  std::uint32_t const sign = sum < 0 ? 0x80000000u : 0u;
  auto magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  while (magnitude >= 0x01000000u || (magnitude != 0 && unit_exponent < -149)) {
    magnitude >>= 1;
    ++unit_exponent;
  }
  while (magnitude != 0 && magnitude < 0x00800000u && unit_exponent > -149) {
    magnitude <<= 1;
    --unit_exponent;
  }
  if (magnitude == 0) {
    return from_bits(model.underflow_keeps_sign ? sign : 0u);
  }
  auto const significand = static_cast<std::uint32_t>(magnitude);
  if (unit_exponent > 104) {
    return from_bits(sign | (model.overflow_saturates ? 0x7f7fffffu : 0x7f800000u));
  }
  std::uint32_t const biased =
      significand < 0x00800000u ? 0u : static_cast<std::uint32_t>(unit_exponent + 150);
  return from_bits(sign | (biased << 23) | (significand & 0x007fffffu));
}

}  // namespace detail

/// c + a[0] b[0] + ... + a[count - 1] b[count - 1] as the tensor core adds one block, count <=
/// model.block_length. Of a and b only the 19 bits of a TF32 number are read. Every NaN is 0x7fffffff, as the
/// hardware has it.
ULPINE_HD constexpr float mma_block(MmaModel const& model, float const* a, float const* b, int count,
                                    float c) {
  constexpr std::uint32_t exponent_mask = 0x7f800000u, tf32_mask = 0xffffe000u;
  bool nan = false, plus_infinity = false, minus_infinity = false;
  int largest = model.least_exponent;
  for (int i = -1; i < count; ++i) {  // -1: the accumulator
    auto const x = i < 0 ? to_bits(c) : to_bits(a[i]) & tf32_mask,
               y = i < 0 ? to_bits(1.0f) : to_bits(b[i]) & tf32_mask;
    bool const x_zero = (x << 1) == 0, y_zero = (y << 1) == 0;
    bool const special = (x & exponent_mask) == exponent_mask || (y & exponent_mask) == exponent_mask;
    if (special) {
      bool const x_nan = (x & 0x7fffffffu) > exponent_mask, y_nan = (y & 0x7fffffffu) > exponent_mask;
      bool const invalid = x_nan || y_nan || x_zero || y_zero, negative = ((x ^ y) >> 31) != 0;
      nan = nan || invalid;
      plus_infinity = plus_infinity || (!invalid && !negative);
      minus_infinity = minus_infinity || (!invalid && negative);
    } else if (model.zeros_align || (!x_zero && !y_zero)) {
      int const exponent = detail::unpack(from_bits(x)).exponent + detail::unpack(from_bits(y)).exponent;
      largest = exponent > largest ? exponent : largest;
    }
  }
  if (nan || (plus_infinity && minus_infinity)) {
    return from_bits(0x7fffffffu);
  }
  if (plus_infinity || minus_infinity) {
    return from_bits(exponent_mask | (minus_infinity ? 0x80000000u : 0u));
  }
  // The unit of the aligned terms is 2^(largest - 23 - extra_bits).
  std::int64_t sum = 0;
  for (int i = -1; i < count; ++i) {
    auto const x = detail::unpack(i < 0 ? c : from_bits(to_bits(a[i]) & tf32_mask));
    auto const y = detail::unpack(i < 0 ? 1.0f : from_bits(to_bits(b[i]) & tf32_mask));
    // 13 low bits of each operand are zero: the product of 22 bits has its point after the 20th; the
    // accumulator likewise after 23.
    auto const significand = i < 0 ? std::uint64_t{x.significand} << model.extra_bits
                                   : (std::uint64_t{x.significand >> 13} * (y.significand >> 13))
                                         << (3 + model.extra_bits);
    int const distance = largest - (x.exponent + y.exponent);
    if (significand != 0 && distance < 64) {
      auto const aligned = static_cast<std::int64_t>(significand >> distance);
      sum += x.negative != y.negative ? -aligned : aligned;
    }
  }
  return detail::truncate_to_float(model, sum, largest - 23 - model.extra_bits);
}

/// mma_block() for any count: block after block, each with the sum so far as its accumulator.
ULPINE_HD constexpr float mma_dot(MmaModel const& model, float const* a, float const* b, int count, float c) {
  for (int first = 0; first < count; first += model.block_length) {
    int const rest = count - first;
    c = mma_block(model, a + first, b + first, rest < model.block_length ? rest : model.block_length, c);
  }
  return c;
}

/// d = a b + c as `mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32` does: a is 16 x 8, b 8 x 8, c and d 16
/// x 8, all by rows.
ULPINE_HD constexpr void mma_m16n8k8(MmaModel const& model, float const* a, float const* b, float const* c,
                                     float* d) {
  for (int column = 0; column < 8; ++column) {
    float b_column[8] = {};
    for (int k = 0; k < 8; ++k) {
      b_column[k] = b[8 * k + column];
    }
    for (int row = 0; row < 16; ++row) {
      d[8 * row + column] = mma_dot(model, a + 8 * row, b_column, 8, c[8 * row + column]);
    }
  }
}

}  // namespace ulpine
