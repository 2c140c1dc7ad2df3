// SPDX-License-Identifier: Apache-2.0
#include "core/field/values.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/exec/reduce.hpp"
#include "core/field/operations.hpp"

namespace {

using namespace ulpine;

std::int64_t const positions[] = {4, 0, 3, 1, 2};

std::vector<Layout> layouts() {
  return {Layout(),
          Layout::dense(3, 4),
          Layout::dense(2, 3, 4),
          Layout::entities(5),
          Layout::entities(5).with_positions(positions),
          Layout({{2, 100, 2}, {3, 30, 3}, {4, 7, 4}, {5, 1, 5}}, 11, 400),
          Layout({{2, 40, 30, 5}, {5, 2, 5, 0}}, 7, 100).with_positions(positions),
          Layout({{3, 6, 3}, {4, 1, 4}}, 8, 40),
          Layout::dense(0, 4)};
}

TEST(PointsOf, LieWhereTheLayoutHasThem) {
  for (auto const& layout : layouts()) {
    auto const points = points_of(layout);
    EXPECT_EQ(points.count(), layout.count());
    EXPECT_EQ(points.contiguous(), layout.contiguous());
    for (std::int64_t i = 0; i < points.count(); ++i) {
      ASSERT_EQ(points.at(i), layout.memory_index(i));
      for (std::int64_t k = 0; k < points.run(i); ++k)
        ASSERT_EQ(points.at(i) + k, layout.memory_index(i + k));
    }
  }
}

TEST(PointsOf, CountBeyond32Bits) {
  auto const points = points_of(Layout({{1 << 20, 5000, 1 << 20}, {1, 4999, 1}, {4100, 1, 4100}}, 17, 1));
  std::int64_t const row = (1 << 20) - 1;
  EXPECT_EQ(points.at(row * 4100 + 4099), 17 + row * 5000 + 4099);
}

TEST(ReducerOfFields, LeavesHaloAndPaddingOut) {
  for (auto const& layout : layouts()) {
    if (layout.rank() == 0) continue;
    Host const host{2};
    FieldOf<float, Host> field(host, {.name = "x"}, layout);
    std::vector<float> memory(static_cast<std::size_t>(layout.allocated()),
                              std::numeric_limits<float>::quiet_NaN());
    double expected = 0;
    for (std::int64_t i = 0; i < layout.count(); ++i) {
      memory[static_cast<std::size_t>(layout.memory_index(i))] = static_cast<float>(i + 1);
      expected += static_cast<double>(i + 1);
    }
    field.from_host(memory.data());
    Reducer<Host> const reducer(host);
    Scalar<double, Host> sum(host);
    Scalar<float, Host> largest(host);
    reducer.sum_to(field, sum);
    reducer.max_to(field, largest);
    EXPECT_EQ(sum.value(), expected);
    if (layout.count() > 0) {
      EXPECT_EQ(largest.value(), static_cast<float>(layout.count()));
    }
    EXPECT_EQ(reducer.dot(field, field).to_double(), weighted_sum(field.raw(), field.raw()).to_double());
  }
}

}  // namespace
