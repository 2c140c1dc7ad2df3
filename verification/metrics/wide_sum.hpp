// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace ulpine::verification {

__extension__ using Uint128 = unsigned __int128;

/// mantissa 2^exponent: numbers beyond the range of double, of which nothing underflows to zero. mantissa is
/// 0 or in [1/2, 1) in magnitude.
struct Scaled {
  double mantissa = 0;
  int exponent = 0;

  static Scaled of(double value);
  /// The nearest double, but never 0 for a number that is not: then the smallest one.
  double value() const;
  Scaled half() const;
};
/// Each rounds once, as doubles without limits of range would.
Scaled operator*(Scaled a, Scaled b);
Scaled operator/(Scaled a, Scaled b);
Scaled operator+(Scaled a, Scaled b);
Scaled square_root(Scaled a);

/// A finite number as a signed integer times a power of two: a double, or a 64-bit integer given as its
/// nearest double and what that lacks.
struct Binary {
  std::uint64_t magnitude = 0;
  int exponent = 0;
  bool negative = false;

  static Binary of(double value, double low = 0);
};

/// The exact sum of terms up to a product of three doubles, in any order and without limits of range:
/// integers in limbs of weight 2^32, as ExactSum's (precision/exact_sum.hpp), which ends where double does.
class WideSum {
 public:
  /// value 2^exponent.
  void add(double value, int exponent = 0);
  void add(Binary const& a);
  void add_product(Binary const& a, Binary const& b);
  void add_product(Binary const& a, Binary const& b, Binary const& c);
  void subtract(WideSum const& other);
  /// Rounded once, to nearest, ties to even.
  Scaled rounded() const;

  /// Up to 2^62 terms of 2^3072; a product of three subnormal numbers has bits from 2^-3222 on, and 52 zeros
  /// below where it was formed in double.
  static constexpr int first_exponent = -3296;
  using Limbs = std::array<std::int64_t, 204>;
  /// Sign and digits: multiples in [0, 2^32) of 2^(32 i + first_exponent).
  struct Digits {
    Limbs digits;
    bool negative;
  };
  Digits digits() const;

 private:
  void deposit(Uint128 magnitude, int exponent, bool negative);
  void resolve_carries();

  Limbs limbs_{};
  std::int64_t deposits_ = 0;  ///< bound on every limb's size, in units of 2^32
};

/// Exact sums from which a correlation follows; x and y are test and reference, w their weight.
struct WideMoments {
  WideSum w, wx, wy, wxx, wyy, wxy;

  void add(Binary const& x, Binary const& y);
  void add(Binary const& x, Binary const& y, Binary const& weight);
  /// 1 - r with r = C / sqrt(Vx Vy), Vx = W Sxx - Sx^2 and so on, formed as (Vx Vy - C^2) / (s (s + C)), s =
  /// sqrt(Vx Vy), where r > 0: of exact integers, so that nothing cancels. Neither x nor y may be constant.
  Scaled one_minus_r() const;
};

}  // namespace ulpine::verification
