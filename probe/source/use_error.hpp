// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace ulpine::probe {

/// A call that the interface does not allow: one line, what is wrong and what to do.
class UseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ulpine::probe
