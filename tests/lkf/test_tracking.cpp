// SPDX-License-Identifier: Apache-2.0
// Deformation from velocities and features found again at a later time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/error.hpp"
#include "verification/lkf/deformation.hpp"
#include "verification/lkf/tracking.hpp"

namespace ulpine::lkf::test {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr Rules all_rules[] = {Rules::repaired, Rules::lkf_tools};
constexpr std::int64_t rows = 60;
constexpr std::int64_t columns = 70;

/// A velocity that is linear in space on a stretched grid; central differences give its gradient exactly.
struct Linear {
  static constexpr std::int64_t n = 7, m = 9;
  std::vector<double> u, v, dx, dy;

  Linear(double u_x, double u_y, double v_x, double v_y) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < m; ++j) {
        auto const x = 1000.0 * static_cast<double>(i * (i + 3)),
                   y = 500.0 * static_cast<double>(j * (j + 5));
        u.push_back(0.3 + u_x * x + u_y * y);
        v.push_back(-0.1 + v_x * x + v_y * y);
        dx.push_back(1000.0 * static_cast<double>(2 * i + 4));
        dy.push_back(500.0 * static_cast<double>(2 * j + 6));
      }
    }
  }

  Deformation deformed() const { return deformation(u, v, dx, dy, n, m); }
};

TEST(Deformation, IsExactForLinearVelocities) {
  auto const d = Linear{3e-6, 1e-6, -2e-6, 4e-6}.deformed();

  ASSERT_EQ(d.rows, 5);
  ASSERT_EQ(d.columns, 7);
  ASSERT_EQ(d.total.size(), 35u);
  for (std::size_t k = 0; k < d.total.size(); ++k) {
    EXPECT_NEAR(d.divergence[k], 7e-6 * 86400, 1e-12);
    EXPECT_NEAR(d.shear[k], std::hypot(1e-6, 1e-6) * 86400, 1e-12);
    EXPECT_NEAR(d.vorticity[k], 1.5e-6 * 86400, 1e-12);
    EXPECT_NEAR(d.total[k], std::hypot(7e-6, std::sqrt(2) * 1e-6) * 86400, 1e-12);
  }
}

TEST(Deformation, ARigidRotationDoesNotDeform) {
  for (auto const total : Linear(0, -5e-6, 5e-6, 0).deformed().total) EXPECT_NEAR(total, 0, 1e-12);
}

TEST(Deformation, RefusesFieldsThatAreTooSmallOrDiffer) {
  std::vector<double> const four(4, 1), nine(9, 1);
  EXPECT_THROW(deformation(four, four, four, four, 2, 2), InputError);
  EXPECT_THROW(deformation(nine, nine, nine, four, 3, 3), InputError);
}

TEST(Deformation, MasksOpenWaterAndTheSouth) {
  std::vector<double> eps{1, 2, 3, 4, 5};
  mask_open_water(eps, std::vector{0.0, 0.5, 1.0, 1.1, nan});
  EXPECT_TRUE(std::isnan(eps[0]) && std::isnan(eps[3]) && std::isnan(eps[4]));
  EXPECT_EQ(eps[1], 2);
  EXPECT_EQ(eps[2], 3);
  EXPECT_TRUE(inside_arctic_domain(75, 150));
  EXPECT_FALSE(inside_arctic_domain(75, 0));
  EXPECT_TRUE(inside_arctic_domain(85, 0));
  EXPECT_FALSE(inside_arctic_domain(60, 150));
}

Feature line(Cell from, Cell direction, int count) {
  Feature feature;
  for (int k = 0; k < count; ++k)
    feature.cells.push_back({from[0] + k * direction[0], from[1] + k * direction[1]});
  return feature;
}

Feature shifted(Feature feature, std::int32_t by_rows, std::int32_t by_columns) {
  for (auto& cell : feature.cells) cell = {cell[0] + by_rows, cell[1] + by_columns};
  return feature;
}

