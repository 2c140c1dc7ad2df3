// SPDX-License-Identifier: Apache-2.0
// The arithmetic of layouts against plain nested loops.
#include "core/field/layout.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "core/field/grid_view.hpp"
#include "field/layouts.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::test;

void expect_as_laid_out(LaidOut const& wanted) {
  auto const& layout = wanted.layout;
  ASSERT_EQ(layout.count(), static_cast<std::int64_t>(wanted.memory.size()));
  std::set<std::int64_t> taken;
  for (std::int64_t n = 0; n < layout.count(); ++n) {
    auto const at = static_cast<std::size_t>(n);
    ASSERT_EQ(layout.memory_index(n), wanted.memory[at]) << n;
    ASSERT_EQ(layout.dense_index(n), wanted.dense[at]) << n;
    ASSERT_EQ(layout.memory_index(layout.point(n)), wanted.memory[at]) << n;
    ASSERT_EQ(layout.dense_index(layout.point(n)), wanted.dense[at]) << n;
    ASSERT_EQ(layout.owned(wanted.dense[at]), n);
    ASSERT_GE(wanted.memory[at], 0);
    ASSERT_LT(wanted.memory[at], layout.allocated());
    ASSERT_TRUE(taken.insert(wanted.memory[at]).second) << "two points in one place";
  }
  std::set<std::int64_t> const owned(wanted.dense.begin(), wanted.dense.end());
  for (std::int64_t dense = 0; dense < layout.global_count(); ++dense) {
    if (!owned.contains(dense)) {
      ASSERT_EQ(layout.owned(dense), -1) << dense;
    }
  }
  EXPECT_EQ(layout.whole(), layout.count() == layout.global_count());
  bool in_a_row = true;
  for (std::size_t n = 0; n < wanted.memory.size(); ++n) {
    in_a_row = in_a_row && wanted.memory[n] == wanted.memory[0] + static_cast<std::int64_t>(n);
  }
  if (layout.contiguous()) {
    EXPECT_TRUE(in_a_row);
  }
  if (wanted.positions->empty()) {
    EXPECT_EQ(layout.contiguous(), in_a_row);
  }
}

TEST(Layout, OfAnyAxesOrderHaloPaddingAndPartIsThatOfNestedLoops) {
  RandomValues random(1);
  for (int trial = 0; trial < 4000; ++trial) {
    auto const plan = random_plan(random, 1 + random.below(4), trial % 2 == 1);
    expect_as_laid_out(LaidOut(plan.elsewhere(random, trial % 3 == 0)));
    expect_as_laid_out(LaidOut(plan));
    ASSERT_FALSE(HasFailure()) << "trial " << trial;
  }
}

TEST(Layout, OfDenseFieldsCountsRowMajor) {
  auto const two = Layout::dense(3, 5), three = Layout::dense(2, 3, 5);
  EXPECT_EQ(two.rank(), 2);
  EXPECT_EQ(three.rank(), 3);
  EXPECT_EQ(two.axis(0).extent, 3);
  EXPECT_EQ(three.axis(0).extent, 2);
  EXPECT_EQ(three.axis(2).extent, 5);
  for (auto const& layout : {two, three, Layout::entities(15)}) {
    EXPECT_TRUE(layout.contiguous());
    EXPECT_TRUE(layout.whole());
    EXPECT_EQ(layout.count(), layout.allocated());
    for (std::int64_t n = 0; n < layout.count(); ++n) {
      EXPECT_EQ(layout.memory_index(n), n);
      EXPECT_EQ(layout.dense_index(n), n);
    }
  }
  auto const point = three.point((1 * 3 + 2) * 5 + 4);
  EXPECT_EQ(point.at[0], 0);
  EXPECT_EQ(point.at[1], 1);
  EXPECT_EQ(point.at[2], 2);
  EXPECT_EQ(point.at[3], 4);
}

TEST(Layout, WithoutPointsHasNone) {
  for (auto const& layout : {Layout::entities(0), Layout::dense(0, 7), Layout::dense(3, 0, 2)}) {
    EXPECT_EQ(layout.count(), 0);
    EXPECT_EQ(layout.global_count(), 0);
    EXPECT_TRUE(layout.whole());
  }
}

