// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/exec/host.hpp"
#include "core/exec/memory.hpp"
#include "exec/kernels.hpp"
#include "io/error.hpp"

namespace {

using namespace ulpine;
using exec_test::Visit;

struct Scatter {
  static constexpr bool scatters = true;
  double* sum;
  void operator()(std::int32_t ix, std::int32_t iy) const { Host::atomic_add(*sum, double(ix + iy)); }
};

TEST(ForEachOnHost, VisitsEveryIndexOnce) {
  for (int const threads : {1, 2, 5}) {
    for (std::int64_t const count : {0, 1, 7, 1001}) {
      std::vector<int> visits(static_cast<std::size_t>(count));
      for_each(Host{threads}, count, Visit{{visits.data(), count}, 0});
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << threads << " threads, " << count;
    }
  }
}

TEST(ForEachOnHost, VisitsEveryLatticePointOnce) {
  for (int const threads : {1, 2, 5}) {
    for (Extent2 const extent : {Extent2{0, 0}, {0, 3}, {3, 0}, {1, 1}, {33, 1}, {1, 33}, {37, 41}}) {
      std::vector<int> visits(static_cast<std::size_t>(extent.size()));
      for_each(Host{threads}, extent, Visit{{visits.data(), extent.size()}, extent.nx});
      EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << extent.nx << " x " << extent.ny;
    }
  }
}

TEST(ForEachOnHost, ScattersWithoutLoss) {
  double sum = 0;
  for_each(Host{4}, Extent2{30, 40}, Scatter{&sum});
  EXPECT_EQ(sum, 30 * 40 * (29 / 2. + 39 / 2.));  // whole numbers: exact in any order
}

TEST(Array, IsAlignedZeroAndMoves) {
  Array<double, Host> array(Host{2}, 10001);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.view().data()) % 64, 0u);
  for (std::int64_t i = 0; i < array.size(); ++i) {
    ASSERT_EQ(array.view()[i], 0);
  }
  array.view()[10000] = 3;
  auto const moved = std::move(array);
  EXPECT_EQ(moved.size(), 10001);
  EXPECT_EQ(moved.view()[10000], 3);
  EXPECT_EQ((Array<float, Host>(Host{}, 0).size()), 0);
}

TEST(Array, ThrowsEnvironmentErrorWhereMemoryIsOut) {
  EXPECT_THROW((Array<double, Host>(Host{}, std::int64_t{1} << 56)), EnvironmentError);
}

}  // namespace
