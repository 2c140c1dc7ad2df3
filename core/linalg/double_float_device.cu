// SPDX-License-Identifier: Apache-2.0
#include "precision/double_float_functions.hpp"
// The arithmetic of two floats comes first.
#include "core/exec/products.cuh"
#include "core/linalg/chebyshev_impl.hpp"
#include "core/linalg/coarse_cycle.cuh"
#include "core/linalg/krylov_impl.hpp"
#include "core/linalg/multigrid_impl.hpp"
#include "core/linalg/operator_impl.hpp"
#include "core/linalg/rows.cuh"

namespace ulpine::linalg {

template class MatrixOperator<DoubleFloat, DoubleFloat, Cuda, Blocks::scalar>;
template class Jacobi<DoubleFloat, DoubleFloat, Cuda, Blocks::scalar>;
template class MatrixOperator<DoubleFloat, DoubleFloat, Cuda, Blocks::shared>;
template class Jacobi<DoubleFloat, DoubleFloat, Cuda, Blocks::shared>;
template class MatrixOperator<DoubleFloat, DoubleFloat, Cuda, Blocks::diagonal>;
template class Jacobi<DoubleFloat, DoubleFloat, Cuda, Blocks::diagonal>;
template class MatrixOperator<DoubleFloat, DoubleFloat, Cuda, Blocks::full>;
template class Jacobi<DoubleFloat, DoubleFloat, Cuda, Blocks::full>;
template class KrylovSolver<DoubleFloat, Cuda>;
template class ConjugateGradients<DoubleFloat, Cuda>;
template class BiCgStab<DoubleFloat, Cuda>;
template class ConjugateResiduals<DoubleFloat, Cuda>;
template class Gmres<DoubleFloat, Cuda>;
template class CoarseCycle<DoubleFloat>;
template class Chebyshev<DoubleFloat, Cuda>;
template class Multigrid<DoubleFloat, Cuda>;
template void Multigrid<DoubleFloat, Cuda>::apply_to(DoubleFloat const*, DoubleFloat*);
// The cycle itself is the library's.
extern template class CoarseCycle<float>;
extern template class Chebyshev<float, Cuda>;
extern template class Multigrid<float, Cuda>;
template void Multigrid<float, Cuda>::apply_to(DoubleFloat const*, DoubleFloat*);

}  // namespace ulpine::linalg
