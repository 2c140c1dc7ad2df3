// SPDX-License-Identifier: Apache-2.0
#include "core/exec/stream.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "io/error.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace ulpine {

#if defined(ULPINE_HAS_CUDA)

DeviceGuard::DeviceGuard(int ordinal) {
  int current = 0;
  check_cuda(cudaGetDevice(&current), "asking for the current device");
  if (current != ordinal) {
    check_cuda(cudaSetDevice(ordinal), "choosing the device");
    before_ = current;
  }
}

DeviceGuard::DeviceGuard(int ordinal, std::nothrow_t) noexcept {
  int current = 0;
  if (cudaGetDevice(&current) == cudaSuccess && current != ordinal && cudaSetDevice(ordinal) == cudaSuccess) {
    before_ = current;
  }
}

DeviceGuard::~DeviceGuard() {
  if (before_ != unchanged) {
    cudaSetDevice(before_);
  }
}

Stream::Stream(int ordinal, int block, Priority priority) : cuda_{nullptr, block, ordinal} {
  if (block < 32 || block > 256 || block % 32 != 0) {
    throw InputError("a block of " + std::to_string(block) +
                     " threads cannot be launched (a multiple of 32 from 32 to 256 is needed) use 256");
  }
  require_device(ordinal);
  DeviceGuard const guard(ordinal);
  int least = 0, greatest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for priorities");
  check_cuda(cudaStreamCreateWithPriority(&cuda_.stream, cudaStreamNonBlocking,
                                          priority == Priority::high ? greatest : least),
             "creating a stream");
}

Stream::~Stream() {
  if (cuda_.stream != nullptr) {
    DeviceGuard const guard(cuda_.ordinal, std::nothrow);
    cudaStreamDestroy(cuda_.stream);
  }
}

Event::Event(Cuda cuda, Timed timed) : ordinal_{cuda.ordinal} {
  DeviceGuard const guard(ordinal_);
  check_cuda(
      cudaEventCreateWithFlags(&event_, timed == Timed::yes ? cudaEventDefault : cudaEventDisableTiming),
      "creating an event");
}

Event::~Event() {
  if (event_ != nullptr) {
    DeviceGuard const guard(ordinal_, std::nothrow);
    cudaEventDestroy(event_);
  }
}

void Event::record(Cuda cuda) {
  assert(cuda.ordinal == ordinal_ && "events are recorded by streams of their own device");
  DeviceGuard const guard(ordinal_);
  check_cuda(cudaEventRecord(event_, cuda.stream), "recording an event");
}

void Event::wait() const {
  DeviceGuard const guard(ordinal_);
  check_cuda(cudaEventSynchronize(event_), "waiting for an event");
}

void Event::hold_back(Cuda cuda) const {
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(cudaStreamWaitEvent(cuda.stream, event_, 0), "ordering streams");
}

double seconds_between(Event const& begin, Event const& end) {
  DeviceGuard const guard(begin.ordinal_);
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin.event_, end.event_), "timing");
  return 1e-3 * static_cast<double>(milliseconds);
}

PinnedBuffer::PinnedBuffer(Cuda cuda, std::int64_t bytes)
    : copied_{cuda}, ordinal_{cuda.ordinal}, bytes_{bytes} {
  DeviceGuard const guard(ordinal_);
  if (cudaMallocHost(&memory_, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1))) != cudaSuccess) {
    cudaGetLastError();
    throw EnvironmentError(
        "out of memory (" + std::to_string(bytes) +
        " bytes of page-locked memory asked for on the host) use a smaller grid or fewer jobs");
  }
}

PinnedBuffer::~PinnedBuffer() {
  DeviceGuard const guard(ordinal_, std::nothrow);
  try {
    copied_.wait();  // a copy still under way would use freed memory
  } catch (EnvironmentError const&) {
    // The device has failed: nothing copies any more, and the next call says so.
  }
  cudaFreeHost(memory_);
}

void copy_to_host_async(Cuda cuda, PinnedBuffer& target, void const* source, std::int64_t bytes) {
  assert(bytes <= target.bytes_);
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(cudaMemcpyAsync(target.memory_, source, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                             cuda.stream),
             "copy from the GPU");
  target.copied_.record(cuda);
}

void copy_to_device_async(Cuda cuda, void* target, PinnedBuffer& source, std::int64_t bytes) {
  assert(bytes <= source.bytes_);
  DeviceGuard const guard(cuda.ordinal);
  check_cuda(cudaMemcpyAsync(target, source.memory_, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                             cuda.stream),
             "copy to the GPU");
  source.copied_.record(cuda);
}

PageLock::PageLock(Cuda cuda, void* memory, std::int64_t bytes) : ordinal_{cuda.ordinal} {
  DeviceGuard const guard(ordinal_);
  auto const status = cudaHostRegister(memory, static_cast<std::size_t>(bytes), cudaHostRegisterDefault);
  if (status != cudaSuccess) {
    cudaGetLastError();
    throw EnvironmentError(std::to_string(bytes) + " bytes of host memory cannot be page-locked (" +
                           cudaGetErrorString(status) + ") let copies pass through buffers: staged");
  }
  memory_ = memory;
}

PageLock::~PageLock() {
  if (memory_ != nullptr) {
    DeviceGuard const guard(ordinal_, std::nothrow);
    cudaHostUnregister(memory_);
  }
}

bool page_locked(Cuda cuda, void const* memory) {
  DeviceGuard const guard(cuda.ordinal);
  cudaPointerAttributes attributes{};
  check_cuda(cudaPointerGetAttributes(&attributes, memory), "asking what memory is");
  return attributes.type == cudaMemoryTypeHost;
}

namespace {

void copy_rows_async(Cuda cuda, char* target, std::int64_t target_pitch, char const* source,
                     std::int64_t source_pitch, HostRows const& rows, cudaMemcpyKind kind) {
  constexpr std::int64_t most_pitch = 0x7fffffff;  // CUDA's
  auto const size = [](std::int64_t bytes) { return static_cast<std::size_t>(bytes); };
  DeviceGuard const guard(cuda.ordinal);
  if (rows.rows > 1 && rows.pitch <= most_pitch) {
    check_cuda(cudaMemcpy2DAsync(target, size(target_pitch), source, size(source_pitch), size(rows.width),
                                 size(rows.rows), kind, cuda.stream),
               "copy of rows");
    return;
  }
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    check_cuda(cudaMemcpyAsync(target + row * target_pitch, source + row * source_pitch, size(rows.width),
                               kind, cuda.stream),
               "copy of a row");
  }
}

}  // namespace

void copy_rows_to_device_async(Cuda cuda, void* target, HostRows const& source) {
  copy_rows_async(cuda, static_cast<char*>(target), source.width, static_cast<char const*>(source.data),
                  source.pitch, source, cudaMemcpyHostToDevice);
}

void copy_rows_to_host_async(Cuda cuda, HostRows const& target, void const* source) {
  copy_rows_async(cuda, static_cast<char*>(target.data), target.pitch, static_cast<char const*>(source),
                  target.width, target, cudaMemcpyDeviceToHost);
}

std::int64_t free_device_memory(int ordinal) {
  DeviceGuard const guard(ordinal);
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for free memory");
  return static_cast<std::int64_t>(free);
}

#else

Stream::Stream(int ordinal, int block, Priority) : cuda_{nullptr, block, ordinal} { require_device(ordinal); }
Stream::~Stream() = default;
Event::~Event() = default;
PageLock::~PageLock() = default;

#endif

}  // namespace ulpine
