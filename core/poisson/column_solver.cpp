// SPDX-License-Identifier: Apache-2.0
#include "core/poisson/column_solver_impl.hpp"

namespace ulpine {

template std::unique_ptr<ColumnSolver<double>> make_column_solver<double, Exact>(Host, PoissonGrid const&,
                                                                                 Modes, ColumnPasses);
template std::unique_ptr<ColumnSolver<float>> make_column_solver<float, Exact>(Host, PoissonGrid const&,
                                                                               Modes, ColumnPasses);
template std::unique_ptr<ColumnSolver<float>> make_column_solver<float, Tf32>(Host, PoissonGrid const&, Modes,
                                                                              ColumnPasses);
template std::unique_ptr<ColumnSolver<float>> make_column_solver<float, Bfloat16>(Host, PoissonGrid const&,
                                                                                  Modes, ColumnPasses);
template std::unique_ptr<ColumnSolver<float>> make_column_solver<float, Binary16>(Host, PoissonGrid const&,
                                                                                  Modes, ColumnPasses);

}  // namespace ulpine
