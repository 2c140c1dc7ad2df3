// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/error.hpp"

namespace ulpine {

/// A system of equations of a model's step was not solved: a fault of this run alone, as of its precision,
/// which ends neither a study nor a search. The run has failed: exit code 1, one line.
class NotSolved : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

}  // namespace ulpine
