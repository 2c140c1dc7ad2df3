// SPDX-License-Identifier: Apache-2.0
#include "core/fem/pressure_solver_impl.hpp"
#include "core/linalg/rows.cuh"

namespace ulpine::fem {

template std::unique_ptr<linalg::KrylovSolver<float, Cuda>> make_krylov(Cuda, std::int64_t,
                                                                        SolverOptions const&, std::int32_t,
                                                                        linalg::Sharing<Cuda> const&);
template std::unique_ptr<linalg::KrylovSolver<double, Cuda>> make_krylov(Cuda, std::int64_t,
                                                                         SolverOptions const&, std::int32_t,
                                                                         linalg::Sharing<Cuda> const&);
template linalg::SolveReport solve_from_zero(Cuda, linalg::KrylovSolver<float, Cuda>&,
                                             linalg::LinearOperator<float, Cuda>&,
                                             linalg::LinearOperator<float, Cuda>&, SolverOptions const&,
                                             char const*, float const*, float*);
template linalg::SolveReport solve_from_zero(Cuda, linalg::KrylovSolver<double, Cuda>&,
                                             linalg::LinearOperator<double, Cuda>&,
                                             linalg::LinearOperator<double, Cuda>&, SolverOptions const&,
                                             char const*, double const*, double*);
template class PressureOperator<float, Cuda>;
template class PressureOperator<double, Cuda>;
template class PressureSolver<float, Cuda>;
template class PressureSolver<double, Cuda>;

}  // namespace ulpine::fem
