// SPDX-License-Identifier: Apache-2.0
#include "core/stage/graph.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>

#include <cassert>

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"

namespace ulpine {
namespace {

class Graph final : public RecordedWork {
 public:
  Graph(Cuda cuda, cudaGraph_t recorded) : cuda_{cuda} {
    DeviceGuard const guard(cuda.ordinal);
    // Nodes keep the priorities of the streams that they were recorded from.
    check_cuda(cudaGraphInstantiate(&executable_, recorded, cudaGraphInstantiateFlagUseNodePriority),
               "building a graph");
  }
  Graph(Graph const&) = delete;
  Graph& operator=(Graph const&) = delete;
  ~Graph() override {
    DeviceGuard const guard(cuda_.ordinal, std::nothrow);
    cudaGraphExecDestroy(executable_);
  }
  void launch() override {
    DeviceGuard const guard(cuda_.ordinal);
    check_cuda(cudaGraphLaunch(executable_, cuda_.stream), "running a graph");
  }

 private:
  Cuda cuda_;
  cudaGraphExec_t executable_ = nullptr;
};

class StreamCapture final : public WorkRecorder {
 public:
  explicit StreamCapture(Cuda cuda) : cuda_{cuda} {
    assert(cuda.stream != nullptr && "the default stream cannot be recorded");
  }

  Cuda executor() const override { return cuda_; }
  void begin() override {
    DeviceGuard const guard(cuda_.ordinal);
    // Thread-local: what other threads do on the device meanwhile (another member's allocation, say) is no
    // concern of ours.
    check_cuda(cudaStreamBeginCapture(cuda_.stream, cudaStreamCaptureModeThreadLocal), "recording a graph");
  }
  std::unique_ptr<RecordedWork> end() override {
    DeviceGuard const guard(cuda_.ordinal);
    cudaGraph_t recorded = nullptr;
    check_cuda(cudaStreamEndCapture(cuda_.stream, &recorded), "recording a graph");
    std::unique_ptr<cudaGraph_t, Destroy> const owner(&recorded);
    return std::make_unique<Graph>(cuda_, recorded);
  }
  void abandon() noexcept override {
    DeviceGuard const guard(cuda_.ordinal, std::nothrow);
    cudaGraph_t recorded = nullptr;
    cudaStreamEndCapture(cuda_.stream, &recorded);
    if (recorded != nullptr) {
      cudaGraphDestroy(recorded);
    }
    cudaGetLastError();  // an abandoned capture leaves an error behind that the next check would take for its
                         // own
  }
  void wait() override { synchronize(cuda_); }

 private:
  struct Destroy {
    void operator()(cudaGraph_t const* graph) const { cudaGraphDestroy(*graph); }
  };
  Cuda cuda_;
};

}  // namespace

std::unique_ptr<WorkRecorder> make_work_recorder(Cuda cuda) { return std::make_unique<StreamCapture>(cuda); }

}  // namespace ulpine
#endif
