// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/exec/executor.hpp"

struct CUevent_st;

namespace ulpine {

/// EnvironmentError where the processor lacks the instructions (FMA, AVX2, BMI2) that this build uses without
/// asking. To be called first in main().
void host_cpu_check();

/// An executor with a new stream on device `ordinal`, which becomes the calling thread's device.
/// EnvironmentError without such a device or where this build holds no code for it; InputError where `block`
/// is no multiple of 32 in [32, 256]. The stream lives until release_cuda.
Cuda make_cuda(int ordinal = 0, int block = 256);
void release_cuda(Cuda cuda) noexcept;

/// Whether code built for `architectures` (as build::cuda_architectures: CMAKE_CUDA_ARCHITECTURES joined by
/// commas) runs on a device of compute capability `capability` (90 for 9.0).
bool runs_on(std::string_view architectures, int capability);

/// Median rate of a copy within the memory of `cuda`'s device, counting bytes read and bytes written, in
/// bytes/s. Measured once in a process.
double device_copy_bandwidth(Cuda cuda);

/// Page-locked host memory that a device copies to while both go on.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::int64_t bytes);
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;
  ~PinnedBuffer();

  void* data() { return memory_; }
  std::int64_t bytes() const { return bytes_; }
  /// Returns once the last copy_to_host_async has arrived; at once where there was none.
  void wait() const;

 private:
  friend void copy_to_host_async(Cuda cuda, PinnedBuffer& target, void const* source, std::int64_t bytes);
  void* memory_ = nullptr;
  std::int64_t bytes_ = 0;
  CUevent_st* arrived_ = nullptr;
};

/// Copies `bytes` of device memory to the start of `target` in stream order; PinnedBuffer::wait() tells when
/// they are there.
void copy_to_host_async(Cuda cuda, PinnedBuffer& target, void const* source, std::int64_t bytes);

}  // namespace ulpine
