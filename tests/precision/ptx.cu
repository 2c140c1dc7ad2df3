// SPDX-License-Identifier: Apache-2.0
// Not linked: its PTX is read by check_ptx.cmake.
#include "precision/kernels.hpp"

template <class T>
__global__ void evaluate_all(precision_test::Function function, T const* x, T const* y, T* result) {
  result[threadIdx.x] = precision_test::evaluate(function, x[threadIdx.x], y[threadIdx.x]);
}
template __global__ void evaluate_all(precision_test::Function, float const*, float const*, float*);
template __global__ void evaluate_all(precision_test::Function, double const*, double const*, double*);
