// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/exec/stream.hpp"

namespace ulpine {

/// Keeps the host from giving a stream ever more work. Where a device's queue is full the next launch waits
/// within the driver, and all that other threads ask of the device waits for it.
class Pace {
 public:
  /// The host is at most `marks` marks ahead, at least 1.
  Pace(Cuda cuda, int marks);
  /// Marks what the stream has been given so far, once what it had been given `marks` marks ago is done.
  void mark();

 private:
  Cuda cuda_;
  std::vector<Event> events_;
  std::size_t next_ = 0;
};

}  // namespace ulpine
