// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/host_device.hpp"

struct CUstream_st;

namespace ulpine {

class Collector;

/// A stream of a CUDA device as launches and libraries take it. Where what is given to it is being collected
/// (collector.hpp), asking for the stream ends that first, so that all runs in the order in which it was
/// given.
class StreamHandle {
 public:
  constexpr StreamHandle(CUstream_st* stream = nullptr, Collector* collector = nullptr)
      : stream_{stream}, collector_{collector} {}
  operator CUstream_st*() const {
    if (collector_ != nullptr) use_own();
    return stream_;
  }
  /// Null where nothing is ever kept.
  Collector* collector() const { return collector_; }

 private:
  void use_own() const;

  CUstream_st* stream_;
  Collector* collector_;
};

/// Runs kernels on the host with an OpenMP team. Launches: host.hpp.
struct Host {
  static constexpr bool on_device = false;
  int threads = 1;

  template <class T>
  static void atomic_add(T& target, T value);
};

/// Runs kernels on a CUDA device in stream order. Launches: cuda.cuh; nameable without CUDA headers. The
/// stream is a Stream's (stream.hpp).
struct Cuda {
  static constexpr bool on_device = true;
  StreamHandle stream = {};
  int block = 256;  ///< threads a block: a multiple of 32, at most 256
  int ordinal = 0;  ///< of the stream's device, counted from 0

#if defined(__CUDACC__)
  template <class T>
  __device__ static void atomic_add(T& target, T value);
#endif
};

/// What keeps launches of `executor`, where it is a member's; null otherwise.
template <class Executor>
Collector* member_collector(Executor const& executor) {
  if constexpr (requires { executor.stream.collector(); }) {
    return executor.stream.collector();
  } else {
    return nullptr;
  }
}

/// A device's executor whose launches may be collected: those of for_each() in batched.cuh, which costs a
/// second instantiation of each kernel.
struct BatchableCuda : Cuda {};

/// `executor` so that what it launches may be collected, where that is known; else itself.
template <class Executor>
constexpr Executor const& batchable(Executor const& executor) {
  return executor;
}
inline BatchableCuda batchable(Cuda cuda) { return {cuda}; }

}  // namespace ulpine
