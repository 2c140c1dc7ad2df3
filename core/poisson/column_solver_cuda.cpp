// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/column_solver_cuda_impl.hpp"
#include "ulpine_instances.hpp"

namespace ulpine {

template std::unique_ptr<ColumnSolver<double>> make_column_solver<double, Exact>(Cuda, PoissonGrid const&,
                                                                                 Modes, ColumnPasses);
template std::unique_ptr<ColumnSolver<float>> make_column_solver<float, Exact>(Cuda, PoissonGrid const&,
                                                                               Modes, ColumnPasses);
#define ULPINE_INSTANTIATE(T, Format)                                                                      \
  template std::unique_ptr<ColumnSolver<T>> make_column_solver<T, Format>(Cuda, PoissonGrid const&, Modes, \
                                                                          ColumnPasses);
ULPINE_FOR_ROUNDINGS(ULPINE_INSTANTIATE)
#undef ULPINE_INSTANTIATE

}  // namespace ulpine
