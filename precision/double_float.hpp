// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/double_double.hpp"
#include "precision/value_type.hpp"

namespace ulpine {

/// A number as the unevaluated sum hi + lo of two floats, hi the float nearest to the sum: 48 bits or more in
/// float's range, by float instructions alone. Dekker (1971); algorithms and bounds of Joldes, Muller and
/// Popescu (2017, "Tight and rigorous error bounds for basic building blocks of double-word arithmetic") and
/// of Lefevre et al. (2022, "Accurate calculation of Euclidean norms using double-word arithmetic"), relative
/// to the exact result with u = 2^-24. The same bits on host and device.
///
/// Those of sums hold for all finite results, those of products, quotients and roots where no part
/// underflows. What underflow adds is at most a few times the smallest subnormal, 2^-149: less than u^2 / 500
/// where operands and result are above 2^-90. What leaves float's range is infinite and infinities, NaN and
/// division by zero are as IEEE's; the sum of two -0 is +0. Equal numbers have equal bits: lo is +0 where hi
/// is all, infinite or NaN (-0 perhaps after a product or quotient whose rest underflows).
///
/// Counts of instructions are nvcc's float operations in PTX with comparisons and selections: an fma is one,
/// square root and division are each one, signs and magnitudes of operands none.
class alignas(8) DoubleFloat {
 public:
  /// u^2, in which bounds count. Not the largest number that does not show beside 1: low parts lie as far
  /// below as floats do.
  static constexpr float roundoff = 0x1p-48f;

  /// Trivial, as shared memory of a GPU wants: DoubleFloat{} is 0.
  DoubleFloat() = default;
  /// Exact. Of a float alone: a double would lose digits on its way to one.
  template <std::same_as<float> F>
  ULPINE_HD constexpr DoubleFloat(F x) : hi_{x}, lo_{0} {}
  /// Exact up to 48 bits; else rounded to hi and the rest to lo. The smaller types cost no 64-bit integers.
  template <std::integral T>
  ULPINE_HD constexpr DoubleFloat(T x) : DoubleFloat{of_integer(x)} {}
  /// hi rounded to nearest and then the rest: an error of at most 2^-48 |x|. The only function beside the
  /// conversion to double that has double instructions; of a constant the compiler makes two floats.
  ULPINE_HD explicit constexpr DoubleFloat(double x) : DoubleFloat{of_wide(x)} {}

  /// A number of any wider type, rounded as a double is, and back, exactly where that has the bits.
  template <class Wide>
  ULPINE_HD static constexpr DoubleFloat of_wide(Wide const& x) {
    auto const hi = static_cast<float>(x);
    if (!is_finite(hi) || static_cast<Wide>(hi) == x) return hi;
    // Rounded, the rest may be half a unit of hi, which must then be even.
    return finished(math::fast_two_sum(hi, static_cast<float>(x - static_cast<Wide>(hi))), hi);
  }
  template <class Wide>
  ULPINE_HD constexpr Wide wide() const {
    return lo_ == 0 ? static_cast<Wide>(hi_)
                    : static_cast<Wide>(static_cast<Wide>(hi_) + static_cast<Wide>(lo_));
  }

  /// hi + lo, where hi is the float nearest to that.
  ULPINE_HD static constexpr DoubleFloat of(float hi, float lo) {
    DoubleFloat x{hi};
    x.lo_ = lo;
    return x;
  }
  ULPINE_HD static constexpr DoubleFloat of(math::Pair<float> parts) { return of(parts.hi, parts.lo); }
  ULPINE_HD constexpr float hi() const { return hi_; }
  ULPINE_HD constexpr float lo() const { return lo_; }

  /// The nearest float.
  ULPINE_HD explicit constexpr operator float() const { return hi_; }
  /// The nearest double: exact unless lo has bits below 2^-53 of hi.
  ULPINE_HD explicit constexpr operator double() const { return wide<double>(); }
  /// Without the fraction, for magnitudes below 2^62 that T holds.
  template <std::integral T>
  ULPINE_HD explicit constexpr operator T() const {
    if constexpr (std::same_as<T, bool>) {
      return hi_ != 0;
    } else {
      return static_cast<T>(truncated());
    }
  }

