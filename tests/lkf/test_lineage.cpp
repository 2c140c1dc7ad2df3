// SPDX-License-Identifier: Apache-2.0
// Tracks through several times: their numbers and ages where features go on, split, merge, are born and die.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "verification/lkf/lineage.hpp"

namespace ulpine::lkf::test {
namespace {

using Numbers = std::vector<std::int64_t>;

Numbers tracks_of(std::vector<Descent> const& descents) {
  Numbers result;
  for (auto const& descent : descents) result.push_back(descent.track);
  return result;
}

Numbers ages_of(std::vector<Descent> const& descents) {
  Numbers result;
  for (auto const& descent : descents) result.push_back(descent.age);
  return result;
}

TEST(Lineage, AFeatureThatGoesOnKeepsItsTrackWhateverItsPlaceInTheList) {
  Lineage lineage;
  lineage.next(3, {});

  auto const next = lineage.next(3, std::vector<Track>{{0, 2, 0.1}, {1, 0, 0.1}, {2, 1, 0.1}});

  EXPECT_EQ(tracks_of(next), (Numbers{1, 2, 0}));
  EXPECT_EQ(ages_of(next), (Numbers{2, 2, 2}));
  EXPECT_EQ(lineage.born(), 3);
}

TEST(Lineage, OfAFeatureThatSplitsTheNearerPartGoesOn) {
  Lineage lineage;
  lineage.next(1, {});

  auto const next = lineage.next(2, std::vector<Track>{{0, 0, 0.9}, {0, 1, 0.2}});

  EXPECT_EQ(tracks_of(next), (Numbers{1, 0}));
  EXPECT_EQ(ages_of(next), (Numbers{1, 2}));
  EXPECT_EQ(next[0].from, std::vector<std::size_t>{0});
}

TEST(Lineage, OfFeaturesThatMergeTheNearerGoesOnAndBothAreTold) {
  Lineage lineage;
  lineage.next(2, {});

  auto const next = lineage.next(1, std::vector<Track>{{1, 0, 0.2}, {0, 0, 0.9}});

  EXPECT_EQ(tracks_of(next), Numbers{1});
  EXPECT_EQ(next[0].from, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(tracks_of(lineage.next(1, std::vector<Track>{{0, 0, 0}})), Numbers{1});
}

TEST(Lineage, EqualDistancesGoByTheOrderOfFeatures) {
  Lineage lineage;
  lineage.next(2, {});

  EXPECT_EQ(tracks_of(lineage.next(2, std::vector<Track>{{1, 0, 0.5}, {0, 1, 0.5}, {0, 0, 0.5}})),
            (Numbers{0, 2}));  // feature 1 finds its only partner taken
}

TEST(Lineage, WhatDiesDoesNotComeBack) {
  Lineage lineage;
  lineage.next(1, {});
  lineage.next(0, {});

  EXPECT_EQ(tracks_of(lineage.next(1, {})), Numbers{1});
}

/// Whatever the pairs: a track has one feature at a time, goes on by a pair or not at all, and is never
/// reborn; every feature has an age one above that of the feature it continues.
TEST(Lineage, HoldsTogetherForRandomPairs) {
  std::mt19937_64 random{4};
  Lineage lineage;
  std::vector<Descent> before;
  std::int64_t born = 0;
  for (int time = 0; time < 300; ++time) {
    auto const features = random() % 9;
    std::vector<Track> pairs;
    for (std::size_t from = 0; from < before.size(); ++from) {
      for (std::size_t to = 0; to < features; ++to) {
        if (random() % 3 == 0) pairs.push_back({from, to, static_cast<double>(random() % 4)});
      }
    }

    auto const now = lineage.next(features, pairs);

    ASSERT_EQ(now.size(), features);
    std::set<std::int64_t> seen;
    for (std::size_t to = 0; to < features; ++to) {
      ASSERT_TRUE(seen.insert(now[to].track).second);
      std::vector<std::size_t> partners;
      bool continues = false;
      for (auto const& pair : pairs) {
        if (pair.to != to) continue;
        partners.push_back(pair.from);
        if (before[pair.from].track == now[to].track) {
          continues = true;
          EXPECT_EQ(now[to].age, before[pair.from].age + 1);
        }
      }
      EXPECT_EQ(now[to].from, partners);
      if (!continues) {
        EXPECT_EQ(now[to].age, 1);
        EXPECT_EQ(now[to].track, born++);
      }
    }
    before = now;
  }
  EXPECT_EQ(lineage.born(), born);
}

/// A drift that grows with the column: from 3.6 the nearest cell is 4, and the cell of the index rounded down
/// 3.
TEST(AdvectFurther, TakesTheDriftOfTheNearestCellOrTheOneBefore) {
  constexpr std::int64_t rows = 8, columns = 12;
  std::vector<double> const still(rows * columns, 0);
  std::vector<double> growing;
  for (int k = 0; k < rows * columns; ++k) growing.push_back(0.5 * (k % columns));
  Drift const drift{rows, columns, still, growing};
  std::vector<std::vector<Point>> const start{{{3, 3.6}, {4, 2}}};

  auto repaired = start, as_lkf_tools = start;
  advect(repaired, drift, Rules::repaired);
  advect(as_lkf_tools, drift, Rules::lkf_tools);

  EXPECT_EQ(repaired, (std::vector<std::vector<Point>>{{{3, 5.6}, {4, 3}}}));
  EXPECT_EQ(as_lkf_tools, (std::vector<std::vector<Point>>{{{3, 5.1}, {4, 3}}}));
}

TEST(AdvectFurther, InStepsDropsPointsAsSoonAsTheyLeave) {
  constexpr std::int64_t rows = 9, columns = 9;
  std::vector<double> const still(rows * columns, 0), right(rows * columns, 2.5);
  Drift const drift{rows, columns, still, right};
  std::vector<std::vector<Point>> points{{{4, 1}, {4, 4}, {4, 5}}};

  advect(points, drift, Rules::repaired);
  EXPECT_EQ(points, (std::vector<std::vector<Point>>{{{4, 3.5}, {4, 6.5}}}));  // 7.5 is beyond 7
  advect(points, drift, Rules::repaired);
  EXPECT_EQ(points, (std::vector<std::vector<Point>>{{{4, 6}}}));
}

}  // namespace
}  // namespace ulpine::lkf::test
