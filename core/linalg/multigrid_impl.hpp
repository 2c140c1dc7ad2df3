// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/linalg/aggregation.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/linalg/multigrid_kernels.hpp"

/// Definitions; include after the executor's launches and chebyshev_impl.hpp.
namespace ulpine::linalg {

/// The values of A B, with the same bits by a thread an entry or a thread a row.
template <class T, class Executor>
void multiply_matrices(Executor executor, CsrPattern const& a, T const* a_value, CsrPattern const& b,
                       T const* b_value, CsrPattern const& target, std::int32_t const* row,
                       std::int64_t entries, T* value) {
  if constexpr (Executor::on_device) {
    for_each(executor, entries, EntryOfProduct<T>{a, b, a_value, b_value, row, target.column, value});
  } else {
    for_each(executor, std::int64_t{target.rows}, RowOfProduct<T>{a, b, target, a_value, b_value, value});
  }
}

template <class T, class Executor>
Multigrid<T, Executor>::Multigrid(Executor executor, CsrView<T const> matrix, CsrPattern host,
                                  MultigridOptions const& options)
    : executor_{executor} {
  levels_[0].rows = size_ = host.rows;
  levels_[0].entries = host.entries();
  levels_[0].matrix = matrix;
  build(host, options);
}

template <class T, class Executor>
void Multigrid<T, Executor>::build(CsrPattern host, MultigridOptions const& options) {
  std::vector<T> value;
  std::vector<double> wide;
  HostPattern pattern;
  auto strength = options.strength;
  auto view = host;
  for (;; strength /= 2) {
    auto& level = levels_[count_ - 1];
    level.smoother = Chebyshev<T, Executor>(executor_, level.matrix, options.degree, options.part);
    level.residual = Array<T, Executor>(executor_, level.rows);
    if (level.rows <= options.coarsest || count_ == most_levels) break;
    value.resize(static_cast<std::size_t>(level.entries));
    detail::to_host(executor_, value.data(), level.matrix.value,
                    level.entries * static_cast<std::int64_t>(sizeof(T)));
    wide.clear();
    for (auto const& entry : value) wide.push_back(static_cast<double>(entry));
    auto coarsening = coarsened(view, wide.data(), strength, options.seed);
    // Rows that hardly have neighbours gain nothing from a coarser level.
    if (coarsening.aggregates.count == 0 || 5 * coarsening.aggregates.count > 4 * level.rows) break;
    place(level, levels_[count_], coarsening);
    update_transfer(count_ - 1);
    ++count_;
    pattern = std::move(coarsening.coarse);
    view = pattern.view();
  }
  auto const rows = levels_[count_ - 1].rows;
  direct_ = rows <= options.coarsest;
  if (!direct_) return;
  inverse_ = Array<T, Executor>(executor_, rows * rows);
  pivot_row_ = Array<T, Executor>(executor_, rows);
  pivot_column_ = Array<T, Executor>(executor_, rows);
  size_of_diagonal_ = Array<T, Executor>(executor_, rows);
  update_coarsest();
}

template <class T, class Executor>
void Multigrid<T, Executor>::place(Level& level, Level& coarse, Coarsening const& from) {
  auto const numbers = [&](std::vector<std::int32_t> const& values) {
    Array<std::int32_t, Executor> array(executor_, static_cast<std::int64_t>(values.size()));
    array.from_host(values.data());
    return array;
  };
  auto const values = [&](std::int64_t count) { return Array<T, Executor>(executor_, count); };
  level.aggregate = numbers(from.aggregates.of_row);
  level.prolongation = SparsePattern<Executor>(executor_, from.prolongation.view());
  level.restriction = SparsePattern<Executor>(executor_, from.restriction.pattern.view());
  level.half = SparsePattern<Executor>(executor_, from.half.view());
  level.prolongation_row = numbers(rows_of_entries(from.prolongation.view()));
  level.half_row = numbers(rows_of_entries(from.half.view()));
  level.coarse_row = numbers(rows_of_entries(from.coarse.view()));
  level.restriction_source = numbers(from.restriction.source);
  level.prolongation_value = values(from.prolongation.entries());
  level.restriction_value = values(from.prolongation.entries());
  level.half_value = values(from.half.entries());
  level.coarse_b = values(from.coarse.rows());
  level.coarse_x = values(from.coarse.rows());
  coarse.rows = from.coarse.rows();
  coarse.entries = from.coarse.entries();
  coarse.pattern = SparsePattern<Executor>(executor_, from.coarse.view());
  coarse.value = values(coarse.entries);
  coarse.matrix = {coarse.pattern.view(), coarse.value.view().data()};
}

template <class T, class Executor>
void Multigrid<T, Executor>::update_transfer(int n) {
  auto& level = levels_[n];
  auto& coarse = levels_[n + 1];
  auto const p = level.prolongation.view(), r = level.restriction.view(), half = level.half.view(),
             target = coarse.pattern.view();
  auto* const p_value = level.prolongation_value.view().data();
  auto* const r_value = level.restriction_value.view().data();
  auto* const half_value = level.half_value.view().data();
  for_each(
      executor_, level.prolongation.entries(),
      SmoothedProlongation<T>{level.matrix.pattern, level.matrix.value, level.smoother.inverse_diagonal(),
                              level.smoother.largest_eigenvalue(), level.aggregate.view().data(),
                              level.prolongation_row.view().data(), p.column, p_value});
  for_each(executor_, level.prolongation.entries(),
           Gather<T>{level.restriction_source.view().data(), p_value, r_value});
  multiply_matrices(executor_, level.matrix.pattern, level.matrix.value, p, p_value, half,
                    level.half_row.view().data(), level.half.entries(), half_value);
  multiply_matrices(executor_, r, r_value, half, half_value, target, level.coarse_row.view().data(),
                    coarse.entries, coarse.value.view().data());
}

template <class T, class Executor>
void Multigrid<T, Executor>::update_coarsest() {
  auto const& level = levels_[count_ - 1];
  auto const n = level.rows;
  auto* const dense = inverse_.view().data();
  auto* const size = size_of_diagonal_.view().data();
  auto* const row = pivot_row_.view().data();
  auto* const column = pivot_column_.view().data();
  auto const roundoff = sizeof(T) == 4 ? 0x1p-24 : sizeof(T) == 8 ? 0x1p-53 : 0x1p-113;
  // A pivot errs by about n roundoffs of the diagonal, and some more that come from the products above.
  auto const negligible = static_cast<T>(64 * static_cast<double>(n) * roundoff);
  for_each(executor_, n, DenseRow<T>{level.matrix.pattern, level.matrix.value, dense, size});
  for (std::int64_t k = 0; k < n; ++k) {
    for_each(executor_, n, PivotCopy<T>{n, k, dense, row, column});
    for_each(executor_, n * n, PivotStep<T>{n, k, negligible, row, column, size, dense});
  }
}

template <class T, class Executor>
void Multigrid<T, Executor>::update() {
  if (sharing_.link) throw std::logic_error("a multigrid that ranks share is not updated");
  for (int n = 0; n < count_; ++n) {
    levels_[n].smoother.update();
    if (n + 1 < count_) update_transfer(n);
  }
  if (direct_) update_coarsest();
}

/// From an executor's memory.
template <class U, class Executor>
std::vector<U> on_host(Executor executor, U const* values, std::int64_t count) {
  std::vector<U> copy(static_cast<std::size_t>(count));
  detail::to_host(executor, copy.data(), values, count * static_cast<std::int64_t>(sizeof(U)));
  return copy;
}

/// A sparse matrix in host memory.
template <class T>
struct HostMatrix {
  std::vector<std::int32_t> start, column;
  std::vector<T> value;
  std::int32_t rows, columns, lanes;

