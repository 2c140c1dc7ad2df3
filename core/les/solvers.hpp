// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/poisson/phases.hpp"

namespace ulpine::les {

/// Solvers of Poisson's equation in S.
template <class S>
struct PoissonSolvers {
  std::unique_ptr<PoissonPhases<S>> phases;
  std::function<std::unique_ptr<PoissonPhases<S>>()> portable;  ///< makes those of the same bits everywhere
};

}  // namespace ulpine::les
