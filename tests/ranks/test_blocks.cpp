// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/ranks/blocks.hpp"
#include "io/error.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;

std::vector<Blocks> blocks_of(std::int32_t nx, std::int32_t ny, int size, std::int32_t least) {
  std::vector<Blocks> all;
  for (auto const& ranks : thread_ranks(size)) all.emplace_back(nx, ny, ranks.get(), least, "the grid");
  return all;
}

TEST(Blocks, CoverEveryColumnOnceAndAreAsEvenAsCanBe) {
  for (int size = 1; size <= 12; ++size) {
    for (std::int32_t const nx : {5, 31, 64}) {
      for (std::int32_t const ny : {13, 40}) {
        std::vector<int> owners(static_cast<std::size_t>(nx * ny));
        auto const all = blocks_of(nx, ny, size, 1);
        for (auto const& block : all) {
          for (std::int32_t j = 0; j < block.ny(); ++j) {
            for (std::int32_t i = 0; i < block.nx(); ++i) {
              ++owners[static_cast<std::size_t>((block.first_y() + j) * nx + block.first_x() + i)];
            }
          }
          EXPECT_LE(block.nx(), all.front().global_nx() / block.along_x().parts + 1);
          EXPECT_GE(block.nx(), nx / block.along_x().parts);
          EXPECT_GE(block.ny(), ny / block.along_y().parts);
        }
        EXPECT_EQ(owners, std::vector<int>(owners.size(), 1)) << size << " ranks";
      }
    }
  }
}

TEST(Blocks, AreNeighboursOfEachOther) {
  for (bool const periodic : {false, true}) {
    auto const all = blocks_of(40, 30, 6, 4);
    for (int rank = 0; rank < 6; ++rank) {
      for (auto const to : directions) {
        auto const next = all[static_cast<std::size_t>(rank)].neighbour(to, periodic, periodic);
        EXPECT_EQ(periodic, periodic && next >= 0);
        if (next < 0) continue;
        EXPECT_EQ(all[static_cast<std::size_t>(next)].neighbour(to.back(), periodic, periodic), rank);
      }
    }
  }
}

TEST(Blocks, KeepTheRimShort) {
  // 6 ranks on a long channel: cut across it; on a square: 2 x 3.
  EXPECT_EQ(blocks_of(600, 10, 6, 4).front().along_x().parts, 6);
  EXPECT_EQ(blocks_of(10, 600, 6, 4).front().along_y().parts, 6);
  auto const square = blocks_of(60, 60, 6, 4).front();
  EXPECT_EQ(square.along_x().parts * square.along_y().parts, 6);
  EXPECT_GT(square.along_x().parts, 1);
  EXPECT_GT(square.along_y().parts, 1);
}

TEST(Blocks, KeepRowsWholeWhereAskedTo) {
  auto const ranks = thread_ranks(6);
  auto const parts_along_x = [&](std::int32_t ny) {
    return Blocks(90, ny, ranks.front().get(), 3, "the grid", Cutting::whole_rows).along_x().parts;
  };
  EXPECT_EQ(parts_along_x(18), 1);
  EXPECT_EQ(parts_along_x(17), 2);
  EXPECT_EQ(parts_along_x(7), 3);
  EXPECT_EQ(parts_along_x(4), 6);
}
TEST(Blocks, AreNoNarrowerThanAHalo) {
  // 7 ranks of at least 4 columns: 27 along x are too few, so it is cut along y.
  EXPECT_EQ(blocks_of(27, 28, 7, 4).front().along_y().parts, 7);
  try {
    blocks_of(27, 27, 7, 4);
    FAIL();
  } catch (InputError const& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "the grid has 27 x 27 columns, too few for 7 ranks (each needs a block of at least 4 columns along "
        "an axis that is cut) use fewer ranks");
  }
}

}  // namespace