// 32-bit divisions serve up to 2^32 points, 64-bit ones beyond; both must count alike. No memory is needed.
TEST(Layout, CountsBeyondThirtyTwoBits) {
  for (std::int64_t const rows : {std::int64_t{1} << 18, std::int64_t{1} << 20}) {
    std::int64_t const columns = 4095, planes = 3, row = columns + 2, plane = row * (rows + 2);
    Layout const layout({{planes, plane, planes}, {rows, row, rows}, {columns, 1, columns}}, row + 1,
                        planes * plane);
    RandomValues random(3);
    std::vector<std::int64_t> numbers = {0, layout.count() - 1, layout.count() / 2,
                                         0xffffffff % layout.count()};
    for (int k = 0; k < 100; ++k) {
      numbers.push_back(static_cast<std::int64_t>(random.uniform() * static_cast<double>(layout.count())));
    }
    for (auto const n : numbers) {
      auto const i = n % columns, j = n / columns % rows, k = n / columns / rows;
      EXPECT_EQ(layout.memory_index(n), row + 1 + k * plane + j * row + i) << n;
      EXPECT_EQ(layout.dense_index(layout.point(n)), n);
      EXPECT_EQ(layout.owned(n), n);
    }
  }
}

TEST(Layout, WithHaloKeepsPointsApartAndItsHaloInMemory) {
  RandomValues random(4);
  for (int trial = 0; trial < 200; ++trial) {
    auto const draw = [&](std::int64_t least, std::size_t choices) {
      return least + static_cast<std::int64_t>(random.below(choices));
    };
    auto const nz = draw(1, 4), ny = draw(1, 5), nx = draw(1, 6), halo = draw(0, 3), multiple = draw(1, 9);
    auto const layout = Layout::with_halo(nz, ny, nx, halo, multiple);
    EXPECT_EQ(layout.count(), nz * ny * nx);
    EXPECT_TRUE(layout.whole());
    EXPECT_EQ(layout.axis(1).stride % multiple, 0);
    std::vector<int> visits(static_cast<std::size_t>(layout.allocated()));
    auto const grid = grid_view(View<int>(visits.data(), layout.allocated()), layout);
    for (std::int64_t k = -halo; k < nz + halo; ++k) {
      for (std::int64_t j = -halo; j < ny + halo; ++j) {
        for (std::int64_t i = -halo; i < nx + halo; ++i) {
          auto* const value = &grid(k, j, i);
          ASSERT_GE(value - visits.data(), 0);
          ASSERT_LT(value - visits.data(), layout.allocated());
          ASSERT_EQ(++*value, 1) << "two points in one place";
          if (k >= 0 && k < nz && j >= 0 && j < ny && i >= 0 && i < nx) {
            ASSERT_EQ(layout.memory_index((k * ny + j) * nx + i), value - visits.data());
          }
        }
      }
    }
  }
}

TEST(GridView, OfFewerAxesTakesTheLast) {
  std::vector<int> values(15);
  for (int n = 0; n < 15; ++n) values[static_cast<std::size_t>(n)] = n;
  View<int const> const view(values.data(), 15);
  EXPECT_EQ(grid_view(view, Layout::dense(3, 5))(2, 4), 14);
  EXPECT_EQ(grid_view(view, Layout::dense(3, 5))(0, 1, 2), 7);
  EXPECT_EQ(grid_view(view, Layout::entities(15))(0, 11), 11);
}

TEST(GridView, IsRefusedWhereIndicesDoNotSay) {
  std::vector<int> values(16);
  std::vector<std::int64_t> const order = {1, 0, 2, 3};
  View<int> const view(values.data(), 16);
  EXPECT_THROW(grid_view(view, Layout::entities(4).with_positions(order.data())), std::logic_error);
  EXPECT_THROW(grid_view(view, Layout({{2, 8, 2}, {2, 4, 2}, {2, 2, 2}, {2, 1, 2}}, 0, 16)),
               std::logic_error);
}

}  // namespace
