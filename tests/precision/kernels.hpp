// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/view.hpp"
#include "precision/elementary.hpp"

namespace precision_test {

enum class Function { exp, exp2, log, log2, sin, cos, tan, sinh, cosh, tanh, cbrt, pow, atan2, hypot };

inline constexpr char const* function_names[] = {"exp",  "exp2", "log",  "log2", "sin", "cos",   "tan",
                                                 "sinh", "cosh", "tanh", "cbrt", "pow", "atan2", "hypot"};
inline constexpr int function_count = 14;

template <class T>
ULPINE_HD T evaluate(Function function, T x, T y) {
  namespace math = ulpine::math;
  switch (function) {
    case Function::exp:
      return math::exp(x);
    case Function::exp2:
      return math::exp2(x);
    case Function::log:
      return math::log(x);
    case Function::log2:
      return math::log2(x);
    case Function::sin:
      return math::sin(x);
    case Function::cos:
      return math::cos(x);
    case Function::tan:
      return math::tan(x);
    case Function::sinh:
      return math::sinh(x);
    case Function::cosh:
      return math::cosh(x);
    case Function::tanh:
      return math::tanh(x);
    case Function::cbrt:
      return math::cbrt(x);
    case Function::pow:
      return math::pow(x, y);
    case Function::atan2:
      return math::atan2(x, y);
    case Function::hypot:
      return math::hypot(x, y);
  }
  return x;
}

/// result[i] = function(x[i], y[i]).
template <class T>
struct Evaluation {
  Function function;
  ulpine::View<T const> x, y;
  ulpine::View<T> result;
  ULPINE_HD void operator()(std::int64_t i) const { result[i] = evaluate(function, x[i], y[i]); }
};

}  // namespace precision_test
