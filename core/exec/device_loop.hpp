// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/exec/executor.hpp"

namespace ulpine {

/// Whether a loop on a device goes on, by two numbers in its memory: while *outcome is 0 and *count is below
/// `most`.
struct LoopCondition {
  std::int32_t const* outcome = nullptr;
  std::int32_t const* count = nullptr;
  std::int32_t most = 0;
};

/// Work of a device in three parts that was recorded to be given to it as one: the first, the second as often
/// as a condition holds that is looked at after each time, at least once, and the last. The device decides
/// itself (a CUDA graph with a conditional node), so that nothing waits for the host.
class DeviceLoop {
 public:
  using Work = std::function<void()>;

  /// Records what the three give to `cuda`, which is not the default stream: launches, copies and clears in
  /// stream order, always with the same arguments; they neither allocate nor wait. What a kernel loads ahead
  /// (LoadsAhead) none of them writes: matrices of a solve. Null where CUDA or its driver has no such loops
  /// (before 12.4) or `cuda` is being recorded already.
  static std::unique_ptr<DeviceLoop> record(Cuda cuda, Work const& before, Work const& repeated,
                                            LoopCondition const& condition, Work const& after);
  virtual ~DeviceLoop() = default;
  virtual void launch() = 0;
};

}  // namespace ulpine
