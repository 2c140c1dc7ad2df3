// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "precision/elementary.hpp"
#include "precision/formats.hpp"
#include "precision/policy.hpp"
#include "precision/value_type.hpp"

namespace ulpine {

/// How EmulatedNumber rounds on the calling thread: set by whoever runs a kernel, for every point anew.
struct Emulation {
  FloatFormat format{.precision = 24, .emin = -126, .emax = 127};
  std::uint32_t seed = 0;
  std::uint64_t place = 0;  ///< what tells launches apart
  std::uint64_t point = 0;
  std::uint64_t operation = 0;  ///< counts the roundings of the point

  double round(double x) {
    if (format.rounding != Rounding::stochastic) return round_to(format, x);
    // A function of seed, launch, point and operation alone: order and threads do not matter.
    auto const key = static_cast<std::uint32_t>(place ^ (place >> 32)) ^ (seed * 0x9e3779b9u);
    return round_to(format, x, philox_2x32(point << 20 ^ operation++, key));
  }
};

inline thread_local Emulation emulation;

/// A number of any binary format of at most 25 bits of precision and the exponents of double, chosen when the
/// program runs: every operation is done in double and rounded to the format. For + - * / and sqrt that is
/// the format's own rounding (53 >= 2 * 25 + 2: Figueroa, When is double rounding innocuous?, SIGNUM
/// Newsletter 30, 1995, doi:10.1145/221332.221334); fma and the elementary functions round twice. Host only.
class EmulatedNumber {
 public:
  EmulatedNumber() = default;
  template <class T>
  requires std::integral<T> || std::floating_point<T> EmulatedNumber(T x)
      : value_{emulation.round(static_cast<double>(x))} {}
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  explicit operator T() const { return static_cast<T>(value_); }
  double value() const { return value_; }

  EmulatedNumber operator-() const { return exact(-value_); }
  friend EmulatedNumber operator+(EmulatedNumber a, EmulatedNumber b) { return {a.value_ + b.value_}; }
  friend EmulatedNumber operator-(EmulatedNumber a, EmulatedNumber b) { return {a.value_ - b.value_}; }
  friend EmulatedNumber operator*(EmulatedNumber a, EmulatedNumber b) { return {a.value_ * b.value_}; }
  friend EmulatedNumber operator/(EmulatedNumber a, EmulatedNumber b) { return {a.value_ / b.value_}; }
  EmulatedNumber& operator+=(EmulatedNumber b) { return *this = *this + b; }
  EmulatedNumber& operator-=(EmulatedNumber b) { return *this = *this - b; }
  EmulatedNumber& operator*=(EmulatedNumber b) { return *this = *this * b; }
  EmulatedNumber& operator/=(EmulatedNumber b) { return *this = *this / b; }
  friend bool operator==(EmulatedNumber a, EmulatedNumber b) { return a.value_ == b.value_; }
  friend auto operator<=>(EmulatedNumber a, EmulatedNumber b) { return a.value_ <=> b.value_; }

 private:
  static EmulatedNumber exact(double x) {
    EmulatedNumber number;
    number.value_ = x;
    return number;
  }
  double value_ = 0;
  friend EmulatedNumber emulated_abs(EmulatedNumber x);
};

/// Stored as the double that it is.
template <>
inline constexpr ValueType value_type_of<EmulatedNumber> = ValueType::float64;

/// All of a kernel in one format of EmulatedNumber.
struct EmulatedPolicy {
  using State = EmulatedNumber;
  using Compute = EmulatedNumber;
  using Accumulate = EmulatedNumber;
  using Multiplicand = Exact;
  static constexpr char const* name = "emulated";
};

inline EmulatedNumber emulated_abs(EmulatedNumber x) { return EmulatedNumber::exact(std::fabs(x.value())); }

namespace math {

inline EmulatedNumber fma(EmulatedNumber a, EmulatedNumber b, EmulatedNumber c) {
  return {std::fma(a.value(), b.value(), c.value())};
}
inline EmulatedNumber abs(EmulatedNumber x) { return emulated_abs(x); }
inline EmulatedNumber sqrt(EmulatedNumber x) { return {sqrt(x.value())}; }
inline EmulatedNumber exp(EmulatedNumber x) { return {exp(x.value())}; }
inline EmulatedNumber exp2(EmulatedNumber x) { return {exp2(x.value())}; }
inline EmulatedNumber log(EmulatedNumber x) { return {log(x.value())}; }
inline EmulatedNumber log2(EmulatedNumber x) { return {log2(x.value())}; }
inline EmulatedNumber sin(EmulatedNumber x) { return {sin(x.value())}; }
inline EmulatedNumber cos(EmulatedNumber x) { return {cos(x.value())}; }
inline EmulatedNumber tan(EmulatedNumber x) { return {tan(x.value())}; }
inline EmulatedNumber sinh(EmulatedNumber x) { return {sinh(x.value())}; }
inline EmulatedNumber cosh(EmulatedNumber x) { return {cosh(x.value())}; }
inline EmulatedNumber tanh(EmulatedNumber x) { return {tanh(x.value())}; }
inline EmulatedNumber cbrt(EmulatedNumber x) { return {cbrt(x.value())}; }
inline EmulatedNumber pow(EmulatedNumber x, EmulatedNumber y) { return {pow(x.value(), y.value())}; }
inline EmulatedNumber atan2(EmulatedNumber y, EmulatedNumber x) { return {atan2(y.value(), x.value())}; }
inline EmulatedNumber hypot(EmulatedNumber x, EmulatedNumber y) { return {hypot(x.value(), y.value())}; }

}  // namespace math
}  // namespace ulpine