  /// 1 instruction: the low part is subtracted from 0 so that it has no negative zero.
  ULPINE_HD constexpr DoubleFloat operator-() const { return of(-hi_, 0.0f - lo_); }
  ULPINE_HD constexpr DoubleFloat operator+() const { return *this; }

  /// Algorithm AccurateDWPlusDW: error at most 3 u^2 + 13 u^3. 24 instructions.
  ULPINE_HD friend constexpr DoubleFloat operator+(DoubleFloat a, DoubleFloat b) {
    return sum_of(a, b.hi_, b.lo_);
  }
  ULPINE_HD friend constexpr DoubleFloat operator-(DoubleFloat a, DoubleFloat b) {
    return sum_of(a, -b.hi_, -b.lo_);
  }
  /// Algorithm DWTimesDW3: error at most 4 u^2 (proved by Muller and Rideau, 2022). 14 instructions.
  ULPINE_HD friend DoubleFloat operator*(DoubleFloat a, DoubleFloat b) {
    auto const product = math::two_product(a.hi_, b.hi_);
    float const crossed = math::fma(a.lo_, b.hi_, math::fma(a.hi_, b.lo_, a.lo_ * b.lo_));
    return finished(math::fast_two_sum(product.hi, product.lo + crossed), product.hi, product.hi == 0);
  }
  /// Algorithm DWDivDW2 with a remainder by fma: error at most 11 u^2 + O(u^3) (2 u^2 and 3 u^2 of the two
  /// additions to the remainder, which is at most 3 u |a|, 3 u^2 of its division and 3 u^2 for dividing it by
  /// b.hi alone), within the 15 u^2 + 56 u^3 that is proved for that algorithm. 13 instructions, 2 of them
  /// divisions.
  ULPINE_HD friend DoubleFloat operator/(DoubleFloat a, DoubleFloat b) {
    float const quotient = a.hi_ / b.hi_;
    float const rest = math::fma(-quotient, b.lo_, math::fma(-quotient, b.hi_, a.hi_) + a.lo_);
    return finished(math::fast_two_sum(quotient, rest / b.hi_), quotient, quotient == 0);
  }

  ULPINE_HD constexpr DoubleFloat& operator+=(DoubleFloat b) { return *this = *this + b; }
  ULPINE_HD constexpr DoubleFloat& operator-=(DoubleFloat b) { return *this = *this - b; }
  ULPINE_HD DoubleFloat& operator*=(DoubleFloat b) { return *this = *this * b; }
  ULPINE_HD DoubleFloat& operator/=(DoubleFloat b) { return *this = *this / b; }

  /// Exact, false with NaN. At most 3 instructions each.
  ULPINE_HD friend constexpr bool operator==(DoubleFloat a, DoubleFloat b) {
    return a.hi_ == b.hi_ && a.lo_ == b.lo_;
  }
  ULPINE_HD friend constexpr bool operator<(DoubleFloat a, DoubleFloat b) {
    return a.hi_ < b.hi_ || (a.hi_ == b.hi_ && a.lo_ < b.lo_);
  }
  ULPINE_HD friend constexpr bool operator<=(DoubleFloat a, DoubleFloat b) {
    return a.hi_ < b.hi_ || (a.hi_ == b.hi_ && a.lo_ <= b.lo_);
  }
  ULPINE_HD friend constexpr bool operator>(DoubleFloat a, DoubleFloat b) { return b < a; }
  ULPINE_HD friend constexpr bool operator>=(DoubleFloat a, DoubleFloat b) { return b <= a; }

  /// Algorithm SQRTDWtoDW: error at most 25/8 u^2. 11 instructions, a root and a division among them. The
  /// root of -0 is -0.
  ULPINE_HD static DoubleFloat root_of(DoubleFloat x) {
    float const root = math::sqrt(x.hi_);
    float const rest = math::fma(-root, root, x.hi_) + x.lo_;
    auto const sum = math::fast_two_sum(root, rest / (2 * root));
    return is_finite(sum.lo) ? of(sum) : DoubleFloat(root);
  }

 private:
  /// One instruction where it is computed, in constants what those can be made of.
  ULPINE_HD static constexpr bool is_finite(float x) {
    if (__builtin_is_constant_evaluated()) return x - x == 0;
    return math::abs(x) < from_bits(std::uint32_t{0x7f800000u});
  }

