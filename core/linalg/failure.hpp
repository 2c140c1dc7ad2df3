// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string_view>

#include "core/linalg/krylov.hpp"

namespace ulpine::linalg {

/// A linear system that could not be solved. what() is one line `<problem> (<why>) <suggestion>`.
class SolveFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws SolveFailure naming `system`, the iterations and the residual unless the solve has converged.
void require_converged(SolveReport const& report, std::string_view system);

}  // namespace ulpine::linalg