  template <class Executor>
  HostMatrix(Executor executor, CsrPattern const& pattern, T const* values)
      : start{on_host(executor, pattern.start, std::int64_t{pattern.rows} + 1)},
        column{on_host(executor, pattern.column, start.back())},
        value{on_host(executor, values, start.back())},
        rows{pattern.rows},
        columns{pattern.columns},
        lanes{pattern.lanes} {}

  CsrPattern pattern() const { return {rows, columns, start.data(), column.data(), lanes}; }
  template <class Visit>
  void visit_columns(std::int32_t row, Visit const& visit) const {
    for (auto e = start[static_cast<std::size_t>(row)]; e < start[static_cast<std::size_t>(row) + 1]; ++e) {
      visit(column[static_cast<std::size_t>(e)], static_cast<std::size_t>(e));
    }
  }
  /// Rows and columns that a rank holds, with entries in the rows that are `kept` alone: all columns of those
  /// are held. Partial sums stay those of the whole (lanes), and so do their bits.
  void cut(PointsOfRank const& of_rows, std::vector<std::int32_t> const& kept,
           PointsOfRank const& of_columns) {
    std::vector<char> keeps(static_cast<std::size_t>(of_rows.held()), 0);
    for (auto const row : kept) keeps[static_cast<std::size_t>(of_rows.place(row))] = 1;
    std::vector<std::int32_t> new_start{0}, new_column;
    std::vector<T> new_value;
    for (std::int32_t place = 0; place < of_rows.held(); ++place) {
      if (keeps[static_cast<std::size_t>(place)] != 0) {
        visit_columns(of_rows.number(place), [&](std::int32_t number, std::size_t e) {
          new_column.push_back(of_columns.place(number));
          new_value.push_back(value[e]);
        });
      }
      new_start.push_back(static_cast<std::int32_t>(new_column.size()));
    }
    start = std::move(new_start), column = std::move(new_column), value = std::move(new_value);
    rows = of_rows.held(), columns = of_columns.held();
  }
};

/// Rows of a square matrix with those that they reach by its columns, layer after layer.
class Layers {
 public:
  explicit Layers(std::int32_t rows) : in_(static_cast<std::size_t>(rows), 0) {}
  void add(std::int32_t row) {
    auto& in = in_[static_cast<std::size_t>(row)];
    if (in == 0) rows_.push_back(row);
    in = 1;
  }
  /// Adds the columns of all rows, so many times over.
  template <class T>
  void grow(HostMatrix<T> const& matrix, int times = 1) {
    for (; times > 0; --times) {
      for (auto const end = rows_.size(); reached_ < end; ++reached_) {
        matrix.visit_columns(rows_[reached_], [&](std::int32_t column, std::size_t) { add(column); });
      }
    }
  }
  /// In no order.
  std::vector<std::int32_t> const& rows() const { return rows_; }

