// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace ulpine::precision {

/// Computes result[i] of x[i] and y[i] for 0 <= i < n.
template <class T>
using Loop = void (*)(T const* x, T const* y, T* result, int n);

/// A formula of the C library's functions in the two forms that a compiler vectorises.
struct Formula {
  char const* name;
  Loop<double> in_double, in_double_blocks;  ///< a loop of any length; loops over blocks of eight
  Loop<float> in_float, in_float_blocks;
};

/// Formulas whose values a compiler may be tempted to take otherwise in vectors.
std::span<Formula const> formulas();

}  // namespace ulpine::precision
