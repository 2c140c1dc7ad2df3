// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float.hpp"
// The arithmetic of two floats comes first.
#include "core/exec/cuda.cuh"
#include "core/ranks/redistribution.hpp"

namespace ulpine::detail {

template <class T>
void copy_boxes(Cuda cuda, Extent3 most, BoxCopy<T> const& copy) {
  for_each(cuda, most, copy);
}
template void copy_boxes(Cuda, Extent3, BoxCopy<float> const&);
template void copy_boxes(Cuda, Extent3, BoxCopy<double> const&);
template void copy_boxes(Cuda, Extent3, BoxCopy<DoubleFloat> const&);

template <class T>
void move_box(Cuda cuda, std::int32_t rows, BoxMove<T> const& move) {
  for_each(cuda, Extent2{move.nx, rows}, move);
}
template void move_box(Cuda, std::int32_t, BoxMove<float> const&);
template void move_box(Cuda, std::int32_t, BoxMove<double> const&);
template void move_box(Cuda, std::int32_t, BoxMove<DoubleFloat> const&);

}  // namespace ulpine::detail
