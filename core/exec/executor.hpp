// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/host_device.hpp"

struct CUstream_st;

namespace ulpine {

/// Runs kernels on the host with an OpenMP team. Launches: host.hpp.
struct Host {
  static constexpr bool on_device = false;
  static constexpr bool vectorises = true;  ///< rows of a kernel; plain_host.hpp has a host that does not
  int threads = 1;

  template <class T>
  static void atomic_add(T& target, T value);
};

/// Runs kernels on a CUDA device in stream order. Launches: cuda.cuh; nameable without CUDA headers. The
/// stream is a Stream's (stream.hpp).
struct Cuda {
  static constexpr bool on_device = true;
  CUstream_st* stream = nullptr;
  int block = 256;  ///< threads a block: a multiple of 32, at most 256
  int ordinal = 0;  ///< of the stream's device, counted from 0

#if defined(__CUDACC__)
  template <class T>
  __device__ static void atomic_add(T& target, T value);
#endif
};

}  // namespace ulpine
