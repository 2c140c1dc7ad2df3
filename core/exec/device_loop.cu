// SPDX-License-Identifier: Apache-2.0
#include "core/exec/device_loop.hpp"

#include <cuda_runtime_api.h>

#include <optional>

#include "core/exec/cuda.cuh"
#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "io/error.hpp"

namespace ulpine {

#if CUDART_VERSION >= 12040

namespace {

constexpr auto recording = "recording a loop of a device";

__global__ void decide(cudaGraphConditionalHandle loop, LoopCondition condition) {
  detail::wait_for_kernel_before();
  cudaGraphSetConditional(loop, *condition.outcome == 0 && *condition.count < condition.most ? 1 : 0);
}

/// A graph that is destroyed with the object.
struct OwnedGraph {
  cudaGraph_t graph = nullptr;
  OwnedGraph() = default;
  OwnedGraph(OwnedGraph const&) = delete;
  OwnedGraph& operator=(OwnedGraph const&) = delete;
  ~OwnedGraph() {
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
};

/// Captures `work` into `graph`, which is empty. An exception of the work ends the capture.
void capture(Cuda cuda, cudaGraph_t graph, DeviceLoop::Work const& work) {
  check_cuda(cudaStreamBeginCaptureToGraph(cuda.stream, graph, nullptr, nullptr, 0,
                                           cudaStreamCaptureModeThreadLocal),
             recording);
  cudaGraph_t captured = nullptr;
  try {
    work();
  } catch (...) {
    cudaStreamEndCapture(cuda.stream, &captured);
    cudaGetLastError();  // of the capture that was broken off
    throw;
  }
  check_cuda(cudaStreamEndCapture(cuda.stream, &captured), recording);
}

/// Adds `work` as one node behind `node`, where there is one, and makes `node` that.
void add_work(Cuda cuda, cudaGraph_t graph, DeviceLoop::Work const& work, cudaGraphNode_t& node) {
  OwnedGraph part;
  check_cuda(cudaGraphCreate(&part.graph, 0), recording);
  capture(cuda, part.graph, work);
  std::size_t count = 0;
  check_cuda(cudaGraphGetNodes(part.graph, nullptr, &count), recording);
  if (count == 0) return;
  cudaGraphNode_t added = nullptr;
  check_cuda(cudaGraphAddChildGraphNode(&added, graph, node == nullptr ? nullptr : &node,
                                        node == nullptr ? 0 : 1, part.graph),
             recording);
  node = added;
}

/// Adds a loop behind `node`, where there is one, and makes `node` that; returns the graph of its body.
cudaGraph_t add_loop(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphNode_t& node) {
  cudaGraphNodeParams parameters{};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  auto const* const before = node == nullptr ? nullptr : &node;
  std::size_t const count = node == nullptr ? 0 : 1;
  cudaGraphNode_t added = nullptr;
#if CUDART_VERSION >= 13000
  check_cuda(cudaGraphAddNode(&added, graph, before, nullptr, count, &parameters), recording);
#else
  check_cuda(cudaGraphAddNode(&added, graph, before, count, &parameters), recording);
#endif
  node = added;
  return parameters.conditional.phGraph_out[0];
}

class ConditionalGraph final : public DeviceLoop {
 public:
  ConditionalGraph(Cuda cuda, Work const& before, Work const& repeated, LoopCondition const& condition,
                   Work const& after, bool overlaps)
      : cuda_{cuda} {
    DeviceGuard const guard(cuda.ordinal);
    check_cuda(cudaGraphCreate(&graph_.graph, 0), recording);
    cudaGraphConditionalHandle handle{};
    check_cuda(cudaGraphConditionalHandleCreate(&handle, graph_.graph, 1, cudaGraphCondAssignDefault),
               recording);
    cudaGraphNode_t node = nullptr;
    std::optional<detail::OverlappedLaunches> overlapped;
    if (overlaps) overlapped.emplace();
    add_work(cuda, graph_.graph, before, node);
    auto* const body = add_loop(graph_.graph, handle, node);
    capture(cuda, body, [&] {
      repeated();
      auto decided_by = condition;
      void* arguments[] = {&handle, &decided_by};
      detail::launch_waiting(cuda, detail::address(&decide), {1}, {1}, arguments);
    });
    add_work(cuda, graph_.graph, after, node);
    check_cuda(cudaGraphInstantiate(&executable_, graph_.graph, 0), recording);
  }
  ConditionalGraph(ConditionalGraph const&) = delete;
  ConditionalGraph& operator=(ConditionalGraph const&) = delete;
  ~ConditionalGraph() override {
    DeviceGuard const guard(cuda_.ordinal, std::nothrow);
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  }

  void launch() override {
    DeviceGuard const guard(cuda_.ordinal);
    check_cuda(cudaGraphLaunch(executable_, cuda_.stream), "running a loop of a device");
  }

 private:
  Cuda cuda_;
  OwnedGraph graph_;
  cudaGraphExec_t executable_ = nullptr;
};

/// Whether kernels wait for those before them by themselves: those compiled for less than 9.0 do not.
bool waits(Cuda cuda) {
  DeviceGuard const guard(cuda.ordinal);
  return detail::compiled_for(detail::address(&decide)) >= 90;
}

/// Whether graphs of the driver have conditional nodes and `cuda` is a stream that can be recorded now.
bool can_record(Cuda cuda) {
  if (cuda.stream == nullptr) return false;
  DeviceGuard const guard(cuda.ordinal);
  int driver = 0;
  check_cuda(cudaDriverGetVersion(&driver), recording);
  cudaStreamCaptureStatus status{};
  check_cuda(cudaStreamIsCapturing(cuda.stream, &status), recording);
  return driver >= 12040 && status == cudaStreamCaptureStatusNone;
}

}  // namespace

std::unique_ptr<DeviceLoop> DeviceLoop::record(Cuda cuda, Work const& before, Work const& repeated,
                                               LoopCondition const& condition, Work const& after) {
  if (!can_record(cuda)) return nullptr;
  auto const recorded = [&](bool overlaps) {
    return std::make_unique<ConditionalGraph>(cuda, before, repeated, condition, after, overlaps);
  };
  if (!waits(cuda)) return recorded(false);
  try {
    return recorded(true);
  } catch (EnvironmentError const&) {
    cudaGetLastError();  // of a driver that takes no such launches in a loop
    return recorded(false);
  }
}

#else

std::unique_ptr<DeviceLoop> DeviceLoop::record(Cuda, Work const&, Work const&, LoopCondition const&,
                                               Work const&) {
  return nullptr;
}

#endif

}  // namespace ulpine
