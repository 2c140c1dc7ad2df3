// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <type_traits>

#include "precision/elementary.hpp"
#include "precision/formats.hpp"
#include "precision/operation_counts.hpp"
#include "precision/value_type.hpp"

namespace ulpine {

/// A double (float, where that is taken whatever the policy) whose operations are counted in
/// `operations_done` on the calling thread, by the number's role. Values are those of fp64. In optimised code
/// operations on constants that the compiler knows are not counted, as they cost nothing when a kernel runs:
/// `Real(1) / 6` is a constant. Numbers of two roles are not combined without a conversion. Host only.
template <Role role>
class CountedNumber {
 public:
  using Carrier = std::conditional_t<role == Role::always_float, float, double>;

  CountedNumber() = default;
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  [[gnu::always_inline]] CountedNumber(T x) : value_{static_cast<Carrier>(x)} {
    if (!__builtin_constant_p(x)) count(std::integral<T> ? Kind::from_integer : Kind::from_real);
  }
  template <Role other>
  requires(other != role) [[gnu::always_inline]] CountedNumber(CountedNumber<other> x)
      : value_{static_cast<Carrier>(x.value())} {
    if (!__builtin_constant_p(x.value())) count(conversion_from(other));
  }
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  [[gnu::always_inline]] explicit operator T() const {
    if (!__builtin_constant_p(value_)) count(std::integral<T> ? Kind::from_integer : Kind::from_real);
    return static_cast<T>(value_);
  }
  Carrier value() const { return value_; }
  /// The number that has this value; nothing is counted.
  [[gnu::always_inline]] static CountedNumber of(Carrier x) {
    CountedNumber number;
    number.value_ = x;
    return number;
  }
  [[gnu::always_inline]] static void count(Kind kind, std::int64_t times = 1) {
    operations_done.at(role, kind) += times;
  }

  [[gnu::always_inline]] CountedNumber operator-() const { return counted(-value_, Kind::sign, *this); }
  CountedNumber operator+() const { return *this; }
  [[gnu::always_inline]] friend CountedNumber operator+(CountedNumber a, CountedNumber b) {
    return counted(a.value_ + b.value_, Kind::add, a, b);
  }
  [[gnu::always_inline]] friend CountedNumber operator-(CountedNumber a, CountedNumber b) {
    return counted(a.value_ - b.value_, Kind::add, a, b);
  }
  [[gnu::always_inline]] friend CountedNumber operator*(CountedNumber a, CountedNumber b) {
    return counted(a.value_ * b.value_, Kind::multiply, a, b);
  }
  [[gnu::always_inline]] friend CountedNumber operator/(CountedNumber a, CountedNumber b) {
    if (__builtin_constant_p(b.value_)) {
      if (is_power_of_two(b.value_)) return counted(a.value_ / b.value_, Kind::multiply, a, b);
    }
    return counted(a.value_ / b.value_, Kind::divide, a, b);
  }
  [[gnu::always_inline]] CountedNumber& operator+=(CountedNumber b) { return *this = *this + b; }
  [[gnu::always_inline]] CountedNumber& operator-=(CountedNumber b) { return *this = *this - b; }
  [[gnu::always_inline]] CountedNumber& operator*=(CountedNumber b) { return *this = *this * b; }
  [[gnu::always_inline]] CountedNumber& operator/=(CountedNumber b) { return *this = *this / b; }
  [[gnu::always_inline]] friend bool operator==(CountedNumber a, CountedNumber b) {
    count(Kind::compare);
    return a.value_ == b.value_;
  }
  [[gnu::always_inline]] friend bool operator<(CountedNumber a, CountedNumber b) {
    count(Kind::compare);
    return a.value_ < b.value_;
  }
  [[gnu::always_inline]] friend bool operator>(CountedNumber a, CountedNumber b) { return b < a; }
  [[gnu::always_inline]] friend bool operator<=(CountedNumber a, CountedNumber b) {
    count(Kind::compare);
    return a.value_ <= b.value_;
  }
  [[gnu::always_inline]] friend bool operator>=(CountedNumber a, CountedNumber b) { return b <= a; }

  /// The number of value `result`, an operation on `operands`: counted unless the compiler knows all of them.
  template <class... Operands>
  [[gnu::always_inline]] static CountedNumber counted(Carrier result, Kind kind, Operands... operands) {
    if (!(__builtin_constant_p(operands.value_) && ...)) count(kind);
    return of(result);
  }