std::vector<std::vector<Point>> moved(std::vector<Feature> const& features, double by_rows,
                                      double by_columns) {
  std::vector<double> const along_rows(rows * columns, by_rows), along_columns(rows * columns, by_columns);
  return advect(features, {rows, columns, along_rows, along_columns});
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs pairs(std::vector<Track> const& tracks) {
  Pairs result;
  for (auto const& t : tracks) result.emplace_back(t.from, t.to);
  return result;
}

std::vector<Feature> const earlier{line({10, 10}, {1, 1}, 20), line({40, 10}, {0, 1}, 30),
                                   line({15, 50}, {1, 0}, 25), line({50, 50}, {-1, 1}, 12)};

TEST(Track, FindsDriftedFeaturesAgainInAnyOrder) {
  std::vector<Feature> later;
  for (auto k : {2, 0, 3, 1}) later.push_back(shifted(earlier[k], 3, -2));
  for (auto const rules : all_rules) {
    auto const tracks = track(moved(earlier, 3, -2), later, rows, columns, {}, rules);

    ASSERT_EQ(pairs(tracks), (Pairs{{0, 1}, {1, 3}, {2, 0}, {3, 2}}));
    // The strict strip leaves out the two ends of the slanted ones, sqrt(2) from the next cell.
    EXPECT_DOUBLE_EQ(tracks[0].hausdorff_distance, 2 * std::sqrt(2) / 20);
    EXPECT_EQ(tracks[1].hausdorff_distance, 0);
    EXPECT_EQ(tracks[2].hausdorff_distance, 0);
    EXPECT_DOUBLE_EQ(tracks[3].hausdorff_distance, 2 * std::sqrt(2) / 12);
  }
}

TEST(Track, ToleratesDriftThatIsOffByOneCellAndNoMore) {
  std::vector<Feature> const one{earlier[1]};
  for (auto const rules : all_rules) {
    auto const near = track(moved(one, 1, 0), one, rows, columns, {}, rules);
    ASSERT_EQ(near.size(), 1u);
    EXPECT_DOUBLE_EQ(near[0].hausdorff_distance, 1);
    EXPECT_EQ(track(moved(one, 1.4, 0.3), one, rows, columns, {}, rules).size(), 1u);
    EXPECT_TRUE(track(moved(one, 2.5, 0), one, rows, columns, {}, rules).empty());
  }
}

TEST(Track, RefusesFeaturesThatCrossOrOverlapLittle) {
  std::vector<Feature> const one{line({30, 10}, {0, 1}, 30)};
  std::vector<Feature> const others{line({20, 25}, {1, 0}, 20), line({30, 36}, {0, 1}, 20),
                                    line({26, 10}, {1, 1}, 20)};
  for (auto const rules : all_rules) {
    auto const tracks = track(moved(one, 0, 0), others, rows, columns, {.thres_frac = 0.1}, rules);
    EXPECT_EQ(pairs(tracks), (Pairs{{0, 1}}));  // four cells of the second overlap
    EXPECT_TRUE(
        track(moved(one, 0, 0), others, rows, columns, {.min_overlap = 5, .thres_frac = 0.1}, rules).empty());
  }
}

TEST(Track, AFeatureThatBrokeHasTwoPartners) {
  std::vector<Feature> const one{line({30, 10}, {0, 1}, 30)};
  std::vector<Feature> const parts{line({30, 11}, {0, 1}, 12), line({30, 25}, {0, 1}, 14)};
  EXPECT_EQ(pairs(track(moved(one, 0, 0), parts, rows, columns, {}, Rules::repaired)),
            (Pairs{{0, 0}, {0, 1}}));
}

/// Around single points the area of lkf_tools lacks the cell at the column before, which this feature
/// consists of.
TEST(Track, RepairedSearchAreaReachesToBothSides) {
  TrackParameters const loose{.min_overlap = 1, .thres_frac = 0, .angle_thres = 181};
  std::vector<Feature> const row_of_points{{.cells = {{20, 30}, {20, 33}, {20, 36}, {20, 39}}}};
  std::vector<Feature> const columns_before{{.cells = {{20, 32}, {20, 35}, {20, 38}}}};
  auto const points = moved(row_of_points, 0, 0);
  EXPECT_EQ(track(points, columns_before, rows, columns, loose, Rules::repaired).size(), 1u);
  EXPECT_TRUE(track(points, columns_before, rows, columns, loose, Rules::lkf_tools).empty());
}

/// Four cells lie close to the earlier feature and two beside it; of the far ones two are listed twice.
TEST(Track, CellsListedTwiceCountAnywhereInLkfToolsOnly) {
  std::vector<Feature> const one{line({30, 10}, {0, 1}, 10)};
  auto later = line({30, 12}, {0, 1}, 3);
  later.cells.insert(later.cells.end(), {{31, 15}, {50, 60}, {50, 60}, {51, 61}, {51, 61}});
  auto const count = [&](std::int64_t min_overlap, Rules rules) {
    TrackParameters const parameters{.min_overlap = min_overlap, .angle_thres = 91};
    return track(moved(one, 0, 0), std::vector{later}, rows, columns, parameters, rules).size();
  };
  EXPECT_EQ(count(4, Rules::repaired), 1u);
  EXPECT_EQ(count(5, Rules::repaired), 0u);
  EXPECT_EQ(count(5, Rules::lkf_tools), 0u);  // close enough are six, but only four overlap
  auto const distance = [&](Rules rules) {
    return track(moved(one, 0, 0), std::vector{later}, rows, columns, {}, rules).at(0).hausdorff_distance;
  };
  EXPECT_LT(distance(Rules::repaired), 2);
  EXPECT_GT(distance(Rules::lkf_tools), 10);
}

/// A feature along a row whose one end is bent by a cell: in the order of rows its first and its last cell
/// are neighbours.
TEST(Track, AHookAtTheEndTurnsAFeatureAwayInLkfToolsOnly) {
  auto hooked = line({30, 10}, {0, 1}, 20);
  hooked.cells.push_back({29, 30});
  std::vector<Feature> const one{hooked};
  EXPECT_EQ(track(moved(one, 0, 0), one, rows, columns, {}, Rules::repaired).size(), 1u);
  std::vector<Feature> const to_right{line({30, 10}, {0, 1}, 24)};
  EXPECT_EQ(track(moved(to_right, 0, 0), one, rows, columns, {}, Rules::repaired).size(), 1u);
  // From (29, 30) to (30, 29): 45 degrees.
  EXPECT_TRUE(track(moved(to_right, 0, 0), one, rows, columns, {}, Rules::lkf_tools).empty());
}

TEST(Advect, DropsPointsWithoutDriftAndAtTheBorder) {
  std::vector<double> along_rows(rows * columns, 0.5);
  std::vector<double> const along_columns(rows * columns, -1.25);
  along_rows[20 * columns + 12] = nan;
  std::vector<Feature> const features{line({20, 0}, {0, 1}, 14), line({54, 30}, {1, 0}, 6)};

  auto const points = advect(features, {rows, columns, along_rows, along_columns});

  // Columns 3 to 13 stay at or right of 1, column 12 has no drift; rows up to 57 end before 58.
  ASSERT_EQ(points[0].size(), 10u);
  EXPECT_EQ(points[0].front(), (Point{20.5, 1.75}));
  ASSERT_EQ(points[1].size(), 4u);
  EXPECT_EQ(points[1].back(), (Point{57.5, 28.75}));
  EXPECT_TRUE(
      track(std::vector<std::vector<Point>>{{}}, features, rows, columns, {}, Rules::repaired).empty());
  EXPECT_THROW(advect(features, {10, 10, along_rows, along_columns}), InputError);
  std::vector<double> const small(100, 0);
  EXPECT_THROW(advect(features, {10, 10, small, small}), InputError);
}

}  // namespace
}  // namespace ulpine::lkf::test
