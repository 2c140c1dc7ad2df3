// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "core/exec/atomic_counter.hpp"
#include "core/exec/scan.hpp"
#include "core/exec/shared_number.hpp"
#include "core/exec/value_at.hpp"
#include "core/linalg/aggregation.hpp"
#include "core/linalg/aggregation_kernels.hpp"
#include "core/linalg/pattern.hpp"
#include "core/linalg/pattern_kernels.hpp"

/// Definitions; include after the executor's launches.
namespace ulpine::linalg {

/// Into how many shares rows are parted on a host, for any number of threads.
inline constexpr std::int64_t shares_on_host = 64;

template <class T, class Executor>
Aggregates<Executor> aggregated(Executor executor, CsrView<T const> matrix, double strength,
                                std::uint64_t seed) {
  auto const& pattern = matrix.pattern;
  auto const rows = std::int64_t{pattern.rows}, scanned = rows + 1;
  Array<std::uint8_t, Executor> strong(executor, value_at(executor, pattern.start + rows));
  Array<Strength, Executor> diagonal(executor, rows);
  Array<std::uint64_t, Executor> priority(executor, rows);
  // Aggregates of roots and their neighbours, roots and then how many come before, the last round in which a
  // row waited, room to scan.
  Array<std::int32_t, Executor> numbers(executor, rows + scanned + 1 + scan_room(scanned));
  auto *const ring = numbers.view().data(), *const root = ring + rows, *const waiting = root + scanned,
              *const room = waiting + 1;
  auto* const size = diagonal.view().data();
  StrongNeighbours const near{pattern, strong.view().data()};
  for_each(executor, rows, DiagonalSize<T>{matrix, size});
  for_each(executor, rows, StrengthMarker<T>{matrix, strength, size, strong.view().data()});
  for_each(executor, rows,
           AggregationStarter{near, Priority{seed, name_key("aggregate")}, priority.view().data(), ring});
  // Few are enough: each settles the rows that come first among those left. A device has to be waited for to
  // know.
  constexpr std::int32_t rounds_at_once = Executor::on_device ? 8 : 1;
  std::int32_t round = 0;
  do {
    for (std::int32_t n = 0; n < rounds_at_once; ++n) {
      for_each(executor, rows,
               RootFinder<SharedNumber<Executor>>{near, priority.view().data(), root, ++round, waiting});
    }
  } while (value_at(executor, waiting) == round);
  scan(executor, root, scanned, room);
  Aggregates<Executor> result{0, {executor, rows}};
  for_each(executor, rows, RingGatherer{near, root, ring});
  for_each(executor, rows, RestJoiner<T>{near, matrix.value, ring, result.of_row.view().data()});
  result.count = value_at(executor, root + rows);
  return result;
}

/// Makes patterns of rows that columns are put into.
template <class Executor>
class PatternMaker {
 public:
  explicit PatternMaker(Executor executor) : executor_{executor} {}

  /// `columns` says what a row has, of numbers below `of_columns`; `row_of` becomes the rows of the entries
  /// where it is not null.
  template <class Columns>
  SparsePattern<Executor> made(std::int32_t rows, std::int32_t of_columns, Columns const& columns,
                               Array<std::int32_t, Executor>* row_of) {
    auto const count = std::int64_t{rows}, scanned = count + 1;
    Array<std::int64_t, Executor> places(executor_, 2 * scanned + scan_room(scanned));
    auto *const begin = places.view().data(), *const first = begin + scanned, *const room = first + scanned;
    for_each(executor_, count, RoomCounter<Columns>{columns, begin});
    scan(executor_, begin, scanned, room);
    if (auto const most = value_at(executor_, begin + count); most > listed_.size()) {
      listed_ = {};
      listed_ = Array<std::int32_t, Executor>(executor_, most);
    }
    auto* const listed = listed_.view().data();
    if constexpr (Executor::on_device) {
      for_each(executor_, count, ColumnLister<Columns>{columns, begin, listed, first});
    } else {
      RowShares const shares{count, shares_on_host};
      Array<std::int32_t, Executor> marks(executor_, shares.shares * of_columns);
      for_each(executor_, shares.shares,
               ShareLister<Columns>{columns, begin, listed, first, shares, of_columns, marks.view().data()});
    }
    scan(executor_, first, scanned, room);
    auto const entries = value_at(executor_, first + count);
    require_entries_of_product(entries);
    Array<std::int32_t, Executor> start(executor_, scanned), column(executor_, entries);
    if (row_of != nullptr) *row_of = Array<std::int32_t, Executor>(executor_, entries);
    for_each(executor_, count,
             ListedRowCopier{begin, first, listed, start.view().data(), column.view().data(),
                             row_of == nullptr ? nullptr : row_of->view().data()});
    return {rows, of_columns, std::move(start), std::move(column)};
  }
  SparsePattern<Executor> product(CsrPattern const& a, CsrPattern const& b,
                                  Array<std::int32_t, Executor>* row_of) {
    return made(a.rows, b.columns, ColumnsOfProduct{a, b}, row_of);
  }

 private:
  Executor executor_;
  Array<std::int32_t, Executor> listed_;
};

/// The transpose of a pattern whose entries' rows are given; `source` becomes the entry that each mirrors.
template <class Executor>
SparsePattern<Executor> transposed(Executor executor, SparsePattern<Executor> const& pattern,
                                   std::int32_t const* row_of, Array<std::int32_t, Executor>& source) {
  using Counter = AtomicCounter<Executor>;
  auto const columns = std::int64_t{pattern.columns()}, scanned = columns + 1, entries = pattern.entries();
  Array<std::int32_t, Executor> start(executor, scanned), column(executor, entries),
      work(executor, columns + scan_room(scanned));
  source = Array<std::int32_t, Executor>(executor, entries);
  auto* const begin = start.view().data();
  auto* const filled = work.view().data();
  auto const* const of = pattern.view().column;
  for_each(executor, entries, ColumnCounter<Counter>{of, begin});
  scan(executor, begin, scanned, filled + columns);
  for_each(executor, entries, ColumnFiller<Counter>{of, begin, filled, source.view().data()});
  for_each(executor, columns, TransposeSorter{begin, row_of, source.view().data(), column.view().data()});
  return {pattern.columns(), pattern.rows(), std::move(start), std::move(column)};
}

template <class Executor>
Coarsening<Executor> coarsened(Executor executor, CsrPattern pattern, Aggregates<Executor> aggregates) {
  PatternMaker<Executor> maker(executor);
  Coarsening<Executor> result;
  result.aggregates = std::move(aggregates);
  auto* const half_row = Executor::on_device ? &result.half_row : nullptr;
  auto* const coarse_row = Executor::on_device ? &result.coarse_row : nullptr;
  result.prolongation =
      maker.made(pattern.rows, result.aggregates.count,
                 AggregatesMet{pattern, result.aggregates.of_row.view().data()}, &result.prolongation_row);
  result.restriction = transposed(executor, result.prolongation, result.prolongation_row.view().data(),
                                  result.restriction_source);
  result.half = maker.product(pattern, result.prolongation.view(), half_row);
  result.coarse = maker.product(result.restriction.view(), result.half.view(), coarse_row);
  return result;
}

}  // namespace ulpine::linalg
