// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>

#include "precision/elementary.hpp"
#include "precision/policy.hpp"

namespace ulpine {

/// A float that never becomes a double unless a cast asks for it: a kernel instantiated with it compiles only
/// if no double literal, no double variable and no function of the C library (`fabs`, `std::exp`) touches its
/// values. For tests; computes what float computes.
class StrictFloat {
 public:
  StrictFloat() = default;
  template <class T>
  requires std::same_as<T, float> || std::integral<T> ULPINE_HD constexpr StrictFloat(T value)
      : value_{static_cast<float>(value)} {}
  template <std::same_as<double> T>
  ULPINE_HD explicit constexpr StrictFloat(T value) : value_{static_cast<float>(value)} {}

  /// As T(x) would convert a float.
  template <class T>
  requires std::same_as<T, float> || std::same_as<T, double> || std::integral<T> ULPINE_HD explicit constexpr
  operator T() const {
    return static_cast<T>(value_);
  }

  ULPINE_HD friend constexpr StrictFloat operator+(StrictFloat a, StrictFloat b) {
    return a.value_ + b.value_;
  }
  ULPINE_HD friend constexpr StrictFloat operator-(StrictFloat a, StrictFloat b) {
    return a.value_ - b.value_;
  }
  ULPINE_HD friend constexpr StrictFloat operator*(StrictFloat a, StrictFloat b) {
    return a.value_ * b.value_;
  }
  ULPINE_HD friend constexpr StrictFloat operator/(StrictFloat a, StrictFloat b) {
    return a.value_ / b.value_;
  }
  ULPINE_HD constexpr StrictFloat operator-() const { return -value_; }
  ULPINE_HD constexpr StrictFloat operator+() const { return *this; }
  ULPINE_HD constexpr StrictFloat& operator+=(StrictFloat other) { return *this = *this + other; }
  ULPINE_HD constexpr StrictFloat& operator-=(StrictFloat other) { return *this = *this - other; }
  ULPINE_HD constexpr StrictFloat& operator*=(StrictFloat other) { return *this = *this * other; }
  ULPINE_HD constexpr StrictFloat& operator/=(StrictFloat other) { return *this = *this / other; }
  ULPINE_HD friend constexpr bool operator==(StrictFloat a, StrictFloat b) { return a.value_ == b.value_; }
  ULPINE_HD friend constexpr std::partial_ordering operator<=>(StrictFloat a, StrictFloat b) {
    return a.value_ <=> b.value_;
  }

 private:
  float value_ = 0;
};

/// fp32 with StrictFloat in every role: instantiate a kernel with it to prove that no double leaks in.
struct StrictFp32 {
  using State = StrictFloat;
  using Compute = StrictFloat;
  using Accumulate = StrictFloat;
  using Multiplicand = Exact;
  static constexpr char const* name = "strict-fp32";
};

namespace math {

ULPINE_HD inline StrictFloat fma(StrictFloat a, StrictFloat b, StrictFloat c) {
  return fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}
ULPINE_HD inline StrictFloat sqrt(StrictFloat x) { return sqrt(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat abs(StrictFloat x) { return abs(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat exp(StrictFloat x) { return exp(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat exp2(StrictFloat x) { return exp2(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat log(StrictFloat x) { return log(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat log2(StrictFloat x) { return log2(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat pow(StrictFloat x, StrictFloat y) {
  return pow(static_cast<float>(x), static_cast<float>(y));
}
ULPINE_HD inline StrictFloat sin(StrictFloat x) { return sin(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat cos(StrictFloat x) { return cos(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat tan(StrictFloat x) { return tan(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat atan2(StrictFloat y, StrictFloat x) {
  return atan2(static_cast<float>(y), static_cast<float>(x));
}
ULPINE_HD inline StrictFloat sinh(StrictFloat x) { return sinh(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat cosh(StrictFloat x) { return cosh(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat tanh(StrictFloat x) { return tanh(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat cbrt(StrictFloat x) { return cbrt(static_cast<float>(x)); }
ULPINE_HD inline StrictFloat hypot(StrictFloat x, StrictFloat y) {
  return hypot(static_cast<float>(x), static_cast<float>(y));
}

}  // namespace math
}  // namespace ulpine