 private:
  std::vector<char> in_;
  std::vector<std::int32_t> rows_;
  std::size_t reached_ = 0;  ///< rows whose columns are in
};

/// Where ranks' ranges of aggregates begin, in the order of their numbers: an aggregate goes with the middle
/// of its rows.
inline std::vector<std::int32_t> ranges_of_aggregates(std::vector<std::int32_t> const& aggregate,
                                                      std::int32_t count,
                                                      std::vector<std::int32_t> const& begin) {
  std::vector<std::int64_t> sum(static_cast<std::size_t>(count), 0), rows(sum);
  for (std::size_t row = 0; row < aggregate.size(); ++row) {
    if (aggregate[row] < 0) continue;
    sum[static_cast<std::size_t>(aggregate[row])] += static_cast<std::int64_t>(row);
    ++rows[static_cast<std::size_t>(aggregate[row])];
  }
  std::vector<std::int32_t> ranges;
  for (auto const first : begin) {
    std::int32_t before = 0;
    for (std::size_t a = 0; a < sum.size(); ++a) before += sum[a] < first * rows[a] ? 1 : 0;
    ranges.push_back(before);
  }
  return ranges;
}

template <class T, class Executor>
void Multigrid<T, Executor>::share(Sharing<Executor> const& sharing, PointsOfRank const& points,
                                   std::int32_t least) {
  auto& ranks = *sharing.link->ranks();
  sharing_ = sharing;
  size_ = points.held();
  while (shared_ + 1 < count_ && levels_[shared_].rows >= std::int64_t{least} * ranks.size()) ++shared_;
  std::vector<KeptRows> kept;
  auto begin = points.begins();
  auto wanted = points.numbers();  // rows of a level where what the cycle finds has to be right
  for (int n = 0; n <= shared_; ++n) {
    auto& level = levels_[n];
    auto const owned = begin;
    std::vector<std::int32_t> held;
    if (n == shared_) {
      held = PointsOfRank(static_cast<std::int32_t>(level.rows)).numbers();
    } else {
      kept.push_back(rows_to_keep(level, ranks.rank(), begin, wanted, held));
    }
    level.points = std::make_unique<PointsOfRank>(owned, ranks.rank(), held);
    level.ghosts = std::make_unique<ListExchange<Executor>>(
        executor_, sharing.link, ghost_lists(ranks, *level.points), static_cast<std::int64_t>(sizeof(T)));
  }
  for (int n = 0; n < shared_; ++n) cut(levels_[n], levels_[n + 1], kept[static_cast<std::size_t>(n)]);
  auto& finest = levels_[0];
  // Of levels that are not shared every rank has all; this one's matrix is not to be viewed any more.
  if (shared_ == 0) {
    auto const whole = PointsOfRank(static_cast<std::int32_t>(finest.rows));
    keep_matrix(finest, whole, whole.numbers());
  }
  b_ = Array<T, Executor>(executor_, finest.rows);
  x_ = Array<T, Executor>(executor_, finest.rows);
  std::vector<std::int32_t> places;
  for (auto const number : points.numbers()) places.push_back(finest.points->place(number));
  place_ = Array<std::int32_t, Executor>(executor_, points.held());
  place_.from_host(places.data());
}

/// A product with a matrix is right where its rows are kept and the vector is right at their columns. So from
/// the end of a cycle back to its beginning more and more rows are computed, those of other ranks beside
/// them, and what was exchanged is the right-hand side alone.
template <class T, class Executor>
typename Multigrid<T, Executor>::KeptRows Multigrid<T, Executor>::rows_to_keep(
    Level const& level, int rank, std::vector<std::int32_t>& begin, std::vector<std::int32_t>& wanted,
    std::vector<std::int32_t>& held) const {
  HostMatrix<T> const matrix(executor_, level.matrix.pattern, level.matrix.value),
      prolongation(executor_, level.prolongation.view(), level.prolongation_value.view().data()),
      restriction(executor_, level.restriction.view(), level.restriction_value.view().data());
  auto const degree = level.smoother.degree();
  KeptRows kept;
  // Rows whose residual is taken: by smoothing after the correction, which ends with the rows wanted, and by
  // the restriction to the coarse rows that are owned.
  Layers rows(matrix.rows);
  for (auto const row : wanted) rows.add(row);
  rows.grow(matrix, degree - 1);
  auto corrected = rows;
  corrected.grow(matrix);
  kept.prolongation = corrected.rows();
  begin = ranges_of_aggregates(on_host(executor_, level.aggregate.view().data(), matrix.rows),
                               restriction.rows, begin);
  kept.restriction = PointsOfRank(begin, rank, {}).numbers();
  for (auto const row : kept.restriction) {
    restriction.visit_columns(row, [&](std::int32_t column, std::size_t) { rows.add(column); });
  }
  // The residual reads x at their neighbours, smoothing from 0 comes before that: its first step multiplies
  // by nothing.
  rows.grow(matrix, degree - 1);
  kept.matrix = rows.rows();
  rows.grow(matrix);
  held = rows.rows();

  Layers coarse(prolongation.columns);
  for (auto const row : kept.prolongation) {
    prolongation.visit_columns(row, [&](std::int32_t column, std::size_t) { coarse.add(column); });
  }
  wanted = coarse.rows();
  return kept;
}

/// Puts the part of a matrix that a rank has of some rows and columns in place of it.
template <class T, class Executor>
void cut_matrix(Executor executor, CsrPattern const& pattern, T const* values, PointsOfRank const& rows,
                std::vector<std::int32_t> const& kept, PointsOfRank const& columns,
                SparsePattern<Executor>& new_pattern, Array<T, Executor>& new_values) {
  HostMatrix<T> matrix(executor, pattern, values);
  matrix.cut(rows, kept, columns);
  Array<T, Executor> array(executor, static_cast<std::int64_t>(matrix.value.size()));
  array.from_host(matrix.value.data());
  new_pattern = SparsePattern<Executor>(executor, matrix.pattern());
  new_values = std::move(array);
}

template <class T, class Executor>
void Multigrid<T, Executor>::keep_matrix(Level& level, PointsOfRank const& points,
                                         std::vector<std::int32_t> const& kept) {
  cut_matrix(executor_, level.matrix.pattern, level.matrix.value, points, kept, points, level.pattern,
             level.value);
  level.matrix = {level.pattern.view(), level.value.view().data()};
  level.smoother = level.smoother.part(level.matrix, points.numbers());
  level.rows = points.held();
  level.entries = level.value.size();
}

template <class T, class Executor>
void Multigrid<T, Executor>::cut(Level& level, Level const& coarse, KeptRows const& kept) {
  auto const& points = *level.points;
  cut_matrix(executor_, level.prolongation.view(), level.prolongation_value.view().data(), points,
             kept.prolongation, *coarse.points, level.prolongation, level.prolongation_value);
  cut_matrix(executor_, level.restriction.view(), level.restriction_value.view().data(), *coarse.points,
             kept.restriction, points, level.restriction, level.restriction_value);
  keep_matrix(level, points, kept.matrix);
  level.residual = Array<T, Executor>(executor_, level.rows);
  level.coarse_b = Array<T, Executor>(executor_, coarse.points->held());
  level.coarse_x = Array<T, Executor>(executor_, coarse.points->held());
  for (auto* const numbers : {&level.aggregate, &level.prolongation_row, &level.half_row, &level.coarse_row,
                              &level.restriction_source}) {
    *numbers = {};
  }
  level.half = {};
  level.half_value = {};
}

template <class T, class Executor>
void Multigrid<T, Executor>::apply(T const* x, T* y) {
  if (!sharing_.link) return cycle(0, x, y);
  auto& finest = levels_[0];
  auto *const b = b_.view().data(), *const result = x_.view().data();
  for_each(executor_, sharing_.owned, Copy<T>{x + sharing_.first, b + finest.points->first()});
  (*finest.ghosts)(b);
  cycle(0, b, result);
  for_each(executor_, size_, Gather<T>{place_.view().data(), result, y});
}

template <class T, class Executor>
void Multigrid<T, Executor>::cycle(int n, T const* b, T* x) {
  auto& level = levels_[n];
  if (n + 1 == count_) {
    if (direct_) {
      for_each(executor_, level.rows, DenseProduct<T>{level.rows, inverse_.view().data(), b, x});
    } else {
      level.smoother.smooth(b, x, true);
      level.smoother.smooth(b, x, false);
    }
    return;
  }
  level.smoother.smooth(b, x, true);
  auto* const residual = level.residual.view().data();
  auto* const coarse_b = level.coarse_b.view().data();
  auto* const coarse_x = level.coarse_x.view().data();
  for_each_row(executor_, level.rows,
               Product<T, T, Blocks::scalar>{level.matrix.pattern, level.matrix.value, x, b, residual,
                                             Onto::residual});
  for_each_row(executor_, levels_[n + 1].rows,
               Product<T, T, Blocks::scalar>{level.restriction.view(), level.restriction_value.view().data(),
                                             residual, nullptr, coarse_b});
  if (n < shared_) (*levels_[n + 1].ghosts)(coarse_b);
  cycle(n + 1, coarse_b, coarse_x);
  for_each_row(
      executor_, level.rows,
      Product<T, T, Blocks::scalar>{level.prolongation.view(), level.prolongation_value.view().data(),
                                    coarse_x, x, x, Onto::sum});
  level.smoother.smooth(b, x, false);
}

}  // namespace ulpine::linalg
