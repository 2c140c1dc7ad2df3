// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tests/mesh/search_bits.hpp"

namespace ulpine {
namespace {

using test::places_of;
using test::points_about;
using Point = std::array<double, 3>;

/// Six times the volumes that a point has with an element's triangles, over the element's; in long double.
std::array<double, 4> coordinates(TetraMesh const& mesh, std::int32_t e, Point const& x) {
  long double corner[4][3];
  for (std::size_t k = 0; k < 4; ++k) {
    auto const node = static_cast<std::size_t>(mesh.element[4 * static_cast<std::size_t>(e) + k]);
    for (std::size_t d = 0; d < 3; ++d) corner[k][d] = mesh.position[3 * node + d];
  }
  auto const six = [](long double const* o, long double const* a, long double const* b,
                      long double const* c) {
    long double m[3][3];
    for (int d = 0; d < 3; ++d) m[0][d] = a[d] - o[d], m[1][d] = b[d] - o[d], m[2][d] = c[d] - o[d];
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  };
  auto const whole = six(corner[0], corner[1], corner[2], corner[3]);
  std::array<double, 4> all{};
  for (std::size_t k = 0; k < 4; ++k) {
    long double kept[3];
    for (std::size_t d = 0; d < 3; ++d) {
      kept[d] = corner[k][d];
      corner[k][d] = x[d];
    }
    all[k] = static_cast<double>(six(corner[0], corner[1], corner[2], corner[3]) / whole);
    for (std::size_t d = 0; d < 3; ++d) corner[k][d] = kept[d];
  }
  return all;
}

Point point_of(std::vector<double> const& points, std::size_t n) {
  return {points[3 * n], points[3 * n + 1], points[3 * n + 2]};
}

/// How far the place is off that the clipped coordinates of an element give.
double clipped_distance(TetraMesh const& mesh, std::int32_t e, Point const& x) {
  auto weight = coordinates(mesh, e, x);
  auto total = 0.0, square = 0.0;
  for (auto& one : weight) total += one = std::max(one, 0.0);
  for (std::size_t d = 0; d < 3; ++d) {
    auto away = -x[d];
    for (std::size_t k = 0; k < 4; ++k) {
      auto const node = static_cast<std::size_t>(mesh.element[4 * static_cast<std::size_t>(e) + k]);
      away += weight[k] / total * mesh.position[3 * node + d];
    }
    square += away * away;
  }
  return std::sqrt(square);
}

TEST(TetraSearch, FindsWhatASearchThroughAllElementsFinds) {
  auto const mesh = test::hilly_mesh();
  auto const points = points_about(mesh, 2000);

  auto const found = places_of(Host{}, mesh, points);

  int held = 0, outside = 0;
  for (std::size_t n = 0; n < points.size() / 3; ++n) {
    auto const x = point_of(points, n);
    std::int32_t expected = -1;
    for (std::int32_t e = mesh.elements(); e-- > 0;) {
      auto const all = coordinates(mesh, e, x);
      if (std::ranges::min(all) >= 0) expected = e;
    }
    if (expected >= 0) {
      ++held;
      ASSERT_EQ(found.element[n], expected);
      EXPECT_EQ(found.distance[n], 0);
      auto const all = coordinates(mesh, expected, x);
      // Nine roundings of a permanent that is some tens of times the volume in these elements.
      for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found.weight[4 * n + k], all[k], 1e-12);
    } else {
      ++outside;
      auto least = 1e300;
      for (std::int32_t e = 0; e < mesh.elements(); ++e) {
        least = std::min(least, clipped_distance(mesh, e, x));
      }
      EXPECT_NEAR(found.distance[n], least, 1e-9);
      EXPECT_NEAR(clipped_distance(mesh, found.element[n], x), least, 1e-9);
    }
  }
  EXPECT_GT(held, 500);
  EXPECT_GT(outside, 500);
}

TEST(TetraSearch, FindsTheNearestOfAMeshFarAway) {
  auto const mesh = test::hilly_mesh();
  auto const points = points_about(mesh, 50, 30);
  auto const found = places_of(Host{}, mesh, points);
  for (std::size_t n = 0; n < points.size() / 3; ++n) {
    auto least = 1e300;
    for (std::int32_t e = 0; e < mesh.elements(); ++e) {
      least = std::min(least, clipped_distance(mesh, e, point_of(points, n)));
    }
    EXPECT_NEAR(found.distance[n], least, 1e-8);
  }
}

TEST(TetraSearch, GivesANodeItsOwnValueInTheFirstOfItsElements) {
  auto const mesh = test::hilly_mesh();
  auto const found = places_of(Host{}, mesh, mesh.position);
  for (std::int32_t n = 0; n < mesh.nodes(); ++n) {
    auto const at = static_cast<std::size_t>(n);
    auto const first = std::ranges::find(mesh.element, n) - mesh.element.begin();
    EXPECT_EQ(found.element[at], first / 4);
    EXPECT_EQ(found.distance[at], 0);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(found.node[4 * at + k], mesh.element[static_cast<std::size_t>(first / 4 * 4) + k]);
      EXPECT_EQ(found.weight[4 * at + k], found.node[4 * at + k] == n ? 1 : 0);
    }
  }
}

