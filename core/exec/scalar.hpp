// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory.hpp"
#include "core/exec/stream.hpp"
#include "core/exec/view.hpp"

namespace ulpine {

/// One value in the executor's memory, 0 at the start: reductions write it, later kernels read it, and
/// nothing waits for the host.
template <class T, class Executor>
class Scalar {
 public:
  explicit Scalar(Executor executor) : memory_(executor, 1) {}
  Scalar(Executor executor, T value) : Scalar(executor) { set(value); }

  /// View for kernels, whose view()[0] is the value.
  View<T> view() { return memory_.view(); }
  View<T const> view() const { return memory_.view(); }
  /// Takes the value of `other`, on a device in stream order.
  void copy_from(Scalar const& other) { memory_.copy_from(other.memory_); }

  /// Wait for the executor; not for use within a step.
  T value() const {
    T value;
    memory_.to_host(&value);
    return value;
  }
  void set(T value) { memory_.from_host(&value); }

 private:
  Array<T, Executor> memory_;
};

/// Brings one value to the host while the executor goes on with what it was given meanwhile: an adaptive
/// step's length.
template <class T, class Executor>
class HostCopy;

template <class T>
class HostCopy<T, Host> {
 public:
  explicit HostCopy(Host) {}
  /// Takes the first value of `source` as it is now, in stream order on a device.
  void start(View<T const> source) { value_ = source[0]; }
  /// Waits until that has arrived.
  T value() const { return value_; }

 private:
  T value_{};
};

template <class T>
class HostCopy<T, Cuda> {
 public:
  explicit HostCopy(Cuda cuda) : cuda_{cuda}, buffer_(cuda, sizeof(T)) {}
  void start(View<T const> source) { copy_to_host_async(cuda_, buffer_, source.data(), sizeof(T)); }
  T value() {
    buffer_.wait();
    return *static_cast<T const*>(buffer_.data());
  }

 private:
  Cuda cuda_;
  PinnedBuffer buffer_;
};

}  // namespace ulpine
