// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/arithmetic.hpp"

/// Unevaluated sums of two values of one type (about twice its precision), after Dekker (1971) and Knuth.
namespace ulpine::math {

/// hi + lo with |lo| at most half a unit in the last place of hi.
template <class T>
struct Pair {
  T hi, lo;
};
using DoubleDouble = Pair<double>;

/// a + b exactly.
template <class T>
ULPINE_HD constexpr Pair<T> two_sum(T a, T b) {
  T const hi = a + b;
  T const rest = hi - a;
  return {hi, (a - (hi - rest)) + (b - rest)};
}

/// a + b exactly, given |a| >= |b| or a = 0.
template <class T>
ULPINE_HD constexpr Pair<T> fast_two_sum(T a, T b) {
  T const hi = a + b;
  return {hi, b - (hi - a)};
}

/// a b exactly (where nothing underflows).
template <class T>
ULPINE_HD inline Pair<T> two_product(T a, T b) {
  T const hi = a * b;
  return {hi, fma(a, b, -hi)};
}

ULPINE_HD inline DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  auto const sum = two_sum(a.hi, b.hi);
  return fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}

ULPINE_HD inline DoubleDouble subtract(DoubleDouble a, DoubleDouble b) { return add(a, {-b.hi, -b.lo}); }

ULPINE_HD inline DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  auto const product = two_product(a.hi, b.hi);
  return fast_two_sum(product.hi, product.lo + fma(a.hi, b.lo, a.lo * b.hi));
}

ULPINE_HD inline DoubleDouble divide(DoubleDouble a, DoubleDouble b) {
  double const quotient = a.hi / b.hi;
  return fast_two_sum(quotient, ((fma(-quotient, b.hi, a.hi) + a.lo) - quotient * b.lo) / b.hi);
}

}  // namespace ulpine::math
