// SPDX-License-Identifier: Apache-2.0
#include "core/exec/stream.hpp"

#include <algorithm>
#include <cassert>
#include <string>

#include "core/exec/collector.hpp"
#include "core/exec/device.hpp"
#include "core/exec/memory.hpp"
#include "io/error.hpp"

#if defined(ULPINE_HAS_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace ulpine {

Stream::Stream(Stream own, std::shared_ptr<Collector> collector)
    : cuda_{std::exchange(own.cuda_, {})}, collector_{std::move(collector)} {
  cuda_.stream = {cuda_.stream, collector_.get()};
}

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

Stream::Stream(int ordinal, int block) : cuda_{nullptr, block, ordinal} {
  if (block < 32 || block > 256 || block % 32 != 0) {
    throw InputError("a block of " + std::to_string(block) +
                     " threads cannot be launched (a multiple of 32 from 32 to 256 is needed) use 256");
  }
  require_device(ordinal);
  DeviceGuard const guard(ordinal);
  CUstream_st* stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  cuda_.stream = stream;
}

Stream::~Stream() {
  auto const own = collector_ == nullptr ? cuda_ : collector_->executor();
  if (own.stream != nullptr) {
    DeviceGuard const guard(own.ordinal, std::nothrow);
    cudaStreamDestroy(own.stream);
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

std::int64_t free_device_memory(int ordinal) {
  DeviceGuard const guard(ordinal);
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for free memory");
  return static_cast<std::int64_t>(free);
}

#else

Stream::Stream(int ordinal, int block) : cuda_{nullptr, block, ordinal} { require_device(ordinal); }
Stream::~Stream() = default;

#endif

}  // namespace ulpine
