// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/exec/values.hpp"
#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/double_float.hpp"
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

/// Types whose sums are exact, on every executor.
template <class T>
inline constexpr bool summed_exactly = std::is_floating_point_v<T> || std::is_same_v<T, DoubleFloat>;

/// Calls add(term) with the four doubles whose sum is a b exactly; where that is infinite or not a number,
/// with such a double.
template <class Add>
ULPINE_HD void for_terms_of_product(DoubleFloat a, DoubleFloat b, Add const& add) {
  auto const a_hi = static_cast<double>(a.hi()), b_hi = static_cast<double>(b.hi());
  auto const a_lo = static_cast<double>(a.lo()), b_lo = static_cast<double>(b.lo());
  add(a_hi * b_hi);
  if (!(a_hi * b_hi - a_hi * b_hi == 0)) return;
  add(a_hi * b_lo);
  add(a_lo * b_hi);
  add(a_lo * b_lo);
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

template <class T>
struct WindowTraits;
template <>
struct WindowTraits<double> {
  static constexpr int parts = 3, digits = 53, exponent_bias = 1023;
  /// Below this biases are normal numbers; beyond that and above the largest they are none.
  static constexpr int least_exponent = -900, most_exponent = 900;
  static constexpr double infinity = from_bits(std::uint64_t{0x7ff0000000000000});
  ULPINE_HD static int exponent(double x) {
    return static_cast<int>(to_bits(x) >> 52 & 0x7ff) - exponent_bias;
  }
  ULPINE_HD static double power(int exponent) {
    return from_bits(static_cast<std::uint64_t>(exponent + exponent_bias) << 52);
  }
};
template <>
struct WindowTraits<float> {
  static constexpr int parts = 2, digits = 24, exponent_bias = 127;
  static constexpr int least_exponent = -127, most_exponent = 127;
  static constexpr float infinity = from_bits(std::uint32_t{0x7f800000});
  ULPINE_HD static int exponent(float x) { return static_cast<int>(to_bits(x) >> 23 & 0xff) - exponent_bias; }
  ULPINE_HD static float power(int exponent) {
    return from_bits(static_cast<std::uint32_t>(exponent + exponent_bias) << 23);
  }
};

/// A sum of numbers whose magnitudes mostly differ by less than 2^50, at four additions of doubles a float,
/// seven a double, and no branch: sums that begin at 1.5 times a power of 2 so large that the last place of
/// the first is 2^e, of the next 2^(e - 41) and so on, for all that they will hold. Adding to the first
/// rounds to a multiple of 2^e; what that loses is found by subtraction, without rounding, and added to the
/// next, and the last loses nothing (Demmel and Nguyen, IEEE Trans. Comput. 64, 2015,
/// doi:10.1109/TC.2014.2345391, with windows that follow the numbers). Numbers outside the window move it or
/// go to `rest`, called with doubles. Numbers come in groups of a constant size.
template <class T>
class WindowedSum {
 public:
  /// Adds `values`.
  template <int size, class Rest>
  ULPINE_HD void add(T const (&values)[size], Rest& rest) {
    add(values, rest, std::make_integer_sequence<int, size>{});
  }
  /// Hands all that is held to `rest`.
  template <class Rest>
  ULPINE_HD void flush(Rest& rest) {
    if (above_ != 0) {
      double held[parts];
      for (int part = 0; part < parts; ++part) {
        held[part] = sums_[part] - bias(part);
        sums_[part] = bias(part);
      }
      for (double const part : held) {
        rest(part);
      }
    }
    held_ = 0;
  }

 private:
  using Traits = WindowTraits<T>;
  static constexpr int parts = Traits::parts;
  static constexpr int most_held = 1024;  ///< 2^10 numbers below 2^(e + 40) stay below 2^(e + 51)
  static constexpr int first_bits = 40, part_bits = 41;
  static constexpr int margin = 8;  ///< binary orders by which numbers may grow before the window moves

  /// Where the sum number `part` begins: 1.5 times the power whose last place is 2^(e - part_bits part).
  ULPINE_HD double bias(int part) const {
    auto const exponent = static_cast<std::uint64_t>(exponent_ - part_bits * part + 52 + 1023);
    return from_bits(exponent << 52 | std::uint64_t{1} << 51);
  }
  /// NaN is, too; zero is not where the window is open.
  ULPINE_HD bool outside(T x) const {
    bool const below_above = math::abs(x) < above_, too_small = math::abs(x) < below_;
    return static_cast<bool>(int{!below_above} | (int{too_small} & int{x != T(0)}));
  }

  template <int part = 0>
  ULPINE_HD void add_inside(double number) {
    if constexpr (part + 1 == parts) {
      sums_[part] += number;
    } else {
      double const sum = sums_[part] + number;
      double const rounded = sum - sums_[part];
      sums_[part] = sum;
      add_inside<part + 1>(number - rounded);
    }
  }
  /// Moves the empty window to where `largest`, and numbers 2^margin times as large, fit, or leaves it closed
  /// where its sums would not be numbers.
  ULPINE_HD void open(T largest) {
    int const exponent = Traits::exponent(largest);
    above_ = below_ = 0;
    if (exponent < Traits::least_exponent || exponent > Traits::most_exponent) {
      return;
    }
    int const end = exponent + 1 + margin;
    exponent_ = end - first_bits;
    above_ = end > Traits::exponent_bias ? Traits::infinity : Traits::power(end);
    // A number of exponent x is a multiple of 2^(x + 1 - digits), and the smallest normal one's is all
    // others'.
    int const least = exponent_ - part_bits * (parts - 1) + Traits::digits - 1;
    below_ = least < 2 - Traits::exponent_bias ? 0 : Traits::power(least);
    for (int part = 0; part < parts; ++part) {
      sums_[part] = bias(part);
    }
  }

  /// Every index is a constant, so that a device keeps the values in registers.
  template <int size, class Rest, int... i>
  ULPINE_HD void add(T const (&values)[size], Rest& rest, std::integer_sequence<int, i...>) {
    held_ += size;
    bool const any_outside = (outside(values[i]) | ...);
    if (any_outside || held_ > most_held) {
      T const copies[size] = {values[i]...};
      add_slowly(copies, any_outside, rest);
    } else {
      (add_inside(static_cast<double>(values[i])), ...);
    }
  }
  template <int size, class Rest>
  ULPINE_HD void add_slowly(T const (&values)[size], bool any_outside, Rest& rest) {
    flush(rest);
    T largest = 0;
    for (T const x : values) {
      largest = math::abs(x) < Traits::infinity && math::abs(x) > largest ? math::abs(x) : largest;
    }
    if (any_outside && largest != 0) {
      open(largest);
    }
    for (T const x : values) {
      if (outside(x)) {
        rest(static_cast<double>(x));
      } else {
        add_inside(static_cast<double>(x));
      }
    }
    held_ = size;
  }

  double sums_[parts] = {};
  T above_ = 0;       ///< magnitudes from here on are outside; 0: the window is closed
  T below_ = 0;       ///< magnitudes above 0 and below this are outside
  int exponent_ = 0;  ///< e
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

/// Of two floats: bits as of a number of sign and magnitude, those of hi above those of lo.
template <>
struct OrderKey<DoubleFloat> {
  using Key = std::int64_t;
  static constexpr Key largest = 0x7fffffffffffffff;
  ULPINE_HD static Key to_key(DoubleFloat x, Key nan_key) {
    bool const negative = (to_bits(x.hi()) >> 31) != 0;
    auto const high = std::uint64_t{to_bits(x.hi()) & 0x7fffffffu} << 32;
    auto const low = OrderKey<float>::to_key(negative ? 0.0f - x.lo() : x.lo(), 0);
    auto const magnitude = static_cast<Key>(high | (static_cast<std::uint32_t>(low) ^ 0x80000000u));
    return x != x ? nan_key : negative ? ~magnitude : magnitude;
  }
  ULPINE_HD static DoubleFloat from_bits_of(Key bits) {
    auto const low = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) ^ 0x80000000u);
    auto const magnitude =
        DoubleFloat::of(from_bits(static_cast<std::uint32_t>(bits >> 32) & 0x7fffffffu),
                        OrderKey<float>::from_bits_of(low < 0 ? low ^ OrderKey<float>::largest : low));
    return bits < 0 ? -magnitude : magnitude;
  }
  static constexpr Key infinity = 0x7f80000080000000, nan = 0x7fc0000080000000;
};

/// Keys as the largest (smallest) number is found: NaN beats everything, everything beats what an empty view
/// has.
template <class T>
struct Extreme {
  using Order = OrderKey<T>;
  using Key = typename Order::Key;
  bool largest;

  ULPINE_HD Key nan() const { return largest ? Order::largest : static_cast<Key>(-Order::largest - 1); }
  /// The key of -infinity where the largest value is sought, of +infinity where the smallest is.
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

/// A value as a number whose largest over several ranks belongs to their largest (smallest) value, and back.
template <class T>
ULPINE_HD std::int64_t shared_key(T x, bool largest) {
  std::int64_t const key = Extreme<T>{largest}.key(x);
  return largest ? key : ~key;
}
template <class T>
ULPINE_HD T of_shared_key(std::int64_t key, bool largest) {
  return Extreme<T>{largest}.value(static_cast<typename OrderKey<T>::Key>(largest ? key : ~key));
}

}  // namespace ulpine::detail
