// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "core/linalg/kernels.hpp"
#include "io/error.hpp"

namespace ulpine::linalg {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

void require_pattern(CsrPattern pattern) {
  auto const refuse = [](std::int32_t row) {
    throw InputError(
        "row " + std::to_string(row) +
        " of a sparse matrix is out of order (columns ascend and lie within the matrix) sort its "
        "entries and add those of equal columns");
  };
  if (pattern.start[0] != 0) refuse(0);
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    if (pattern.start[row + 1] < pattern.start[row]) refuse(row);
    auto last = std::int32_t{-1};
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      if (pattern.column[e] <= last || pattern.column[e] >= pattern.columns) refuse(row);
      last = pattern.column[e];
    }
  }
}

Transposition transposed(CsrPattern a) {
  Transposition result{{a.rows, std::vector<std::int32_t>(at(a.columns) + 1, 0), {}}, {}};
  auto& start = result.pattern.start;
  auto const entries = at(a.entries());
  for (std::size_t e = 0; e < entries; ++e) ++start[at(a.column[e]) + 1];
  for (std::size_t c = 0; c < at(a.columns); ++c) start[c + 1] += start[c];
  result.pattern.column.resize(entries);
  result.source.resize(entries);
  auto next = start;
  for (std::int32_t row = 0; row < a.rows; ++row) {
    for (auto e = a.start[row]; e < a.start[row + 1]; ++e) {
      auto const place = at(next[at(a.column[e])]++);
      result.pattern.column[place] = row;
      result.source[place] = e;
    }
  }
  return result;
}

std::vector<std::int32_t> mirrored_entries(CsrPattern a) {
  std::vector<std::int32_t> mirror(at(a.entries()));
  for (std::int32_t row = 0; row < a.rows; ++row) {
    for (auto e = a.start[row]; e < a.start[row + 1]; ++e) {
      auto const column = a.column[e];
      auto const other = column < a.rows ? entry_of(a, column, row) : no_entry;
      if (other == no_entry) {
        throw InputError("entry (" + std::to_string(row) + ", " + std::to_string(column) +
                         ") has no mirror image (the pattern is not symmetric) use transposed()");
      }
      mirror[at(e)] = other;
    }
  }
  return mirror;
}

void require_entries_of_product(std::int64_t entries) {
  if (entries <= std::numeric_limits<std::int32_t>::max()) return;
  throw InputError(
      "a product of sparse matrices has more than 2147483647 entries (they are counted in 32 "
      "bits) use a coarser mesh");
}

HostPattern product_pattern(CsrPattern a, CsrPattern b) {
  if (a.columns != b.rows) {
    throw InputError("a matrix of " + std::to_string(a.columns) + " columns times one of " +
                     std::to_string(b.rows) + " rows (their product does not exist) swap or transpose one");
  }
  HostPattern result;
  result.columns = b.columns;
  std::vector<std::int32_t> met(at(b.columns), -1), row_columns;
  for (std::int32_t row = 0; row < a.rows; ++row) {
    row_columns.clear();
    for (auto e = a.start[row]; e < a.start[row + 1]; ++e) {
      auto const k = a.column[e];
      for (auto f = b.start[k]; f < b.start[k + 1]; ++f) {
        auto& seen = met[at(b.column[f])];
        if (seen != row) {
          seen = row;
          row_columns.push_back(b.column[f]);
        }
      }
    }
    std::sort(row_columns.begin(), row_columns.end());
    result.column.insert(result.column.end(), row_columns.begin(), row_columns.end());
    require_entries_of_product(result.entries());
    result.start.push_back(static_cast<std::int32_t>(result.entries()));
  }
  return result;
}

std::vector<std::int32_t> rows_of_entries(CsrPattern a) {
  std::vector<std::int32_t> rows(at(a.entries()));
  for (std::int32_t row = 0; row < a.rows; ++row) {
    std::fill(rows.begin() + a.start[row], rows.begin() + a.start[row + 1], row);
  }
  return rows;
}

}  // namespace ulpine::linalg
