// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/bits.hpp"
#include "precision/host_device.hpp"

/// Formats of the operands of products. `round` maps a float to the nearest value of the format, returned as
/// float; `format` is the same as a record. A NaN stays one in the bits that the format keeps.
namespace ulpine {

namespace detail {

/// Infinity as it is; a NaN made quiet, as its payload may lie in the low bits alone, without which it would
/// be read as infinity.
ULPINE_HD constexpr float quiet(std::uint32_t special) {
  return from_bits((special & 0x007fffffu) == 0 ? special : special | 0x00400000u);
}

}  // namespace detail

/// No rounding: the multiplicand has the type of the computation.
struct Exact {
  static constexpr char const* name = "exact";
  template <class T>
  ULPINE_HD static constexpr T round(T x) {
    return x;
  }
};

/// How a value between two of a format's values is rounded.
enum class Rounding {
  nearest_even,
  nearest_away,  ///< ties away from zero
  toward_zero,
  stochastic  ///< up or down with the probability of the distance: unbiased
};

/// Result for a value beyond the largest (after rounding), and for infinity.
enum class Overflow {
  infinity,
  saturate,     ///< the largest value
  not_a_number  ///< for formats without infinity
};

/// A binary floating-point format inside float or double: one record names it all.
struct FloatFormat {
  int precision;           ///< bits of the significand, the leading one included; at least 2
  int emin;                ///< exponent of the smallest normal number, 2^emin
  int emax;                ///< exponent of the largest number's leading bit
  bool subnormals = true;  ///< without them 0 and 2^emin are neighbours
  Overflow overflow = Overflow::infinity;
  Rounding rounding = Rounding::nearest_even;
  int missing_at_top =
      0;  ///< how many of the largest significands of exponent emax are no numbers (1 in FP8 E4M3)
};

inline constexpr FloatFormat tf32_format{
    .precision = 11, .emin = -126, .emax = 127, .rounding = Rounding::nearest_away};
inline constexpr FloatFormat bf16_format{.precision = 8, .emin = -126, .emax = 127};
inline constexpr FloatFormat fp16_format{.precision = 11, .emin = -14, .emax = 15};
/// The 8-bit formats of the Open Compute Project's specification (OFP8 revision 1.0, 2023), not saturating.
/// E4M3 has no infinity.
inline constexpr FloatFormat fp8_e4m3_format{
    .precision = 4, .emin = -6, .emax = 8, .overflow = Overflow::not_a_number, .missing_at_top = 1};
inline constexpr FloatFormat fp8_e5m2_format{.precision = 3, .emin = -14, .emax = 15};

/// TF32, 1+8+10 bits; nearest, ties away from zero, as PTX `cvt.rna.tf32.f32` (which on compute capability
/// 9.0 makes infinity of a NaN whose payload lies in the 13 low bits; this keeps it NaN).
struct Tf32 {
  static constexpr char const* name = "tf32";
  static constexpr FloatFormat format = tf32_format;
  ULPINE_HD static float round(float x) {
    auto const bits = to_bits(x);
    // A carry out of the significand is the right overflow to infinity.
    return (bits & 0x7f800000u) == 0x7f800000u ? detail::quiet(bits)
                                               : from_bits((bits + 0x1000u) & 0xffffe000u);
  }
};

/// bfloat16, 1+8+7 bits; nearest, ties to even, as `__float2bfloat16_rn`.
struct Bfloat16 {
  static constexpr char const* name = "bf16";
  static constexpr FloatFormat format = bf16_format;
  ULPINE_HD static float round(float x) {
    auto const bits = to_bits(x);
    return (bits & 0x7f800000u) == 0x7f800000u
               ? detail::quiet(bits)
               : from_bits((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
  }
};

/// IEEE binary16, 1+5+10 bits; nearest, ties to even, with subnormals and overflow to infinity, as
/// `__float2half_rn`.
struct Binary16 {
  static constexpr char const* name = "fp16";
  static constexpr FloatFormat format = fp16_format;
  ULPINE_HD static float round(float x) {
    auto const bits = to_bits(x);
    auto const magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
      return detail::quiet(bits);
    }
    auto const sign = bits & 0x80000000u;
    if (magnitude < 0x38800000u) {                 // below 2^-14: subnormal, spacing 2^-24
      float const shift = from_bits(0x3f000000u);  // 0.5 has the spacing 2^-24
      return from_bits(sign | to_bits((from_bits(magnitude) + shift) - shift));
    }
    auto const rounded = (magnitude + 0x0fffu + ((magnitude >> 13) & 1u)) & 0xffffe000u;
    return from_bits(sign | (rounded >= 0x47800000u ? 0x7f800000u : rounded));  // 2^16 and above: infinity
  }
};

/// 64 random bits that depend only on (counter, key): Philox 2x32 with ten rounds (Salmon et al. 2011).
ULPINE_HD constexpr std::uint64_t philox_2x32(std::uint64_t counter, std::uint32_t key) {
  auto left = static_cast<std::uint32_t>(counter), right = static_cast<std::uint32_t>(counter >> 32);
  for (int round = 0; round < 10; ++round) {
    auto const product = std::uint64_t{0xd256d193u} * left;
    left = static_cast<std::uint32_t>(product >> 32) ^ key ^ right;
    right = static_cast<std::uint32_t>(product);
    key += 0x9e3779b9u;
  }
  return left | (static_cast<std::uint64_t>(right) << 32);
}

namespace detail {

template <class T>
struct FloatLayout;
template <>
struct FloatLayout<float> {
  using Bits = std::uint32_t;
  static constexpr int fraction_bits = 23, bias = 127;
};
template <>
struct FloatLayout<double> {
  using Bits = std::uint64_t;
  static constexpr int fraction_bits = 52, bias = 1023;
};

/// 2^exponent, subnormal or normal.
template <class T>
ULPINE_HD constexpr T power_of_two(int exponent) {
  using L = FloatLayout<T>;
  using Bits = typename L::Bits;
  return exponent > -L::bias ? from_bits(static_cast<Bits>(exponent + L::bias) << L::fraction_bits)
                             : from_bits(Bits{1} << (exponent + L::bias + L::fraction_bits - 1));
}

}  // namespace detail

/// x rounded to `format`, all of whose values are values of T. `random` (uniform over 64 bits) serves
/// stochastic rounding only. A NaN becomes a quiet NaN.
template <class T>
ULPINE_HD constexpr T round_to(FloatFormat format, T x, std::uint64_t random = 0) {
  using L = detail::FloatLayout<T>;
  using Bits = typename L::Bits;
  constexpr Bits hidden = Bits{1} << L::fraction_bits, sign_bit = Bits{1} << (8 * sizeof(T) - 1);
  Bits const bits = to_bits(x), sign = bits & sign_bit;
  int const biased = static_cast<int>((bits & ~sign_bit) >> L::fraction_bits);
  std::uint64_t const fraction = bits & (hidden - 1);
  bool const special = biased == 2 * L::bias + 1;
  if (special && fraction != 0) {
    return from_bits(bits | (hidden >> 1));
  }
  if ((bits & ~sign_bit) == 0) {
    return x;
  }
  // |x| = significand 2^unit, normalised so that the significand has its leading bit at the hidden place.
  std::uint64_t significand = biased == 0 ? fraction : fraction | hidden;
  int unit = (biased == 0 ? 1 : biased) - L::bias - L::fraction_bits;
  while (significand < hidden) {
    significand <<= 1;
    --unit;
  }
  int const exponent = unit + L::fraction_bits;
  int const subnormal_unit = format.subnormals ? format.emin - (format.precision - 1) : format.emin;
  int const target_unit = exponent >= format.emin ? exponent - (format.precision - 1) : subnormal_unit;
  // |x| = kept 2^target_unit + rest, the rest as a fraction of the unit in 64 bits and a sticky bit for
  // nearest.
  int const shift = target_unit - unit;
  std::uint64_t kept = shift <= 0 ? significand : shift < 64 ? significand >> shift : 0;
  if (shift > 0 && !special) {
    std::uint64_t const rest = shift < 64    ? significand << (64 - shift)
                               : shift < 128 ? significand >> (shift - 64)
                                             : 0;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    bool up = false;
    switch (format.rounding) {
      case Rounding::nearest_even:
        up = rest > half || (rest == half && (kept & 1) != 0);
        break;
      case Rounding::nearest_away:
        up = rest >= half;
        break;
      case Rounding::toward_zero:
        break;
      case Rounding::stochastic:
        up = random < rest;
        break;
    }
    kept += up ? 1 : 0;
  }
  int const result_unit = shift <= 0 ? unit : target_unit;
  std::uint64_t const largest =
      (std::uint64_t{1} << format.precision) - 1 - static_cast<std::uint64_t>(format.missing_at_top);
  int const largest_unit = format.emax - (format.precision - 1);
  T const largest_value = static_cast<T>(largest) * detail::power_of_two<T>(largest_unit);
  // A significand that grew to the next power of two is still exact in T, or infinite there.
  T magnitude =
      special ? from_bits(bits & ~sign_bit) : static_cast<T>(kept) * detail::power_of_two<T>(result_unit);
  if (magnitude > largest_value) {
    if (format.overflow == Overflow::saturate || (format.rounding == Rounding::toward_zero && !special)) {
      magnitude = largest_value;
    } else {
      Bits const infinity = static_cast<Bits>(2 * L::bias + 1) << L::fraction_bits;
      magnitude = from_bits(format.overflow == Overflow::infinity ? infinity : infinity | (hidden >> 1));
    }
  }
  return from_bits(to_bits(magnitude) | sign);
}

/// Rounds stochastically with random bits that depend on (seed, index) only: the same on every device and in
/// any order.
template <class T>
ULPINE_HD constexpr T round_stochastically(FloatFormat format, T x, std::uint32_t seed, std::uint64_t index) {
  format.rounding = Rounding::stochastic;
  return round_to(format, x, philox_2x32(index, seed));
}

/// A FloatFormat as the type of a policy's multiplicand.
template <FloatFormat kept>
struct Emulated {
  static constexpr FloatFormat format = kept;
  static_assert(kept.rounding != Rounding::stochastic,
                "stochastic rounding needs an index: round_stochastically");
  template <class T>
  ULPINE_HD static constexpr T round(T x) {
    return round_to(kept, x);
  }
};
struct Fp8E4m3 : Emulated<fp8_e4m3_format> {
  static constexpr char const* name = "fp8-e4m3";
};
struct Fp8E5m2 : Emulated<fp8_e5m2_format> {
  static constexpr char const* name = "fp8-e5m2";
};

}  // namespace ulpine
