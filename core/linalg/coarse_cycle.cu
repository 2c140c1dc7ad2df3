// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/coarse_cycle.hpp"

#include <cuda_runtime_api.h>

#include "core/exec/device.hpp"
#include "core/exec/stream.hpp"
#include "core/linalg/rows.cuh"

namespace ulpine::linalg {
namespace {

constexpr unsigned threads = 1024;
/// Largest cluster that every device with clusters has, and that this card may have beyond it.
constexpr unsigned portable_cluster = 8, large_cluster = 16;

/// Waits for all threads of the launch; what they have written is then seen by all.
__device__ void wait_for_all() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#else
  __syncthreads();
#endif
}

template <class Kernel, class Step>
__device__ void for_each_of(Step const& step, std::int64_t me, std::int64_t all) {
  auto const kernel = *reinterpret_cast<Kernel const*>(step.kernel);
  for (auto i = me; i < step.count; i += all) kernel(i);
}
template <class Kernel, class Step>
__device__ void for_each_row_of(Step const& step, std::int64_t me, std::int64_t all) {
  SharedRow<Kernel> const kernel{*reinterpret_cast<Kernel const*>(step.kernel)};
  auto const parts = step.count * kernel.kernel.pattern.lanes;
  for (auto i = me; i < parts; i += all) kernel(i);
}

template <class T>
__global__ void __launch_bounds__(threads) run_steps(CycleStep<T> const* steps, int count) {
  using Kind = typename CycleStep<T>::Kind;
  auto const all = static_cast<std::int64_t>(gridDim.x) * threads;
  auto const me = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  for (int n = 0; n < count; ++n) {
    if (n > 0) wait_for_all();
    auto const& step = steps[n];
    switch (step.kind) {
      case Kind::start:
        for_each_of<ChebyshevStart<T>>(step, me, all);
        break;
      case Kind::dense:
        for_each_of<DenseProduct<T>>(step, me, all);
        break;
      case Kind::sweep:
        for_each_row_of<ChebyshevSweep<T>>(step, me, all);
        break;
      case Kind::product:
        for_each_row_of<Product<T, T, Blocks::scalar>>(step, me, all);
        break;
      case Kind::started_product:
        for_each_row_of<StartedProduct<T>>(step, me, all);
        break;
    }
  }
}

bool has_clusters(Cuda cuda) { return require_device(cuda.ordinal).compute_capability >= 90; }

cudaLaunchConfig_t configuration(Cuda cuda, unsigned blocks, cudaLaunchAttribute& cluster) {
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {blocks, 1, 1};
  cudaLaunchConfig_t launch{};
  launch.gridDim = {blocks, 1, 1};
  launch.blockDim = {threads, 1, 1};
  launch.stream = cuda.stream;
  launch.attrs = &cluster;
  launch.numAttrs = blocks > 1 ? 1 : 0;
  return launch;
}

/// Blocks of the largest cluster of `kernel` that the device can hold.
template <class Kernel>
unsigned largest_cluster(Cuda cuda, Kernel* kernel) {
  if (!has_clusters(cuda)) return 1;
  DeviceGuard const guard(cuda.ordinal);
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess) {
    cudaLaunchAttribute cluster{};
    auto const launch = configuration(cuda, large_cluster, cluster);
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &launch) == cudaSuccess && clusters > 0) {
      return large_cluster;
    }
  }
  cudaGetLastError();  // of a cluster that the device does not have
  return portable_cluster;
}

}  // namespace

template <class T>
std::int64_t CoarseCycle<T>::most_entries(Cuda cuda) {
  return has_clusters(cuda) ? std::int64_t{1} << 18 : std::int64_t{1} << 13;
}

template <class T>
CoarseCycle<T>::CoarseCycle(Cuda cuda, int first, std::vector<CycleStep<T>> const& steps)
    : cuda_{cuda},
      first_{first},
      steps_(cuda, static_cast<std::int64_t>(steps.size())),
      blocks_{largest_cluster(cuda, run_steps<T>)} {
  steps_.from_host(steps.data());
}

template <class T>
void CoarseCycle<T>::launch() const {
  DeviceGuard const guard(cuda_.ordinal);
  cudaLaunchAttribute cluster{};
  auto const launch = configuration(cuda_, blocks_, cluster);
  check_cuda(cudaLaunchKernelEx(&launch, run_steps<T>, steps_.view().data(), static_cast<int>(steps_.size())),
             "coarse levels of a multigrid");
}

template class CoarseCycle<float>;
template class CoarseCycle<double>;

}  // namespace ulpine::linalg
