// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <stdexcept>

namespace ulpine::ensembles {

/// The caller asked to stop; what was finished is valid. The program exits with 128 + the signal's number.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Throws Interrupted where `cancel` is set; a null pointer is never set.
inline void stop_where(std::atomic<bool> const* cancel) {
  if (cancel != nullptr && cancel->load()) {
    throw Interrupted();
  }
}

}  // namespace ulpine::ensembles
