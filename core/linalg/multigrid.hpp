// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/linalg/chebyshev.hpp"
#include "core/linalg/matrix.hpp"

namespace ulpine::linalg {

template <class Executor>
struct Coarsening;
struct PartOfLevel;

struct MultigridOptions {
  double strength = 0.08;      ///< of neighbours on the finest level, half of it on each further one
  int degree = 2;              ///< of the smoothing polynomials before and after
  double part = 0.25;          ///< of the largest eigenvalue, from which on they smooth
  std::int32_t coarsest = 64;  ///< rows that are solved directly
  std::uint64_t seed = 1;
};

/// Preconditioner for symmetric positive (semi-)definite matrices: one V-cycle of algebraic multigrid by
/// smoothed aggregation (Vanek, Mandel and Brezina 1996) from 0, with Chebyshev smoothing; symmetric itself.
/// All of it is made and applied on the executor: the same bits for any number of threads, and on host and
/// device.
template <class T, class Executor>
class Multigrid final : public LinearOperator<T, Executor> {
 public:
  static constexpr int most_levels = 20;

  /// `matrix`, whose pattern is symmetric, lies in the executor's memory and is viewed while this lives.
  Multigrid(Executor executor, CsrView<T const> matrix, MultigridOptions const& options = {});
  /// The matrix's values have changed, its pattern has not: the same aggregates, other coarse matrices.
  void update();

  /// Keeps one rank's part of what all have made of the whole matrix: rows are owned as `points` says, and
  /// vectors are of the points that it holds; y gets right ghosts, whatever those of x are. A coarser row
  /// belongs to the rank that owns the middle of its aggregate. Levels of fewer than `least` rows a rank, and
  /// the coarsest, are every rank's. A cycle exchanges the right-hand side of every level that is shared and
  /// of the first that is not, shared_levels() + 1 times in all: a rank computes so many layers of its
  /// neighbours' rows, too, that nothing else has to come from them. The matrix is not viewed any more.
  /// Collective; std::logic_error from update() after it.
  void share(Sharing<Executor> const& sharing, PointsOfRank const& points, std::int32_t least);

  std::int64_t size() const override { return size_; }
  void apply(T const* x, T* y) override;
  bool reads_ghosts() const override { return false; }

  int levels() const { return count_; }
  int shared_levels() const { return shared_; }
  std::int64_t rows(int level) const { return levels_[level].rows; }
  std::int64_t entries(int level) const { return levels_[level].entries; }

 private:
  struct Level {
    std::int64_t rows = 0, entries = 0;
    SparsePattern<Executor> pattern;  ///< of coarser levels
    Array<T, Executor> value;
    CsrView<T const> matrix;
    Chebyshev<T, Executor> smoother;
    Array<T, Executor> residual;
    /// Operators to the next level and from it.
    Array<std::int32_t, Executor> aggregate;
    SparsePattern<Executor> prolongation, restriction, half;
    Array<std::int32_t, Executor> prolongation_row, half_row, coarse_row, restriction_source;
    Array<T, Executor> prolongation_value, restriction_value, half_value;
    Array<T, Executor> coarse_b, coarse_x;
    /// How many rows, the first ones, each step of smoothing computes before the correction and after it, and
    /// of how many the residual is taken: all where the level is not shared.
    std::vector<std::int64_t> before, after;
    std::int64_t residual_rows = 0;
    /// Exchange of right-hand sides, of levels that ranks share and of the first that they do not.
    std::unique_ptr<ListExchange<Executor>> ghosts;
  };

  void build(MultigridOptions const& options);
  void place(Level& level, Level& coarse, Coarsening<Executor>&& from);
  /// The values of the transfers and of the next matrix.
  void update_transfer(int level);
  void update_coarsest();
  /// Adds what a rank holds for the sake of the rows that its part of a level has, those where the correction
  /// has to be right. `begin`, where ranks' rows begin, and `wanted` become those of the next level.
  void hold_what_is_read(Level& level, PartOfLevel& part, int rank, std::vector<std::int32_t>& begin,
                         std::vector<std::int32_t>& wanted) const;
  void keep_matrix(Level& level, PartOfLevel const& part);
  void cut(Level& level, PartOfLevel const& part, PartOfLevel const& coarse);
  void cycle(int level, T const* b, T* x);

  Executor executor_;
  Level levels_[most_levels];
  int count_ = 1, shared_ = 0;  ///< levels, and how many of them ranks share
  std::int64_t size_ = 0;
  Sharing<Executor> sharing_;            ///< of the vectors that it is applied to
  Array<T, Executor> b_, x_;             ///< those of the finest level
  Array<std::int32_t, Executor> place_;  ///< there, of what a vector has
  std::int64_t first_ = 0;               ///< there, of what is owned
  bool direct_ = false;                  ///< whether the coarsest is small enough
  Array<T, Executor> inverse_, pivot_row_, pivot_column_, size_of_diagonal_;
};

}  // namespace ulpine::linalg
