// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "precision/bits.hpp"
#include "precision/double_float.hpp"
#include "precision/host_device.hpp"

/// Sums of doubles without rounding. A superaccumulator holds the sum as an integer multiple of 2^-1074 in
/// limbs of weight 2^32 (Kulisch; the overlapping limbs are Neal's small superaccumulator, arXiv:1505.05571).
/// Integer addition commutes, so the state does not depend on the order.
namespace ulpine {
namespace detail {

inline constexpr int sum_limbs =
    68;  ///< 2^-1074 to 2^1024 and 2^31 values more than that, with room for carries
inline constexpr int special_word = sum_limbs;  ///< after the limbs: which infinities and NaN were met
inline constexpr int sum_words = sum_limbs + 1;
inline constexpr int shared_sum_words = sum_limbs + 3;  ///< for each mark how many have it
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

}  // namespace detail

/// The exact sum of any doubles, mergeable in any order. Infinities add as IEEE's do; opposite ones and NaN
/// make NaN.
class ExactSum {
 public:
  void add(double x) {
    if (deposits_ >= detail::most_deposits) {
      resolve_carries();
    }
    detail::deposit(Target{limbs_.data(), &specials_}, x);
    ++deposits_;
  }
  /// Adds the product ab. Its rounding error is itself rounded to a multiple of 2^-1074; a product that
  /// overflows is infinite.
  void add_product(double a, double b);
  void merge(ExactSum const& other);
  /// The sum rounded once, to nearest, ties to even; infinite where it overflows; +0 where it is zero or
  /// empty.
  double to_double() const;
  float to_float() const;
  /// The nearest float and, of what that leaves, the nearest.
  DoubleFloat to_double_float() const;
  /// The sum cut off after 53 bits, the last of them 1 where anything was lost. Rounded once more to any
  /// binary format of at most 51 bits, which is what it is for, it gives the sum rounded once; plus or minus
  /// the largest double where it overflows.
  double to_odd_double() const;

  /// State as the device leaves it: detail::sum_words words of limbs and marks.
  static ExactSum from_words(std::int64_t const* words);

  /// Words that add up, each for itself modulo 2^64, to those of the sum of up to 2^30 sums.
  using SharedWords = std::array<std::uint64_t, detail::shared_sum_words>;
  SharedWords shared_words() const;
  static ExactSum from_shared_words(SharedWords const& words);

 private:
  struct Target {
    std::int64_t* limbs;
    std::uint64_t* specials;
    ULPINE_HD void add(int limb, std::int64_t amount) const { limbs[limb] += amount; }
    ULPINE_HD void mark(detail::Special special) const { *specials |= special; }
  };

  void resolve_carries();

  std::array<std::int64_t, detail::sum_limbs> limbs_{};
  std::uint64_t specials_ = 0;
  std::int64_t deposits_ = 0;  ///< bound on every limb's size, in units of 2^32
};

/// The exact sum of `values`, rounded once.
double exact_sum(std::span<double const> values);

}  // namespace ulpine
