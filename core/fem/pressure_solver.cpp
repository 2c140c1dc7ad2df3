// SPDX-License-Identifier: Apache-2.0
#include "core/fem/pressure_solver.hpp"

#include "core/linalg/failure.hpp"
#include "core/model/not_solved.hpp"

namespace ulpine::fem {

void require_solved(linalg::SolveReport const& report, SolverOptions const& options, char const* system) {
  if (!options.must_converge || report.outcome == linalg::Outcome::not_finite) return;
  try {
    linalg::require_converged(report, system);
  } catch (linalg::SolveFailure const& failure) {
    throw NotSolved(failure.what());
  }
}

}  // namespace ulpine::fem
