// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/fdm/loop14.hpp"

#include "core/exec/cuda.cuh"

namespace ulpine::bench {

template <class T>
void fill(Cuda cuda, int array, T* to, std::int64_t count) {
  for_each(cuda, count, Fill<T>{array, to});
}
template <class Kernel>
void launch(Cuda cuda, Extent3 extent, Kernel const& kernel) {
  for_each(cuda, extent, kernel);
}
template void fill(Cuda, int, double*, std::int64_t);
template void fill(Cuda, int, float*, std::int64_t);
template void launch(Cuda, Extent3, Loop14<double> const&);
template void launch(Cuda, Extent3, Loop14<float> const&);
template void launch(Cuda, Extent3, PointByPoint<double> const&);
template void launch(Cuda, Extent3, PointByPoint<float> const&);

}  // namespace ulpine::bench
