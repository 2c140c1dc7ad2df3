// SPDX-License-Identifier: Apache-2.0
// How detectors are judged (benchmarks/lkf), on detections made by hand; and that the default is the best.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lkf/judge.hpp"
#include "lkf/scenes.hpp"
#include "verification/lkf/detector.hpp"

namespace ulpine::lkf::judging {
namespace {

/// A feature along one row, from one column to the other.
Feature along_row(std::int32_t row, std::int32_t from, std::int32_t to) {
  Feature feature;
  for (auto column = from; column <= to; ++column) feature.cells.push_back({row, column});
  return feature;
}

Detection found(std::vector<Feature> features) {
  Detection detection;
  detection.features = std::move(features);
  return detection;
}

/// One line of 60 cells along row 50.
Scene one_line() { return {{{{{50, 20}, {50, 80}}}}, {}}; }

/// Lengths are sums of samples of a quarter of a cell.
constexpr double sample = 0.25 / 60;

TEST(Judge, ThePerfectDetectionHasNoError) {
  auto const result = judge(one_line(), found({along_row(50, 20, 80)}));
  EXPECT_DOUBLE_EQ(result.recall, 1);
  EXPECT_DOUBLE_EQ(result.precision, 1);
  EXPECT_EQ(result.pieces, 1);
  EXPECT_NEAR(result.bias, 0, 1e-12);
  EXPECT_NEAR(result.error(), 0, 1e-12);
}

TEST(Judge, WithinTheToleranceIsOnTheFeatureAndBeyondIsNot) {
  EXPECT_DOUBLE_EQ(judge(one_line(), found({along_row(52, 20, 80)})).recall, 1);
  auto const beside = judge(one_line(), found({along_row(53, 20, 80)}));
  EXPECT_EQ(beside.recall, 0);
  EXPECT_EQ(beside.precision, 0);
  EXPECT_EQ(beside.pieces, 0);
  EXPECT_NEAR(beside.bias, 0, 1e-12) << "the right length at the wrong place";
  EXPECT_EQ(beside.length_error, 1);
  EXPECT_EQ(beside.count_error, 1);
}

TEST(Judge, HalfALineIsHalfFound) {
  // Two cells more are near to the end of what was found.
  auto const result = judge(one_line(), found({along_row(50, 20, 50)}));
  EXPECT_NEAR(result.recall, 32.0 / 60, sample);
  EXPECT_EQ(result.precision, 1);
  EXPECT_NEAR(result.bias, -0.5, 1e-12);
  EXPECT_NEAR(result.length_error, 1 - 32.0 / 60, sample);
}

TEST(Judge, PiecesAreCountedAndFalseFeaturesApart) {
  auto const result = judge(one_line(), found({along_row(50, 20, 40), along_row(50, 41, 60),
                                               along_row(50, 61, 80), along_row(100, 20, 50)}));
  EXPECT_EQ(result.pieces, 3);
  EXPECT_EQ(result.features, 4);
  EXPECT_DOUBLE_EQ(result.recall, 1);
  EXPECT_NEAR(result.precision, 58.0 / 88, sample);
  EXPECT_NEAR(result.count_error, 1 - 1.0 / 4, 1e-12);
  EXPECT_NEAR(result.length_error, 1 - 60.0 / 90, sample);
}

TEST(Judge, WhatIsFoundTwiceIsAnError) {
  auto const result = judge(one_line(), found({along_row(50, 20, 80), along_row(51, 20, 80)}));
  EXPECT_DOUBLE_EQ(result.recall, 1);
  EXPECT_DOUBLE_EQ(result.precision, 1);
  EXPECT_NEAR(result.bias, 1, 1e-12);
  EXPECT_NEAR(result.length_error, 0.5, 1e-12);
}

TEST(Judge, WithoutFeaturesEveryDetectionIsFalse) {
  EXPECT_EQ(judge({}, found({})).error(), 0);
  auto const result = judge({}, found({along_row(50, 20, 80)}));
  EXPECT_TRUE(std::isnan(result.recall));
  EXPECT_NEAR(result.length_error, 60 / (nominal_length + 60), 1e-12);
  EXPECT_NEAR(result.count_error, 1 / (nominal_features + 1), 1e-12);
}

TEST(Judge, SummariesLeaveWhatMeansNothingOut) {
  auto const summary = summarise({judge({}, found({})), judge(one_line(), found({along_row(50, 20, 80)})),
                                  judge(one_line(), found({}))});
  EXPECT_DOUBLE_EQ(summary.mean.recall, 0.5);
  EXPECT_EQ(summary.least.recall, 0);
  EXPECT_DOUBLE_EQ(summary.greatest.recall, 1);
}

TEST(Scenes, ShapesHaveTheStatedLengthsAndHeights) {
  Setting const quiet{Ground::quiet};
  for (auto const& scene : scenes("line", quiet)) EXPECT_NEAR(scene.curves.at(0).length(), 70, 1e-12);
  auto const rings = scenes("ring", quiet);
  for (std::size_t k = 0; k < rings.size(); ++k) {
    auto const round = 2 * M_PI * (10 + 5.0 * static_cast<double>(k % 6));
    EXPECT_NEAR(rings[k].curves.at(0).length(), round, 1e-3 * round);
  }
  for (auto const& shape : shapes()) {
    auto const all = scenes(shape, quiet);
    EXPECT_GE(all.size(), 12u);
    for (auto const& scene : all) {
      // At most half a cell's diagonal from the crest of a ridge two cells wide.
      auto const top =
          *std::ranges::max_element(scene.eps, [](double a, double b) { return std::isnan(a) || a < b; });
      EXPECT_LE(top, shape == "network" ? 1.01 : 0.51) << shape;
      EXPECT_GE(top, 0.01 + (shape == "none" ? 0 : 0.05 * std::exp2(-0.5)) - 1e-12) << shape;
    }
  }
}

/// The integral across a Gaussian is sqrt(pi / (4 ln 2)) times its height and its width at half its height; a
/// sum over cells differs from it by 2 exp(-2 (pi width)^2 / (8 ln 2)) of it (Poisson's formula), 1.4e-6 for
/// two cells.
TEST(Scenes, RidgesAreAsWideAsStated) {
  for (auto const width : {2.0, 4.0}) {
    auto const scene = scenes("line", {Ground::quiet}, width).at(0);
    double sum = 0;
    for (std::int64_t row = 34; row < 95; ++row) sum += scene.eps[std::size_t(row * Scene::side + 64)] - 0.01;
    EXPECT_NEAR(sum / (0.5 * width * std::sqrt(M_PI / (4 * std::log(2)))), 1, 2e-6) << width;
  }
}

TEST(Scenes, NoiseHasTheStatedSizeAndIsTheSameEachTime) {
  auto const noisy = scenes("none", {Ground::quiet, 0.3});
  double sum = 0, squares = 0, count = 0;
  for (auto const& scene : noisy) {
    for (auto const x : scene.eps) {
      if (std::isnan(x)) continue;
      auto const deviate = std::log(x / 0.01) / 0.3;
      sum += deviate;
      squares += deviate * deviate;
      ++count;
    }
  }
  // Five standard errors of a normal sample.
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 5 * std::sqrt(2 / count));
  auto const again = scenes("none", {Ground::quiet, 0.3});
  EXPECT_TRUE(std::ranges::equal(again[3].eps, noisy[3].eps, [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  }));
  EXPECT_NE(noisy[3].eps[1000], noisy[4].eps[1000]);
}

/// On the setting nearest to a model's output (a smooth ground, a little noise); docs/results/lkf.md has all.
TEST(Judge, TheDefaultHasTheSmallestErrorOfAllRulesAndSets) {
  std::vector<std::vector<Scene>> all;
  for (auto const* shape : {"ring", "network", "none"}) all.push_back(scenes(shape, {Ground::smooth, 0.1}));
  auto const error = [&](char const* set, Rules rules) {
    double sum = 0;
    for (auto const& of_shape : all) {
      std::vector<Judgement> judgements;
      for (auto const& scene : of_shape) {
        judgements.push_back(judge(scene, detect(scene.field(), named_parameters(set), rules)));
      }
      sum += summarise(judgements).mean.error();
    }
    return sum;
  };
  auto const least = error(default_set, default_rules);
  for (auto const* set : {"cells", "eps_default", "dog15", "rgps"}) {
    for (auto const rules : {Rules::repaired, Rules::lkf_tools}) {
      EXPECT_GE(error(set, rules), least) << set;
    }
  }
}

}  // namespace
}  // namespace ulpine::lkf::judging
