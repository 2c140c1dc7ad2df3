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
template <class T>
class CoarseCycle;

struct MultigridOptions {
  double strength = 0.08;      ///< of neighbours on the finest level, half of it on each further one
  int degree = 2;              ///< of the smoothing polynomials before and after
  double part = 0.25;          ///< of the largest eigenvalue, from which on they smooth
  std::int32_t coarsest = 64;  ///< rows that are solved directly
  /// No level follows one of at most `screened_rows` rows each of whose entries sum to at least `screened`
  /// times its diagonal and the largest eigenvalue: there the equation is local, and smoothing alone reduces
  /// also what varies slowly, which a coarser matrix is for.
  double screened = 0.05;
  std::int32_t screened_rows = 4096;
  std::uint64_t seed = 1;
  bool wide_vectors = false;  ///< to be applied to vectors of a wider type, too (Multigrid::apply_to)
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
  ~Multigrid() override;
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
  void apply(T const* x, T* y) override { apply_to(x, y); }
  /// The same for vectors of V, T or, where the options say so, double or DoubleFloat.
  template <class V>
  void apply_to(V const* x, V* y);
  bool reads_ghosts() const override { return false; }

  int levels() const { return count_; }
  int shared_levels() const { return shared_; }
  std::int64_t rows(int level) const { return levels_[level].rows; }
  std::int64_t entries(int level) const { return levels_[level].entries; }
  /// Entries of the operator from a level to the next.
  std::int64_t transfer_entries(int level) const { return levels_[level].prolongation.entries(); }
  /// Whether the coarsest level is solved by its inverse.
  bool direct() const { return direct_; }

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
  /// Whether a level needs no coarser one (MultigridOptions::screened).
  bool is_screened(Level& level, MultigridOptions const& options);
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
  /// Where a level's vector stands: before the correction by the coarser level and after it, the other of the
  /// places that smoothing goes to and fro between, and that of the two where smoothing from 0 begins.
  struct Places {
    T *middle, *other, *start;
  };
  template <class Y>
  Places places(int level, T* x, Y* y);
  bool direct_at(int level) const { return direct_ && level + 1 == count_; }
  /// Smoothing's first step, from 0, for a right-hand side of a level.
  template <class Run>
  void start(Run const& run, int level, T const* b, T* x);
  /// The rest of a cycle on a level and those below it, with the result in y: x, or a vector of another type
  /// than that is.
  template <class Run, class Y>
  void cycle(Run const& run, int level, T const* b, T* x, Y* y);
  /// Has a device go through the smallest levels in one launch.
  void prepare_coarsest_levels();

  Executor executor_;
  Level levels_[most_levels];
  int count_ = 1, shared_ = 0;  ///< levels, and how many of them ranks share
  std::int64_t size_ = 0;
  Sharing<Executor> sharing_;            ///< of the vectors that it is applied to
  Array<T, Executor> b_, x_;             ///< those of the finest level
  Array<std::int32_t, Executor> place_;  ///< there, of what a vector has
  std::int64_t first_ = 0;               ///< there, of what is owned
  bool direct_ = false;                  ///< whether the coarsest is small enough
  std::unique_ptr<CoarseCycle<T>> coarsest_levels_;
  Array<T, Executor> inverse_, pivot_row_, pivot_column_, size_of_diagonal_;
};

}  // namespace ulpine::linalg
