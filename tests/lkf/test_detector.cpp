// SPDX-License-Identifier: Apache-2.0
// The detector as a whole: analytic fields, symmetries, awkward input, cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/error.hpp"
#include "lkf/images.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/lkf/geometry.hpp"

namespace ulpine::lkf::test {
namespace {

constexpr char const* all_sets[] = {"cells", "eps_default",     "dog15",
                                    "rgps",  "process_dataset", "multday_use_eps"};

std::vector<Segment> cells_of(Detection const& detection, std::int32_t rows = 0, std::int32_t columns = 0) {
  std::vector<Segment> result;
  for (auto const& feature : detection.features) {
    auto& cells = result.emplace_back(feature.cells);
    for (auto& cell : cells) cell = {cell[0] + rows, cell[1] + columns};
  }
  return result;
}

TEST(Detect, FindsAStraightRidgeWithItsLengthAndDirection) {
  struct Case {
    Cell from, to;
  };
  for (auto const& [from, to] : {Case{{40, 10}, {40, 70}},
                                 {{10, 40}, {70, 40}},
                                 {{15, 15}, {65, 65}},
                                 {{15, 65}, {65, 15}},
                                 {{20, 10}, {50, 70}},
                                 {{70, 30}, {10, 45}}}) {
    auto const image =
        framed(filled(81, 81, [&](double i, double j) { return ridge(to_line(i, j, from, to)); }));
    for (auto const rules : all_rules) {
      auto const detection = detect(image.field(), named_parameters("multday_use_eps"), rules);

      ASSERT_EQ(detection.features.size(), 1u);
      auto const& feature = detection.features[0];
      auto const length = std::hypot(to[0] - from[0], to[1] - from[1]);
      EXPECT_NEAR(feature.chord_cells, length, 4);
      EXPECT_GE(feature.length_cells, feature.chord_cells - 1e-9);
      EXPECT_LE(feature.length_cells,
                1.09 * feature.chord_cells);  // steps along axes and diagonals: at most 8.24 %
      auto const direction = std::atan2(to[0] - from[0], to[1] - from[1]) * 180 / M_PI;
      EXPECT_NEAR(std::remainder(feature.orientation_degrees - direction, 180), 0, 2);
      EXPECT_LT(feature.curvature, 1e-3);
      EXPECT_NEAR(feature.mean_deformation, 0.5, 0.1);
      for (auto const& [row, column] : feature.cells) EXPECT_LT(to_line(row, column, from, to), 1.01);
    }
  }
}

TEST(Detect, KeepsFeaturesOfExactlyTheLeastLength) {
  auto const image = framed(filled(81, 81, [](double i, double j) {
    return ridge(to_line(i, j, {40, 20}, {40, 60}));
  }));
  auto parameters = named_parameters("multday_use_eps");
  auto const found = detect(image.field(), parameters, Rules::repaired);
  ASSERT_EQ(found.features.size(), 1u);
  parameters.lmin = found.features[0].chord_cells;
  EXPECT_EQ(detect(image.field(), parameters, Rules::repaired).features.size(), 1u);
  parameters.lmin = std::nextafter(parameters.lmin, 1e9);
  EXPECT_TRUE(detect(image.field(), parameters, Rules::repaired).features.empty());
}

/// The traces from both ends of this ridge have exactly the same direction.
TEST(Detect, LkfToolsLeavesExactlyAlignedHalvesApart) {
  auto const image = framed(filled(81, 81, [](double i, double j) {
    return ridge(to_line(i, j, {20, 10}, {45, 70}));
  }));
  auto const parameters = named_parameters("multday_use_eps");

  auto const halves = cells_of(detect(image.field(), parameters, Rules::lkf_tools));

  ASSERT_EQ(halves.size(), 2u);
  auto const direction = [](Segment const& s) {
    return Cell{s.back()[0] - s.front()[0], s.back()[1] - s.front()[1]};
  };
  auto const [one, other] = std::pair{direction(halves[0]), direction(halves[1])};
  EXPECT_EQ(one[0] * other[1], one[1] * other[0]);
  EXPECT_EQ(detect(image.field(), parameters, Rules::repaired).features.size(), 1u);
}

/// Steps along axes and diagonals are up to 1 / cos(22.5 degrees) = 1.0824 times as long as the line.
constexpr double longest_by_steps = 1.0824;

TEST(Detect, RepairedRulesFindAStraightRidgeOfAnyDirectionInOnePiece) {
  constexpr double half = 35, centre = 50;
  auto const parameters = named_parameters("multday_use_eps");
  for (int degrees = 0; degrees < 180; ++degrees) {
    auto const c = std::cos(degrees * M_PI / 180), s = std::sin(degrees * M_PI / 180);
    auto const image = framed(filled(101, 101, [&](double i, double j) {
      auto const along = (i - centre) * s + (j - centre) * c, aside = (j - centre) * s - (i - centre) * c;
      return ridge(std::hypot(std::max(std::abs(along) - half, 0.0), aside));
    }));

    auto const detection = detect(image.field(), parameters, Rules::repaired);

    ASSERT_EQ(detection.features.size(), 1u) << degrees;
    // Of strips two pixels wide and almost diagonal thinning eats some cells from the ends.
    auto const from_diagonal = std::abs(degrees % 90 - 45);
    auto const eaten = from_diagonal > 0 && from_diagonal < 3 ? 14 : 4;
    EXPECT_NEAR(detection.features[0].chord_cells, 2 * half, eaten) << degrees;
    EXPECT_LE(detection.features[0].length_cells, longest_by_steps * (2 * half + 4)) << degrees;
  }
}

/// Between the pieces a few cells are lost.
TEST(Detect, FindsTheLengthAndCurvatureOfARing) {
  constexpr double radius = 35;
  auto const image =
      framed(filled(101, 101, [](double i, double j) { return ridge(std::hypot(i - 50, j - 50) - radius); }));
  for (auto const rules : all_rules) {
    auto const detection = detect(image.field(), named_parameters("multday_use_eps"), rules);

    auto const length = summarise(detection).total_length_cells / (2 * M_PI * radius);
    EXPECT_GT(length, 0.97);
    EXPECT_LT(length, longest_by_steps);
    EXPECT_LE(detection.features.size(), 4u);
    for (auto const& feature : detection.features) EXPECT_NEAR(feature.curvature * radius, 1, 0.05);
  }
}

TEST(Detect, AMovedPatternGivesTheMovedFeatures) {
  auto const pattern = [](double i, double j) {
    auto const distance = std::min({to_line(i, j, {12, 12}, {45, 30}), to_line(i, j, {14, 40}, {40, 15}),
                                    to_line(i, j, {50, 14}, {50, 44})});
    return distance < 8 ? ridge(distance) * (1 + 0.1 * std::sin(i) * std::cos(2 * j)) : 0.01;
  };
  // Both at least two radii of the wide filter away from the frame, where means are over fewer cells.
  auto const here = framed(filled(110, 110, [&](double i, double j) { return pattern(i - 10, j - 10); }));
  auto const there = framed(filled(110, 110, [&](double i, double j) { return pattern(i - 27, j - 33); }));
  for (auto const rules : all_rules) {
    for (auto const* set : {"dog15", "rgps", "process_dataset"}) {
      auto const parameters = named_parameters(set);
      auto const first = detect(here.field(), parameters, rules);
      EXPECT_GE(first.features.size(), 2u);
      EXPECT_EQ(cells_of(first, 17, 23), cells_of(detect(there.field(), parameters, rules))) << set;
    }
  }
}

TEST(Detect, KeepsStagesOnlyWhenAsked) {
  auto const image = framed(noise(20, 20, 1));
  EXPECT_TRUE(detect(image.field(), {}, Rules::repaired).stages.thin.empty());
  EXPECT_EQ(detect(image.field(), {}, Rules::repaired, true).stages.thin.size(), 400u);
}

TEST(Detect, ACellThatIsMissingOnOneDayIsLost) {
  auto const day = framed(filled(40, 40, [](double i, double j) {
    return ridge(to_line(i, j, {20, 5}, {20, 34}));
  }));
  auto other = framed(filled(40, 40, [](double i, double j) {
    return ridge(to_line(i, j, {10, 5}, {10, 34}));
  }));
  for (std::int64_t j = 18; j < 22; ++j) other.eps[20 * 40 + j] = nan;

  auto const detection = detect(std::vector{day.field(), other.field()}, named_parameters("process_dataset"),
                                Rules::lkf_tools, true);

  // Both ridges show, and the earlier day's is interrupted where the later day has no value.
  EXPECT_EQ(detection.stages.binary[10 * 40 + 20], 1);
  for (std::int64_t j = 16; j < 24; ++j)
    EXPECT_EQ(detection.stages.binary[20 * 40 + j], j < 18 || j > 21 ? 1 : 0);
  EXPECT_EQ(detection.stages.processed.size(), 2 * 1600u);
}

TEST(Detect, FieldsWithNothingInThemHaveNoFeatures) {
  std::vector<Image> images{{0, 0, {}}, {0, 5, {}}, {5, 0, {}}};
  for (std::int64_t const n : {1, 4, 30}) {
    for (auto const value : {nan, 0.0, 0.1, 1e-300, 1e300, std::numeric_limits<double>::infinity()}) {
      images.push_back(filled(n, n, [&](double, double) { return value; }));
      images.push_back(framed(images.back()));
    }
  }
  for (auto const& image : images) {
    for (auto const rules : all_rules) {
      for (auto const* set : all_sets) {
        EXPECT_TRUE(detect(image.field(), named_parameters(set), rules).features.empty())
            << image.rows << " " << (image.eps.empty() ? 0 : image.eps[0]) << " " << set;
      }
    }
  }
}

/// Where the field is flat only rounding is left of the filtered field, and a threshold of zero lets it
/// through.
TEST(Detect, PlateausGiveNothingUnderRepairedRules) {
  auto const steps = framed(filled(60, 60, [](double i, double j) { return i + j < 60 ? 0.013 : 0.37; }));
  auto parameters = named_parameters("eps_default");
  parameters.use_eps = true;

  auto const detection = detect(steps.field(), parameters, Rules::repaired, true);

  for (std::int64_t i = 0; i < 60; ++i) {
    for (std::int64_t j = 0; j < 60; ++j) {
      if (std::abs(i + j - 60) <= 12) continue;
      EXPECT_EQ(detection.stages.binary[i * 60 + j], 0) << i << " " << j;
    }
  }
}

/// lkf_tools fails or wraps around at the border; these fields have no frame of NaN.
TEST(Detect, FeaturesOnTheBorderStayInside) {
  for (auto const rules : all_rules) {
    for (auto const* set : all_sets) {
      auto parameters = named_parameters(set);
      parameters.lmin = 0;
      for (auto const& [rows, columns] : {std::pair{1, 1}, {1, 30}, {2, 2}, {3, 17}, {9, 5}, {40, 40}}) {
        auto const image = noise(rows, columns, 9);
        for (auto const& segment : cells_of(detect(image.field(), parameters, rules))) {
          for (auto const& [row, column] : segment) {
            EXPECT_TRUE(row >= 0 && row < rows && column >= 0 && column < columns);
          }
        }
      }
    }
  }
  auto const across = filled(40, 40, [](double i, double) { return ridge(i - 20); });
  auto const detection = detect(across.field(), named_parameters("multday_use_eps"), Rules::repaired);
  ASSERT_EQ(detection.features.size(), 1u);
  EXPECT_GE(detection.features[0].chord_cells,
            39 - 3);  // thinning shortens a ridge by up to its width of 3 cells
}

/// Processor time: what other programs do meanwhile does not count.
TEST(Detect, PureNoiseTakesSeconds) {
  auto const image = framed(noise(256, 256, 42));
  for (auto const* set : {"eps_default", "dog15", "process_dataset"}) {
    for (auto const rules : all_rules) {
      auto const start = std::clock();
      auto const detection = detect(image.field(), named_parameters(set), rules, true);

      EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 5);
      EXPECT_GT(detection.features.size(), 100u);
      auto const joins = detection.stages.initial.size() - detection.stages.after_pass_1.size();
      if (rules == Rules::lkf_tools) {
        EXPECT_EQ(joins, 500u);  // its limit
      } else {
        EXPECT_GT(joins, 500u);
      }
    }
  }
}

TEST(Detect, RefusesWhatDoesNotFit) {
  std::vector<double> const eps(100, 0.1);
  EXPECT_THROW(detect(Field{10, 11, eps}, {}, Rules::repaired), InputError);
  EXPECT_THROW(detect(Field{-10, -10, eps}, {}, Rules::repaired), InputError);
  EXPECT_THROW(detect(Field{std::int64_t{1} << 40, std::int64_t{1} << 40, {}}, {}, Rules::repaired),
               InputError);
  EXPECT_THROW(detect(std::span<Field const>{}, {}, Rules::repaired), InputError);
  EXPECT_THROW(detect(std::vector{Field{10, 10, eps}, Field{20, 5, eps}}, {}, Rules::repaired), InputError);
  EXPECT_THROW(detect(Field{10, 10, eps}, {.dis_thres = nan}, Rules::repaired), InputError);
}

std::string refusal(std::string const& text, double corfac = 1) {
  try {
    parse_parameters(text, corfac);
  } catch (InputError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Parameters, NamedSetsAreThoseOfLkfTools) {
  Parameters const defaults;
  EXPECT_EQ(named_parameters("eps_default"), defaults);
  EXPECT_EQ(named_parameters("rgps"), (Parameters{1, 5, 15, false, 4, 2, 35, 1.25, 3, 500}));
  EXPECT_EQ(named_parameters("dog15"), (Parameters{1, 5, 15, false, 4, 2, 45, 1.25, 3, 500}));
  EXPECT_EQ(named_parameters("process_dataset"), (Parameters{1, 5, 0.01, true, 4, 2, 45, 1.25, 3, 500}));
  EXPECT_EQ(named_parameters("cells"), named_parameters("process_dataset"));
  EXPECT_EQ(named_parameters("process_dataset", 3.125),
            (Parameters{2.0625, 10.3125, 0.01, true, 12.5, 2, 45, 1.25, 9.375, 1562}));
}

TEST(Parameters, AreReadFromText) {
  EXPECT_EQ(parse_parameters("dog15"), named_parameters("dog15"));
  EXPECT_EQ(parse_parameters("dog15", 2), named_parameters("dog15", 2));
  auto expected = named_parameters("rgps");
  expected.dis_thres = 2.5;
  expected.use_eps = true;
  expected.max_ind = 77;
  EXPECT_EQ(parse_parameters("rgps,dis_thres=2.5,use_eps=true,max_ind=77"), expected);
  auto longer = named_parameters(default_set);
  longer.lmin = 12;
  EXPECT_EQ(parse_parameters("lmin=12"), longer);
}

TEST(Parameters, ThoseOfProcessDatasetAloneScaleWithTheGrid) {
  for (auto const* set : {"process_dataset", "multday_use_eps"}) {
    EXPECT_EQ(parameters_on(set, Spacing{3, 5}), named_parameters("process_dataset", 3.125)) << set;
    EXPECT_EQ(parameters_on(set, {}), named_parameters("process_dataset")) << set;
    auto longer = named_parameters("process_dataset", 3.125);
    longer.lmin = 7;
    EXPECT_EQ(parameters_on(std::string{set} + ",lmin=7", Spacing{4}), longer) << "values given stay";
    EXPECT_THROW(parameters_on(set, Spacing{1e-3}), InputError);
  }
  for (auto const* set : {"cells", "eps_default", "dog15", "rgps", "lmin=5"}) {
    EXPECT_EQ(parameters_on(set, Spacing{4}), parse_parameters(set)) << set;
  }
}

TEST(Parameters, RefusalsSayWhatIsWrongAndWhatIsNear) {
  EXPECT_NE(refusal("dog51").find("did you mean 'dog15'?"), std::string::npos);
  EXPECT_NE(refusal("dis_tres=4").find("did you mean 'dis_thres'?"), std::string::npos);
  for (auto const* text :
       {"", "dog15,", "dog15,rgps", "lmin=", "lmin=x", "lmin=4px", "lmin=-1", "max_ind=1.5", "use_eps=maybe",
        "max_kernel=0.5", "max_kernel=1e300", "angle_thres=nan", "lmin=inf"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
  }
  for (auto const corfac : {0.0, -1.0, nan, 1e9}) EXPECT_NE(refusal("dog15", corfac), "accepted") << corfac;
}

TEST(Summary, CountsAndAddsUp) {
  auto const image = framed(noise(60, 60, 2));
  auto const detection = detect(image.field(), {}, Rules::repaired);
  double length = 0;
  for (auto const& feature : detection.features) length += polyline_length(feature.cells);

  auto const summary = summarise(detection, 2.5);

  EXPECT_EQ(summary.count, static_cast<std::int64_t>(detection.features.size()));
  EXPECT_EQ(summary.total_length_cells, length);
  EXPECT_EQ(summary.total_length_km, 2.5 * length);
  EXPECT_FALSE(summarise(detection).total_length_km);
}

TEST(Json, HasTheDocumentedKeys) {
  auto const image = framed(filled(40, 40, [](double i, double) { return ridge(i - 20); }));
  auto const parameters = named_parameters("multday_use_eps");
  auto const detection = detect(image.field(), parameters, Rules::lkf_tools);

  auto const json = to_json(detection, parameters, Rules::lkf_tools);

  EXPECT_EQ(json["rules"], "lkf_tools");
  EXPECT_EQ(json["parameters"]["dog_thres"], 0.01);
  EXPECT_EQ(json["parameters"].size(), 10u);
  EXPECT_EQ(json["count"], 1);
  EXPECT_EQ(json["total_length_cells"], detection.features[0].length_cells);
  EXPECT_TRUE(json["total_length_km"].is_null());
  auto const& feature = json["features"][0];
  EXPECT_EQ(feature["chord_cells"], detection.features[0].chord_cells);
  EXPECT_EQ(feature["length_cells"], detection.features[0].length_cells);
  EXPECT_EQ(feature["cells"][0][0], detection.features[0].cells[0][0]);
  EXPECT_EQ(feature["cells"][0][1], detection.features[0].cells[0][1]);
  EXPECT_EQ(to_json(detection, parameters, Rules::lkf_tools, 2.0)["total_length_km"],
            2 * detection.features[0].length_cells);
  auto const empty = to_json({}, parameters, Rules::repaired);
  EXPECT_EQ(empty["rules"], "repaired");
  EXPECT_EQ(empty["features"].dump(), "[]");
}

Feature drawn(std::function<std::array<double, 2>(int)> const& point, int count) {
  Feature feature;
  for (int k = 0; k < count; ++k) {
    auto const [row, column] = point(k);
    Cell const cell{static_cast<std::int32_t>(std::lround(row)),
                    static_cast<std::int32_t>(std::lround(column))};
    if (feature.cells.empty() || feature.cells.back() != cell) feature.cells.push_back(cell);
  }
  return feature;
}

Feature straight(double row, double column, double degrees, int count) {
  auto const angle = degrees * M_PI / 180;
  return drawn(
      [&](int k) {
        return std::array{row + k * std::sin(angle), column + k * std::cos(angle)};
      },
      count);
}

TEST(Geometry, OrientationOfDigitisedLines) {
  for (int degrees = 0; degrees < 180; degrees += 5) {
    auto const found = orientation(straight(100, 100, degrees, 60).cells);
    EXPECT_GE(found, 0);
    EXPECT_LT(found, 180);
    EXPECT_NEAR(std::remainder(found - degrees, 180), 0, 1) << degrees;
  }
}

TEST(Geometry, CurvatureOfDigitisedArcs) {
  for (double const radius : {10.0, 30.0, 100.0}) {
    for (double const degrees : {60.0, 180.0, 350.0}) {
      auto const arc = drawn(
          [&](int k) {
            auto const angle = degrees / 2000 * k * M_PI / 180;
            return std::array{200 + radius * std::sin(angle), 200 + radius * std::cos(angle)};
          },
          2000);
      EXPECT_NEAR(curvature(arc.cells) * radius, 1, 0.05) << radius << " " << degrees;
    }
  }
  for (auto const degrees : {0.0, 45.0, 90.0}) EXPECT_EQ(curvature(straight(50, 50, degrees, 40).cells), 0);
  EXPECT_EQ(curvature(Segment{}), 0);
  EXPECT_EQ(curvature(Segment{{3, 3}}), 0);
  EXPECT_EQ(curvature(Segment{{3, 3}, {3, 3}}), 0);
  EXPECT_NEAR(curvature(Segment{{0, 5}, {5, 0}, {0, -5}, {-5, 0}}), 0.2, 1e-14);
}

TEST(Geometry, IntersectionAnglesOfCrossingLines) {
  for (int degrees = 15; degrees <= 90; degrees += 15) {
    std::vector<Feature> const features{straight(50, 20, 0, 60), straight(90, 150, 30, 20),
                                        straight(50 - 25 * std::sin(degrees * M_PI / 180),
                                                 50 - 25 * std::cos(degrees * M_PI / 180), degrees, 51)};
    auto const found = intersections(features);

    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first, 0u);
    EXPECT_EQ(found[0].second, 2u);
    EXPECT_EQ(found[0].cell[0], 50);
    EXPECT_NEAR(found[0].degrees, degrees, 3);
  }
}

}  // namespace
}  // namespace ulpine::lkf::test
