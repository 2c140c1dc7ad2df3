// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/memory.hpp"
#include "core/exec/view.hpp"

namespace ulpine {

/// One value in the executor's memory, 0 at the start: reductions write it, later kernels read it, and
/// nothing waits for the host.
template <class T, class Executor>
class Scalar {
 public:
  explicit Scalar(Executor executor) : memory_(executor, 1) {}
  Scalar(Executor executor, T value) : Scalar(executor) { set(value); }

  /// What kernels hold: view()[0] is the value.
  View<T> view() { return memory_.view(); }
  View<T const> view() const { return memory_.view(); }
  /// In stream order on a device.
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

}  // namespace ulpine
