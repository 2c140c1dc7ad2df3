// SPDX-License-Identifier: Apache-2.0
#include "core/exec/products.cuh"
#include "core/linalg/krylov_impl.hpp"
#include "core/linalg/operator_impl.hpp"
#include "core/linalg/refinement_impl.hpp"
#include "core/linalg/rows.cuh"

namespace ulpine::linalg {

template class MatrixOperator<float, float, Cuda, Blocks::scalar>;
template class Jacobi<float, float, Cuda, Blocks::scalar>;
template class MatrixOperator<float, float, Cuda, Blocks::shared>;
template class Jacobi<float, float, Cuda, Blocks::shared>;
template class MatrixOperator<float, float, Cuda, Blocks::diagonal>;
template class Jacobi<float, float, Cuda, Blocks::diagonal>;
template class MatrixOperator<float, float, Cuda, Blocks::full>;
template class Jacobi<float, float, Cuda, Blocks::full>;
template class MatrixOperator<double, double, Cuda, Blocks::scalar>;
template class Jacobi<double, double, Cuda, Blocks::scalar>;
template class MatrixOperator<double, double, Cuda, Blocks::shared>;
template class Jacobi<double, double, Cuda, Blocks::shared>;
template class MatrixOperator<double, double, Cuda, Blocks::diagonal>;
template class Jacobi<double, double, Cuda, Blocks::diagonal>;
template class MatrixOperator<double, double, Cuda, Blocks::full>;
template class Jacobi<double, double, Cuda, Blocks::full>;
template class MatrixOperator<float, double, Cuda, Blocks::scalar>;
template class Jacobi<float, double, Cuda, Blocks::scalar>;
template class MatrixOperator<float, double, Cuda, Blocks::shared>;
template class Jacobi<float, double, Cuda, Blocks::shared>;
template class MatrixOperator<float, double, Cuda, Blocks::diagonal>;
template class Jacobi<float, double, Cuda, Blocks::diagonal>;
template class MatrixOperator<float, double, Cuda, Blocks::full>;
template class Jacobi<float, double, Cuda, Blocks::full>;
template class KrylovSolver<float, Cuda>;
template class ConjugateGradients<float, Cuda>;
template class BiCgStab<float, Cuda>;
template class ConjugateResiduals<float, Cuda>;
template class Gmres<float, Cuda>;
template class KrylovSolver<double, Cuda>;
template class ConjugateGradients<double, Cuda>;
template class BiCgStab<double, Cuda>;
template class ConjugateResiduals<double, Cuda>;
template class Gmres<double, Cuda>;
template class Refinement<Cuda>;

}  // namespace ulpine::linalg
