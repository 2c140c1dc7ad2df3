// SPDX-License-Identifier: Apache-2.0
#include "precision/places/loops.hpp"

#include <cmath>
#include <iterator>

namespace ulpine::precision {
namespace {

using namespace std;

template <class T, class F>
void loop(T const* x, T const* y, T* result, int n) {
  for (int i = 0; i < n; ++i) result[i] = F()(x[i], y[i]);
}

template <class T, class F>
void blocks(T const* x, T const* y, T* result, int n) {
  int begin = 0;
  for (; begin + 8 <= n; begin += 8) {
    for (int i = begin; i < begin + 8; ++i) result[i] = F()(x[i], y[i]);
  }
  for (int i = begin; i < n; ++i) result[i] = F()(x[i], y[i]);
}

template <class F>
constexpr Formula formula(char const* name, F) {
  return {name, loop<double, F>, blocks<double, F>, loop<float, F>, blocks<float, F>};
}

constexpr Formula list[] = {
    formula("pow(a, T(0.5))", []<class T>(T a, T) { return pow(a, T(0.5)); }),
    formula("pow(a, T(-0.5))", []<class T>(T a, T) { return pow(a, T(-0.5)); }),
    formula("pow(a, T(2))", []<class T>(T a, T) { return pow(a, T(2)); }),
    formula("pow(a, T(3))", []<class T>(T a, T) { return pow(a, T(3)); }),
    formula("pow(a, T(-1))", []<class T>(T a, T) { return pow(a, T(-1)); }),
    formula("pow(a, T(1.5))", []<class T>(T a, T) { return pow(a, T(1.5)); }),
    formula("pow(a, T(0.25))", []<class T>(T a, T) { return pow(a, T(0.25)); }),
    formula("pow(a, T(1) / T(3))", []<class T>(T a, T) { return pow(a, T(1) / T(3)); }),
    formula("pow(a, b)", []<class T>(T a, T b) { return pow(a, b); }),
    formula("pow(T(2), a)", []<class T>(T a, T) { return pow(T(2), a); }),
    formula("pow(pow(a, T(2)), T(0.5))", []<class T>(T a, T) { return pow(pow(a, T(2)), T(0.5)); }),
    formula("pow(a, T(0.5)) * pow(b, T(0.5))",
            []<class T>(T a, T b) { return pow(a, T(0.5)) * pow(b, T(0.5)); }),
    formula("pow(exp(a), b)", []<class T>(T a, T b) { return pow(exp(a), b); }),
    formula("sqrt(a)", []<class T>(T a, T) { return sqrt(a); }),
    formula("sqrt(a * a)", []<class T>(T a, T) { return sqrt(a * a); }),
    formula("sqrt(sqrt(a))", []<class T>(T a, T) { return sqrt(sqrt(a)); }),
    formula("sqrt(a) * sqrt(a)", []<class T>(T a, T) { return sqrt(a) * sqrt(a); }),
    formula("T(1) / sqrt(a)", []<class T>(T a, T) { return T(1) / sqrt(a); }),
    formula("a / sqrt(a)", []<class T>(T a, T) { return a / sqrt(a); }),
    formula("a / b", []<class T>(T a, T b) { return a / b; }),
    formula("T(1) / a", []<class T>(T a, T) { return T(1) / a; }),
    formula("cbrt(a)", []<class T>(T a, T) { return cbrt(a); }),
    formula("hypot(a, b)", []<class T>(T a, T b) { return hypot(a, b); }),
    formula("exp(a)", []<class T>(T a, T) { return exp(a); }),
    formula("exp2(a)", []<class T>(T a, T) { return exp2(a); }),
    formula("expm1(a)", []<class T>(T a, T) { return expm1(a); }),
    formula("log(a)", []<class T>(T a, T) { return log(a); }),
    formula("log2(a)", []<class T>(T a, T) { return log2(a); }),
    formula("log10(a)", []<class T>(T a, T) { return log10(a); }),
    formula("log1p(a)", []<class T>(T a, T) { return log1p(a); }),
    formula("log(exp(a))", []<class T>(T a, T) { return log(exp(a)); }),
    formula("exp(b * log(a))", []<class T>(T a, T b) { return exp(b * log(a)); }),
    formula("sin(a)", []<class T>(T a, T) { return sin(a); }),
    formula("cos(a)", []<class T>(T a, T) { return cos(a); }),
    formula("T(3) * sin(a) + cos(a)", []<class T>(T a, T) { return T(3) * sin(a) + cos(a); }),
    formula("tan(a)", []<class T>(T a, T) { return tan(a); }),
    formula("asin(a)", []<class T>(T a, T) { return asin(a); }),
    formula("acos(a)", []<class T>(T a, T) { return acos(a); }),
    formula("atan(a)", []<class T>(T a, T) { return atan(a); }),
    formula("atan2(a, b)", []<class T>(T a, T b) { return atan2(a, b); }),
    formula("sinh(a)", []<class T>(T a, T) { return sinh(a); }),
    formula("cosh(a)", []<class T>(T a, T) { return cosh(a); }),
    formula("tanh(a)", []<class T>(T a, T) { return tanh(a); }),
    formula("erf(a)", []<class T>(T a, T) { return erf(a); }),
    formula("tgamma(a)", []<class T>(T a, T) { return tgamma(a); }),
    formula("floor(a)", []<class T>(T a, T) { return floor(a); }),
    formula("ceil(a)", []<class T>(T a, T) { return ceil(a); }),
    formula("trunc(a)", []<class T>(T a, T) { return trunc(a); }),
    formula("round(a)", []<class T>(T a, T) { return round(a); }),
    formula("rint(a)", []<class T>(T a, T) { return rint(a); }),
    formula("nearbyint(a)", []<class T>(T a, T) { return nearbyint(a); }),
    formula("fmod(a, b)", []<class T>(T a, T b) { return fmod(a, b); }),
    formula("remainder(a, b)", []<class T>(T a, T b) { return remainder(a, b); }),
    formula("fmin(a, b)", []<class T>(T a, T b) { return fmin(a, b); }),
    formula("fmax(a, b)", []<class T>(T a, T b) { return fmax(a, b); }),
    formula("fdim(a, b)", []<class T>(T a, T b) { return fdim(a, b); }),
    formula("fabs(a)", []<class T>(T a, T) { return fabs(a); }),
    formula("copysign(a, b)", []<class T>(T a, T b) { return copysign(a, b); }),
    formula("fma(a, b, a)", []<class T>(T a, T b) { return fma(a, b, a); }),
    formula("ldexp(a, -3)", []<class T>(T a, T) { return ldexp(a, -3); }),
    formula("a * b + a", []<class T>(T a, T b) { return a * b + a; }),
    formula("a * a - b * b", []<class T>(T a, T b) { return a * a - b * b; }),
};

}  // namespace

std::span<Formula const> formulas() { return list; }

}  // namespace ulpine::precision
