// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/executor.hpp"

#if !defined(__CUDACC__)
#include <atomic>
#endif

namespace ulpine {

/// A number that threads of one launch read and write at the same time: read(place) gives one that stands or
/// stood there, write(place, value) leaves no other one in between. Nothing is ordered by it.
template <class Executor>
struct SharedNumber;

#if defined(__CUDACC__)
template <>
struct SharedNumber<Cuda> {
  template <class T>
  __device__ static T read(T const& place) {
    return *static_cast<T const volatile*>(&place);
  }
  template <class T>
  __device__ static void write(T& place, T value) {
    *static_cast<T volatile*>(&place) = value;
  }
};
#else
template <>
struct SharedNumber<Host> {
  template <class T>
  static T read(T& place) {
    return std::atomic_ref<T>(place).load(std::memory_order_relaxed);
  }
  template <class T>
  static void write(T& place, T value) {
    std::atomic_ref<T>(place).store(value, std::memory_order_relaxed);
  }
};
#endif

}  // namespace ulpine
