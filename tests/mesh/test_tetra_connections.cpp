// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/tetra_connections.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "core/linalg/pattern.hpp"
#include "core/mesh/tetra_box.hpp"
#include "io/error.hpp"
#include "tests/mesh/connectivity_bits.hpp"

namespace ulpine {
namespace {

std::vector<TetraMesh> meshes() {
  std::vector<TetraMesh> list;
  for (auto const& box : {BoxMesh{}, BoxMesh{9, 7, 5, {1, 2, 3}, 1.5, 0.1}, BoxMesh{20, 1, 3}}) {
    list.push_back(box_mesh(box));
    list.push_back(list.back());
    renumber(list.back());
  }
  return list;
}

TetraConnections<Host> connect(TetraMesh const& mesh, int threads = 1) {
  return build_connectivity(
      Host{threads}, {mesh.element.data(), static_cast<std::int64_t>(mesh.element.size())}, mesh.nodes());
}

TEST(TetraConnections, AreThoseOfSets) {
  for (auto const& mesh : meshes()) {
    auto const connections = connect(mesh);
    auto const view = connections.view();
    std::vector<std::set<std::int32_t>> row(static_cast<std::size_t>(mesh.nodes()));
    std::vector<std::set<std::uint32_t>> visits(row.size());
    for (std::size_t k = 0; k < mesh.element.size(); ++k) {
      auto const node = static_cast<std::size_t>(mesh.element[k]);
      visits[node].insert(static_cast<std::uint32_t>(k));
      for (std::size_t j = 0; j < 4; ++j) row[node].insert(mesh.element[k / 4 * 4 + j]);
    }
    std::vector<std::int32_t> columns;
    std::vector<std::uint32_t> packed;
    for (std::size_t n = 0; n < row.size(); ++n) {
      EXPECT_EQ(view.pattern.start[n], static_cast<std::int32_t>(columns.size()));
      EXPECT_EQ(view.visit_start[n], static_cast<std::int32_t>(packed.size()));
      columns.insert(columns.end(), row[n].begin(), row[n].end());
      packed.insert(packed.end(), visits[n].begin(), visits[n].end());
    }
    ASSERT_EQ(view.pattern.entries(), static_cast<std::int32_t>(columns.size()));
    EXPECT_EQ(std::vector<std::int32_t>(view.pattern.column, view.pattern.column + columns.size()), columns);
    ASSERT_EQ(view.visit_start[mesh.nodes()], static_cast<std::int32_t>(packed.size()));
    for (std::size_t k = 0; k < packed.size(); ++k) EXPECT_EQ(view.visit[k].packed, packed[k]);
  }
}

TEST(TetraConnections, PlacesLeadToTheColumnsOfTheirNodes) {
  for (auto const& mesh : meshes()) {
    auto const connections = connect(mesh);
    auto const view = connections.view();
    for (std::int32_t n = 0; n < view.nodes; ++n) {
      for (auto k = view.visit_start[n]; k < view.visit_start[n + 1]; ++k) {
        auto const visit = view.visit[k];
        ASSERT_EQ(view.element[4 * visit.element() + visit.local()], n);
        for (int j = 0; j < 4; ++j) {
          auto const other = view.element[4 * visit.element() + j];
          auto const entry = view.pattern.start[n] + static_cast<std::int32_t>(view.slot[k] >> 8 * j & 255U);
          EXPECT_EQ(view.pattern.column[entry], other);
          EXPECT_EQ(view.position[16 * visit.element() + 4 * visit.local() + j], entry);
        }
      }
    }
  }
}

TEST(TetraConnections, EntriesObeyEulersFormula) {
  for (auto const& mesh : meshes()) {
    EXPECT_EQ(connect(mesh).view().pattern.entries(),
              3 * mesh.nodes() + 2 * mesh.elements() + mesh.faces() - 2);
  }
}

TEST(TetraConnections, DoNotDependOnThreads) {
  for (auto const& mesh : meshes()) {
    auto const expected = test::connectivity_bits(Host{1}, mesh.element, mesh.nodes());
    for (int const threads : {2, 3, 7}) {
      EXPECT_EQ(test::connectivity_bits(Host{threads}, mesh.element, mesh.nodes()), expected);
    }
  }
}

TEST(TetraConnections, SecondOrderIsThePatternOfTheSquare) {
  for (auto const& mesh : meshes()) {
    auto const connections = connect(mesh);
    auto const first = connections.view().pattern;
    auto const second = second_order_pattern(Host{}, first);
    auto const expected = linalg::product_pattern(first, first);
    auto const view = second.view();
    EXPECT_EQ(std::vector<std::int32_t>(view.start, view.start + view.rows + 1), expected.start);
    EXPECT_EQ(std::vector<std::int32_t>(view.column, view.column + view.entries()), expected.column);
  }
}

/// Elements that share an edge, and beside it have two nodes each of their own.
std::vector<std::int32_t> fan(std::int32_t elements) {
  std::vector<std::int32_t> element;
  for (std::int32_t e = 0; e < elements; ++e) element.insert(element.end(), {0, 1, 2 + 2 * e, 3 + 2 * e});
  return element;
}

TEST(TetraConnections, RowsOf256EntriesAreHeldAndLongerOnesRefused) {
  auto const full = fan(127);  // 2 + 2 * 127 entries
  auto const bits = test::connectivity_bits(Host{}, full, 256);
  EXPECT_EQ(bits[5][1], 256);
  EXPECT_EQ(bits[3][126], static_cast<std::int32_t>(0xfffe0100U));
  auto const longer = fan(128);
  EXPECT_THROW(build_connectivity(Host{}, {longer.data(), 512}, 258), InputError);
}

}  // namespace
}  // namespace ulpine
