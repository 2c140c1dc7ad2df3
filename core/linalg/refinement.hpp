// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/linalg/krylov.hpp"

namespace ulpine::linalg {

/// Solves A x = b in double by solves in float (iterative refinement: Wilkinson; Carson and Higham 2018, SIAM
/// J. Sci. Comput. 40, A817-A847): r = b - A x in double, A d = r / ||r|| in float, x <- x + ||r|| d. It
/// converges where the inner solves gain a digit or two, whatever their method and preconditioner.
template <class Executor>
class Refinement {
 public:
  Refinement(Executor executor, std::int64_t size);

  /// `inner` solves with `inner_matrix`, A in float. Its iterations are added up in the report; the residual
  /// is
  /// ||b - A x|| and relative to ||b||. tolerance.iterations counts the refinements. The host looks at the
  /// residual before each.
  SolveReport solve(LinearOperator<double, Executor>& a, double const* b, double* x,
                    KrylovSolver<float, Executor>& inner, LinearOperator<float, Executor>& inner_matrix,
                    LinearOperator<float, Executor>* preconditioner, Tolerance const& tolerance);

 private:
  double norm(double const* x);

  Executor executor_;
  std::int64_t size_;
  Reducer<Executor> reducer_;
  Array<double, Executor> residual_;
  Array<float, Executor> right_, change_;
  Scalar<double, Executor> square_;
};

}  // namespace ulpine::linalg
