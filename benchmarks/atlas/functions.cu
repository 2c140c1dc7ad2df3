// SPDX-License-Identifier: Apache-2.0
// Mathematical functions on the card, compiled several times with other flags: ATLAS_BUILD names the
// namespace.
#include "functions.hpp"

#include <utility>

namespace ulpine::atlas::ATLAS_BUILD {
namespace {

template <int F, class T>
__global__ void evaluate_each(std::int64_t count, Arguments<T> const* x, T* to) {
  auto const i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value_of<F>(x[i]);
}

template <class T, int... F>
void launch(int function, std::int64_t count, Arguments<T> const* x, T* to,
            std::integer_sequence<int, F...>) {
  auto const blocks = static_cast<unsigned>((count + 255) / 256);
  ((function == F ? evaluate_each<F><<<blocks, 256>>>(count, x, to) : void()), ...);
}

}  // namespace

void evaluate(int function, std::int64_t count, Arguments<double> const* x, double* to) {
  launch(function, count, x, to, std::make_integer_sequence<int, function_count>());
}
void evaluate(int function, std::int64_t count, Arguments<float> const* x, float* to) {
  launch(function, count, x, to, std::make_integer_sequence<int, function_count>());
}

}  // namespace ulpine::atlas::ATLAS_BUILD
