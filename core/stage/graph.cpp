// SPDX-License-Identifier: Apache-2.0
#include "core/stage/graph.hpp"

#include <cassert>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace ulpine {

#if defined(ULPINE_HAS_CUDA)

StageGraph::~StageGraph() {
  if (executable_ != nullptr) {
    DeviceGuard const guard(ordinal_, std::nothrow);
    cudaGraphExecDestroy(executable_);
  }
}

void StageGraph::begin_capture(Cuda cuda) {
  assert(cuda.stream != nullptr && "the default stream cannot be recorded");
  DeviceGuard const guard(cuda.ordinal);
  // Thread-local: what other threads do on the device meanwhile (another member's allocation, say) is no
  // concern of ours.
  check_cuda(cudaStreamBeginCapture(cuda.stream, cudaStreamCaptureModeThreadLocal), "recording a graph");
}

void StageGraph::abandon_capture(Cuda cuda) noexcept {
  DeviceGuard const guard(cuda.ordinal, std::nothrow);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(cuda.stream, &graph);
  if (graph != nullptr) {
    cudaGraphDestroy(graph);
  }
  cudaGetLastError();  // an abandoned capture leaves an error behind that the next check would take for its
                       // own
}

void StageGraph::end_capture(Cuda cuda) {
  DeviceGuard const guard(cuda.ordinal);
  ordinal_ = cuda.ordinal;
  cudaGraph_t graph = nullptr;
  check_cuda(cudaStreamEndCapture(cuda.stream, &graph), "recording a graph");
  cudaError_t status = cudaSuccess;
  if (executable_ !=
      nullptr) {  // changed arguments alone are taken over much faster than a new graph is built
    cudaGraphExecUpdateResultInfo result{};
    if (cudaGraphExecUpdate(executable_, graph, &result) != cudaSuccess) {
      cudaGetLastError();
      cudaGraphExecDestroy(std::exchange(executable_, nullptr));
    }
  }
  if (executable_ == nullptr) {
    status = cudaGraphInstantiate(&executable_, graph, 0);
  }
  cudaGraphDestroy(graph);
  check_cuda(status, "building a graph");
}

void StageGraph::replay(Cuda cuda) {
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(cudaGraphLaunch(executable_, cuda.stream), "running a graph");
}

#else

StageGraph::~StageGraph() = default;

#endif

}  // namespace ulpine
