// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "precision/bits.hpp"
#include "precision/double_double.hpp"
#include "precision/format_name.hpp"

namespace ulpine {

/// The arithmetic of a format of at most 53 bits of precision, chosen when the program runs: + - * /, sqrt
/// and fma of doubles as the format has them, each rounded once from the exact result. An operand that is no
/// value of the format (it came from a wider one) becomes the nearest first. Host only.
class Emulation {
 public:
  /// binary64, rounding to nearest: what doubles do by themselves.
  constexpr Emulation() = default;
  explicit Emulation(NamedFormat const& named);

  /// Whether numbers are doubles that round to nearest.
  bool is_double() const { return way_ == Way::native; }
  /// This format with nothing random: stochastic rounding becomes rounding to nearest.
  Emulation to_nearest() const;
  /// Begins a launch; `place` tells its random bits from those of others.
  void begin_launch(std::uint64_t place);
  /// For a point of the launch. Random bits are a function of seed, place, point and how many results of the
  /// point were rounded before: order and threads do not matter.
  void begin_point(std::uint64_t point) {
    counter_ = (point << 24) ^ offset_;
    drawn_ = 0;
  }

  double sum(double a, double b) { return way_ == Way::native ? a + b : emulated_sum(a, b); }
  double product(double a, double b) { return way_ == Way::native ? a * b : emulated_product(a, b); }
  double quotient(double a, double b) { return way_ == Way::native ? a / b : emulated_quotient(a, b); }
  double root(double x) { return way_ == Way::native ? std::sqrt(x) : emulated_root(x); }
  /// a b + c, rounded once.
  double fused(double a, double b, double c) {
    return way_ == Way::native ? std::fma(a, b, c) : emulated_fused(a, b, c);
  }
  double pair(double high, double low);  ///< high + low, where high is the nearest double to that
  /// Rounds x to the format.
  double round(double x);
  /// Result of an elementary function whose value in double is y: y in the format; in 53 bits with stochastic
  /// rounding its neighbour above or below with probability 1/4 each, as y is off by about half a unit itself
  /// (0, 1 and -1, which bound functions or are exact, stay).
  double result(double y);
  /// The nearest value of the format.
  double operand(double x) const {
    if (way_ == Way::single) return static_cast<double>(static_cast<float>(x));
    return !narrow_ || holds(x) ? x : operand_of_wider(x);
  }
  /// An operand of a product, as the format has them.
  double multiplicand(double x) const;

 private:
  enum class Way : std::uint8_t {
    native,       ///< binary64 to nearest
    nearest,      ///< fewer bits, to nearest even
    single,       ///< binary32 to nearest, of which the processor knows
    distance,     ///< few bits, at random by distance: what lies below a double's last place does not show
    double_near,  ///< 53 bits, at random by distance
    double_even,  ///< 53 bits, at random with even odds
    other
  };
  /// An operation's exact result: (high + low + lower) 2^scale, each of a magnitude below the last place of
  /// the one before.
  struct Exact {
    double high, low, lower = 0;
    int scale = 0;
  };

  /// Whether x is a value of the format; may say no of its largest and subnormal ones.
  bool holds(double x) const {
    auto const magnitude = to_bits(x) & ~sign_bit;
    return (to_bits(x) & dropped_) == 0 && magnitude - smallest_ < range_;
  }
  /// 32 random bits in the upper half, half a unit of them below.
  std::uint64_t draw() {
    auto const odd = (drawn_ & 1) != 0;
    if (!odd) block_ = philox_2x32(counter_ + (drawn_ >> 1), key_);
    ++drawn_;
    return (odd ? block_ & 0xffffffff00000000u : block_ << 32) | 0x80000000u;
  }
  /// Whether `rounded` is the result whose double, rounded to nearest, is `high`.
  bool quick(double high, double& rounded) {
    if (way_ == Way::single) {
      rounded = static_cast<double>(static_cast<float>(high));
      // A tie may have been made one by the first rounding; never by that of + - * / and sqrt.
      return (to_bits(high) & dropped_) != (dropped_ + 1) >> 1 && (std::fabs(high) > 0x1p-120 || high == 0);
    }
    auto const bits = to_bits(high), magnitude = bits & ~sign_bit;
    if (magnitude - smallest_ >= range_) return false;
    auto const rest = bits & dropped_, half = (dropped_ + 1) >> 1;
    if (way_ == Way::nearest) {
      if (rest == half) return false;  // a tie, or what double rounding made one
      rounded = from_bits((bits + half) & ~dropped_);
      return true;
    }
    if (way_ != Way::distance) return false;
    if (rest == 0) {
      rounded = high;
    } else {
      rounded = from_bits((bits + (draw() >> (64 - dropped_bits_))) & ~dropped_);
    }
    return true;
  }
  /// Rounds to 53 bits at random, well inside the range: high or its neighbour on the side of low.
  double up_or_down(double high, double low) {
    if (low == 0) return high;
    // Without branches, as nothing could foretell them: signs that differ make a step of -1.
    auto const step = std::uint64_t{1} | -((to_bits(high) ^ to_bits(low)) >> 63);
    auto const gap = std::fabs(from_bits(to_bits(high) + step) - high);
    auto const random = draw();
    auto const odds = way_ == Way::double_even ? gap / 2 : std::fabs(low);
    auto const moves = static_cast<double>(random >> 11) * 0x1p-53 * gap < odds;
    return from_bits(to_bits(high) + (moves ? step : 0));
  }
  bool of_double() const { return way_ == Way::double_near || way_ == Way::double_even; }
  static bool moderate(double x) { return std::fabs(x) > 0x1p-900 && std::fabs(x) < 0x1p1000; }

  double operand_of_wider(double x) const;
  double round_exact(Exact const& exact);
  // Not within kernels, of which they would make long ones.
  double emulated_sum(double a, double b);
  double emulated_product(double a, double b);
  double emulated_quotient(double a, double b);
  double emulated_root(double x);
  double emulated_fused(double a, double b, double c);
  double exact_sum(double a, double b);
  double exact_product(double a, double b);
  double exact_quotient(double a, double b);
  double exact_root(double x);
  double exact_fused(double a, double b, double c);

  static constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

  NamedFormat named_{{.precision = 53, .emin = -1022, .emax = 1023}};
  Way way_ = Way::native;
  bool narrow_ = false;         ///< doubles may be no values of the format
  int dropped_bits_ = 0;        ///< of a double's significand
  std::uint64_t dropped_ = 0;   ///< mask of these
  std::uint64_t smallest_ = 0;  ///< bits of the smallest normal number
  std::uint64_t range_ = 0;     ///< of magnitudes from there to before 2^emax, as differences of bits
  std::uint32_t key_ = 0;
  std::uint64_t offset_ = 0, counter_ = 0, drawn_ = 0, block_ = 0;
};

/// Emulation of the calling thread, set by whoever runs a kernel.
inline constinit thread_local Emulation emulation;

inline double Emulation::round(double x) {
  if (!narrow_ || holds(x)) return x;
  double rounded;
  return quick(x, rounded) ? rounded : exact_sum(x, 0);
}

}  // namespace ulpine
