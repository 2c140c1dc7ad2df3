// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/exec/host.hpp"
#include "core/fem/pressure_solver_impl.hpp"
#include "core/linalg/failure.hpp"
#include "io/error.hpp"

namespace ulpine::fem {

void require_solved(linalg::SolveReport const& report, SolverOptions const& options, char const* system) {
  if (!options.must_converge) return;
  try {
    linalg::require_converged(report, system);
  } catch (linalg::SolveFailure const& failure) {
    throw EnvironmentError(failure.what());
  }
}

template std::unique_ptr<linalg::KrylovSolver<float, Host>> make_krylov(Host, std::int64_t,
                                                                        SolverOptions const&, std::int32_t);
template std::unique_ptr<linalg::KrylovSolver<double, Host>> make_krylov(Host, std::int64_t,
                                                                         SolverOptions const&, std::int32_t);
template std::unique_ptr<linalg::KrylovSolver<float128, Host>> make_krylov(Host, std::int64_t,
                                                                           SolverOptions const&,
                                                                           std::int32_t);
template class PressureOperator<float, Host>;
template class PressureOperator<double, Host>;
template class PressureOperator<float128, Host>;
template class PressureSolver<float, Host>;
template class PressureSolver<double, Host>;
template class PressureSolver<float128, Host>;

}  // namespace ulpine::fem
