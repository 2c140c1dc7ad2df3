// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ulpine::verification {

/// Sum of doubles without rounding: a fixed-point number wide enough for every double (Kulisch). Neither
/// order nor grouping of the terms matters; only value() rounds, once, to nearest even.
class ExactSum {
 public:
  /// Adds `term`. Infinities and NaN are counted and decide value() as they would in IEEE addition.
  void add(double term);
  /// Adds the product a*b without rounding it, for products below 2^-960 in magnitude only to within 2^-1074.
  void add_product(double a, double b);
  void add(ExactSum const& other);
  /// The sum, rounded once; infinite where it exceeds the range of double.
  double value() const;

 private:
  /// Digit i counts 2^(32*i - 1074); digits are signed and carry lazily.
  static constexpr int digits = 68;
  void carry();

  std::array<std::int64_t, digits> digit_{};
  std::int32_t pending_ = 0;  ///< additions since the last carry
  bool nan_ = false, positive_infinity_ = false, negative_infinity_ = false;
};

/// The exactly rounded sum of `values`.
double exact_sum(std::span<double const> values);

}  // namespace ulpine::verification
