// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "core/exec/value_at.hpp"
#include "core/fem/petsc.hpp"
#include "core/fem/pressure_solver.hpp"
#include "core/fem/step_kernels.hpp"
#include "core/linalg/multigrid_kernels.hpp"
#if defined(__CUDACC__)
#include "core/linalg/rows.cuh"
#else
#include "core/linalg/rows_host.hpp"
#endif
#include "precision/double_float.hpp"

/// Definitions; include after the executor's launches.
namespace ulpine::fem {

template <class T, class Executor>
std::unique_ptr<linalg::KrylovSolver<T, Executor>> make_krylov(Executor executor, std::int64_t size,
                                                               SolverOptions const& options,
                                                               std::int32_t check_every,
                                                               linalg::Sharing<Executor> const& sharing) {
  linalg::Tolerance const tolerance{options.tolerance, 0, options.iterations, check_every};
  switch (options.method) {
    case Method::cg:
      return std::make_unique<linalg::ConjugateGradients<T, Executor>>(executor, size, tolerance,
                                                                       linalg::Norm::preconditioned, sharing);
    case Method::gcr:
      return std::make_unique<linalg::ConjugateResiduals<T, Executor>>(executor, size, tolerance,
                                                                       linalg::Norm::preconditioned, sharing);
    case Method::gmres:
      return std::make_unique<linalg::Gmres<T, Executor>>(executor, size, tolerance, options.restart,
                                                          linalg::Side::left, sharing);
    default:
      return std::make_unique<linalg::BiCgStab<T, Executor>>(executor, size, tolerance, linalg::Side::left,
                                                             sharing);
  }
}

template <class T, class Executor>
linalg::SolveReport solve_from_zero(Executor executor, linalg::KrylovSolver<T, Executor>& krylov,
                                    linalg::LinearOperator<T, Executor>& matrix,
                                    linalg::LinearOperator<T, Executor>& preconditioner,
                                    SolverOptions const& options, char const* system, T const* right, T* x) {
  for_each(executor, matrix.size(), Constant<T>{T(0), x});
  auto const report = krylov.solve(matrix, &preconditioner, right, x, linalg::Guess::zero);
  require_solved(report, options, system);
  if (report.outcome == linalg::Outcome::not_finite) {
    for_each(executor, matrix.size(),
             Constant<T>{static_cast<T>(std::numeric_limits<double>::quiet_NaN()), x});
  }
  return report;
}

template <class T, class Executor>
PressureOperator<T, Executor>::PressureOperator(Executor executor, PressureSystem<T> const& system,
                                                ListExchange<Executor>* ghosts)
    : executor_{executor},
      system_{system},
      ghosts_{ghosts},
      pushed_(executor, system.pattern.rows),
      projected_(executor, system.pattern.rows) {}

template <class T, class Executor>
void PressureOperator<T, Executor>::push(T const* x) {
  auto const& s = system_;
  for_each_row(executor_, size(),
               PressureForce<T>{s.pattern, s.gradient, s.diffusion, s.projection, s.inverse_mass, s.weight, x,
                                pushed_.view().data(), projected_.view().data()});
  if (ghosts_ != nullptr) (*ghosts_)({PointValues<T>{pushed_.view().data()->force, 4}});
}

template <class T, class Executor>
void PressureOperator<T, Executor>::apply_to_owned(T const* x, T* y) {
  push(x);
  auto const& s = system_;
  for_each_row(executor_, size(),
               PressureProduct<T>{s.pattern, s.fixed, s.divergence, s.diffusion, pushed(),
                                  projected_.view().data(), x, y});
}

template <class T, class Executor>
void PressureOperator<T, Executor>::apply(T const* x, T* y) {
  apply_to_owned(x, y);
  if (ghosts_ != nullptr) (*ghosts_)(y);
}

/// A multigrid cycle in float, or what counts as that, for vectors of T, which is wider.
template <class T, class Executor, class Narrow = float>
class NarrowMultigrid final : public linalg::LinearOperator<T, Executor> {
 public:
  NarrowMultigrid(Executor executor, CsrView<T const> matrix)
      : matrix_(executor, value_at(executor, matrix.pattern.start + matrix.pattern.rows)),
        size_{matrix.pattern.rows} {
    for_each(executor, matrix_.size(), linalg::Rounded<T, Narrow>{matrix.value, matrix_.view().data()});
    multigrid_ = std::make_unique<linalg::Multigrid<Narrow, Executor>>(
        executor, CsrView<Narrow const>{matrix.pattern, matrix_.view().data()},
        linalg::MultigridOptions{.wide_vectors = true});
  }

