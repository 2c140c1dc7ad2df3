// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>

#include "precision/elementary.hpp"
#include "precision/emulation.hpp"
#include "precision/policy.hpp"
#include "precision/value_type.hpp"

namespace ulpine {

/// A number of the format that `emulation` has on the calling thread, in a double: every operation takes its
/// operands to the format, to nearest, and rounds its result once. Copies, signs and magnitudes are as they
/// are. Host only.
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
  /// The value that operations take it for, rounded to the format.
  double operand() const { return emulation.operand(value_); }
  /// The number that is this double, whatever the format.
  static EmulatedNumber of(double x) {
    EmulatedNumber number;
    number.value_ = x;
    return number;
  }

  EmulatedNumber operator-() const { return of(-value_); }
  EmulatedNumber operator+() const { return *this; }
  friend EmulatedNumber operator+(EmulatedNumber a, EmulatedNumber b) {
    return of(emulation.sum(a.value_, b.value_));
  }
  friend EmulatedNumber operator-(EmulatedNumber a, EmulatedNumber b) {
    return of(emulation.sum(a.value_, -b.value_));
  }
  friend EmulatedNumber operator*(EmulatedNumber a, EmulatedNumber b) {
    return of(emulation.product(a.value_, b.value_));
  }
  friend EmulatedNumber operator/(EmulatedNumber a, EmulatedNumber b) {
    return of(emulation.quotient(a.value_, b.value_));
  }
  EmulatedNumber& operator+=(EmulatedNumber b) { return *this = *this + b; }
  EmulatedNumber& operator-=(EmulatedNumber b) { return *this = *this - b; }
  EmulatedNumber& operator*=(EmulatedNumber b) { return *this = *this * b; }
  EmulatedNumber& operator/=(EmulatedNumber b) { return *this = *this / b; }
  friend bool operator==(EmulatedNumber a, EmulatedNumber b) { return a.operand() == b.operand(); }
  friend auto operator<=>(EmulatedNumber a, EmulatedNumber b) { return a.operand() <=> b.operand(); }

 private:
  double value_ = 0;
};

/// Stored as the double that it is.
template <>
inline constexpr ValueType value_type_of<EmulatedNumber> = ValueType::float64;

/// Operands of products in the format that `emulation` has for them.
struct EmulatedMultiplicand {
  static constexpr char const* name = "emulated";
  static constexpr bool known_when_run = true;
  static EmulatedNumber round(EmulatedNumber x) {
    return EmulatedNumber::of(emulation.multiplicand(x.operand()));
  }
};

/// All of a kernel in the format of EmulatedNumber.
struct EmulatedPolicy {
  using State = EmulatedNumber;
  using Compute = EmulatedNumber;
  using Accumulate = EmulatedNumber;
  using Multiplicand = EmulatedMultiplicand;
  static constexpr char const* name = "emulated";
};

namespace math {

inline EmulatedNumber fma(EmulatedNumber a, EmulatedNumber b, EmulatedNumber c) {
  return EmulatedNumber::of(emulation.fused(a.value(), b.value(), c.value()));
}
inline EmulatedNumber abs(EmulatedNumber x) { return EmulatedNumber::of(std::fabs(x.value())); }
inline EmulatedNumber sqrt(EmulatedNumber x) { return EmulatedNumber::of(emulation.root(x.value())); }

namespace detail {
inline EmulatedNumber result(double y) { return EmulatedNumber::of(emulation.result(y)); }
}  // namespace detail

inline EmulatedNumber exp(EmulatedNumber x) { return detail::result(exp(x.operand())); }
inline EmulatedNumber exp2(EmulatedNumber x) { return detail::result(exp2(x.operand())); }
inline EmulatedNumber log(EmulatedNumber x) { return detail::result(log(x.operand())); }
inline EmulatedNumber log2(EmulatedNumber x) { return detail::result(log2(x.operand())); }
inline EmulatedNumber sin(EmulatedNumber x) { return detail::result(sin(x.operand())); }
inline EmulatedNumber cos(EmulatedNumber x) { return detail::result(cos(x.operand())); }
inline EmulatedNumber tan(EmulatedNumber x) { return detail::result(tan(x.operand())); }
inline EmulatedNumber sinh(EmulatedNumber x) { return detail::result(sinh(x.operand())); }
inline EmulatedNumber cosh(EmulatedNumber x) { return detail::result(cosh(x.operand())); }
inline EmulatedNumber tanh(EmulatedNumber x) { return detail::result(tanh(x.operand())); }
inline EmulatedNumber cbrt(EmulatedNumber x) { return detail::result(cbrt(x.operand())); }
inline EmulatedNumber pow(EmulatedNumber x, EmulatedNumber y) {
  return detail::result(pow(x.operand(), y.operand()));
}
inline EmulatedNumber atan2(EmulatedNumber y, EmulatedNumber x) {
  return detail::result(atan2(y.operand(), x.operand()));
}
inline EmulatedNumber hypot(EmulatedNumber x, EmulatedNumber y) {
  return detail::result(hypot(x.operand(), y.operand()));
}

}  // namespace math
}  // namespace ulpine