TEST(TetraSearch, GivesSharedFacesToTheElementOfLowestNumber) {
  // All coordinates, products and sums are small whole numbers: no rounding.
  auto mesh = box_mesh({4, 4, 4, {16, 16, 16}});
  renumber(mesh);
  std::vector<double> points;
  for (int x = 0; x <= 16; x += 2)
    for (int y = 0; y <= 16; y += 2)
      for (int z = 0; z <= 16; z += 2) {
        for (int const at : {x, y, z}) points.push_back(at);
      }

  auto const found = places_of(Host{}, mesh, points);

  int shared = 0;
  for (std::size_t n = 0; n < points.size() / 3; ++n) {
    std::vector<std::int32_t> holders;
    for (std::int32_t e = 0; e < mesh.elements(); ++e) {
      if (std::ranges::min(coordinates(mesh, e, point_of(points, n))) >= 0) holders.push_back(e);
    }
    if (holders.size() > 1) ++shared;
    EXPECT_EQ(found.element[n], holders.at(0));
    EXPECT_EQ(found.distance[n], 0);
  }
  EXPECT_GT(shared, 400);
}

TEST(TetraSearch, HoldsPointsOnFacesAlthoughRoundingMovesThem) {
  auto const mesh = test::hilly_mesh();
  test::RandomValues random(5);
  std::vector<double> points;
  for (std::size_t e = 0; e < mesh.element.size() / 4; ++e) {
    auto const a = random.uniform(), b = (1 - a) * random.uniform();
    double const share[3] = {a, b, 1 - a - b};
    for (std::size_t d = 0; d < 3; ++d) {
      auto x = 0.0;
      for (std::size_t k = 0; k < 3; ++k) {
        x += share[k] * mesh.position[3 * static_cast<std::size_t>(mesh.element[4 * e + k]) + d];
      }
      points.push_back(x);
    }
  }
  auto const found = places_of(Host{}, mesh, points);
  // A rounded coordinate is off by some 2^-53 of 1000 m, no more than a picometre.
  for (auto const distance : found.distance) EXPECT_LT(distance, 1e-12);
  // Those between two elements are in one of them.
  EXPECT_LE(std::ranges::count_if(found.distance, [](double d) { return d > 0; }), mesh.faces());
}

TEST(TetraSearch, DoesNotDependOnTheOrderOfAList) {
  auto mesh = box_mesh({2, 2, 2, {8, 8, 8}});
  renumber(mesh);
  std::vector<std::int32_t> list, element[2];
  for (std::int32_t e = 0; e < mesh.elements(); ++e) list.push_back(e);
  std::vector<std::int32_t> const start = {0, mesh.elements()};
  auto const& points = mesh.position;
  auto const count = points.size() / 3;
  for (auto& found : element) {
    std::vector<std::int32_t> node(4 * count);
    std::vector<double> weight(4 * count), distance(count);
    found.resize(count);
    detail::PointFinder<double> const find{{{0, 0, 0}, {8, 8, 8}, {1, 1, 1}},
                                           0x1p-53,
                                           mesh.position.data(),
                                           mesh.element.data(),
                                           start.data(),
                                           list.data(),
                                           points.data(),
                                           {found.data(), node.data(), weight.data(), distance.data()}};
    for (std::size_t n = 0; n < count; ++n) find(static_cast<std::int64_t>(n));
    std::ranges::reverse(list);
  }
  EXPECT_EQ(element[0], element[1]);
}

TEST(TetraSearch, HasTheSameBitsForAnyThreads) {
  auto const mesh = test::hilly_mesh();
  auto const points = points_about(mesh, 500);
  auto const one = places_of(Host{}, mesh, points);
  for (int const threads : {2, 3}) EXPECT_EQ(places_of(Host{threads}, mesh, points), one);
}

TEST(TetraSearch, TakesOneElementAndNoPoints) {
  TetraMesh mesh;
  mesh.position = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  mesh.element = {0, 1, 2, 3};
  EXPECT_TRUE(places_of(Host{}, mesh, {}).element.empty());
  auto const found = places_of(Host{}, mesh, {0.25, 0.25, 0.25, -1, 0.25, 0.25});
  EXPECT_EQ(found.weight[0], 0.25);
  EXPECT_EQ(found.distance[0], 0);
  // Of 3/2, ..., clipped: -1 goes, 3/2, 1/4 and 1/4 are divided by 2.
  EXPECT_EQ(found.weight[4], 0.75);
  EXPECT_EQ(found.weight[5], 0);
  EXPECT_NEAR(found.distance[1], std::sqrt(1 + 2 * 0.125 * 0.125), 1e-15);
}

}  // namespace
}  // namespace ulpine
