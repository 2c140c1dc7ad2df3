// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/linalg/krylov.hpp"
#include "linalg/systems.hpp"

namespace linalg_test {

/// A solve's report, history and solution.
template <class T>
struct Solved {
  SolveReport report;
  std::vector<typename CoefficientOf<T>::type> history;
  std::vector<T> x;
};

/// Solves A x = b from 0 with the `solver` and the diagonal as preconditioner where `scaled`.
template <class Solver, class T, class Executor>
Solved<T> solve(Solver& solver, Executor executor, Matrix<T> const& matrix, std::vector<T> const& b,
                bool scaled = true) {
  Placed<T, Executor> const a(executor, matrix);
  MatrixOperator<T, T, Executor> multiply(executor, a.view());
  Jacobi<T, T, Executor> jacobi(executor, a.view());
  auto const rhs = placed(executor, b);
  Array<T, Executor> x(executor, rhs.size());
  Solved<T> result;
  result.report = solver.solve(multiply, scaled ? &jacobi : nullptr, rhs.view().data(), x.view().data());
  result.history.resize(static_cast<std::size_t>(result.report.iterations) + 1);
  solver.history(result.history.data());
  result.x = fetched(x);
  return result;
}

}  // namespace linalg_test
