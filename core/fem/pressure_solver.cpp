// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/fem/pressure_solver_impl.hpp"
#include "core/linalg/failure.hpp"
#include "core/linalg/rows_host.hpp"
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

template std::unique_ptr<linalg::KrylovSolver<float, Host>> make_krylov(Host, std::int64_t,
                                                                        SolverOptions const&, std::int32_t,
                                                                        linalg::Sharing<Host> const&);
template std::unique_ptr<linalg::KrylovSolver<double, Host>> make_krylov(Host, std::int64_t,
                                                                         SolverOptions const&, std::int32_t,
                                                                         linalg::Sharing<Host> const&);
template std::unique_ptr<linalg::KrylovSolver<float128, Host>> make_krylov(Host, std::int64_t,
                                                                           SolverOptions const&, std::int32_t,
                                                                           linalg::Sharing<Host> const&);
template linalg::SolveReport solve_from_zero(Host, linalg::KrylovSolver<float, Host>&,
                                             linalg::LinearOperator<float, Host>&,
                                             linalg::LinearOperator<float, Host>&, SolverOptions const&,
                                             char const*, float const*, float*);
template linalg::SolveReport solve_from_zero(Host, linalg::KrylovSolver<double, Host>&,
                                             linalg::LinearOperator<double, Host>&,
                                             linalg::LinearOperator<double, Host>&, SolverOptions const&,
                                             char const*, double const*, double*);
template linalg::SolveReport solve_from_zero(Host, linalg::KrylovSolver<float128, Host>&,
                                             linalg::LinearOperator<float128, Host>&,
                                             linalg::LinearOperator<float128, Host>&, SolverOptions const&,
                                             char const*, float128 const*, float128*);
template class PressureOperator<float, Host>;
template class PressureOperator<double, Host>;
template class PressureOperator<float128, Host>;
template class PressureSolver<float, Host>;
template class PressureSolver<double, Host>;
template class PressureSolver<float128, Host>;

}  // namespace ulpine::fem
