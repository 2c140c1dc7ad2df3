// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <utility>

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/host_device.hpp"

/// The arithmetic of reduce.hpp for both compilers.
///
/// Nearly all values never reach the superaccumulator of precision/exact_sum.hpp: each thread first adds into
/// an expansion of three numbers of the values' own type, whose additions lose nothing (Knuth's two-sum), and
/// only what falls out of it is deposited (Collange, Defour, Graillat, Iakymchuk, Parallel Computing 49,
/// 2015, doi:10.1016/j.parco.2015.09.001).
namespace ulpine::detail {

/// a <- a + x rounded; returns what rounding lost, exactly.
template <class T>
ULPINE_HD T two_sum(T& a, T x) {
  T const sum = a + x;
  T const part = sum - a;
  T const lost = (a - (sum - part)) + (x - part);
  a = sum;
  return lost;
}

/// Values below this may enter an expansion: 2^40 of them do not overflow.
template <class T>
inline constexpr T most_in_expansion = T(0x1p960);
template <>
inline constexpr float most_in_expansion<float> = 0x1p80f;

/// An unevaluated sum of three numbers.
template <class T>
struct Expansion {
  T high = 0, middle = 0, low = 0;

  /// Adds x and returns what does not fit, usually 0.
  ULPINE_HD T add(T x) {
    T lost = two_sum(high, x);
    lost = two_sum(middle, lost);
    return lost == T(0) ? lost : two_sum(low, lost);
  }
};

/// A sum of floats whose magnitudes mostly differ by less than 2^50, at four additions of doubles a float and
/// no branch: two sums that begin at 1.5 times a power of 2 so large that the last place of the first is 2^e,
/// of the second 2^(e - 41), for all that they will hold. Adding to the first rounds to a multiple of 2^e;
/// what that loses is a multiple of the second's last place, and found by subtraction, without rounding
/// (Demmel and Nguyen, IEEE Trans. Comput. 64, 2015, doi:10.1109/TC.2014.2345391, with windows that follow
/// the numbers). Numbers outside the window move it or go to `rest`, called with doubles. Floats come in
/// groups of a constant number.
class WindowedSum {
 public:
  /// Adds `values`.
  template <int size, class Rest>
  ULPINE_HD void add(float const (&values)[size], Rest& rest) {
    add(values, rest, std::make_integer_sequence<int, size>{});
  }
  /// Hands all that is held to `rest`.
  template <class Rest>
  ULPINE_HD void flush(Rest& rest) {
    if (above_ != 0) {
      double const parts[2] = {high_ - bias(exponent_), low_ - bias(exponent_ - low_bits)};
      for (double const part : parts) {
        rest(part);
      }
      high_ = bias(exponent_);
      low_ = bias(exponent_ - low_bits);
    }
    held_ = 0;
  }

 private:
  static constexpr int most_held = 1024;  ///< 2^10 numbers below 2^(e + 40) stay below 2^(e + 51)
  static constexpr int high_bits = 40, low_bits = 41;
  static constexpr int margin = 8;  ///< binary orders by which numbers may grow before the window moves
  static constexpr std::uint32_t infinity = 0x7f800000u;

  /// 1.5 2^(exponent + 52), whose last place is 2^exponent.
  ULPINE_HD static double bias(int exponent) {
    return from_bits(static_cast<std::uint64_t>(exponent + 52 + 1023) << 52 | std::uint64_t{1} << 51);
  }
  ULPINE_HD static std::uint32_t magnitude(float x) { return to_bits(x) & 0x7fffffffu; }
  /// Zero is never outside an open window: 0 - 1 is large.
  ULPINE_HD bool outside(float x) const { return magnitude(x) >= above_ || magnitude(x) - 1 < below_; }

  ULPINE_HD void add_inside(float x) {
    auto const number = static_cast<double>(x);
    double const sum = high_ + number;
    double const rounded = sum - high_;
    high_ = sum;
    low_ += number - rounded;
  }
  /// Moves the empty window to where numbers up to that magnitude, and 2^margin times as large, fit.
  ULPINE_HD void open(std::uint32_t largest) {
    int const field = largest >> 23 == 0 ? 1 : static_cast<int>(largest >> 23);
    int const first_above = field + 1 + margin;
    exponent_ = first_above - 127 - high_bits;
    above_ = first_above > 255 ? infinity : static_cast<std::uint32_t>(first_above) << 23;
    // A float of exponent field f is a multiple of 2^(f - 127 - 23), and all are of 2^-149.
    int const least = exponent_ - low_bits + 127 + 23;
    below_ = least < 2 ? 0 : (static_cast<std::uint32_t>(least) << 23) - 1;
    high_ = bias(exponent_);
    low_ = bias(exponent_ - low_bits);
  }