 private:
  static constexpr Kind conversion_from(Role other) {
    return static_cast<Kind>(static_cast<int>(Kind::from_state) + static_cast<int>(other));
  }
  /// Of a normal number.
  [[gnu::always_inline]] static bool is_power_of_two(Carrier x) {
    constexpr int fraction_bits = sizeof(Carrier) == 8 ? 52 : 23;
    return x != 0 && (to_bits(x) & ((decltype(to_bits(x)){1} << fraction_bits) - 1)) == 0;
  }

  Carrier value_;  ///< none at first, as a double has
};

/// Stored as the value that it is.
template <Role role>
inline constexpr ValueType value_type_of<CountedNumber<role>> =
    role == Role::always_float ? ValueType::float32 : ValueType::float64;

using CountedState = CountedNumber<Role::state>;
using CountedCompute = CountedNumber<Role::compute>;
using CountedAccumulate = CountedNumber<Role::accumulate>;

/// Kernels with numbers that count: the values of fp64, and roles kept apart, so that what is counted tells
/// of every policy whose operands are not rounded.
struct CountedPolicy {
  using State = CountedState;
  using Compute = CountedCompute;
  using Accumulate = CountedAccumulate;
  using Multiplicand = Exact;
  static constexpr char const* name = "counted";
};

namespace math {

template <Role role>
[[gnu::always_inline]] inline CountedNumber<role> fma(CountedNumber<role> a,
                                                      std::type_identity_t<CountedNumber<role>> b,
                                                      std::type_identity_t<CountedNumber<role>> c) {
  return CountedNumber<role>::counted(fma(a.value(), b.value(), c.value()), Kind::fma, a, b, c);
}
template <Role role>
[[gnu::always_inline]] inline CountedNumber<role> sqrt(CountedNumber<role> x) {
  return CountedNumber<role>::counted(sqrt(x.value()), Kind::sqrt, x);
}
template <Role role>
[[gnu::always_inline]] inline CountedNumber<role> abs(CountedNumber<role> x) {
  return CountedNumber<role>::counted(abs(x.value()), Kind::sign, x);
}
template <Role role>
inline CountedNumber<role> exp(CountedNumber<role> x) {
  return CountedNumber<role>::counted(exp(x.value()), Kind::exp, x);
}
template <Role role>
inline CountedNumber<role> exp2(CountedNumber<role> x) {
  return CountedNumber<role>::counted(exp2(x.value()), Kind::exp2, x);
}
template <Role role>
inline CountedNumber<role> log(CountedNumber<role> x) {
  return CountedNumber<role>::counted(log(x.value()), Kind::log, x);
}
template <Role role>
inline CountedNumber<role> log2(CountedNumber<role> x) {
  return CountedNumber<role>::counted(log2(x.value()), Kind::log2, x);
}
template <Role role>
inline CountedNumber<role> pow(CountedNumber<role> x, std::type_identity_t<CountedNumber<role>> y) {
  return CountedNumber<role>::counted(pow(x.value(), y.value()), Kind::pow, x, y);
}
template <Role role>
inline CountedNumber<role> sin(CountedNumber<role> x) {
  return CountedNumber<role>::counted(sin(x.value()), Kind::sin, x);
}
template <Role role>
inline CountedNumber<role> cos(CountedNumber<role> x) {
  return CountedNumber<role>::counted(cos(x.value()), Kind::cos, x);
}
template <Role role>
inline CountedNumber<role> tan(CountedNumber<role> x) {
  return CountedNumber<role>::counted(tan(x.value()), Kind::tan, x);
}
template <Role role>
inline CountedNumber<role> atan2(CountedNumber<role> y, std::type_identity_t<CountedNumber<role>> x) {
  return CountedNumber<role>::counted(atan2(y.value(), x.value()), Kind::atan2, y, x);
}
template <Role role>
inline CountedNumber<role> sinh(CountedNumber<role> x) {
  return CountedNumber<role>::counted(sinh(x.value()), Kind::sinh, x);
}
template <Role role>
inline CountedNumber<role> cosh(CountedNumber<role> x) {
  return CountedNumber<role>::counted(cosh(x.value()), Kind::cosh, x);
}
template <Role role>
inline CountedNumber<role> tanh(CountedNumber<role> x) {
  return CountedNumber<role>::counted(tanh(x.value()), Kind::tanh, x);
}
template <Role role>
inline CountedNumber<role> cbrt(CountedNumber<role> x) {
  return CountedNumber<role>::counted(cbrt(x.value()), Kind::cbrt, x);
}
template <Role role>
inline CountedNumber<role> hypot(CountedNumber<role> x, std::type_identity_t<CountedNumber<role>> y) {
  return CountedNumber<role>::counted(hypot(x.value(), y.value()), Kind::hypot, x, y);
}

}  // namespace math
}  // namespace ulpine
