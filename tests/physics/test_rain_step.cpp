// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "precision/quad.hpp"

#include "core/exec/host.hpp"
#include "physics/storm.hpp"

namespace physics_test {
namespace {

using namespace ulpine;

template <class T>
using Fields = std::array<std::vector<T>, field_count>;

template <class T>
void step_on_host(Fields<T>& fields, int threads) {
  std::array<T*, field_count> first{};
  for (std::size_t n = 0; n < field_count; ++n) first[n] = fields[n].data();
  rain_step<T>(first,
               [&](auto const& points, auto const& kernel) { for_each(Host{threads}, points, kernel); });
}

/// All water of a column, kg m-2, negative water not counted, and what has fallen of it.
template <class T>
float128 water_of_column(Fields<T> const& fields, std::int64_t column) {
  float128 sum = fields[fallen][static_cast<std::size_t>(column)];
  for (std::int64_t k = 0; k < storm_extent.nz; ++k) {
    auto const n = static_cast<std::size_t>(k * storm_plane + column);
    auto const air = float128(fields[density][n]) * float128(fields[thickness][n]);
    for (auto const name : {vapour, cloud, rain}) {
      if (fields[name][n] > 0) sum += air * float128(fields[name][n]);
    }
  }
  return sum;
}

template <class T>
class RainStep : public testing::Test {};
using Scalars = testing::Types<double, float>;
TYPED_TEST_SUITE(RainStep, Scalars);

// A step rounds each kind of water at most eight times outside the fall, which may take 60 sub-steps of eight
// roundings (test_sedimentation.cpp).
TYPED_TEST(RainStep, ConservesAllWaterOfAColumn) {
  using T = TypeParam;
  auto fields = storm<T>();
  for (int step = 0; step < 5; ++step) {
    std::vector<float128> before;
    for (std::int64_t n = 0; n < storm_plane; ++n) before.push_back(water_of_column(fields, n));
    step_on_host(fields, 2);
    for (std::int64_t n = 0; n < storm_plane; ++n) {
      auto const change =
          static_cast<double>(water_of_column(fields, n) / before[static_cast<std::size_t>(n)] - 1);
      ASSERT_LE(std::fabs(change), 500 * std::numeric_limits<T>::epsilon() / 2) << step << ' ' << n;
    }
  }
  // Most columns rained: it was no test of nothing.
  auto const dry = std::count(fields[fallen].begin(), fields[fallen].end(), T(0));
  EXPECT_LT(double(dry) / double(storm_plane), 0.5);
}

TYPED_TEST(RainStep, HasTheSameBitsOnAnyNumberOfThreads) {
  auto one = storm<TypeParam>(), three = one;
  step_on_host(one, 1), step_on_host(three, 3);
  for (std::size_t n = 0; n < field_count; ++n) EXPECT_EQ(one[n], three[n]) << n;
}

}  // namespace
}  // namespace physics_test
