// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/ranks/redistribution.hpp"

namespace ulpine::detail {

template <class T>
void copy_boxes(Cuda cuda, Extent3 most, BoxCopy<T> const& copy) {
  for_each(cuda, most, copy);
}
template void copy_boxes(Cuda, Extent3, BoxCopy<float> const&);
template void copy_boxes(Cuda, Extent3, BoxCopy<double> const&);

}  // namespace ulpine::detail
