// SPDX-License-Identifier: Apache-2.0
// Counts a program's calls of the CUDA runtime that launch, copy, allocate or wait, and prints the counts
// when it ends:
//   LD_PRELOAD=libcuda_calls.so ulpine run CASE --device cuda ...
// Two runs that differ in their number of steps tell what a step calls.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>

namespace {

/// One function: the library's own, and how often it was called.
struct Counted {
  char const* name;
  std::atomic<long> calls = 0;

  template <class Function, class... Arguments>
  cudaError_t call(Function*, Arguments... arguments) {
    ++calls;
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name))(arguments...);
  }
};

Counted stream_waits{"cudaStreamSynchronize"}, device_waits{"cudaDeviceSynchronize"},
    event_waits{"cudaEventSynchronize"}, blocking_copies{"cudaMemcpy"}, copies{"cudaMemcpyAsync"},
    allocations{"cudaMalloc"}, releases{"cudaFree"}, kernels{"cudaLaunchKernel"}, graphs{"cudaGraphLaunch"},
    recordings{"cudaStreamBeginCapture"};

struct Report {
  ~Report() {
    for (auto const* counted : {&stream_waits, &device_waits, &event_waits, &blocking_copies, &copies,
                                &allocations, &releases, &kernels, &graphs, &recordings}) {
      std::fprintf(stderr, "cuda_calls %-22s %ld\n", counted->name, counted->calls.load());
    }
  }
} const report;

}  // namespace

extern "C" {
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stream_waits.call(cudaStreamSynchronize, stream);
}
cudaError_t cudaDeviceSynchronize() { return device_waits.call(cudaDeviceSynchronize); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return event_waits.call(cudaEventSynchronize, event); }
cudaError_t cudaMemcpy(void* target, void const* source, std::size_t bytes, cudaMemcpyKind kind) {
  return blocking_copies.call(cudaMemcpy, target, source, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* target, void const* source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copies.call(cudaMemcpyAsync, target, source, bytes, kind, stream);
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return allocations.call(cudaMalloc, memory, bytes);
}
cudaError_t cudaFree(void* memory) { return releases.call(cudaFree, memory); }
cudaError_t cudaLaunchKernel(void const* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t stream) {
  return kernels.call(cudaLaunchKernel, kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  return graphs.call(cudaGraphLaunch, graph, stream);
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return recordings.call(cudaStreamBeginCapture, stream, mode);
}
}
