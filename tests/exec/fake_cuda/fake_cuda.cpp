// SPDX-License-Identifier: Apache-2.0
#include "exec/fake_cuda/fake_cuda.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

struct CUstream_st {
  int device;
};
struct CUevent_st {
  int device;
};
struct CUgraph_st {
  int device;
};
struct CUgraphExec_st {
  int device;
};

namespace {

std::mutex mutex;
thread_local int current = 0;
thread_local cudaError_t last = cudaSuccess;
std::map<void const*, std::pair<char const*, int>> objects;  // kind and device
std::vector<std::string> wrong;
int call_number = 0, failing = 0, switched = 0;

/// Every call that may fail passes through here.
cudaError_t enter() {
  std::lock_guard const lock(mutex);
  return ++call_number == failing ? last = cudaErrorUnknown : cudaSuccess;
}

void complain(std::string const& what) { wrong.push_back(what); }

/// `object` of that kind is held and belongs to the current device.
bool check(char const* call, char const* kind, void const* object) {
  std::lock_guard const lock(mutex);
  auto const found = objects.find(object);
  if (found == objects.end() || std::strcmp(found->second.first, kind) != 0) {
    complain(std::string(call) + ": no such " + kind);
    return false;
  }
  if (found->second.second != current) {
    complain(std::string(call) + ": " + kind + " of device " + std::to_string(found->second.second) +
             " while device " + std::to_string(current) + " is current");
    return false;
  }
  return true;
}

template <class T>
cudaError_t create(T** object, char const* kind, T* made) {
  std::lock_guard const lock(mutex);
  objects[made] = {kind, current};
  *object = made;
  return cudaSuccess;
}

bool drop(char const* call, char const* kind, void* object) {
  if (!check(call, kind, object)) return false;
  std::lock_guard const lock(mutex);
  objects.erase(object);
  return true;
}

/// Memory may be used through any pointer into it, so copies check their stream only.
cudaError_t on_stream(char const* call, cudaStream_t stream) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  return check(call, "stream", stream) ? cudaSuccess : last = cudaErrorInvalidResourceHandle;
}

}  // namespace

namespace fake_cuda {

void reset() {
  wrong.clear();
  call_number = failing = switched = 0;
}
int held() { return static_cast<int>(objects.size()); }
int held_memory() {
  int count = 0;
  for (auto const& [object, kind] : objects) {
    count += std::strcmp(kind.first, "memory") == 0 || std::strcmp(kind.first, "pinned memory") == 0;
  }
  return count;
}
std::vector<std::string> const& violations() { return wrong; }
int calls() { return call_number; }
void fail_at(int call) { failing = call; }
int switches() { return switched; }

}  // namespace fake_cuda

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake_cuda::device_count;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int ordinal) {
  *properties = {"fake", 9, 0, 100 + ordinal, std::size_t{1} << 30};
  return enter();
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13020;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* ordinal) {
  *ordinal = current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int ordinal) {
  if (ordinal < 0 || ordinal >= fake_cuda::device_count) return last = cudaErrorInvalidDevice;
  current = ordinal;
  std::lock_guard const lock(mutex);
  ++switched;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
char const* cudaGetErrorString(cudaError_t) { return "planted"; }

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 20;
  return enter();
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  return create(memory, "memory", std::malloc(bytes));
}
cudaError_t cudaFree(void* memory) {
  if (drop("cudaFree", "memory", memory)) std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  return create(memory, "pinned memory", std::malloc(bytes));
}
cudaError_t cudaFreeHost(void* memory) {
  if (drop("cudaFreeHost", "pinned memory", memory)) std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  auto const status = on_stream("cudaMemsetAsync", stream);
  if (status == cudaSuccess) std::memset(target, value, bytes);
  return status;
}
cudaError_t cudaMemcpyAsync(void* target, void const* source, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  auto const status = on_stream("cudaMemcpyAsync", stream);
  if (status == cudaSuccess) std::memcpy(target, source, bytes);
  return status;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  return create(stream, "stream", new CUstream_st{current});
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (drop("cudaStreamDestroy", "stream", stream)) delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return on_stream("cudaStreamSynchronize", stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t, unsigned) {
  return on_stream("cudaStreamWaitEvent", stream);
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return on_stream("cudaStreamBeginCapture", stream);
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  auto const status = on_stream("cudaStreamEndCapture", stream);
  return status == cudaSuccess ? create(graph, "graph", new CUgraph_st{current}) : status;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  return create(event, "event", new CUevent_st{current});
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (drop("cudaEventDestroy", "event", event)) delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  check("cudaEventRecord", "event", event);
  return on_stream("cudaEventRecord", stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  return check("cudaEventSynchronize", "event", event) ? cudaSuccess : last = cudaErrorInvalidResourceHandle;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  check("cudaEventElapsedTime", "event", begin);
  check("cudaEventElapsedTime", "event", end);
  *milliseconds = begin->device == 0 ? 0.5F : 0.25F;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (drop("cudaGraphDestroy", "graph", graph)) delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  check("cudaGraphInstantiate", "graph", graph);
  return create(executable, "executable graph", new CUgraphExec_st{current});
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (drop("cudaGraphExecDestroy", "executable graph", executable)) delete executable;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  check("cudaGraphLaunch", "executable graph", executable);
  return on_stream("cudaGraphLaunch", stream);
}

}  // extern "C"
