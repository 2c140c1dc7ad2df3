// SPDX-License-Identifier: Apache-2.0
#include "exec/fake_cuda/fake_cuda.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

struct CUstream_st {
  int device;
  std::deque<std::function<void()>> work{};  // put off
  std::size_t given = 0, done = 0;

  void work_until(std::size_t number) {
    for (; done < number && !work.empty(); ++done, work.pop_front()) work.front()();
  }
};
struct CUevent_st {
  int device;
  CUstream_st* stream = nullptr;  // where it was recorded last, and after how much work
  std::size_t number = 0;
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
bool putting_off = false;
std::map<std::byte const*, std::size_t> locked;    // page-locked host memory
std::map<void const*, int> registered;             // what of it is the user's, and the device
std::map<void const*, std::size_t> device_memory;  // bytes
std::size_t device_bytes = 0, most_bytes = 0;

void give(cudaStream_t stream, std::function<void()> work) {
  stream->work.push_back(std::move(work));
  ++stream->given;
  if (!putting_off) stream->work_until(stream->given);
}

/// What the current device's streams have put off.
void work_all() {
  for (auto const& [object, kind] : std::map(objects)) {
    if (kind.second == current && std::strcmp(kind.first, "stream") == 0) {
      auto* const stream = static_cast<CUstream_st*>(const_cast<void*>(object));
      stream->work_until(stream->given);
    }
  }
}

bool is_held(void const* object) {
  std::lock_guard const lock(mutex);
  return objects.count(object) != 0;
}

bool is_locked(void const* memory) {
  auto const* const place = static_cast<std::byte const*>(memory);
  return std::any_of(locked.begin(), locked.end(), [&](auto const& range) {
    return place >= range.first && place < range.first + range.second;
  });
}

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
  most_bytes = device_bytes;
}
void put_off(bool yes) { putting_off = yes; }
void launch(CUstream_st* stream, std::function<void()> work) {
  if (check("launch", "stream", stream)) give(stream, std::move(work));
}
std::size_t most_device_bytes() { return most_bytes; }
int held() { return static_cast<int>(objects.size() + registered.size()); }
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
  auto const status = create(memory, "memory", std::malloc(bytes));
  std::lock_guard const lock(mutex);
  device_memory[*memory] = bytes;
  device_bytes += bytes;
  most_bytes = std::max(most_bytes, device_bytes);
  return status;
}
cudaError_t cudaFree(void* memory) {
  work_all();  // the runtime waits for the device
  if (drop("cudaFree", "memory", memory)) {
    std::lock_guard const lock(mutex);
    device_bytes -= device_memory[memory];
    device_memory.erase(memory);
    std::free(memory);
  }
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  constexpr std::size_t page = 4096;  // which it shares with nothing else
  auto const status =
      create(memory, "pinned memory", std::aligned_alloc(page, (bytes + page - 1) / page * page));
  std::lock_guard const lock(mutex);
  locked[static_cast<std::byte*>(*memory)] = bytes;
  return status;
}
cudaError_t cudaFreeHost(void* memory) {
  if (drop("cudaFreeHost", "pinned memory", memory)) {
    std::lock_guard const lock(mutex);
    locked.erase(static_cast<std::byte*>(memory));
    std::free(memory);
  }
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  auto* const begin = static_cast<std::byte*>(memory);
  std::lock_guard const lock(mutex);
  for (auto const& [other, size] : locked) {
    if (begin < other + size && other < begin + bytes) return last = cudaErrorHostMemoryAlreadyRegistered;
  }
  locked[begin] = bytes;
  registered[begin] = current;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  std::lock_guard const lock(mutex);
  if (auto const found = registered.find(memory); found == registered.end()) {
    complain("cudaHostUnregister: no such memory");
  } else if (found->second != current) {
    complain("cudaHostUnregister: another device is current");
  }
  registered.erase(memory);
  locked.erase(static_cast<std::byte*>(memory));
  if (std::any_of(objects.begin(), objects.end(), [](auto const& object) {
        return std::strcmp(object.second.first, "stream") == 0 &&
               !static_cast<CUstream_st const*>(object.first)->work.empty();
      })) {
    complain("cudaHostUnregister: work is under way");
  }
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, void const* memory) {
  std::unique_lock lock(mutex);
  attributes->type = is_locked(memory) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  lock.unlock();
  return enter();
}
cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t stream) {
  auto const status = on_stream("cudaMemsetAsync", stream);
  if (status == cudaSuccess) give(stream, [=] { std::memset(target, value, bytes); });
  return status;
}
cudaError_t cudaMemcpyAsync(void* target, void const* source, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  auto const status = on_stream("cudaMemcpyAsync", stream);
  if (status == cudaSuccess) give(stream, [=] { std::memcpy(target, source, bytes); });
  return status;
}
cudaError_t cudaMemcpy2DAsync(void* target, std::size_t target_pitch, void const* source,
                              std::size_t source_pitch, std::size_t width, std::size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  auto const status = on_stream("cudaMemcpy2DAsync", stream);
  if (status != cudaSuccess) return status;
  if (!is_locked(kind == cudaMemcpyHostToDevice ? source : target)) {
    complain("cudaMemcpy2DAsync: the host's memory is not page-locked");
  }
  give(stream, [=] {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(static_cast<std::byte*>(target) + row * target_pitch,
                  static_cast<std::byte const*>(source) + row * source_pitch, width);
    }
  });
  return status;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return enter();
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int priority) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  if (priority != 0 && priority != -5) complain("cudaStreamCreateWithPriority: no such priority");
  return create(stream, "stream", new CUstream_st{current});
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (drop("cudaStreamDestroy", "stream", stream)) delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  auto const status = on_stream("cudaStreamSynchronize", stream);
  if (status == cudaSuccess) stream->work_until(stream->given);
  return status;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  auto const status = on_stream("cudaStreamWaitEvent", stream);
  if (status == cudaSuccess) {
    give(stream, [other = event->stream, number = event->number] {
      if (is_held(other)) other->work_until(number);
    });
  }
  return status;
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
  auto const status = on_stream("cudaEventRecord", stream);
  if (status == cudaSuccess) event->stream = stream, event->number = stream->given;
  return status;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (auto const status = enter(); status != cudaSuccess) return status;
  if (!check("cudaEventSynchronize", "event", event)) return last = cudaErrorInvalidResourceHandle;
  if (is_held(event->stream)) event->stream->work_until(event->number);
  return cudaSuccess;
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