  /// Every index is a constant, so that a device keeps the values in registers.
  template <int size, class Rest, int... i>
  ULPINE_HD void add(float const (&values)[size], Rest& rest, std::integer_sequence<int, i...>) {
    held_ += size;
    bool const any_outside = (outside(values[i]) | ...);
    if (any_outside || held_ > most_held) {
      float const copies[size] = {values[i]...};
      add_slowly(copies, any_outside, rest);
    } else {
      (add_inside(values[i]), ...);
    }
  }
  template <int size, class Rest>
  ULPINE_HD void add_slowly(float const (&values)[size], bool any_outside, Rest& rest) {
    flush(rest);
    std::uint32_t largest = 0;
    for (float const x : values) {
      largest = magnitude(x) < infinity && magnitude(x) > largest ? magnitude(x) : largest;
    }
    if (any_outside && largest != 0) {
      open(largest);
    }
    for (float const x : values) {
      if (outside(x)) {
        rest(static_cast<double>(x));
      } else {
        add_inside(x);
      }
    }
    held_ = size;
  }

  double high_ = 0, low_ = 0;
  std::uint32_t above_ = 0;  ///< magnitudes from here on are outside; 0: the window is not open yet
  std::uint32_t below_ = 0;  ///< magnitudes from 1 to here are outside
  int exponent_ = 0;         ///< e
  int held_ = 0;
};

/// A map of numbers to integers that keeps their order, with -0 below +0; NaN, of either sign, is `nan_key`.
template <class Number>
struct OrderKey;
template <>
struct OrderKey<double> {
  using Key = std::int64_t;
  static constexpr Key largest = 0x7fffffffffffffff;
  ULPINE_HD static Key to_key(double x, Key nan_key) {
    auto const bits = static_cast<Key>(to_bits(x));
    return x != x ? nan_key : bits ^ static_cast<Key>(static_cast<std::uint64_t>(bits >> 63) >> 1);
  }
  ULPINE_HD static double from_bits_of(Key bits) { return from_bits(static_cast<std::uint64_t>(bits)); }
  static constexpr Key infinity = 0x7ff0000000000000, nan = 0x7ff8000000000000;
};
template <>
struct OrderKey<float> {
  using Key = std::int32_t;
  static constexpr Key largest = 0x7fffffff;
  ULPINE_HD static Key to_key(float x, Key nan_key) {
    auto const bits = static_cast<Key>(to_bits(x));
    return x != x ? nan_key : bits ^ static_cast<Key>(static_cast<std::uint32_t>(bits >> 31) >> 1);
  }
  ULPINE_HD static float from_bits_of(Key bits) { return from_bits(static_cast<std::uint32_t>(bits)); }
  static constexpr Key infinity = 0x7f800000, nan = 0x7fc00000;
};

/// Keys as the largest (smallest) number is found: NaN beats everything, everything beats what an empty view
/// has.
template <class T>
struct Extreme {
  using Order = OrderKey<T>;
  using Key = typename Order::Key;
  bool largest;

  ULPINE_HD Key nan() const { return largest ? Order::largest : static_cast<Key>(-Order::largest - 1); }
  /// Of -infinity (+infinity).
  ULPINE_HD Key start() const {
    return largest ? static_cast<Key>(~Order::infinity) : static_cast<Key>(Order::infinity);
  }
  ULPINE_HD Key key(T x) const { return Order::to_key(x, nan()); }
  ULPINE_HD Key better(Key a, Key b) const { return largest ? math::max(a, b) : math::min(a, b); }
  ULPINE_HD T value(Key key) const {
    return Order::from_bits_of(key == nan() ? Order::nan
                               : key < 0    ? static_cast<Key>(key ^ Order::largest)
                                            : key);
  }
};

}  // namespace ulpine::detail
