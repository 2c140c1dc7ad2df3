// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "precision/host_device.hpp"

/// The IEEE operations beyond + - * / that kernels may call, overloaded by scalar type so that no argument is
/// silently widened (the C library's `fabs(float)` is a double function on the host and a float one on the
/// device). The same bits on host and device: all are exact or correctly rounded. Overloads for the 113-bit
/// type: quad.hpp.
namespace ulpine::math {

ULPINE_HD inline double fma(double a, double b, double c) { return ::fma(a, b, c); }
ULPINE_HD inline float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
ULPINE_HD inline double sqrt(double x) { return ::sqrt(x); }
ULPINE_HD inline float sqrt(float x) { return ::sqrtf(x); }
ULPINE_HD inline double abs(double x) { return ::fabs(x); }
ULPINE_HD inline float abs(float x) { return ::fabsf(x); }

/// The larger (smaller) by comparison; `b` where the comparison is false, so a NaN in `a` gives `b`.
template <class T>
ULPINE_HD constexpr T max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
ULPINE_HD constexpr T min(T a, T b) {
  return a < b ? a : b;
}

}  // namespace ulpine::math
