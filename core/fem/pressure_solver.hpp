// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/linalg/krylov.hpp"
#include "core/linalg/multigrid.hpp"

namespace ulpine::fem {

enum class Method { bicgstab, gcr, gmres, cg };

/// How a linear system is solved.
struct SolverOptions {
  Method method = Method::bicgstab;
  double tolerance = 1e-9;  ///< of the preconditioned residual, relative
  std::int32_t iterations = 500, restart = 30;
  bool multigrid = true;  ///< of the pressure; else Jacobi
  bool narrow = false;    ///< that multigrid in float for a system in double (or emulated binary64)
  bool must_converge = true;
  std::optional<std::string> petsc;  ///< PETSc solves, by these options of its own
  std::string petsc_place;           ///< of them in the case, before what is wrong: "<file>:<line>: <key>: "
  bool formed = false;               ///< PETSc's preconditioner of the pressure is made of the whole matrix
};

class ForeignSolver;

/// A Krylov solver for the options; nothing is allocated by it later.
template <class T, class Executor>
std::unique_ptr<linalg::KrylovSolver<T, Executor>> make_krylov(Executor executor, std::int64_t size,
                                                               SolverOptions const& options,
                                                               std::int32_t check_every,
                                                               linalg::Sharing<Executor> const& sharing);

/// EnvironmentError naming the system where a solve that must converge has not; not where its values are not
/// finite: then x is to be so too, and the run says which field is where.
void require_solved(linalg::SolveReport const& report, SolverOptions const& options, char const* system);

/// x for the right-hand side, from 0; of not-a-number where there is no finite one.
template <class T, class Executor>
linalg::SolveReport solve_from_zero(Executor executor, linalg::KrylovSolver<T, Executor>& krylov,
                                    linalg::LinearOperator<T, Executor>& matrix,
                                    linalg::LinearOperator<T, Executor>& preconditioner,
                                    SolverOptions const& options, char const* system, T const* right, T* x);

/// What a pressure does at a node: an acceleration, and the stabilisation's diffusion. They lie together
/// because the rows of neighbours gather both.
template <class T>
struct alignas(4 * sizeof(T)) Pushed {
  T force[3], stabilised;
};

/// Matrices and weights of which the pressure's matrix is made, on the mesh's pattern in the executor's
/// memory; values may change between solves, places may not.
template <class T>
struct PressureSystem {
  CsrPattern pattern;
  std::uint8_t const* fixed;
  T const *divergence, *gradient, *projection, *diffusion;  ///< C_P, - C^T, P, K
  T const *inverse_mass, *weight;  ///< of M_L, and f / (theta^2 m_L) of the stabilisation
};

/// The matrix C_P M_L^-1 C^T + f K (theta^2 m_L)^-1 K + P without being formed: two gathers over the mesh's
/// pattern. Rows of fixed nodes are those of the identity.
template <class T, class Executor>
class PressureOperator final : public linalg::LinearOperator<T, Executor> {
 public:
  /// `ghosts` where ranks share the system.
  PressureOperator(Executor executor, PressureSystem<T> const& system,
                   ListExchange<Executor>* ghosts = nullptr);

  std::int64_t size() const override { return system_.pattern.rows; }
  void apply(T const* x, T* y) override;
  void apply_to_owned(T const* x, T* y) override;
  /// M_L^-1 C^T x and the stabilisation's weighted K x, into pushed(), and P x.
  void push(T const* x);

  Pushed<T> const* pushed() const { return pushed_.view().data(); }
  std::int64_t bytes() const { return pushed_.bytes() + projected_.bytes(); }

 private:
  Executor executor_;
  PressureSystem<T> system_;
  ListExchange<Executor>* ghosts_;
  Array<Pushed<T>, Executor> pushed_;
  Array<T, Executor> projected_;  ///< P x
};

/// Solves for the pressure's change.
template <class T, class Executor>
class PressureSolver {
 public:
  /// `helmholtz`, on the pattern, is near the matrix and stays as it is (executor's memory). Where ranks
  /// share the system, `sharing` is with the nodes, and `whole` the near matrix of all of them, which
  /// multigrid needs no longer than it is made.
  PressureSolver(Executor executor, PressureSystem<T> const& system, T const* helmholtz,
                 SolverOptions const& options, linalg::Sharing<Executor> const& sharing = {},
                 CsrView<T const> whole = {});
  ~PressureSolver();

  void solve(T const* right, T* x);
  PressureOperator<T, Executor>& matrix() { return operator_; }
  linalg::SolveReport const& report() const { return report_; }
  /// Null where PETSc solves.
  linalg::LinearOperator<T, Executor>* preconditioner() { return preconditioner_.get(); }

 private:
  Executor executor_;
  SolverOptions options_;
  PressureOperator<T, Executor> operator_;
  std::unique_ptr<linalg::LinearOperator<T, Executor>> preconditioner_;
  std::unique_ptr<linalg::KrylovSolver<T, Executor>> krylov_;
  std::unique_ptr<ForeignSolver> foreign_;
  linalg::SolveReport report_;
};

}  // namespace ulpine::fem
