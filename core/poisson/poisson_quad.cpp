// SPDX-License-Identifier: Apache-2.0
// First, so that kernels see the functions of the 113-bit type.
#include "precision/quad.hpp"

#include "core/poisson/column_solver_impl.hpp"
#include "core/poisson/phases_impl.hpp"

namespace ulpine {

template std::unique_ptr<ColumnSolver<float128>> make_column_solver<float128, Exact>(Host, PoissonGrid const&,
                                                                                     Modes, ColumnPasses);

template std::unique_ptr<PoissonPhases<float128>> make_poisson_phases<float128, Exact>(Host,
                                                                                       PoissonGrid const&,
                                                                                       PoissonMethod);
template std::unique_ptr<PoissonPhases<float128>> make_poisson_phases<float128, Exact>(
    Host, PoissonGrid const&, PoissonMethod, PoissonShare const&, std::shared_ptr<Link<Host>>);

}  // namespace ulpine
