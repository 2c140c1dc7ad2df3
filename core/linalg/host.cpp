// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"
// The arithmetic of 113 bits comes first.
#include "core/linalg/krylov_impl.hpp"
#include "core/linalg/operator_impl.hpp"
#include "core/linalg/refinement_impl.hpp"
#include "core/linalg/rows_host.hpp"

namespace ulpine::linalg {

template class MatrixOperator<float, float, Host, Blocks::scalar>;
template class Jacobi<float, float, Host, Blocks::scalar>;
template class MatrixOperator<float, float, Host, Blocks::shared>;
template class Jacobi<float, float, Host, Blocks::shared>;
template class MatrixOperator<float, float, Host, Blocks::diagonal>;
template class Jacobi<float, float, Host, Blocks::diagonal>;
template class MatrixOperator<float, float, Host, Blocks::full>;
template class Jacobi<float, float, Host, Blocks::full>;
template class MatrixOperator<double, double, Host, Blocks::scalar>;
template class Jacobi<double, double, Host, Blocks::scalar>;
template class MatrixOperator<double, double, Host, Blocks::shared>;
template class Jacobi<double, double, Host, Blocks::shared>;
template class MatrixOperator<double, double, Host, Blocks::diagonal>;
template class Jacobi<double, double, Host, Blocks::diagonal>;
template class MatrixOperator<double, double, Host, Blocks::full>;
template class Jacobi<double, double, Host, Blocks::full>;
template class MatrixOperator<float, double, Host, Blocks::scalar>;
template class Jacobi<float, double, Host, Blocks::scalar>;
template class MatrixOperator<float, double, Host, Blocks::shared>;
template class Jacobi<float, double, Host, Blocks::shared>;
template class MatrixOperator<float, double, Host, Blocks::diagonal>;
template class Jacobi<float, double, Host, Blocks::diagonal>;
template class MatrixOperator<float, double, Host, Blocks::full>;
template class Jacobi<float, double, Host, Blocks::full>;
template class MatrixOperator<float128, float128, Host, Blocks::scalar>;
template class Jacobi<float128, float128, Host, Blocks::scalar>;
template class MatrixOperator<float128, float128, Host, Blocks::shared>;
template class Jacobi<float128, float128, Host, Blocks::shared>;
template class MatrixOperator<float128, float128, Host, Blocks::diagonal>;
template class Jacobi<float128, float128, Host, Blocks::diagonal>;
template class MatrixOperator<float128, float128, Host, Blocks::full>;
template class Jacobi<float128, float128, Host, Blocks::full>;
template class KrylovSolver<float, Host>;
template class ConjugateGradients<float, Host>;
template class BiCgStab<float, Host>;
template class ConjugateResiduals<float, Host>;
template class Gmres<float, Host>;
template class KrylovSolver<double, Host>;
template class ConjugateGradients<double, Host>;
template class BiCgStab<double, Host>;
template class ConjugateResiduals<double, Host>;
template class Gmres<double, Host>;
template class KrylovSolver<float128, Host>;
template class ConjugateGradients<float128, Host>;
template class BiCgStab<float128, Host>;
template class ConjugateResiduals<float128, Host>;
template class Gmres<float128, Host>;
template class Refinement<Host>;

}  // namespace ulpine::linalg
