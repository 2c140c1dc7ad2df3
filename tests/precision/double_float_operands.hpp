// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "precision/double_float.hpp"
#include "precision/quad.hpp"
#include "precision/ulp.hpp"

namespace precision_test {

/// Exact where all bits of both parts lie within 113; -0 stays.
inline ulpine::float128 wide(ulpine::DoubleFloat x) { return x.wide<ulpine::float128>(); }

/// Operands for tests of DoubleFloat, of a fixed seed.
class Operands {
 public:
  explicit Operands(std::uint64_t seed) : random_{seed} {}

  std::int64_t integer(std::int64_t low, std::int64_t high) { return random_.integer(low, high); }

  /// `hi` with a low part, of which 0 has no sign: none, half a unit in the last place exactly (where hi is
  /// even, as it must then be), far below, subnormal (where hi is small enough for a sum of 113 bits to hold
  /// both), or anything.
  ulpine::DoubleFloat with_low(float hi) {
    float const above = std::nextafter(std::abs(hi), std::numeric_limits<float>::infinity());
    float const below = std::nextafter(std::abs(hi), 0.0f);
    float const sign = random_.integer(0, 1) == 0 ? 1.0f : -1.0f;
    bool const inward = (sign > 0) != (hi > 0);
    float const half = 0.5f * (inward ? std::abs(hi) - below : above - std::abs(hi));
    if (!std::isfinite(half) || half == 0) return hi;
    bool const even = (ulpine::to_bits(hi) & 1) == 0;
    auto const low_of = [&]() -> float {
      switch (random_.integer(0, 7)) {
        case 0:
          return 0;
        case 1:
          return even ? half : std::nextafter(half, 0.0f);
        case 2:
          return std::nextafter(half, 0.0f);
        case 3:
          return std::ldexp(half, -static_cast<int>(random_.integer(1, 40)));
        case 4: {
          float const low = std::ldexp(1.0f, -static_cast<int>(random_.integer(140, 149)));
          return low < half && std::abs(hi) < 0x1p-45f ? low : 0;
        }
        default:
          return std::nextafter(half, 0.0f) * random_.uniform(0, 1);
      }
    };
    float const low = low_of();
    return ulpine::DoubleFloat::of(hi, low == 0 ? 0 : sign * low);
  }
  ulpine::DoubleFloat any_exponent(int low, int high) { return with_low(random_.any_exponent(low, high)); }
  ulpine::DoubleFloat uniform(float low, float high) { return with_low(random_.uniform(low, high)); }
  /// Any bits of hi, infinity and NaN among them.
  ulpine::DoubleFloat any() {
    float const hi = random_.any_bits();
    return std::isfinite(hi) ? with_low(hi) : ulpine::DoubleFloat(hi);
  }
  /// Near -x: its hi a few units away or none.
  ulpine::DoubleFloat nearly_opposite(ulpine::DoubleFloat x) {
    float hi = -x.hi();
    for (auto n = random_.integer(0, 3); n > 0; --n) hi = std::nextafter(hi, 0.0f);
    return random_.integer(0, 3) == 0 ? ulpine::DoubleFloat::of(hi, -x.lo()) : with_low(hi);
  }

 private:
  ulpine::Arguments<float> random_;
};

}  // namespace precision_test
