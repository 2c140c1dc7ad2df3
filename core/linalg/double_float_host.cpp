// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float_functions.hpp"
// The arithmetic of two floats comes first.
#include "core/linalg/chebyshev_impl.hpp"
#include "core/linalg/krylov_impl.hpp"
#include "core/linalg/multigrid_impl.hpp"
#include "core/linalg/operator_impl.hpp"
#include "core/linalg/rows_host.hpp"

namespace ulpine::linalg {

template class MatrixOperator<DoubleFloat, DoubleFloat, Host, Blocks::scalar>;
template class Jacobi<DoubleFloat, DoubleFloat, Host, Blocks::scalar>;
template class MatrixOperator<DoubleFloat, DoubleFloat, Host, Blocks::shared>;
template class Jacobi<DoubleFloat, DoubleFloat, Host, Blocks::shared>;
template class MatrixOperator<DoubleFloat, DoubleFloat, Host, Blocks::diagonal>;
template class Jacobi<DoubleFloat, DoubleFloat, Host, Blocks::diagonal>;
template class MatrixOperator<DoubleFloat, DoubleFloat, Host, Blocks::full>;
template class Jacobi<DoubleFloat, DoubleFloat, Host, Blocks::full>;
template class KrylovSolver<DoubleFloat, Host>;
template class ConjugateGradients<DoubleFloat, Host>;
template class BiCgStab<DoubleFloat, Host>;
template class ConjugateResiduals<DoubleFloat, Host>;
template class Gmres<DoubleFloat, Host>;
template class Chebyshev<DoubleFloat, Host>;
template class Multigrid<DoubleFloat, Host>;
template void Multigrid<DoubleFloat, Host>::apply_to(DoubleFloat const*, DoubleFloat*);
// The cycle itself is the library's.
extern template class Chebyshev<float, Host>;
extern template class Multigrid<float, Host>;
template void Multigrid<float, Host>::apply_to(DoubleFloat const*, DoubleFloat*);

}  // namespace ulpine::linalg
