// SPDX-License-Identifier: Apache-2.0
// The lists of the ways of assembly against those of sets and sorted vectors.
#include "core/fem/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/fem/plan_kernels.hpp"
#include "io/error.hpp"
#include "tests/fem/plan_bits.hpp"
#include "tests/fem/tetra_support.hpp"
#include "tests/support/random_values.hpp"

namespace ulpine::fem {
namespace {

using test::plan_bits;
using test::PlanBits;
using test::TetraBox;

/// Of a box the nodes and elements in any order: patches then have little in common.
TetraBox shuffled(TetraBox box) {
  test::RandomValues random(9);
  auto const permutation = [&](std::int32_t size) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    return order;
  };
  auto const node = permutation(box.nodes()), place = permutation(box.elements());
  auto const before = box.element;
  for (std::size_t k = 0; k < before.size(); ++k) box.element[4 * place[k / 4] + k % 4] = node[before[k]];
  box.connect();
  return box;
}

std::vector<TetraBox> const& boxes() {
  static auto const list = [] {
    std::vector<TetraBox> made;
    made.push_back(test::kuhn_box(1, 1, 1, {1, 1, 1}, 0));
    made.push_back(test::kuhn_box(5, 4, 3, {1, 1, 1}, 0));
    made.push_back(shuffled(test::kuhn_box(7, 3, 5, {1, 1, 1}, 0)));
    made.push_back(test::kuhn_box(17, 16, 15, {1, 1, 1}, 0));  // more than 64^2 nodes
    return made;
  }();
  return list;
}

/// Elements that all have node 0; of the others, 1 to 240, they share three or none.
TetraBox star(std::int32_t elements) {
  TetraBox box;
  box.position.resize(3 * 241);
  for (std::int32_t e = 0; e < elements; ++e) {
    auto const other = 1 + 3 * (e % 80);
    box.element.insert(box.element.end(), {0, other, other + 1, other + 2});
  }
  box.connect();
  return box;
}

/// The contributions of each entry.
std::vector<std::vector<std::int32_t>> contributions(TetraBox const& box) {
  std::vector<std::vector<std::int32_t>> lists(box.column.size());
  for (std::size_t k = 0; k < box.place.size(); ++k) {
    lists[static_cast<std::size_t>(box.place[k])].push_back(static_cast<std::int32_t>(k));
  }
  return lists;
}

void append(PlanBits& bits, std::vector<std::int32_t> const& list) {
  bits.contribution.insert(bits.contribution.end(), list.begin(), list.end());
  bits.entry_start.push_back(static_cast<std::int32_t>(bits.contribution.size()));
}

/// Every sixteenth place is left out.
std::int32_t place_in_room(std::size_t visit) {
  return static_cast<std::int32_t>(visit / 16 * 17 + visit % 16);
}

PlanBits patches_by_sets(TetraBox const& box, std::int32_t rows) {
  auto const lists = contributions(box);
  PlanBits bits;
  bits.start = bits.node_start = bits.entry_start = bits.visit_of_patch = bits.entry_of_patch = {0};
  for (std::int32_t first = 0; first < box.nodes(); first += rows) {
    auto const last = std::min(first + rows, box.nodes());
    std::set<std::int32_t> elements, others;
    std::vector<std::int32_t> visits;  // 4 e + i, in the order of the rows
    for (auto v = box.visit_start[first]; v < box.visit_start[last]; ++v) {
      visits.push_back(4 * box.visit[v].element() + box.visit[v].local());
      elements.insert(box.visit[v].element());
    }
    auto const is_own = [&](std::int32_t n) { return n >= first && n < last; };
    for (auto const e : elements) {
      for (int i = 0; i < 4; ++i) {
        if (!is_own(box.element[4 * e + i])) others.insert(box.element[4 * e + i]);
      }
    }
    auto const place = [&](std::int32_t visit) {
      return place_in_room(
          static_cast<std::size_t>(std::find(visits.begin(), visits.end(), visit) - visits.begin()));
    };
    // By own corners, in the order of a reflected Gray code.
    std::vector<std::int32_t> in_order;
    for (int const corners : {0b0000, 0b0001, 0b0011, 0b0010, 0b0110, 0b0111, 0b0101, 0b0100, 0b1100, 0b1101,
                              0b1111, 0b1110, 0b1010, 0b1011, 0b1001, 0b1000}) {
      std::copy_if(elements.begin(), elements.end(), std::back_inserter(in_order), [&](auto const e) {
        int owned = 0;
        for (int i = 0; i < 4; ++i) owned += is_own(box.element[4 * e + i]) ? 1 << i : 0;
        return owned == corners;
      });
    }
    for (auto const e : in_order) {
      for (int i = 0; i < 4; ++i) {
        auto const n = box.element[4 * e + i];
        auto const other = static_cast<std::int32_t>(std::distance(others.begin(), others.find(n)));
        bits.name.push_back(is_own(n) ? n - first : last - first + other);
      }
      for (int i = 0; i < 4; ++i) {
        bits.name.push_back(is_own(box.element[4 * e + i]) ? place(4 * e + i) : 0xffff);
      }
    }
    for (auto entry = box.row_start[first]; entry < box.row_start[last]; ++entry) {
      std::vector<std::int32_t> list;
      for (auto const k : lists[static_cast<std::size_t>(entry)]) {
        auto const i = k / 4 % 4, j = k % 4;
        if (i != j) list.push_back(4 * place(k / 4) + (j + 4 - i) % 4);
      }
      append(bits, list);
    }
    bits.visit_of_patch.push_back(box.visit_start[last]), bits.entry_of_patch.push_back(box.row_start[last]);
    bits.start.push_back(bits.start.back() + static_cast<std::int32_t>(elements.size()));
    bits.node.insert(bits.node.end(), others.begin(), others.end());
    bits.node_start.push_back(static_cast<std::int32_t>(bits.node.size()));
    bits.most_places = std::max(bits.most_places, place_in_room(visits.size()));
    for (auto r = first; r < last; ++r) {
      bits.diagonal.push_back(static_cast<std::int32_t>(
          std::find(&box.column[box.row_start[r]], box.column.data() + box.column.size(), r) -
          box.column.data()));
    }
    bits.most_entries = std::max(bits.most_entries, box.row_start[last] - box.row_start[first]);
    bits.most_nodes = std::max(bits.most_nodes, rows + static_cast<std::int32_t>(others.size()));
  }
  return bits;
}

TEST(PatchLists, AreThoseOfSets) {
  for (auto const& box : boxes()) {
    for (std::int32_t const rows : {1, 7, 48, 200}) {
      EXPECT_TRUE(plan_bits(Host{}, box.view(), Way::patches, rows) == patches_by_sets(box, rows))
          << box.nodes() << " nodes, " << rows << " rows a patch";
    }
  }
}

TEST(PatchLists, OfWaysThatIntegrateBeforeHaveNoElements) {
  for (auto const& box : boxes()) {
    for (std::int32_t const rows : {1, 12}) {
      auto expected = patches_by_sets(box, rows);
      expected.start = expected.name = expected.node_start = expected.node = {};
      expected.most_nodes = 0;

      EXPECT_TRUE(plan_bits(Host{}, box.view(), Way::visits, rows) == expected)
          << box.nodes() << ", " << rows;
    }
  }
}

TEST(PatchLists, RefuseVisitsThatTheyCannotName) {
  // 16384 places are 15420 visits: of 3855 elements, all in one patch.
  auto box = star(255);
  auto const with = [&](std::int32_t elements) {
    box.element.resize(4 * static_cast<std::size_t>(elements));
    for (std::int32_t e = 255; e < elements; ++e) {
      for (std::int32_t i = 0; i < 4; ++i) box.element[4 * e + i] = (e + 60 * i) % 240 + 1;
    }
    box.connect();
    return Plan<Host>(Host{}, box.view(), Way::visits, 1000).patches().most_places;
  };
  EXPECT_EQ(with(3855), 16383);
  EXPECT_THROW(with(3856), InputError);
}

TEST(PlansOfAssembly, DoNotDependOnThreads) {
  for (auto const& box : boxes()) {
    for (auto const way : {Way::visits, Way::patches}) {
      auto const expected = plan_bits(Host{1}, box.view(), way, 20);
      for (int const threads : {2, 3, 7}) {
        EXPECT_TRUE(plan_bits(Host{threads}, box.view(), way, 20) == expected) << name_of(way);
      }
    }
  }
}

TEST(PlansOfAssembly, RefuseContributionsThatPass32Bits) {
  auto const box = test::kuhn_box(1, 1, 1, {1, 1, 1}, 0);
  auto view = box.view();
  view.elements = 1 << 27;
  EXPECT_THROW(Plan<Host>(Host{}, view, Way::visits), InputError);
  EXPECT_THROW(Plan<Host>(Host{}, view, Way::patches), InputError);
}

TEST(PlansOfAssembly, NameEveryWay) {
  std::set<std::string> names;
  for (auto const way : every_way) names.insert(name_of(way));
  EXPECT_EQ(names.size(), std::size(every_way));
}

}  // namespace
}  // namespace ulpine::fem
