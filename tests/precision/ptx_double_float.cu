// SPDX-License-Identifier: Apache-2.0
// Not linked: its PTX is read by check_ptx.cmake.
#include "precision/double_float_functions.hpp"
#include "precision/kernels.hpp"

using ulpine::DoubleFloat;

__global__ void evaluate_all(precision_test::Function function, DoubleFloat const* x, DoubleFloat const* y,
                             DoubleFloat* result) {
  result[threadIdx.x] = precision_test::evaluate(function, x[threadIdx.x], y[threadIdx.x]);
}

__global__ void calculate(DoubleFloat const* x, int const* n, std::int64_t const* m, DoubleFloat* result) {
  auto const a = x[0], b = x[1];
  DoubleFloat const sum = a + DoubleFloat(0.1) - b * a / DoubleFloat(n[0]);
  result[0] = sum < b ? ulpine::math::sqrt(sum) : ulpine::math::fma(sum, a, DoubleFloat(m[0]));
  result[1] = static_cast<std::int64_t>(ulpine::math::abs(-b));
}
