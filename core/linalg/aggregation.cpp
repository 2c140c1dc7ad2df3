// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/exec/random.hpp"
#include "core/linalg/kernels.hpp"

namespace ulpine::linalg {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The pattern of strong neighbours and how strong they are.
struct Neighbours {
  std::vector<std::int32_t> start{0}, other;
  std::vector<double> strength;

  template <class Visit>
  void visit(std::int32_t row, Visit const& visit) const {
    for (auto e = start[at(row)]; e < start[at(row) + 1]; ++e) visit(other[at(e)], strength[at(e)]);
  }
};

Neighbours strong_neighbours(CsrPattern pattern, double const* value, double strength) {
  std::vector<double> diagonal(at(pattern.rows), 0);
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    auto const e = entry_of(pattern, row, row);
    if (e != no_entry) diagonal[at(row)] = std::abs(value[e]);
  }
  Neighbours result;
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const column = pattern.column[e];
      if (column == row) continue;
      auto const mirror = entry_of(pattern, column, row);
      auto const size = std::max(std::abs(value[e]), mirror == no_entry ? 0 : std::abs(value[mirror]));
      if (size > strength * std::sqrt(diagonal[at(row)] * diagonal[at(column)])) {
        result.other.push_back(column);
        result.strength.push_back(size);
      }
    }
    result.start.push_back(static_cast<std::int32_t>(result.other.size()));
  }
  return result;
}

}  // namespace

Aggregates aggregated(CsrPattern pattern, double const* value, double strength, std::uint64_t seed) {
  auto const neighbours = strong_neighbours(pattern, value, strength);
  std::vector<std::pair<double, std::int32_t>> order;
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    if (neighbours.start[at(row)] != neighbours.start[at(row) + 1]) {
      order.emplace_back(uniform_symmetric(seed, 0, name_key("aggregate"), row), row);
    }
  }
  std::sort(order.begin(), order.end());

  Aggregates result;
  auto& aggregate = result.of_row;
  aggregate.assign(at(pattern.rows), -1);
  // Rows within two steps of a root are none.
  std::vector<char> near(at(pattern.rows), 0);
  std::vector<std::int32_t> roots;
  for (auto const& [priority, row] : order) {
    if (near[at(row)] != 0) continue;
    roots.push_back(row);
    near[at(row)] = 1;
    neighbours.visit(row, [&](std::int32_t first, double) {
      near[at(first)] = 1;
      neighbours.visit(first, [&](std::int32_t second, double) { near[at(second)] = 1; });
    });
  }
  // Numbers ascend with the roots': what is near stays near.
  std::sort(roots.begin(), roots.end());
  for (auto const root : roots) {
    auto const number = result.count++;
    aggregate[at(root)] = number;
    neighbours.visit(root, [&](std::int32_t row, double) { aggregate[at(row)] = number; });
  }
  auto const first_ring = aggregate;
  for (auto const& [priority, row] : order) {
    if (aggregate[at(row)] >= 0) continue;
    double strongest = -1;
    neighbours.visit(row, [&, row = row](std::int32_t other, double size) {
      if (first_ring[at(other)] >= 0 && size > strongest) {
        strongest = size;
        aggregate[at(row)] = first_ring[at(other)];
      }
    });
  }
  return result;
}

Coarsening coarsened(CsrPattern pattern, double const* value, double strength, std::uint64_t seed) {
  Coarsening result;
  result.aggregates = aggregated(pattern, value, strength, seed);
  auto const& aggregate = result.aggregates.of_row;
  auto& prolongation = result.prolongation;
  prolongation.columns = result.aggregates.count;
  std::vector<std::int32_t> met;
  for (std::int32_t row = 0; row < pattern.rows; ++row) {
    met.clear();
    if (aggregate[at(row)] >= 0) {
      met.push_back(aggregate[at(row)]);
      for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
        if (aggregate[at(pattern.column[e])] >= 0) met.push_back(aggregate[at(pattern.column[e])]);
      }
    }
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    prolongation.column.insert(prolongation.column.end(), met.begin(), met.end());
    prolongation.start.push_back(static_cast<std::int32_t>(prolongation.entries()));
  }
  result.restriction = transposed(prolongation.view());
  result.half = product_pattern(pattern, prolongation.view());
  result.coarse = product_pattern(result.restriction.pattern.view(), result.half.view());
  return result;
}

}  // namespace ulpine::linalg
