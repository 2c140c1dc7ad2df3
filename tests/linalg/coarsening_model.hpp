// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/exec/random.hpp"
#include "core/linalg/aggregation.hpp"
#include "linalg/systems.hpp"

/// Coarsening one row after the other, as a second model of what the executors do.
namespace linalg_test {

/// What a Coarsening holds, in host memory.
struct HostCoarsening {
  std::int32_t count = 0;
  std::vector<std::int32_t> aggregate;
  HostPattern prolongation, restriction, half, coarse;
  std::vector<std::int32_t> prolongation_row, restriction_source;
};

/// Rows' neighbours and how strong they are, the columns ascending.
using Neighbours = std::vector<std::vector<std::pair<std::int32_t, double>>>;

template <class T>
Neighbours strong_neighbours(CsrPattern pattern, std::vector<T> const& value, double strength) {
  auto const size = [&](std::int32_t row, std::int32_t column) {
    auto const e = entry_of(pattern, row, column);
    return e == no_entry ? 0 : std::abs(static_cast<double>(value[static_cast<std::size_t>(e)]));
  };
  Neighbours result(static_cast<std::size_t>(pattern.rows));
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const column = pattern.column[e];
      if (column == row || entry_of(pattern, column, row) == no_entry) continue;
      auto const larger = std::max(size(row, column), size(column, row));
      if (larger > strength * std::sqrt(size(row, row) * size(column, column))) {
        result[static_cast<std::size_t>(row)].emplace_back(column, larger);
      }
    }
  }
  return result;
}

/// Roots are taken greedily in the order of priorities.
inline std::vector<std::int32_t> greedy_aggregates(Neighbours const& near, std::uint64_t seed,
                                                   std::int32_t& count) {
  auto const at = [](std::int32_t row) { return static_cast<std::size_t>(row); };
  std::vector<std::pair<double, std::int32_t>> order;
  for (std::size_t row = 0; row < near.size(); ++row) {
    if (near[row].empty()) continue;
    auto const index = static_cast<std::int32_t>(row);
    order.emplace_back(uniform_symmetric(seed, 0, name_key("aggregate"), index), index);
  }
  std::sort(order.begin(), order.end());
  std::vector<char> taken(near.size(), 0);
  std::vector<std::int32_t> roots, ring(near.size(), -1);
  for (auto const& [priority, row] : order) {
    if (taken[at(row)] != 0) continue;
    roots.push_back(row);
    for (auto const& [first, size] : near[at(row)]) {
      taken[at(first)] = 1;
      for (auto const& [second, further] : near[at(first)]) taken[at(second)] = 1;
    }
  }
  std::sort(roots.begin(), roots.end());
  count = 0;
  for (auto const root : roots) {
    ring[at(root)] = count;
    for (auto const& [row, size] : near[at(root)]) ring[at(row)] = count;
    ++count;
  }
  auto aggregate = ring;
  for (std::size_t row = 0; row < near.size(); ++row) {
    if (ring[row] >= 0) continue;
    double strongest = -1;
    for (auto const& [other, size] : near[row]) {
      if (ring[at(other)] >= 0 && size > strongest) strongest = size, aggregate[row] = ring[at(other)];
    }
  }
  return aggregate;
}

template <class T>
HostCoarsening greedy_coarsening(Matrix<T> const& a, double strength, std::uint64_t seed) {
  auto const pattern = a.pattern.view();
  HostCoarsening result;
  result.aggregate = greedy_aggregates(strong_neighbours(pattern, a.value, strength), seed, result.count);
  Entries met(pattern.rows, result.count);
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    auto const own = result.aggregate[static_cast<std::size_t>(row)];
    if (own < 0) continue;
    met.add(row, own, 1);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const other = result.aggregate[static_cast<std::size_t>(pattern.column[e])];
      if (other >= 0) met.add(row, other, 1);
    }
  }
  result.prolongation = met.matrix().pattern;
  result.prolongation_row = rows_of_entries(result.prolongation.view());
  auto transposition = transposed(result.prolongation.view());
  result.restriction = std::move(transposition.pattern);
  result.restriction_source = std::move(transposition.source);
  result.half = product_pattern(pattern, result.prolongation.view());
  result.coarse = product_pattern(result.restriction.view(), result.half.view());
  return result;
}

/// A pattern in an executor's memory; the lanes are to be those of its size.
template <class Executor>
HostPattern fetched(Executor executor, SparsePattern<Executor> const& pattern) {
  HostPattern result;
  result.columns = pattern.columns();
  auto const rows = std::int64_t{pattern.rows()};
  result.start.resize(static_cast<std::size_t>(rows + 1));
  result.column.resize(static_cast<std::size_t>(pattern.entries()));
  auto const view = pattern.view();
  detail::to_host(executor, result.start.data(), view.start, 4 * (rows + 1));
  detail::to_host(executor, result.column.data(), view.column, 4 * pattern.entries());
  EXPECT_EQ(view.lanes, result.view().lanes);
  return result;
}

