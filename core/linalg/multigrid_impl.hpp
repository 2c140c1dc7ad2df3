// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/exec/value_at.hpp"
#include "core/linalg/aggregation_impl.hpp"
#include "core/linalg/coarse_cycle.hpp"
#include "core/linalg/krylov_kernels.hpp"
#include "core/linalg/multigrid.hpp"
#include "core/linalg/multigrid_kernels.hpp"

/// Definitions; include after the executor's launches and chebyshev_impl.hpp.
namespace ulpine::linalg {

/// The values of A B, with the same bits by a thread an entry or a thread a share of the rows.
template <class T, class Executor>
void multiply_matrices(Executor executor, CsrPattern const& a, T const* a_value, CsrPattern const& b,
                       T const* b_value, CsrPattern const& target, std::int32_t const* row,
                       std::int64_t entries, T* value) {
  if constexpr (Executor::on_device) {
    for_each(executor, entries, EntryOfProduct<T>{a, b, a_value, b_value, row, target.column, value});
  } else {
    RowShares const rows{target.rows, shares_on_host};
    Array<std::int32_t, Executor> place(executor, rows.shares * target.columns);
    for_each(executor, rows.shares,
             RowsOfProduct<T>{a, b, target, a_value, b_value, value, rows, place.view().data()});
  }
}

template <class T, class Executor>
Multigrid<T, Executor>::Multigrid(Executor executor, CsrView<T const> matrix, MultigridOptions const& options)
    : executor_{executor} {
  levels_[0].rows = size_ = matrix.pattern.rows;
  levels_[0].entries = value_at(executor, matrix.pattern.start + size_);
  levels_[0].matrix = matrix;
  build(options);
  prepare_coarsest_levels();
  if (options.wide_vectors) {
    b_ = Array<T, Executor>(executor_, size_);
    x_ = Array<T, Executor>(executor_, size_);
  }
}

template <class T, class Executor>
Multigrid<T, Executor>::~Multigrid() = default;

template <class T, class Executor>
void Multigrid<T, Executor>::build(MultigridOptions const& options) {
  for (auto strength = options.strength;; strength /= 2) {
    auto& level = levels_[count_ - 1];
    level.smoother = Chebyshev<T, Executor>(executor_, level.matrix, options.degree, options.part);
    level.residual = Array<T, Executor>(executor_, level.rows);
    level.before.assign(static_cast<std::size_t>(options.degree), level.rows);
    level.after = level.before;
    level.residual_rows = level.rows;
    if (level.rows <= options.coarsest || count_ == most_levels) break;
    if (is_screened(level, options)) break;
    auto aggregates = aggregated(executor_, level.matrix, strength, options.seed);
    // Rows that hardly have neighbours gain nothing from a coarser level.
    if (aggregates.count == 0 || 5 * std::int64_t{aggregates.count} > 4 * level.rows) break;
    place(level, levels_[count_], coarsened(executor_, level.matrix.pattern, std::move(aggregates)));
    update_transfer(count_ - 1);
    ++count_;
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
bool Multigrid<T, Executor>::is_screened(Level& level, MultigridOptions const& options) {
  if (level.rows > options.screened_rows) return false;
  auto* const share = level.residual.view().data();
  for_each(executor_, level.rows, ShareOfDiagonal<T>{level.matrix.pattern, level.matrix.value, share});
  Scalar<T, Executor> least(executor_);
  Reducer<Executor>(executor_).min_to(level.residual.view(), least);
  // Not so for NaN either.
  return least.value() >=
         static_cast<T>(options.screened) * value_at(executor_, level.smoother.largest_eigenvalue());
}

template <class T, class Executor>
void Multigrid<T, Executor>::place(Level& level, Level& coarse, Coarsening<Executor>&& from) {
  auto const values = [&](std::int64_t count) { return Array<T, Executor>(executor_, count); };
  level.aggregate = std::move(from.aggregates.of_row);
  level.prolongation = std::move(from.prolongation);
  level.restriction = std::move(from.restriction);
  level.half = std::move(from.half);
  level.prolongation_row = std::move(from.prolongation_row);
  level.half_row = std::move(from.half_row);
  level.coarse_row = std::move(from.coarse_row);
  level.restriction_source = std::move(from.restriction_source);
  level.prolongation_value = values(level.prolongation.entries());
  level.restriction_value = values(level.prolongation.entries());
  level.half_value = values(level.half.entries());
  coarse.pattern = std::move(from.coarse);
  coarse.rows = coarse.pattern.rows();
  coarse.entries = coarse.pattern.entries();
  coarse.value = values(coarse.entries);
  coarse.matrix = {coarse.pattern.view(), coarse.value.view().data()};
  level.coarse_b = values(coarse.rows);
  level.coarse_x = values(coarse.rows);
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
  auto const roundoff = vector_roundoff<T, double>();
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

/// Copy of values in an executor's memory.
template <class U, class Executor>
std::vector<U> on_host(Executor executor, U const* values, std::int64_t count) {
  std::vector<U> copy(static_cast<std::size_t>(count));
  detail::to_host(executor, copy.data(), values, count * static_cast<std::int64_t>(sizeof(U)));
  return copy;
}

/// Rows of a level that a rank holds, in the order in which it has found them, which is that of memory.
class RowsOfRank {
 public:
  /// Holds no rows yet, of a level with `rows` rows.
  explicit RowsOfRank(std::int64_t rows) : place_(static_cast<std::size_t>(rows), -1) {}

  std::int32_t held() const { return static_cast<std::int32_t>(number_.size()); }
  std::vector<std::int32_t> const& numbers() const { return number_; }
  /// Place of row `number` in memory; -1 where it is not held.
  std::int32_t place(std::int32_t number) const { return place_[static_cast<std::size_t>(number)]; }

  /// Adds rows; those that are new come behind, in the order of their numbers.
  void add(std::span<std::int32_t const> numbers) {
    auto const before = number_.size();
    find(numbers);
    settle(before);
  }
  /// Adds the columns of rows of a matrix.
  template <class Matrix>
  void add_columns(Matrix const& matrix, std::span<std::int32_t const> rows) {
    auto const before = number_.size();
    for (auto const row : rows) find(matrix.columns_of(row));
    settle(before);
  }
  /// Adds a layer: the columns of all rows.
  template <class Matrix>
  void grow(Matrix const& matrix) {
    auto const before = number_.size();
    for (; reached_ < before; ++reached_) find(matrix.columns_of(number_[reached_]));
    settle(before);
  }

 private:
  void find(std::span<std::int32_t const> numbers) {
    for (auto const number : numbers) {
      auto& place = place_[static_cast<std::size_t>(number)];
      if (place < 0) number_.push_back(number), place = 0;
    }
  }
  void settle(std::size_t before) {
    std::sort(number_.begin() + static_cast<std::ptrdiff_t>(before), number_.end());
    for (auto n = before; n < number_.size(); ++n) {
      place_[static_cast<std::size_t>(number_[n])] = static_cast<std::int32_t>(n);
    }
  }

  std::vector<std::int32_t> number_, place_;
  std::size_t reached_ = 0;  ///< rows whose columns are held
};

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
  std::span<std::int32_t const> columns_of(std::int32_t row) const {
    auto const n = static_cast<std::size_t>(row);
    return {column.data() + start[n], column.data() + start[n + 1]};
  }
  /// Rows and columns that a rank holds, with entries in the rows `kept` alone, all columns of which are
  /// held. Partial sums stay those of the whole (lanes), and so does the order of a row's entries, so that
  /// sums have its bits.
  void cut(RowsOfRank const& of_rows, std::span<std::int32_t const> kept, RowsOfRank const& of_columns) {
    std::vector<char> keeps(static_cast<std::size_t>(rows), 0);
    for (auto const row : kept) keeps[static_cast<std::size_t>(row)] = 1;
    std::vector<std::int32_t> new_start{0}, new_column;
    std::vector<T> new_value;
    for (auto const row : of_rows.numbers()) {
      if (keeps[static_cast<std::size_t>(row)] != 0) {
        for (auto const number : columns_of(row)) new_column.push_back(of_columns.place(number));
        auto const* const first = value.data() + start[static_cast<std::size_t>(row)];
        new_value.insert(new_value.end(), first, first + columns_of(row).size());
      }
      new_start.push_back(static_cast<std::int32_t>(new_column.size()));
    }
    start = std::move(new_start), column = std::move(new_column), value = std::move(new_value);
    rows = of_rows.held(), columns = of_columns.held();
  }
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

/// The rows of a level that a rank holds, and those whose entries it keeps of the level's matrices.
struct PartOfLevel {
  RowsOfRank rows;
  std::vector<std::int32_t> matrix, prolongation, restriction;
};

template <class T, class Executor>
void Multigrid<T, Executor>::share(Sharing<Executor> const& sharing, PointsOfRank const& points,
                                   std::int32_t least) {
  auto& ranks = *sharing.link->ranks();
  sharing_ = sharing;
  size_ = points.held();
  while (shared_ + 1 < count_ && levels_[shared_].rows >= std::int64_t{least} * ranks.size()) ++shared_;
  std::vector<PartOfLevel> parts;
  auto begin = points.begins();
  auto wanted = points.numbers();  // rows of a level where what the cycle finds has to be right
  for (int n = 0; n <= shared_; ++n) {
    auto& level = levels_[n];
    auto const owned = begin;
    auto& part = parts.emplace_back(PartOfLevel{RowsOfRank(level.rows), {}, {}, {}});
    if (n < shared_) {
      part.rows.add(wanted);
      hold_what_is_read(level, part, ranks.rank(), begin, wanted);
    } else {
      part.matrix = PointsOfRank(static_cast<std::int32_t>(level.rows)).numbers();
      part.rows.add(part.matrix);
    }
    PointsOfRank const held(owned, ranks.rank(), part.rows.numbers());
    part.rows.add(held.numbers());  // what is owned is held for others
    auto lists = ghost_lists(ranks, held);
    for (auto* const side : {&lists.sent, &lists.received}) {
      for (auto& list : *side) {
        for (auto& place : list.places) place = part.rows.place(held.number(place));
      }
    }
    level.ghosts = std::make_unique<ListExchange<Executor>>(executor_, sharing.link, lists,
                                                            static_cast<std::int64_t>(sizeof(T)));
  }
  for (int n = 0; n < shared_; ++n) {
    auto const at = static_cast<std::size_t>(n);
    cut(levels_[n], parts[at], parts[at + 1]);
  }
  // The finest matrix is not to be viewed any more.
  if (shared_ == 0) keep_matrix(levels_[0], parts[0]);
  b_ = Array<T, Executor>(executor_, levels_[0].rows);
  x_ = Array<T, Executor>(executor_, levels_[0].rows);
  std::vector<std::int32_t> places;
  for (auto const number : points.numbers()) places.push_back(parts[0].rows.place(number));
  place_ = Array<std::int32_t, Executor>(executor_, size_);
  place_.from_host(places.data());
  // Owned rows lie together.
  first_ = points.owned() == 0 ? 0 : places[static_cast<std::size_t>(points.first())];
  prepare_coarsest_levels();
}

/// A row of a product is right where the row is kept and the vector is right at its columns. So from the end
/// of a cycle back to its beginning more and more rows are computed, layer after layer, those of other ranks
/// beside a rank's own, and what has to come from them is the right-hand side alone. Each step computes rows
/// that lie together from the first on.
template <class T, class Executor>
void Multigrid<T, Executor>::hold_what_is_read(Level& level, PartOfLevel& part, int rank,
                                               std::vector<std::int32_t>& begin,
                                               std::vector<std::int32_t>& wanted) const {
  HostMatrix<T> const matrix(executor_, level.matrix.pattern, level.matrix.value),
      prolongation(executor_, level.prolongation.view(), level.prolongation_value.view().data()),
      restriction(executor_, level.restriction.view(), level.restriction_value.view().data());
  auto& rows = part.rows;
  // The last step of smoothing leaves the rows wanted.
  for (auto step = level.after.size(); step-- > 0;) {
    level.after[step] = rows.held();
    if (step > 0) rows.grow(matrix);
  }
  auto corrected = rows;
  corrected.grow(matrix);
  part.prolongation = corrected.numbers();
  begin = ranges_of_aggregates(on_host(executor_, level.aggregate.view().data(), matrix.rows),
                               restriction.rows, begin);
  part.restriction = PointsOfRank(begin, rank, {}).numbers();
  rows.add_columns(restriction, part.restriction);
  level.residual_rows = rows.held();
  // The first step from 0 multiplies by nothing.
  for (auto step = level.before.size(); step-- > 0;) {
    if (step == 0) part.matrix = rows.numbers();
    rows.grow(matrix);
    level.before[step] = rows.held();
  }
  RowsOfRank coarse(restriction.rows);
  coarse.add_columns(prolongation, part.prolongation);
  wanted = coarse.numbers();
}

/// Puts the part of a matrix that a rank has of some rows and columns in place of it.
template <class T, class Executor>
void cut_matrix(Executor executor, CsrPattern const& pattern, T const* values, RowsOfRank const& rows,
                std::span<std::int32_t const> kept, RowsOfRank const& columns,
                SparsePattern<Executor>& new_pattern, Array<T, Executor>& new_values) {
  HostMatrix<T> matrix(executor, pattern, values);
  matrix.cut(rows, kept, columns);
  Array<T, Executor> array(executor, static_cast<std::int64_t>(matrix.value.size()));
  array.from_host(matrix.value.data());
  new_pattern = SparsePattern<Executor>(executor, matrix.pattern());
  new_values = std::move(array);
}

template <class T, class Executor>
void Multigrid<T, Executor>::keep_matrix(Level& level, PartOfLevel const& part) {
  cut_matrix(executor_, level.matrix.pattern, level.matrix.value, part.rows, part.matrix, part.rows,
             level.pattern, level.value);
  level.matrix = {level.pattern.view(), level.value.view().data()};
  level.smoother = level.smoother.part(level.matrix, part.rows.numbers());
  level.rows = part.rows.held();
  level.entries = level.value.size();
}

template <class T, class Executor>
void Multigrid<T, Executor>::cut(Level& level, PartOfLevel const& part, PartOfLevel const& coarse) {
  cut_matrix(executor_, level.prolongation.view(), level.prolongation_value.view().data(), part.rows,
             part.prolongation, coarse.rows, level.prolongation, level.prolongation_value);
  cut_matrix(executor_, level.restriction.view(), level.restriction_value.view().data(), coarse.rows,
             part.restriction, part.rows, level.restriction, level.restriction_value);
  keep_matrix(level, part);
  level.residual = Array<T, Executor>(executor_, level.rows);
  level.coarse_b = Array<T, Executor>(executor_, coarse.rows.held());
  level.coarse_x = Array<T, Executor>(executor_, coarse.rows.held());
  for (auto* const numbers : {&level.aggregate, &level.prolongation_row, &level.half_row, &level.coarse_row,
                              &level.restriction_source}) {
    *numbers = {};
  }
  level.half = {};
  level.half_value = {};
}

template <class T, class Executor>
template <class V>
void Multigrid<T, Executor>::apply_to(V const* x, V* y) {
  Launches<Executor> const run{executor_};
  auto& finest = levels_[0];
  if (!sharing_.link) {
    if constexpr (std::is_same_v<T, V>) {
      start(run, 0, x, y);
      return cycle(run, 0, x, y, y);
    } else {
      auto *const b = b_.view().data(), *const own = x_.view().data();
      if (direct_at(0)) {
        run.each(size_, Rounded<V, T>{x, b});
      } else {
        run.each(size_, ChebyshevStartOf<T, V>{finest.smoother.start(places(0, own, y).start), x, b});
      }
      return cycle(run, 0, b, own, y);
    }
  }
  auto *const b = b_.view().data(), *const result = x_.view().data();
  run.each(sharing_.owned, Rounded<V, T>{x + sharing_.first, b + first_});
  (*finest.ghosts)(b);
  start(run, 0, b, result);
  cycle(run, 0, b, result, result);
  run.each(size_, RoundedFrom<T, V>{place_.view().data(), result, y});
}

/// A vector of a level stands by turns in two places: x, or where the cycle's result is of another type than
/// it, a place of its own, and the smoother's.
template <class T, class Executor>
template <class Y>
auto Multigrid<T, Executor>::places(int n, T* x, Y* y) -> Places {
  auto& smoother = levels_[n].smoother;
  auto in_x = true;
  if constexpr (std::is_same_v<T, Y>) in_x = smoother.degree() % 2 == 0 || x != y;
  auto* const middle = in_x ? x : smoother.between();
  auto* const other = in_x ? smoother.between() : x;
  return {middle, other, place_before(smoother.degree() - 1, middle, other)};
}

template <class T, class Executor>
template <class Run>
void Multigrid<T, Executor>::start(Run const& run, int n, T const* b, T* x) {
  if (direct_at(n)) return;
  auto& level = levels_[n];
  run.each(level.before[0], ChebyshevStart<T>{level.smoother.start(places(n, x, x).start), b});
}

template <class T, class Executor>
template <class Run, class Y>
void Multigrid<T, Executor>::cycle(Run const& run, int n, T const* b, T* x, Y* y) {
  auto& level = levels_[n];
  if (direct_at(n)) {
    return run.each(level.rows, DenseProduct<T, Y>{level.rows, inverse_.view().data(), b, y});
  }
  auto const place = places(n, x, y);
  auto& smoother = level.smoother;
  smooth_on(run, smoother, 1, b, place.start, place.start == place.middle ? place.other : place.middle,
            place.middle, [&](int k) { return level.before[static_cast<std::size_t>(k)]; });
  if (n + 1 < count_) {
    auto& coarse = levels_[n + 1];
    auto* const residual = level.residual.view().data();
    auto* const coarse_b = level.coarse_b.view().data();
    auto* const coarse_x = level.coarse_x.view().data();
    auto const* const restriction = level.restriction_value.view().data();
    run.rows(level.residual_rows, Product<T, T, Blocks::scalar>{level.matrix.pattern, level.matrix.value,
                                                                place.middle, b, residual, Onto::residual});
    if (n < shared_ || direct_at(n + 1)) {
      run.rows(coarse.rows, Product<T, T, Blocks::scalar>{level.restriction.view(), restriction, residual,
                                                          nullptr, coarse_b});
      if (n < shared_) (*coarse.ghosts)(coarse_b);
      start(run, n + 1, coarse_b, coarse_x);
    } else {
      run.rows(coarse.rows,
               StartedProduct<T>{level.restriction.view(), restriction, residual, coarse_b,
                                 coarse.smoother.start(places(n + 1, coarse_x, coarse_x).start)});
    }
    if (!run.gives_over(n + 1, coarsest_levels_)) cycle(run, n + 1, coarse_b, coarse_x, coarse_x);
    run.rows(level.before.back(),
             Product<T, T, Blocks::scalar>{level.prolongation.view(), level.prolongation_value.view().data(),
                                           coarse_x, place.middle, place.middle, Onto::sum});
  }
  smooth_on(run, smoother, 0, b, place.middle, place.other, y,
            [&](int k) { return level.after[static_cast<std::size_t>(k)]; });
}

template <class T, class Executor>
void Multigrid<T, Executor>::prepare_coarsest_levels() {
  if constexpr (Executor::on_device) {
    coarsest_levels_.reset();
    auto first = std::max(shared_, 1);
    while (first < count_ && levels_[first].entries > CoarseCycle<T>::most_entries(executor_)) ++first;
    if (first >= count_) return;
    auto& above = levels_[first - 1];
    CycleRecord<T> record;
    auto* const x = above.coarse_x.view().data();
    cycle(record, first, above.coarse_b.view().data(), x, x);
    coarsest_levels_ = std::make_unique<CoarseCycle<T>>(executor_, first, record.steps());
  }
}

}  // namespace ulpine::linalg
