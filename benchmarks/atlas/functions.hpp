// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define ATLAS_BOTH __host__ __device__
#else
#define ATLAS_BOTH
#endif

namespace ulpine::atlas {

/// Numbers that a function takes: a and b in ranges of its own, c between -1 and 1, i from 0 to 22.
template <class T>
struct Arguments {
  T a, b, c;
  int i;
};

/// Functions and operations with the ranges of their arguments, by their places in this list.
struct Function {
  char const* name;
  double a_from, a_to, b_from, b_to;
};
constexpr Function functions[] = {
    {"sqrt", 0, 1000, 0, 1},
    {"division", -10, 10, 0.1, 10},
    {"fma", -1, 1, -1, 1},
    {"exp", -20, 20, 0, 1},
    {"exp2", -20, 20, 0, 1},
    {"log", 0, 100, 0, 1},
    {"log10", 0, 100, 0, 1},
    {"log1p", -0.9, 10, 0, 1},
    {"expm1", -5, 5, 0, 1},
    {"sin", -10, 10, 0, 1},
    {"cos", -10, 10, 0, 1},
    {"tan", -10, 10, 0, 1},
    {"atan", -10, 10, 0, 1},
    {"atan2", -1, 1, -1, 1},
    {"asin", -1, 1, 0, 1},
    {"acos", -1, 1, 0, 1},
    {"pow", 0, 10, -5, 5},
    {"tanh", -3, 3, 0, 1},
    {"sinh", -5, 5, 0, 1},
    {"cosh", -5, 5, 0, 1},
    {"cbrt", -100, 100, 0, 1},
    {"hypot", -10, 10, -10, 10},
    {"erf", -3, 3, 0, 1},
    {"1/sqrt", 0.001, 1000, 0, 1},
    {"pow(10, integer)", 0, 1, 0, 1},
    {"log2", 0, 100, 0, 1},
    {"fmod", -100, 100, 0.1, 3},
    {"tgamma", 0.1, 10, 0, 1},
    {"a*b + c", -1, 1, -1, 1},
    {"a*a - a*a", -1, 1, -1, 1},
    {"a*b + c*c", -1, 1, -1, 1},
};
constexpr int function_count = sizeof functions / sizeof functions[0];

/// The value of the function at place F of the list, as whichever compiler and flags make it.
template <int F, class T>
ATLAS_BOTH T value_of(Arguments<T> const& x) {
  using namespace std;
  if constexpr (F == 0) return sqrt(x.a);
  if constexpr (F == 1) return x.a / x.b;
  if constexpr (F == 2) return fma(x.a, x.b, x.c);
  if constexpr (F == 3) return exp(x.a);
  if constexpr (F == 4) return exp2(x.a);
  if constexpr (F == 5) return log(x.a);
  if constexpr (F == 6) return log10(x.a);
  if constexpr (F == 7) return log1p(x.a);
  if constexpr (F == 8) return expm1(x.a);
  if constexpr (F == 9) return sin(x.a);
  if constexpr (F == 10) return cos(x.a);
  if constexpr (F == 11) return tan(x.a);
  if constexpr (F == 12) return atan(x.a);
  if constexpr (F == 13) return atan2(x.a, x.b);
  if constexpr (F == 14) return asin(x.a);
  if constexpr (F == 15) return acos(x.a);
  if constexpr (F == 16) return pow(x.a, x.b);
  if constexpr (F == 17) return tanh(x.a);
  if constexpr (F == 18) return sinh(x.a);
  if constexpr (F == 19) return cosh(x.a);
  if constexpr (F == 20) return cbrt(x.a);
  if constexpr (F == 21) return hypot(x.a, x.b);
  if constexpr (F == 22) return erf(x.a);
  if constexpr (F == 23) return T(1) / sqrt(x.a);
  if constexpr (F == 24) return pow(T(10), static_cast<T>(x.i));
  if constexpr (F == 25) return log2(x.a);
  if constexpr (F == 26) return fmod(x.a, x.b);
  if constexpr (F == 27) return tgamma(x.a);
  if constexpr (F == 28) return x.a * x.b + x.c;
  // Two products of the same numbers, read from two places so that no compiler sees that they are the same.
  if constexpr (F == 29) return x.a * x.a - x.b * x.b;
  if constexpr (F == 30) return x.a * x.b + x.c * x.c;
}

/// The functions of one build by their places, on the card.
template <class T>
using Evaluate = void (*)(int function, std::int64_t count, Arguments<T> const* arguments, T* values);

#define ATLAS_DECLARE(build)                                                               \
  namespace build {                                                                        \
  void evaluate(int function, std::int64_t count, Arguments<double> const* x, double* to); \
  void evaluate(int function, std::int64_t count, Arguments<float> const* x, float* to);   \
  }
ATLAS_DECLARE(by_default)  // nvcc's own flags
ATLAS_DECLARE(by_driver)   // as PTX of compute_80, which the driver compiles
ATLAS_DECLARE(unfused)     // -fmad=false
ATLAS_DECLARE(fast)        // --use_fast_math
ATLAS_DECLARE(debugged)    // -G
#undef ATLAS_DECLARE

}  // namespace ulpine::atlas
