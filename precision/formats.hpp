// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/bits.hpp"
#include "precision/host_device.hpp"

/// Formats of the operands of products. `round` maps a float to the nearest value of the format, returned as float.
namespace ulpine {

/// No rounding: the multiplicand has the type of the computation.
struct Exact {
  static constexpr char const* name = "exact";
  template <class T>
  ULPINE_HD static constexpr T round(T x) {
    return x;
  }
};

/// TF32, 1+8+10 bits; nearest, ties away from zero, as PTX `cvt.rna.tf32.f32`.
struct Tf32 {
  static constexpr char const* name = "tf32";
  ULPINE_HD static float round(float x) {
    auto const bits = to_bits(x);
    // Infinity and NaN keep their upper bits; a carry out of the significand is the right overflow to infinity.
    return (bits & 0x7f800000u) == 0x7f800000u ? x : from_bits((bits + 0x1000u) & 0xffffe000u);
  }
};

/// bfloat16, 1+8+7 bits; nearest, ties to even, as `__float2bfloat16_rn`.
struct Bfloat16 {
  static constexpr char const* name = "bf16";
  ULPINE_HD static float round(float x) {
    auto const bits = to_bits(x);
    return (bits & 0x7f800000u) == 0x7f800000u ? x
                                               : from_bits((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
  }
};

/// IEEE binary16, 1+5+10 bits; nearest, ties to even, with subnormals and overflow to infinity, as `__float2half_rn`.
struct Binary16 {
  static constexpr char const* name = "fp16";
  ULPINE_HD static float round(float x) {
    auto const bits = to_bits(x);
    auto const magnitude = bits & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {
      return x;
    }
    auto const sign = bits & 0x80000000u;
    if (magnitude < 0x38800000u) {  // below 2^-14: subnormal, spacing 2^-24
      float const shift = from_bits(0x3f000000u);  // 0.5 has the spacing 2^-24
      return from_bits(sign | to_bits((from_bits(magnitude) + shift) - shift));
    }
    auto const rounded = (magnitude + 0x0fffu + ((magnitude >> 13) & 1u)) & 0xffffe000u;
    return from_bits(sign | (rounded >= 0x47800000u ? 0x7f800000u : rounded));  // 2^16 and above: infinity
  }
};

}  // namespace ulpine
