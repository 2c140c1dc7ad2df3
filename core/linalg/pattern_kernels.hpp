// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/linalg/kernels.hpp"

/// How the patterns of transposes and products of sparse matrices are found, on any executor. What threads do
/// at the same time is counted in integers and sorted after: the result does not depend on their order.
namespace ulpine::linalg {

/// Moves list[at] of a heap of `count` numbers, the largest first, down to where it belongs.
ULPINE_HD inline void sift_down(std::int32_t* list, std::int32_t at, std::int32_t count) {
  auto const moved = list[at];
  for (auto child = 2 * std::int64_t{at} + 1; child < count; child = 2 * std::int64_t{at} + 1) {
    if (child + 1 < count && list[child] < list[child + 1]) ++child;
    if (list[child] <= moved) break;
    list[at] = list[child];
    at = static_cast<std::int32_t>(child);
  }
  list[at] = moved;
}

/// Sorts numbers, ascending; those that are in order cost one look.
ULPINE_HD inline void sort_ascending(std::int32_t* list, std::int32_t count) {
  std::int32_t sorted = 1;
  while (sorted < count && list[sorted - 1] <= list[sorted]) ++sorted;
  if (sorted >= count) return;
  constexpr std::int32_t few = 64;
  if (count <= few) {
    for (; sorted < count; ++sorted) {
      auto const moved = list[sorted];
      auto place = sorted;
      for (; place > 0 && list[place - 1] > moved; --place) list[place] = list[place - 1];
      list[place] = moved;
    }
    return;
  }
  for (auto at = count / 2; at-- > 0;) sift_down(list, at, count);
  for (auto left = count - 1; left > 0; --left) {
    auto const largest = list[0];
    list[0] = list[left];
    list[left] = largest;
    sift_down(list, 0, left);
  }
}

/// Different numbers, ascending, in memory that has room for every one that is put.
class NumberSet {
 public:
  ULPINE_HD explicit NumberSet(std::int32_t* list) : list_{list} {}

  /// Puts `number`, not below the one at place `from`, and returns a place for the next that is not below it.
  ULPINE_HD std::int32_t put(std::int32_t number, std::int32_t from = 0) {
    if (count_ >= most_in_order) {
      list_[count_++] = number;
      return 0;
    }
    auto low = from, high = count_;
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (list_[middle] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == count_ || list_[low] != number) {
      for (auto k = count_++; k > low; --k) list_[k] = list_[k - 1];
      list_[low] = number;
    }
    return low;
  }
  /// Puts all in order; how many there are.
  ULPINE_HD std::int32_t finish() {
    if (count_ < most_in_order) return count_;
    sort_ascending(list_, count_);
    std::int32_t different = 1;
    for (std::int32_t k = 1; k < count_; ++k) {
      if (list_[k] != list_[k - 1]) list_[different++] = list_[k];
    }
    return count_ = different;
  }

 private:
  static constexpr std::int32_t most_in_order = 512;  ///< then they are sorted after
  std::int32_t* list_;
  std::int32_t count_ = 0;
};

/// Different numbers of a row, in memory that has room for all of them, and marks of all numbers that there
/// are, which a thread keeps from row to row.
class MarkedNumbers {
 public:
  /// `mark` is another one for each row, and none that `marks` begins with.
  ULPINE_HD MarkedNumbers(std::int32_t* list, std::int32_t* marks, std::int32_t mark)
      : list_{list}, marks_{marks}, mark_{mark} {}

  ULPINE_HD std::int32_t put(std::int32_t number, std::int32_t = 0) {
    if (marks_[number] != mark_) {
      marks_[number] = mark_;
      list_[count_++] = number;
    }
    return 0;
  }
  ULPINE_HD std::int32_t finish() {
    sort_ascending(list_, count_);
    return count_;
  }

 private:
  std::int32_t *list_, *marks_;
  std::int32_t mark_, count_ = 0;
};

/// The columns of A B: at most how many a row has, and all that are met.
struct ColumnsOfProduct {
  CsrPattern a, b;

