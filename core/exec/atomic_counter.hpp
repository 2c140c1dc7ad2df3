// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"

#if !defined(__CUDACC__)
#include <atomic>
#endif

namespace ulpine {

/// A count that the threads of an executor share: fetch_increment(count) atomically adds 1 and returns the
/// value before. The order in which threads get values is not determined.
template <class Executor>
struct AtomicCounter;

#if defined(__CUDACC__)
template <>
struct AtomicCounter<Cuda> {
  __device__ static std::int32_t fetch_increment(std::int32_t& count) { return atomicAdd(&count, 1); }
};
#else
template <>
struct AtomicCounter<Host> {
  static std::int32_t fetch_increment(std::int32_t& count) {
    return std::atomic_ref<std::int32_t>(count).fetch_add(1, std::memory_order_relaxed);
  }
};
#endif

}  // namespace ulpine
