// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "core/exec/executor.hpp"

#if defined(__CUDACC__)
#include <cuda_pipeline_primitives.h>
#endif

namespace ulpine {

/// Copies `from` memory of all blocks `to` one block's shared memory while the thread goes on. On the host at
/// once.
template <class T>
ULPINE_HD inline void copy_aside(T* to, T const* from) {
#if defined(__CUDA_ARCH__)
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16));
  __pipeline_memcpy_async(to, from, sizeof(T));
#else
  *to = *from;
#endif
}

/// The thread's copies so far, since the last such call, are a group.
ULPINE_HD inline void end_group_of_copies() {
#if defined(__CUDA_ARCH__)
  __pipeline_commit();
#endif
}

/// Waits for the thread's groups but the last `but`; other threads' need a barrier besides.
template <unsigned but>
ULPINE_HD inline void await_copies() {
#if defined(__CUDA_ARCH__)
  __pipeline_wait_prior(but);
#endif
}

}  // namespace ulpine