template <class T, class Executor>
HostCoarsening coarsening_on(Executor executor, Matrix<T> const& a, double strength, std::uint64_t seed) {
  Placed<T, Executor> const matrix(executor, a);
  auto const view = matrix.view();
  auto const made = coarsened(executor, view.pattern, aggregated(executor, view, strength, seed));
  return {made.aggregates.count,
          fetched(made.aggregates.of_row),
          fetched(executor, made.prolongation),
          fetched(executor, made.restriction),
          fetched(executor, made.half),
          fetched(executor, made.coarse),
          fetched(made.prolongation_row),
          fetched(made.restriction_source)};
}

inline void expect_same(HostPattern const& found, HostPattern const& expected) {
  EXPECT_EQ(found.columns, expected.columns);
  EXPECT_EQ(found.start, expected.start);
  EXPECT_EQ(found.column, expected.column);
}

inline void expect_same(HostCoarsening const& found, HostCoarsening const& expected) {
  EXPECT_EQ(found.count, expected.count);
  EXPECT_EQ(found.aggregate, expected.aggregate);
  expect_same(found.prolongation, expected.prolongation);
  expect_same(found.restriction, expected.restriction);
  expect_same(found.half, expected.half);
  expect_same(found.coarse, expected.coarse);
  EXPECT_EQ(found.prolongation_row, expected.prolongation_row);
  EXPECT_EQ(found.restriction_source, expected.restriction_source);
}

/// Adds a symmetric pair of entries.
inline void tie(Entries& entries, std::int32_t i, std::int32_t j, double value) {
  entries.add(i, j, value), entries.add(j, i, value);
}

/// `leaves` rows around row 0, each tied to it alone, and one row alone.
inline Matrix<> star(std::int32_t leaves) {
  Entries entries(leaves + 2, leaves + 2);
  for (std::int32_t i = 0; i < leaves + 2; ++i) entries.add(i, i, 1);
  for (std::int32_t i = 1; i <= leaves; ++i) tie(entries, 0, i, 0.5);
  return entries.matrix();
}

/// Pairs of rows, each a component of its own, all tied weakly to row 0, whose row meets every aggregate.
inline Matrix<> weak_star(std::int32_t pairs) {
  auto const rows = 2 * pairs + 1;
  Entries entries(rows, rows);
  for (std::int32_t i = 0; i < rows; ++i) entries.add(i, i, 1);
  for (std::int32_t i = 1; i < rows; i += 2) {
    tie(entries, i, i + 1, 0.5), tie(entries, 0, i, 0x1p-20), tie(entries, 0, i + 1, 0x1p-20);
  }
  tie(entries, 0, 1, 0.5);
  return entries.matrix();
}

/// Chains in the order of their numbers, rows without entries and rows without a diagonal between them.
inline Matrix<> broken_chains(std::int32_t rows) {
  Entries entries(rows, rows);
  for (std::int32_t i = 0; i + 1 < rows; ++i) {
    if (i % 11 == 5) continue;
    if (i % 7 != 0) entries.add(i, i, 1);
    if (i % 11 != 4) tie(entries, i, i + 1, i % 3 == 0 ? 0.25 : -0.5);
  }
  return entries.matrix();
}

/// A definite matrix whose entries (i, j) and (j, i) differ, so that either may be the strong one.
inline Matrix<> lopsided(std::int32_t rows) {
  auto matrix = random_definite(rows, 5);
  test::RandomValues random(6);
  for (auto& value : matrix.value) value *= random.between(0.01, 1);
  return matrix;
}

/// Matrices that are awkward to coarsen, the last ones large enough to be coarsened several times.
inline std::vector<Matrix<>> awkward_matrices() {
  return {Entries(0, 0).matrix(),
          Entries(5, 5).matrix(),
          star(1),
          star(3000),
          weak_star(600),
          broken_chains(501),
          random_dominant(400, 5),
          lopsided(801),
          poisson(1000),
          graph_laplacian(60, 2),
          random_definite(2003, 7),
          poisson(31, 30, 1),
          poisson(21, 14, 9, 0.25),
          poisson(4, 4, 400, 0.01)};
}

/// Whether a coarser level follows; none that is nearly dense.
inline bool goes_on(Matrix<> const& a, HostCoarsening const& coarsening) {
  return coarsening.count > 0 && 5 * coarsening.count <= 4 * a.rows() &&
         coarsening.coarse.entries() <= std::int64_t{64} * coarsening.count;
}

/// The matrix of the coarser level by Galerkin's product of plain aggregation, for a pattern that was made.
inline Matrix<> coarser(Matrix<> const& a, HostCoarsening const& coarsening) {
  Matrix<> result{coarsening.coarse, std::vector<double>(coarsening.coarse.column.size(), 0)};
  auto const pattern = a.pattern.view();
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    auto const i = coarsening.aggregate[static_cast<std::size_t>(row)];
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const j = coarsening.aggregate[static_cast<std::size_t>(pattern.column[e])];
      if (i < 0 || j < 0) continue;
      auto const place = entry_of(result.pattern.view(), i, j);
      result.value[static_cast<std::size_t>(place)] += a.value[static_cast<std::size_t>(e)];
    }
  }
  return result;
}

}  // namespace linalg_test