  ULPINE_HD std::int64_t most(std::int64_t row) const {
    std::int64_t sum = 0;
    for (auto e = a.start[row]; e < a.start[row + 1]; ++e) {
      sum += b.start[a.column[e] + 1] - b.start[a.column[e]];
    }
    return sum;
  }
  template <class Numbers>
  ULPINE_HD void put(std::int64_t row, Numbers& columns) const {
    for (auto e = a.start[row]; e < a.start[row + 1]; ++e) {
      auto const k = a.column[e];
      std::int32_t place = 0;
      for (auto f = b.start[k]; f < b.start[k + 1]; ++f) place = columns.put(b.column[f], place);
    }
  }
};

/// The aggregates that a row of a matrix meets; none where it has none itself. Its own is among them, since a
/// neighbour has it, too.
struct AggregatesMet {
  CsrPattern pattern;
  std::int32_t const* aggregate;

  ULPINE_HD std::int64_t most(std::int64_t row) const {
    return aggregate[row] < 0 ? 0 : pattern.start[row + 1] - pattern.start[row];
  }
  template <class Numbers>
  ULPINE_HD void put(std::int64_t row, Numbers& columns) const {
    if (aggregate[row] < 0) return;
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      if (auto const met = aggregate[pattern.column[e]]; met >= 0) columns.put(met);
    }
  }
};

/// How many numbers a row may need room for.
template <class Columns>
struct RoomCounter {
  Columns columns;
  std::int64_t* room;

  ULPINE_HD void operator()(std::int64_t row) const { room[row] = columns.most(row); }
};

/// The columns of a row, from room[begin[row]] on, and how many they are.
template <class Columns>
struct ColumnLister {
  Columns columns;
  std::int64_t const* begin;
  std::int32_t* room;
  std::int64_t* count;

  ULPINE_HD void operator()(std::int64_t row) const {
    NumberSet list(room + begin[row]);
    columns.put(row, list);
    count[row] = list.finish();
  }
};

/// The same for a share of the rows, in fewer operations and for fewer threads.
template <class Columns>
struct ShareLister {
  Columns columns;
  std::int64_t const* begin;
  std::int32_t* room;
  std::int64_t* count;
  RowShares rows;
  std::int64_t numbers;  ///< how many columns there are
  std::int32_t* marks;   ///< `numbers` for each share, zeros before

  ULPINE_HD void operator()(std::int64_t share) const {
    for (auto row = rows.first(share); row < rows.first(share + 1); ++row) {
      MarkedNumbers list(room + begin[row], marks + share * numbers, static_cast<std::int32_t>(row) + 1);
      columns.put(row, list);
      count[row] = list.finish();
    }
  }
};

/// Row r of a pattern from where its columns were listed; `row_of` of its entries where that is not null.
struct ListedRowCopier {
  std::int64_t const *begin, *first;  ///< where rows begin among what is listed and in the pattern
  std::int32_t const* listed;
  std::int32_t *start, *column, *row_of;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto const count = first[row + 1] - first[row];
    for (std::int64_t k = 0; k < count; ++k) {
      column[first[row] + k] = listed[begin[row] + k];
      if (row_of != nullptr) row_of[first[row] + k] = static_cast<std::int32_t>(row);
    }
    start[row + 1] = static_cast<std::int32_t>(first[row + 1]);
  }
};

/// Counts the entries of each column.
template <class Counter>
struct ColumnCounter {
  static constexpr bool scatters = true;
  std::int32_t const* column;
  std::int32_t* entries;

  ULPINE_HD void operator()(std::int64_t e) const { Counter::fetch_increment(entries[column[e]]); }
};

/// Lists an entry's number with its column, in any order; `filled` begins with zeros.
template <class Counter>
struct ColumnFiller {
  static constexpr bool scatters = true;
  std::int32_t const *column, *start;
  std::int32_t *filled, *source;

  ULPINE_HD void operator()(std::int64_t e) const {
    auto const c = column[e];
    source[start[c] + Counter::fetch_increment(filled[c])] = static_cast<std::int32_t>(e);
  }
};

/// Row c of a transpose: the entries that it mirrors, ascending, and their rows.
struct TransposeSorter {
  std::int32_t const *start, *row_of;
  std::int32_t *source, *column;

  ULPINE_HD void operator()(std::int64_t c) const {
    sort_ascending(source + start[c], start[c + 1] - start[c]);
    for (auto k = start[c]; k < start[c + 1]; ++k) column[k] = row_of[source[k]];
  }
};

}  // namespace ulpine::linalg
