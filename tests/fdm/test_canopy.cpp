// SPDX-License-Identifier: Apache-2.0
// What a forest's drag is at each place of the grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fdm/parts/canopy.hpp"
#include "fdm/air_support.hpp"

namespace {

using namespace ulpine;

class Canopy : public test::Air {};

TEST_F(Canopy, DragsEachComponentByTheLeavesAndTheSpeedAroundIt) {
  // Two cells along each axis, with the faces around them, in memory of 3 x 3 x 3.
  constexpr std::int32_t n = 3;
  auto const filled = [](double first, double step) {
    std::vector<double> values(n * n * n);
    for (std::size_t at = 0; at < values.size(); ++at) values[at] = first + step * static_cast<double>(at);
    return values;
  };
  auto const leaves = filled(0.1, 0.01), u = filled(1, 0.5), v = filled(-3, 0.25), w = filled(2, -0.125);
  auto const rows = [](std::vector<double> const& values) {
    return Rows<double const>(values.data(), n * n, n);
  };
  auto const at = [](std::vector<double> const& values, int k, int j, int i) {
    return values[static_cast<std::size_t>((k * n + j) * n + i)];
  };
  // The square of the speed at a cell, from the faces around it.
  auto const square = [&](int k, int j, int i) {
    auto const x = (at(u, k, j, i) + at(u, k, j, i + 1)) / 2, y = (at(v, k, j, i) + at(v, k, j + 1, i)) / 2,
               z = (at(w, k, j, i) + at(w, k + 1, j, i)) / 2;
    return x * x + y * y + z * z;
  };
  auto const drag = [&](std::vector<double> const& wind, int k, int j, int i, int dk, int dj, int di) {
    auto const area = (at(leaves, k, j, i) + at(leaves, k - dk, j - dj, i - di)) / 2;
    auto const speed = std::sqrt((square(k, j, i) + square(k - dk, j - dj, i - di)) / 2);
    return 0.3 * area * speed * at(wind, k, j, i) / (1 + 4 * 0.3 * area * speed);
  };
  auto const rate_of = [&]<Place place>(int k, int j, int i, int level) {
    std::vector<double> rate(n * n * n, 7.0);
    fdm::CanopyDrag<double, double, place>{
        0.3, 4.0, rows(leaves), rows(u), rows(v), rows(w), Rows<double>(rate.data(), n * n, n)}(i, j, level);
    return rate[static_cast<std::size_t>((k * n + j) * n + i)];
  };
  EXPECT_NEAR(rate_of.operator()<Place::u>(1, 1, 1, 1), 7 - drag(u, 1, 1, 1, 0, 0, 1), 1e-14);
  EXPECT_NEAR(rate_of.operator()<Place::v>(1, 1, 1, 1), 7 - drag(v, 1, 1, 1, 0, 1, 0), 1e-14);
  EXPECT_NEAR(rate_of.operator()<Place::w>(1, 1, 1, 0), 7 - drag(w, 1, 1, 1, 1, 0, 0), 1e-14);
}

TEST_F(Canopy, StandsOnTheGroundOfAMountain) {
  auto const model = make(
      "[grid]\nnx = 8\nnz = 10\ndx = 500.0\ndz = 100.0\n[terrain]\nkind = 'bell'\nheight = "
      "300.0\nhalf_width = 800.0\n[canopy]\nheight = 130.0\nleaf_area_density = 2.0\n");
  auto const leaves = read(*model, "leaf_area_density"), faces = read(*model, "height_w");
  for (std::size_t i = 0; i < 8; ++i) {
    double above = 0;
    for (std::size_t k = 0; k < 10; ++k) {
      auto const bottom = faces[k * 8 + i], top = faces[(k + 1) * 8 + i];
      auto const share = std::clamp((faces[i] + 130 - bottom) / (top - bottom), 0.0, 1.0);
      EXPECT_NEAR(leaves[k * 8 + i], 2 * share, 1e-12) << k << " " << i;
      above += leaves[k * 8 + i] * (top - bottom);
    }
    // As many leaves over each place of the ground.
    EXPECT_NEAR(above, 2 * 130, 1e-9) << i;
  }
}

}  // namespace
