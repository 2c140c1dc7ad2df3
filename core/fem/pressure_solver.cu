// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cuda.cuh"
#include "core/fem/pressure_solver_impl.hpp"

namespace ulpine::fem {

template std::unique_ptr<linalg::KrylovSolver<float, Cuda>> make_krylov(Cuda, std::int64_t,
                                                                        SolverOptions const&, std::int32_t);
template std::unique_ptr<linalg::KrylovSolver<double, Cuda>> make_krylov(Cuda, std::int64_t,
                                                                         SolverOptions const&, std::int32_t);
template class PressureOperator<float, Cuda>;
template class PressureOperator<double, Cuda>;
template class PressureSolver<float, Cuda>;
template class PressureSolver<double, Cuda>;

}  // namespace ulpine::fem
