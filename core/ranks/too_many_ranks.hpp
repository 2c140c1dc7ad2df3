// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/error.hpp"

namespace ulpine {

/// A grid or mesh has too little for so many ranks, whichever they are.
class TooManyRanks : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace ulpine
