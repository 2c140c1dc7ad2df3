// SPDX-License-Identifier: Apache-2.0
#include "io/slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ulpine::io {
namespace {

using Shape = std::vector<std::int64_t>;

Shape random_shape(std::mt19937_64& random) {
  Shape shape(random() % 5);
  for (auto& extent : shape) extent = 1 + static_cast<std::int64_t>(random() % 9);
  return shape;
}

/// Row-major numbers of the values of a box, in the box's own order.
std::vector<std::int64_t> values_of(Hyperslab const& box, Shape const& shape) {
  std::vector<std::int64_t> numbers{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> inner;
    for (auto const number : numbers) {
      for (std::size_t i = 0; i < box.count[d]; ++i) {
        inner.push_back(number * shape[d] + static_cast<std::int64_t>(box.start[d] + i));
      }
    }
    numbers = inner;
  }
  return numbers;
}

TEST(Hyperslabs, AreAnyRangeOfAnArrayInOrder) {
  std::mt19937_64 random{1};
  for (int trial = 0; trial < 5000; ++trial) {
    auto const shape = random_shape(random);
    auto const size = values_in(shape);
    auto const first = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size));
    auto const count = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(size - first + 1));

    auto const boxes = hyperslabs(shape, first, count);

    EXPECT_LE(boxes.size(), std::max<std::size_t>(1, 2 * shape.size()));
    auto next = first;
    for (auto const& box : boxes) {
      auto const numbers = values_of(box, shape);
      ASSERT_EQ(static_cast<std::int64_t>(numbers.size()), box.values);
      for (auto const number : numbers) ASSERT_EQ(number, next++);
    }
    ASSERT_EQ(next, first + count);
  }
}

TEST(ChunkExtents, HoldNoMoreThanTheyMayAndWholeRows) {
  EXPECT_EQ(chunk_extents({256, 256, 256}, 1 << 19), (Shape{8, 256, 256}));
  EXPECT_EQ(chunk_extents({10, 3}, 10), (Shape{3, 3}));
  EXPECT_EQ(chunk_extents({100, 100}, 10), (Shape{1, 10}));
  EXPECT_EQ(chunk_extents({7, 5}, 35), (Shape{7, 5}));
  EXPECT_EQ(chunk_extents({}, 1), Shape{});
}

TEST(Slabs, AreBoxesOfWholeChunksThatCoverTheArray) {
  std::mt19937_64 random{2};
  for (int trial = 0; trial < 5000; ++trial) {
    auto const shape = random_shape(random);
    auto const size = values_in(shape);
    auto const chunk_values = 1 + static_cast<std::int64_t>(random() % 40);
    auto const most = chunk_values + static_cast<std::int64_t>(random() % 200);
    auto const chunk = chunk_extents(shape, chunk_values);
    ASSERT_LE(values_in(chunk), chunk_values);
    Slabs const slabs{shape, chunk, most};
    std::int64_t first = 0;
    while (first < size) {
      auto const length = slabs.length(first);
      ASSERT_GE(length, 1);
      ASSERT_LE(length, most);
      auto const boxes = hyperslabs(shape, first, length);
      ASSERT_EQ(boxes.size(), 1u);
      for (std::size_t d = 0; d < shape.size(); ++d) {
        auto const extent = static_cast<std::size_t>(chunk[d]), end = boxes[0].start[d] + boxes[0].count[d];
        EXPECT_EQ(boxes[0].start[d] % extent, 0u);
        EXPECT_TRUE(end % extent == 0 || end == static_cast<std::size_t>(shape[d]));
      }
      first += length;
    }
    EXPECT_EQ(first, size);
  }
}

}  // namespace
}  // namespace ulpine::io
