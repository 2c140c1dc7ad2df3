// SPDX-License-Identifier: Apache-2.0
// Transforms with numbers that count.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "core/fft/portable_counted.hpp"

namespace {

using namespace ulpine;

/// What a transform of a line does: planes of one row or of one column are passed over once.
double moved_again(std::int32_t ny, std::int32_t nx) {
  CountedRun run;
  auto const transform = make_portable_transform<CountedState, Exact>(CountingHost{{1}, &run}, 1, ny, nx);
  std::vector<CountedState> plane(std::size_t(ny) * (nx / 2 + 1) * 2);
  transform->forward(plane.data());
  return run.stages().at("").moved_again;
}

/// What a transform of 5 planes of 12 x 16 and its inverse do.
CountedRun::Stage counted(int threads) {
  CountedRun run;
  CountingHost const host{{threads}, &run};
  auto const transform = make_portable_transform<CountedState, Exact>(host, 5, 12, 16);
  std::vector<CountedState> planes(std::size_t{5} * 12 * 18, 1.0);
  run.begin_stage("transform");
  transform->forward(planes.data());
  EXPECT_EQ(planes[0].value(), 12 * 16);
  EXPECT_EQ(planes[2].value(), 0);
  transform->inverse(planes.data());
  run.end_stage();
  EXPECT_EQ(run.stages().at("").kernels, 0);
  // Plans convert what they have of roots of unity, and compute nothing in these numbers.
  for (auto const kind : {Kind::add, Kind::multiply, Kind::fma, Kind::divide}) {
    EXPECT_EQ(run.stages().at("").operations.at(Role::state, kind), 0);
  }
  return run.stages().at("transform");
}

TEST(CountedTransform, IsOneKernelWithTheOperationsOfAllItsPasses) {
  operations_done = {};
  auto const one = counted(1);
  EXPECT_EQ(one.kernels, 2);
  EXPECT_EQ(one.points, 2 * 5 * 12 * 16);
  // Both ways read and write planes of 12 rows of 9 pairs of doubles once more than at least.
  EXPECT_EQ(one.moved_again, 2 * 2 * 5 * 12 * 9 * 16);
  EXPECT_EQ(moved_again(1, 16), 0);
  EXPECT_EQ(moved_again(16, 1), 0);
  EXPECT_EQ(moved_again(2, 2), 2 * 2 * 2 * 16);
  // A complex transform of n values adds at least n log2 n times where n is a power of two: of a plane's 12
  // rows those of 8 pairs, both ways.
  EXPECT_GE(one.operations.at(Role::state, Kind::add), 2 * 5 * 12 * 8 * 3);
  auto const three = counted(3);
  EXPECT_EQ(three.kernels, 2);
  EXPECT_EQ(three.operations, one.operations);
}

}  // namespace
