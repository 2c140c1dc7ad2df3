// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/linalg/krylov_kernels.hpp"
#include "core/linalg/refinement.hpp"
#include "core/linalg/refinement_kernels.hpp"

/// Definitions; include after the executor's launches.
namespace ulpine::linalg {

template <class Executor>
Refinement<Executor>::Refinement(Executor executor, std::int64_t size)
    : executor_{executor},
      size_{size},
      reducer_{executor},
      residual_(executor, size),
      right_(executor, size),
      change_(executor, size),
      square_(executor) {}

template <class Executor>
double Refinement<Executor>::norm(double const* x) {
  View<double const> const values(x, size_);
  reducer_.dot_to(values, values, square_);
  return math::sqrt(square_.value());
}

template <class Executor>
SolveReport Refinement<Executor>::solve(LinearOperator<double, Executor>& a, double const* b, double* x,
                                        KrylovSolver<float, Executor>& inner,
                                        LinearOperator<float, Executor>& inner_matrix,
                                        LinearOperator<float, Executor>* preconditioner,
                                        Tolerance const& tolerance) {
  auto* const r = residual_.view().data();
  auto* const right = right_.view().data();
  auto* const change = change_.view().data();
  auto const* const square = square_.view().data();
  SolveReport report;
  report.reference = norm(b);
  auto const target = math::max(tolerance.relative * report.reference, tolerance.absolute);
  for (std::int32_t n = 0;; ++n) {
    a.apply(x, r);
    for_each(executor_, size_, Remainder<double>{b, r});
    report.residual = norm(r);
    if (!is_finite(report.residual) || !is_finite(report.reference)) {
      report.outcome = Outcome::not_finite;
      return report;
    }
    if (report.residual <= target) {
      report.outcome = Outcome::converged;
      return report;
    }
    if (n == tolerance.iterations) return report;
    for_each(executor_, size_, Narrowed<double, float>{square, r, right});
    change_.fill_zero();
    auto const solved = inner.solve(inner_matrix, preconditioner, right, change);
    report.iterations += solved.iterations;
    if (solved.outcome != Outcome::converged && solved.outcome != Outcome::running) {
      report.outcome = solved.outcome;
      return report;
    }
    for_each(executor_, size_, Refined<double, float>{square, change, x});
  }
}

}  // namespace ulpine::linalg