  /// See linalg::Multigrid.
  void share(linalg::Sharing<Executor> const& sharing, PointsOfRank const& points, std::int32_t least) {
    multigrid_->share(sharing, points, least);
    matrix_ = {};
    size_ = points.held();
  }

  std::int64_t size() const override { return size_; }
  bool reads_ghosts() const override { return multigrid_->reads_ghosts(); }
  void apply(T const* x, T* y) override { multigrid_->apply_to(x, y); }

 private:
  Array<Narrow, Executor> matrix_;
  std::unique_ptr<linalg::Multigrid<Narrow, Executor>> multigrid_;
  std::int64_t size_;
};

/// Rows a rank that a level of a multigrid has at least to be shared: a message takes the time of some
/// hundred rows on a host; on devices alone, levels of fewer than 2^15 rows in all are done sooner than
/// theirs (measured: docs/results/ranks.md). The same on all ranks; no bit depends on it.
template <class Executor>
std::int32_t least_shared_rows(Link<Executor> const& link) {
  if (link.ranks()->mixed()) return 16384;
  return Executor::on_device ? 32768 / link.ranks()->size() : 256;
}

/// Shares a multigrid as a system is shared, where it is.
template <class Multigrid, class Executor>
void share_multigrid(Multigrid& multigrid, linalg::Sharing<Executor> const& sharing) {
  if (sharing.link) multigrid.share(sharing, *sharing.points, least_shared_rows(*sharing.link));
}

/// The multigrid in float for vectors of T: null where there is none.
template <class T, class Executor>
struct NarrowCycle {
  static std::unique_ptr<linalg::LinearOperator<T, Executor>> make(Executor executor, CsrView<T const> matrix,
                                                                   linalg::Sharing<Executor> const& sharing) {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, DoubleFloat>) {
      auto multigrid = std::make_unique<NarrowMultigrid<T, Executor>>(executor, matrix);
      share_multigrid(*multigrid, sharing);
      return multigrid;
    } else {
      return nullptr;
    }
  }
};

/// `matrix` is the whole one, also where it is shared.
template <class T, class Executor>
std::unique_ptr<linalg::LinearOperator<T, Executor>> make_multigrid(
    Executor executor, CsrView<T const> matrix, bool narrow, linalg::Sharing<Executor> const& sharing) {
  if (narrow) {
    if (auto cycle = NarrowCycle<T, Executor>::make(executor, matrix, sharing)) return cycle;
  }
  auto multigrid = std::make_unique<linalg::Multigrid<T, Executor>>(executor, matrix);
  share_multigrid(*multigrid, sharing);
  return multigrid;
}

template <class T, class Executor>
PressureSolver<T, Executor>::PressureSolver(Executor executor, PressureSystem<T> const& system,
                                            T const* helmholtz, SolverOptions const& options,
                                            linalg::Sharing<Executor> const& sharing, CsrView<T const> whole)
    : executor_{executor}, options_{options}, operator_(executor, system, sharing.ghosts) {
  CsrView<T const> const near{system.pattern, helmholtz};
  if constexpr (std::is_same_v<T, double> && std::is_same_v<Executor, Host>) {
    if (options.petsc) {
      foreign_ = make_petsc_pressure(operator_, system, helmholtz, options, sharing);
      return;
    }
  }
  if (options.multigrid) {
    preconditioner_ =
        make_multigrid<T>(executor, whole.value == nullptr ? near : whole, options.narrow, sharing);
  } else {
    preconditioner_ = std::make_unique<linalg::Jacobi<T, T, Executor>>(executor, near, sharing.ghosts);
  }
  krylov_ = make_krylov<T>(executor, operator_.size(), options, 4, sharing);
}

template <class T, class Executor>
PressureSolver<T, Executor>::~PressureSolver() = default;

template <class T, class Executor>
void PressureSolver<T, Executor>::solve(T const* right, T* x) {
  if constexpr (std::is_same_v<T, double> && std::is_same_v<Executor, Host>) {
    if (foreign_) {
      foreign_->update();
      report_ = foreign_->solve(right, x);
      return;
    }
  }
  report_ = solve_from_zero(executor_, *krylov_, operator_, *preconditioner_, options_, "pressure equation",
                            right, x);
}

}  // namespace ulpine::fem
