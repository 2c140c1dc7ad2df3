// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/mesh/connectivity.hpp"

/// How the connectivity of a tetrahedral mesh is built, on any executor. What threads do at the same time is
/// counted in integers (by an AtomicCounter, core/exec/atomic_counter.hpp) and sorted after: the result does
/// not depend on their order.
namespace ulpine::detail {

/// Most entries of a row: places in it are stored in bytes.
inline constexpr std::int32_t most_in_row = 256;

/// Point k is local node k % 4 of element k / 4.
template <class Counter>
struct VisitCounter {
  static constexpr bool scatters = true;
  std::int32_t const* element;
  std::int32_t* visits;

  ULPINE_HD void operator()(std::int64_t k) const { Counter::fetch_increment(visits[element[k]]); }
};

/// Lists visit k (local node k % 4 of element k / 4) with its node, in any order; `filled` begins with zeros.
template <class Counter>
struct VisitFiller {
  static constexpr bool scatters = true;
  std::int32_t const* element;
  std::int32_t const* start;
  std::int32_t* filled;
  Visit* visit;

  ULPINE_HD void operator()(std::int64_t k) const {
    auto const node = element[k];
    visit[start[node] + Counter::fetch_increment(filled[node])].packed = static_cast<std::uint32_t>(k);
  }
};

/// Sorts the visits of node n, ascending in the element.
struct VisitSorter {
  std::int32_t const* start;
  Visit* visit;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const first = start[n], last = start[n + 1];
    for (auto k = first + 1; k < last; ++k) {
      auto const moved = visit[k];
      auto place = k;
      for (; place > first && visit[place - 1].packed > moved.packed; --place)
        visit[place] = visit[place - 1];
      visit[place] = moved;
    }
  }
};

/// The first of `count` ascending columns that is not below `column`.
ULPINE_HD inline std::int32_t lower_place(std::int32_t const* columns, std::int32_t count,
                                          std::int32_t column) {
  std::int32_t first = 0;
  while (count > 0) {
    auto const half = count / 2;
    if (columns[first + half] < column) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

/// Puts `column` among `count` ascending ones unless it is there; returns how many there are then. Beyond
/// `most` none is put, but counted.
ULPINE_HD inline std::int32_t put_column(std::int32_t* columns, std::int32_t count, std::int32_t column,
                                         std::int32_t most) {
  auto const held = count < most ? count : most;
  auto const place = lower_place(columns, held, column);
  if (place < held && columns[place] == column) return count;
  if (count < most) {
    for (auto k = count; k > place; --k) columns[k] = columns[k - 1];
    columns[place] = column;
  }
  return count + 1;
}

/// The neighbours of node n, itself included, ascending: returns their number; above most_in_row where there
/// are more than fit.
ULPINE_HD inline std::int32_t gather_row(std::int32_t const* element, std::int32_t const* start,
                                         Visit const* visit, std::int64_t n, std::int32_t* columns) {
  std::int32_t count = 0;
  for (auto k = start[n]; k < start[n + 1]; ++k) {
    auto const* node = element + 4 * static_cast<std::int64_t>(visit[k].element());
    for (int j = 0; j < 4; ++j) count = put_column(columns, count, node[j], most_in_row);
  }
  return count;
}

/// How many entries row n of the matrix has.
struct RowCounter {
  std::int32_t const* element;
  std::int32_t const* visit_start;
  Visit const* visit;
  std::int32_t* entries;

  ULPINE_HD void operator()(std::int64_t n) const {
    std::int32_t columns[most_in_row];
    entries[n] = gather_row(element, visit_start, visit, n, columns);
  }
};

/// Rows that have more entries than bytes number.
template <class Counter>
struct LongRowCounter {
  static constexpr bool scatters = true;
  std::int32_t const* entries;
  std::int32_t* long_rows;

  ULPINE_HD void operator()(std::int64_t n) const {
    if (entries[n] > most_in_row) Counter::fetch_increment(*long_rows);
  }
};

/// Columns of row n, the places of its visits' nodes and where they stand in the matrix.
struct RowFiller {
  std::int32_t const* element;
  std::int32_t const* visit_start;
  Visit const* visit;
  std::int32_t const* row_start;
  std::int32_t* column;
  std::uint32_t* slot;
  std::int32_t* position;

  ULPINE_HD void operator()(std::int64_t n) const {
    std::int32_t columns[most_in_row];
    auto const count = gather_row(element, visit_start, visit, n, columns);
    auto const first = row_start[n];
    for (std::int32_t c = 0; c < count; ++c) column[first + c] = columns[c];
    for (auto k = visit_start[n]; k < visit_start[n + 1]; ++k) {
      auto const* node = element + 4 * static_cast<std::int64_t>(visit[k].element());
      std::uint32_t packed = 0;
      for (int j = 0; j < 4; ++j) {
        auto const place = lower_place(columns, count, node[j]);
        packed |= static_cast<std::uint32_t>(place) << (8 * j);
        position[4 * static_cast<std::int64_t>(visit[k].packed) + j] = first + place;
      }
      slot[k] = packed;
    }
  }
};

/// At most how many neighbours of neighbours row n has.
struct CandidateCounter {
  CsrPattern first;
  std::int64_t* candidates;

  ULPINE_HD void operator()(std::int64_t n) const {
    std::int64_t sum = 0;
    for (auto e = first.start[n]; e < first.start[n + 1]; ++e) {
      sum += first.start[first.column[e] + 1] - first.start[first.column[e]];
    }
    candidates[n] = sum;
  }
};

/// Neighbours of neighbours of node n, ascending from candidate[candidate_start[n]] on, and their number.
struct SecondRowGatherer {
  CsrPattern first;
  std::int64_t const* candidate_start;
  std::int32_t* candidate;
  std::int32_t* entries;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto* const columns = candidate + candidate_start[n];
    auto const most = static_cast<std::int32_t>(candidate_start[n + 1] - candidate_start[n]);
    std::int32_t count = 0;
    for (auto e = first.start[n]; e < first.start[n + 1]; ++e) {
      auto const neighbour = first.column[e];
      for (auto f = first.start[neighbour]; f < first.start[neighbour + 1]; ++f) {
        count = put_column(columns, count, first.column[f], most);
      }
    }
    entries[n] = count;
  }
};

/// Row n from its candidates to its place.
struct RowCopier {
  std::int64_t const* candidate_start;
  std::int32_t const* candidate;
  std::int32_t const* row_start;
  std::int32_t* column;

  ULPINE_HD void operator()(std::int64_t n) const {
    for (auto e = row_start[n]; e < row_start[n + 1]; ++e) {
      column[e] = candidate[candidate_start[n] + e - row_start[n]];
    }
  }
};

}  // namespace ulpine::detail
