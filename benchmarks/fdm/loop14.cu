// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/fdm/loop14.hpp"

#include "core/exec/cuda.cuh"

namespace ulpine::bench {

template <class T>
void fill(Cuda cuda, std::int64_t count, Fill<T> const& kernel) {
  for_each(cuda, count, kernel);
}
template <class Kernel>
void launch(Cuda cuda, Extent3 extent, Kernel const& kernel) {
  for_each(cuda, extent, kernel);
}
template void fill(Cuda, std::int64_t, Fill<double> const&);
template void fill(Cuda, std::int64_t, Fill<float> const&);
template void launch(Cuda, Extent3, Loop14<double> const&);
template void launch(Cuda, Extent3, Loop14<float> const&);
template void launch(Cuda, Extent3, PointByPoint<double> const&);
template void launch(Cuda, Extent3, PointByPoint<float> const&);

}  // namespace ulpine::bench
