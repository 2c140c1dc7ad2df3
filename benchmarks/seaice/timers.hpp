// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/seaice/setup.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

/// What the benchmarks of sea ice are timed with, and on.
namespace ulpine::seaice {

/// The benchmark's wind.
inline Parameters cyclone() {
  Parameters p;
  p.wind.kind = Wind<double>::Kind::cyclone;
  p.wind.centre_x = p.wind.centre_y = 256e3;
  p.wind.rate = 3e-4;
  p.wind.reach = 100e3;
  p.wind.inflow_cos = std::cos(0.4 * std::acos(-1.0));
  p.wind.inflow_sin = std::sin(0.4 * std::acos(-1.0));
  return p;
}
/// Its ice at the start, 0.3 m everywhere, on n x n cells.
inline Setup cyclone_setup(int n, int cg, int dg, double distortion) {
  Setup setup{.mesh = rectangle_mesh(n, n, 512e3, 512e3, distortion), .parameters = cyclone()};
  setup.parameters.cg = cg;
  setup.parameters.dg = dg;
  auto const count = static_cast<std::size_t>(setup.mesh.cells());
  setup.height.resize(static_cast<std::size_t>(dg) * count, 0);
  setup.concentration = setup.height;
  std::fill_n(setup.height.begin(), count, 0.3);
  std::fill_n(setup.concentration.begin(), count, 1.0);
  return setup;
}

struct Spread {
  double least, median, most;
};

inline Spread spread(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2], times.back()};
}

/// Times work on the host, by the clock.
struct HostTimer {
  Host executor;
  static constexpr int repetitions = 15;
  void flush() {}
  template <class Work>
  double operator()(Work const& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  double copy_bandwidth() const { return 0; }
};

#if defined(ULPINE_HAS_CUDA)
/// Times work on a device, by events.
struct CudaTimer {
  Cuda executor;
  Array<std::byte, Cuda> cache;
  cudaEvent_t begin{}, end{};
  static constexpr int repetitions = 21;

  explicit CudaTimer(Cuda cuda) : executor{cuda}, cache(cuda, 256 << 20) {
    check_cuda(cudaEventCreate(&begin), "event");
    check_cuda(cudaEventCreate(&end), "event");
  }
  void flush() { cache.fill_zero(); }
  template <class Work>
  double operator()(Work const& work) {
    float milliseconds = 0;
    check_cuda(cudaEventRecord(begin, executor.stream), "event");
    work();
    check_cuda(cudaEventRecord(end, executor.stream), "event");
    check_cuda(cudaEventSynchronize(end), "event");
    check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "event");
    return 1e-3 * static_cast<double>(milliseconds);
  }
  double copy_bandwidth() const { return ulpine::copy_bandwidth(executor.ordinal); }
};
#endif

}  // namespace ulpine::seaice
