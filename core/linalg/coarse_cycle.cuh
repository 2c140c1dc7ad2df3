// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/linalg/coarse_cycle.hpp"

#include <cuda_runtime_api.h>

#include "core/exec/launch_cuda.hpp"
#include "core/exec/stream.hpp"
#include "core/linalg/rows.cuh"

/// Definitions of CoarseCycle.
namespace ulpine::linalg {
namespace coarse_cycle {

constexpr unsigned threads = 1024;
/// Largest cluster that every device with clusters has, and that this card may have beyond it.
constexpr unsigned portable_cluster = 8, large_cluster = 16;

/// Waits for all threads of the launch; what they have written is then seen by all.
__device__ inline void wait_for_all() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#else
  __syncthreads();
#endif
}

/// The same for the three kinds of steps that sum over rows.
template <class T>
using Begun = typename SharedRow<ChebyshevSweep<T>>::Ahead;

/// A step's kernel, which lies in shared memory.
template <class Kernel, class T>
__device__ Kernel const& kernel_of(CycleStep<T> const& step) {
  return *reinterpret_cast<Kernel const*>(step.kernel);
}

/// What a thread loads of its first row before the step begins.
template <class Kernel, class T>
__device__ void begin_rows(CycleStep<T> const& step, std::int64_t me, Begun<T>& begun) {
  SharedRow<Kernel> const row{kernel_of<Kernel>(step)};
  if (me < step.count * row.kernel.pattern.lanes) begun = row.ahead(me);
}
template <class T>
__device__ void begin(CycleStep<T> const& step, std::int64_t me, Begun<T>& begun) {
  using Kind = typename CycleStep<T>::Kind;
  if (step.kind == Kind::sweep) begin_rows<ChebyshevSweep<T>>(step, me, begun);
  if (step.kind == Kind::product) begin_rows<Product<T, T, Blocks::scalar>>(step, me, begun);
  if (step.kind == Kind::started_product) begin_rows<StartedProduct<T>>(step, me, begun);
}

template <class Kernel, class T>
__device__ void for_each_of(CycleStep<T> const& step, std::int64_t me, std::int64_t all) {
  auto const kernel = kernel_of<Kernel>(step);
  for (auto i = me; i < step.count; i += all) kernel(i);
}
template <class Kernel, class T>
__device__ void for_each_row_of(CycleStep<T> const& step, std::int64_t me, std::int64_t all,
                                Begun<T>& begun) {
  SharedRow<Kernel> const row{kernel_of<Kernel>(step)};
  auto const parts = step.count * row.kernel.pattern.lanes;
  for (auto i = me; i < parts; i += all) {
    if (i > me) begun = row.ahead(i);
    row(i, begun);
  }
}

/// `room` holds the steps, so that they are at hand behind each wait.
template <class T>
__global__ void __launch_bounds__(threads) run_steps(CycleStep<T> const* steps, int count) {
  using Kind = typename CycleStep<T>::Kind;
  extern __shared__ int4 room[];
  auto* const own = reinterpret_cast<CycleStep<T>*>(room);
  auto const quarters = static_cast<unsigned>(count * sizeof(CycleStep<T>) / sizeof(int4));
  for (auto n = threadIdx.x; n < quarters; n += threads) room[n] = reinterpret_cast<int4 const*>(steps)[n];
  __syncthreads();
  auto const all = static_cast<std::int64_t>(gridDim.x) * threads;
  auto const me = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  Begun<T> begun;
  begin(own[0], me, begun);
  ulpine::detail::wait_for_kernel_before();
  for (int n = 0; n < count; ++n) {
    if (n > 0) wait_for_all();
    auto const& step = own[n];
    switch (step.kind) {
      case Kind::start:
        for_each_of<ChebyshevStart<T>>(step, me, all);
        break;
      case Kind::dense:
        for_each_of<DenseProduct<T>>(step, me, all);
        break;
      case Kind::sweep:
        for_each_row_of<ChebyshevSweep<T>>(step, me, all, begun);
        break;
      case Kind::product:
        for_each_row_of<Product<T, T, Blocks::scalar>>(step, me, all, begun);
        break;
      case Kind::started_product:
        for_each_row_of<StartedProduct<T>>(step, me, all, begun);
        break;
    }
    if (n + 1 < count) begin(own[n + 1], me, begun);
  }
}

/// Whether blocks of run_steps wait for one another in a cluster.
template <class T>
bool has_clusters(Cuda cuda) {
  DeviceGuard const guard(cuda.ordinal);
  return ulpine::detail::compiled_for(ulpine::detail::address(&run_steps<T>)) >= 90;
}

/// A launch of `blocks` blocks for `steps` steps.
template <class T>
class StepsLaunch {
 public:
  StepsLaunch(Cuda cuda, unsigned blocks, int steps) {
    launch_.gridDim = {blocks, 1, 1};
    launch_.blockDim = {threads, 1, 1};
    launch_.dynamicSmemBytes = static_cast<std::size_t>(steps) * sizeof(CycleStep<T>);
    launch_.stream = cuda.stream;
    if (blocks > 1) {
      auto& cluster = add(cudaLaunchAttributeClusterDimension);
      cluster.clusterDim.x = blocks;
      cluster.clusterDim.y = cluster.clusterDim.z = 1;
    }
    if (ulpine::detail::OverlappedLaunches::wanted()) {
      add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
    }
    launch_.attrs = attributes_;
  }
  StepsLaunch(StepsLaunch const&) = delete;
  StepsLaunch& operator=(StepsLaunch const&) = delete;
  cudaLaunchConfig_t const* configuration() const { return &launch_; }

 private:
  cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
    auto& attribute = attributes_[launch_.numAttrs++];
    attribute.id = id;
    return attribute.val;
  }
  cudaLaunchConfig_t launch_{};
  cudaLaunchAttribute attributes_[2]{};
};

/// Blocks of the largest cluster that the device can hold.
template <class T>
unsigned largest_cluster(Cuda cuda, int steps) {
  if (!has_clusters<T>(cuda)) return 1;
  DeviceGuard const guard(cuda.ordinal);
  auto* const kernel = run_steps<T>;
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess) {
    StepsLaunch<T> const launch(cuda, large_cluster, steps);
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, launch.configuration()) == cudaSuccess &&
        clusters > 0) {
      return large_cluster;
    }
  }
  cudaGetLastError();  // of a cluster that the device does not have
  return portable_cluster;
}

}  // namespace coarse_cycle

template <class T>
std::int64_t CoarseCycle<T>::most_entries(Cuda cuda) {
  return coarse_cycle::has_clusters<T>(cuda) ? std::int64_t{1} << 18 : std::int64_t{1} << 13;
}

template <class T>
CoarseCycle<T>::CoarseCycle(Cuda cuda, int first, std::vector<CycleStep<T>> const& steps)
    : cuda_{cuda},
      first_{first},
      steps_(cuda, static_cast<std::int64_t>(steps.size())),
      blocks_{coarse_cycle::largest_cluster<T>(cuda, static_cast<int>(steps.size()))} {
  steps_.from_host(steps.data());
}

template <class T>
void CoarseCycle<T>::launch() const {
  DeviceGuard const guard(cuda_.ordinal);
  auto const count = static_cast<int>(steps_.size());
  coarse_cycle::StepsLaunch<T> const launch(cuda_, blocks_, count);
  check_cuda(
      cudaLaunchKernelEx(launch.configuration(), coarse_cycle::run_steps<T>, steps_.view().data(), count),
      "coarse levels of a multigrid");
}

}  // namespace ulpine::linalg
