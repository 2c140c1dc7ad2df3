// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>

#include "core/fem/petsc.hpp"

namespace ulpine::fem {

/// Solves for rates of change, by our own method with Jacobi or by PETSc, as the options say. Components of a
/// node share a matrix, which is viewed while this lives; its values may change between solves.
template <class T, class Executor, linalg::Blocks blocks = linalg::Blocks::scalar>
class RateSolver {
  static constexpr int components = linalg::components_of(blocks);

 public:
  RateSolver(Executor executor, CsrView<T const> matrix, SolverOptions const& options, char const* system,
             linalg::Sharing<Executor> const& sharing = {})
      : executor_{executor}, options_{options}, system_{system} {
    if constexpr (std::is_same_v<T, double> && std::is_same_v<Executor, Host>) {
      if (options.petsc) {
        foreign_ = make_petsc(matrix, components, options, system, sharing);
        return;
      }
    }
    linalg::Sharing<Executor> const of_numbers{sharing.link, sharing.ghosts, components * sharing.first,
                                               components * sharing.owned};
    krylov_ =
        make_krylov<T>(executor, std::int64_t{components} * matrix.pattern.rows, options, 2, of_numbers);
    product_ =
        std::make_unique<linalg::MatrixOperator<T, T, Executor, blocks>>(executor, matrix, sharing.ghosts);
    diagonal_ = std::make_unique<linalg::Jacobi<T, T, Executor, blocks>>(executor, matrix, sharing.ghosts);
  }

  /// Solves with the matrix's values as they are now.
  void solve(T const* right, T* x) {
    if constexpr (std::is_same_v<T, double> && std::is_same_v<Executor, Host>) {
      if (foreign_) {
        foreign_->update();
        foreign_->solve(right, x);
        return;
      }
    }
    diagonal_->update();
    solve_from_zero<T>(executor_, *krylov_, *product_, *diagonal_, options_, system_, right, x);
  }

 private:
  Executor executor_;
  SolverOptions options_;
  char const* system_;
  std::unique_ptr<ForeignSolver> foreign_;
  std::unique_ptr<linalg::KrylovSolver<T, Executor>> krylov_;
  std::unique_ptr<linalg::MatrixOperator<T, T, Executor, blocks>> product_;
  std::unique_ptr<linalg::Jacobi<T, T, Executor, blocks>> diagonal_;
};

}  // namespace ulpine::fem
