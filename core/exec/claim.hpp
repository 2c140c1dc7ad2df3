// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/executor.hpp"

#if !defined(__CUDACC__)
#include <atomic>
#endif

namespace ulpine {

/// How an executor's threads count together: `claim(count)` adds 1 and returns what was there. What threads
/// claim comes in any order.
template <class Executor>
struct Claimer;

#if defined(__CUDACC__)
template <>
struct Claimer<Cuda> {
  __device__ static std::int32_t claim(std::int32_t& count) { return atomicAdd(&count, 1); }
};
#else
template <>
struct Claimer<Host> {
  static std::int32_t claim(std::int32_t& count) {
    return std::atomic_ref<std::int32_t>(count).fetch_add(1, std::memory_order_relaxed);
  }
};
#endif

}  // namespace ulpine