  /// The result of an operation: `sum`, or where its parts are no numbers, or the `leading` float of the
  /// result is a zero, whose sign stays, that float, doubled so that what has overflown in the last addition
  /// becomes infinite. 4 instructions, 5 where zeros are told.
  ULPINE_HD static constexpr DoubleFloat finished(math::Pair<float> sum, float leading, bool zero = false) {
    // Computed first and chosen last, so that loops over it vectorise.
    float const doubled = leading + leading;
    bool const kept = is_finite(sum.lo) && !zero;
    return of(kept ? sum.hi : doubled, kept ? sum.lo : 0.0f);
  }

  ULPINE_HD static constexpr DoubleFloat sum_of(DoubleFloat a, float hi, float lo) {
    auto const high = math::two_sum(a.hi_, hi), low = math::two_sum(a.lo_, lo);
    auto const middle = math::fast_two_sum(high.hi, high.lo + low.hi);
    return finished(math::fast_two_sum(middle.hi, low.lo + middle.lo), high.hi);
  }

  template <std::integral T>
  ULPINE_HD static constexpr DoubleFloat of_integer(T x) {
    if constexpr (sizeof(T) < 4) {
      return static_cast<float>(x);
    } else if constexpr (sizeof(T) == 4) {
      auto const low = static_cast<T>(x & T{0xffff});
      return of(math::fast_two_sum(static_cast<float>(x - low), static_cast<float>(low)));
    } else {
      bool negative = false;
      if constexpr (std::is_signed_v<T>) negative = x < 0;
      auto const magnitude =
          negative ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
      auto const hi = static_cast<float>(magnitude);
      // Modulo 2^64, as hi may be 2^64 itself; the rest is in 40 bits.
      auto const whole = hi < 0x1p64f ? static_cast<std::uint64_t>(hi) : 0;
      auto const rest = static_cast<float>(static_cast<std::int64_t>(magnitude - whole));
      auto const sum = math::fast_two_sum(hi, rest);
      return negative ? -of(sum) : of(sum);
    }
  }

  ULPINE_HD constexpr std::int64_t truncated() const {
    auto const whole = static_cast<std::int64_t>(hi_);
    if (static_cast<float>(whole) != hi_) return whole;  // further from the next integer than lo reaches
    auto const more = static_cast<std::int64_t>(lo_);
    float const fraction = lo_ - static_cast<float>(more);
    auto const back = hi_ > 0 && fraction < 0 ? -1 : hi_ < 0 && fraction > 0 ? 1 : 0;
    return whole + more + back;
  }

  float hi_, lo_;
};

static_assert(sizeof(DoubleFloat) == 8 && alignof(DoubleFloat) == 8 &&
              std::is_trivially_copyable_v<DoubleFloat> &&
              std::is_trivially_default_constructible_v<DoubleFloat>);

/// Stored as its two floats.
template <>
inline constexpr ValueType value_type_of<DoubleFloat> = ValueType::float32_pair;

/// x as a number of another stored type (value_type.hpp).
template <class To, class From>
ULPINE_HD constexpr To converted(From const& x) {
  if constexpr (std::is_same_v<From, DoubleFloat> && sizeof(To) > sizeof(double)) {
    return x.template wide<To>();
  } else if constexpr (std::is_same_v<To, DoubleFloat> && sizeof(From) > sizeof(double)) {
    return DoubleFloat::of_wide(x);
  } else {
    return static_cast<To>(x);
  }
}

namespace math {

/// a b + c, rounded twice: error at most 4 u^2 |a b| + 3 u^2 |a b + c| (1 + O(u)). 38 instructions.
ULPINE_HD inline DoubleFloat fma(DoubleFloat a, DoubleFloat b, DoubleFloat c) { return a * b + c; }
ULPINE_HD inline DoubleFloat sqrt(DoubleFloat x) { return DoubleFloat::root_of(x); }
/// Exact; of -0, +0.
ULPINE_HD inline DoubleFloat abs(DoubleFloat x) {
  return x.hi() < 0 ? -x : DoubleFloat::of(abs(x.hi()), x.lo());
}

}  // namespace math
}  // namespace ulpine
