// SPDX-License-Identifier: Apache-2.0
// Features on cells that are not square: lengths, directions and thresholds by distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/error.hpp"
#include "lkf/images.hpp"
#include "support/random_values.hpp"
#include "verification/lkf/detector.hpp"
#include "verification/lkf/geometry.hpp"
#include "verification/lkf/stages.hpp"

namespace ulpine::lkf::test {
namespace {

using ulpine::test::RandomValues;

constexpr double unit_roundoff = 0x1p-53;

Detection detect_on(Image const& image, Spacing const& spacing, Parameters const& parameters, Rules rules) {
  auto field = image.field();
  field.spacing = spacing;
  return detect(field, parameters, rules);
}

Spacing exchanged(Spacing const& spacing) { return {spacing.columns, spacing.rows}; }

Image transposed(Image const& image) {
  return filled(image.columns, image.rows, [&](double i, double j) {
    return image.eps[static_cast<std::size_t>(j) * static_cast<std::size_t>(image.columns) +
                     static_cast<std::size_t>(i)];
  });
}

Segment transposed(Segment segment) {
  for (auto& [row, column] : segment) std::swap(row, column);
  return segment;
}

/// A walk of steps to neighbours, with a bridged gap here and there.
Segment random_walk(RandomValues& random) {
  Segment segment{{500, 500}};
  auto const steps = 2 + random.below(60);
  for (std::size_t k = 0; k < steps; ++k) {
    auto const reach = random.uniform() < 0.1 ? 4 : 1;
    auto const step = [&] { return static_cast<std::int32_t>(random.below(2 * reach + 1)) - reach; };
    segment.push_back({segment.back()[0] + step(), segment.back()[1] + step()});
  }
  return segment;
}

Spacing random_spacing(RandomValues& random) {
  return {std::exp(random.between(-2, 3)), std::exp(random.between(-2, 3))};
}

void expect_same_features(Detection const& one, Detection const& other) {
  ASSERT_EQ(one.features.size(), other.features.size());
  for (std::size_t k = 0; k < one.features.size(); ++k) {
    EXPECT_EQ(one.features[k].cells, other.features[k].cells);
    EXPECT_EQ(one.features[k].length_cells, other.features[k].length_cells);
    EXPECT_EQ(one.features[k].chord_cells, other.features[k].chord_cells);
    EXPECT_EQ(one.features[k].orientation_degrees, other.features[k].orientation_degrees);
    EXPECT_EQ(one.features[k].curvature, other.features[k].curvature);
  }
}

/// Lengths of 70 km along x and 72 km along y, and oblique ones, on cells of 1 km x 4 km.
TEST(Spacing, ARidgeHasItsLengthAndDirectionOnCellsOfOneByFour) {
  Spacing const km{4, 1};
  // A path of steps along columns and diagonals is longest beside the chord where it halves the angle between
  // the two, by 1 / cos of that half; between rows and diagonals the angle is smaller.
  auto const longest = 1 / std::cos(std::atan2(4, 1) / 2);
  struct Case {
    Cell from, to;
  };
  for (auto const& [from, to] : {Case{{40, 5}, {40, 75}},
                                 {{31, 40}, {49, 40}},
                                 {{10, 20}, {70, 20}},
                                 {{15, 15}, {65, 65}},
                                 {{20, 10}, {50, 70}},
                                 {{70, 30}, {10, 45}}}) {
    auto const image =
        framed(filled(81, 81, [&](double i, double j) { return ridge(to_line(i, j, from, to)); }));
    for (auto const rules : all_rules) {
      auto const detection = detect_on(image, km, named_parameters("multday_use_eps"), rules);

      ASSERT_EQ(detection.features.size(), 1u) << from[0] << " " << from[1];
      auto const& feature = detection.features[0];
      double const dr = to[0] - from[0], dc = to[1] - from[1];
      auto const length = std::hypot(4 * dr, dc);
      // Four cells along the ridge, as on square cells, are lost at the ends at most.
      EXPECT_NEAR(chord(feature.cells, km), length, 4 * length / std::hypot(dr, dc));
      EXPECT_GE(polyline_length(feature.cells, km), chord(feature.cells, km) * (1 - 1e-14));
      EXPECT_LE(polyline_length(feature.cells, km), longest * chord(feature.cells, km));
      EXPECT_EQ(*summarise(detection, km).total_length_km, polyline_length(feature.cells, km));
      // Two degrees among cells, as on square ones, are turned into up to four times as much.
      auto const direction = std::atan2(4 * dr, dc) * 180 / M_PI;
      auto const stretch = 4 * (dr * dr + dc * dc) / (length * length);
      EXPECT_NEAR(std::remainder(feature.orientation_degrees - direction, 180), 0, 2 * stretch);
      EXPECT_LT(feature.curvature, 1e-3);
    }
  }
}

TEST(Spacing, SquareCellsOfAnySizeGiveTheSameFeatures) {
  auto const image = framed(noise(60, 70, 3));
  for (auto const rules : all_rules) {
    auto const expected = detect(image.field(), named_parameters("dog15"), rules);
    auto const found = detect_on(image, 12.345, named_parameters("dog15"), rules);
    expect_same_features(found, expected);
    EXPECT_TRUE(found.notes.empty());
    EXPECT_EQ(summarise(found, 12.345).total_length_km, 12.345 * summarise(expected).total_length_cells);
    for (auto const& feature : found.features) {
      EXPECT_EQ(polyline_length(feature.cells, 12.345), 12.345 * feature.length_cells);
      EXPECT_EQ(chord(feature.cells, 12.345), 12.345 * feature.chord_cells);
    }
  }
}

TEST(Spacing, LengthsOfTransposedWalksAreTheSameBits) {
  RandomValues random(61);
  for (int trial = 0; trial < 300; ++trial) {
    auto const walk = random_walk(random);
    auto const spacing = random_spacing(random);
    EXPECT_EQ(polyline_length(walk, spacing), polyline_length(transposed(walk), exchanged(spacing)));
    EXPECT_EQ(chord(walk, spacing), chord(transposed(walk), exchanged(spacing)));
    double length = 0;
    for (std::size_t k = 1; k < walk.size(); ++k) {
      length += std::hypot((walk[k][0] - walk[k - 1][0]) * spacing.rows,
                           (walk[k][1] - walk[k - 1][1]) * spacing.columns);
    }
    // Four roundings a step and one an addition on either side.
    EXPECT_NEAR(polyline_length(walk, spacing), length,
                2 * static_cast<double>(walk.size() + 4) * unit_roundoff * length);
  }
}

TEST(Spacing, DirectionsAndCurvaturesGoByDistances) {
  for (Spacing const spacing : {Spacing{4, 1}, Spacing{1, 3}, Spacing{0.5, 0.25}}) {
    for (int degrees = 0; degrees < 180; degrees += 15) {
      Segment line;
      for (double at = 0; at < 400 * spacing.mean(); at += 0.1) {
        line.push_back(
            {static_cast<std::int32_t>(std::lround(at * std::sin(degrees * M_PI / 180) / spacing.rows)),
             static_cast<std::int32_t>(std::lround(at * std::cos(degrees * M_PI / 180) / spacing.columns))});
      }
      EXPECT_NEAR(std::remainder(orientation(line, spacing) - degrees, 180), 0, 1) << degrees;
    }
    auto const radius = 60 * spacing.mean();
    Segment arc;
    for (int k = 0; k < 2000; ++k) {
      auto const angle = k * 2e-3;
      arc.push_back({static_cast<std::int32_t>(std::lround(radius * std::sin(angle) / spacing.rows)),
                     static_cast<std::int32_t>(std::lround(radius * std::cos(angle) / spacing.columns))});
    }
    EXPECT_NEAR(curvature(arc, spacing) * radius, 1, 0.05);
  }
}

TEST(Spacing, FeaturesMeetAtTheAngleAndWithinTheGapOfDistances) {
  std::vector<Feature> lines(2);
  for (std::int32_t k = 0; k < 41; ++k) {
    lines[0].cells.push_back({20, k});
    lines[1].cells.push_back({k, k});  // a slope of 4 where rows are four times as far apart
  }
  auto const crossing = intersections(lines, 1.5, 10, {4, 1});
  ASSERT_EQ(crossing.size(), 1u);
  EXPECT_NEAR(crossing[0].degrees, std::atan2(4, 1) * 180 / M_PI, 1e-9);
  for (auto& cell : lines[1].cells) cell = {21, cell[1]};  // parallel, one row beside
  EXPECT_EQ(intersections(lines, 1.5, 10).size(), 1u);
  EXPECT_TRUE(intersections(lines, 1.5, 10, {4, 1}).empty());
  EXPECT_EQ(intersections(lines, 4, 10, {4, 1}).size(), 1u);
  for (auto& cell : lines[1].cells) cell = {20, cell[1] + 44};  // behind the first, four columns beside
  EXPECT_TRUE(intersections(lines, 1.5, 10).empty());
  EXPECT_EQ(intersections(lines, 1.5, 10, {1, 0.25}).size(), 1u);
}

/// Rows of cells with a gap; the limit is 4 mean spacings, 10 columns or 2.5 rows of {4, 1}.
TEST(Spacing, GapsAreBridgedByDistances) {
  auto const pieces = [](std::int32_t gap) {
    Segment one, other;
    for (std::int32_t k = 0; k < 10; ++k) {
      one.push_back({20, 5 + k});
      other.push_back({20, 14 + gap + k});
    }
    return std::vector{one, other};
  };
  auto const turned = [&](std::int32_t gap) {
    auto segments = pieces(gap);
    for (auto& segment : segments) segment = transposed(segment);
    return segments;
  };
  std::vector<double> const eps(60 * 60, 0.5);
  auto const joined = [&](std::vector<Segment> const& segments, Spacing const& spacing) {
    detail::JoinLimits const limits{4, 3, 35, 0.5, spacing.relative()};
    return detail::join(segments, eps, 60, limits, Rules::repaired).size() == 1;
  };
  for (std::int32_t gap = 1; gap < 16; ++gap) {
    EXPECT_EQ(joined(pieces(gap), 1), gap < 4) << gap;
    EXPECT_EQ(joined(turned(gap), 1), gap < 4) << gap;
    EXPECT_EQ(joined(pieces(gap), {4, 1}), gap < 10) << gap;
    EXPECT_EQ(joined(turned(gap), {4, 1}), gap < 3) << gap;
    EXPECT_EQ(joined(pieces(gap), {1, 4}), gap < 3) << gap;
  }
}

TEST(Spacing, TheLeastLengthIsADistanceUnderRepairedRulesOnly) {
  auto const along_columns = framed(filled(61, 61, [](double i, double j) {
    return ridge(to_line(i, j, {30, 20}, {30, 40}));
  }));
  auto const along_rows = transposed(along_columns);
  auto parameters = named_parameters("multday_use_eps");
  parameters.lmin = 12;  // of 2.5 km each: 20 km are too short, 80 km are not
  auto const found = [&](Image const& image, Spacing const& spacing, Rules rules) {
    return detect_on(image, spacing, parameters, rules).features.size();
  };
  for (auto const rules : all_rules) {
    EXPECT_EQ(found(along_columns, 1, rules), 1u);
    EXPECT_EQ(found(along_rows, 1, rules), 1u);
    EXPECT_EQ(found(along_rows, {4, 1}, rules), 1u);
    EXPECT_EQ(found(along_columns, {4, 1}, rules), rules == Rules::repaired ? 0u : 1u);
  }
}

TEST(Spacing, LkfToolsFindsTheSameCellsWhateverTheirShape) {
  auto const image = framed(noise(70, 60, 12));
  for (auto const* set : {"dog15", "process_dataset"}) {
    auto const expected = detect(image.field(), named_parameters(set), Rules::lkf_tools);
    auto const found = detect_on(image, {3, 1}, named_parameters(set), Rules::lkf_tools);
    ASSERT_EQ(found.features.size(), expected.features.size());
    for (std::size_t k = 0; k < found.features.size(); ++k) {
      EXPECT_EQ(found.features[k].cells, expected.features[k].cells);
    }
  }
}

/// Tracing prefers the last open neighbour in the order of rows and columns, so that at forks and stairs of
/// the skeleton the transposed field is traced otherwise, and no bound holds for fields in general. Without
/// forks and stairs there is nothing to prefer, and of lines one cell wide nothing to thin, which prefers
/// directions too: of ridges along rows, columns and diagonals, far from each other, the same steps are
/// taken, and the two sums of at most n steps differ by their roundings, n units each.
TEST(Spacing, ThePatternTransposedWithItsSpacingsHasTheSameTotalLength) {
  constexpr std::int32_t tiles = 3, tile = 48;
  RandomValues random(62);
  for (int trial = 0; trial < 8; ++trial) {
    struct Ridge {
      Cell from, to;
    };
    std::vector<Ridge> ridges;
    for (std::int32_t k = 0; k < tiles * tiles; ++k) {
      Cell const centre{k / tiles * tile + 20 + static_cast<std::int32_t>(random.below(8)),
                        k % tiles * tile + 20 + static_cast<std::int32_t>(random.below(8))};
      auto const half = 5 + static_cast<std::int32_t>(random.below(7));
      Cell const directions[] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
      auto const& [dr, dc] = directions[random.below(4)];
      ridges.push_back(
          {{centre[0] - half * dr, centre[1] - half * dc}, {centre[0] + half * dr, centre[1] + half * dc}});
    }
    auto const image = framed(filled(tiles * tile, tiles * tile, [&](double i, double j) {
      double distance = 9;
      for (auto const& [from, to] : ridges) distance = std::min(distance, to_line(i, j, from, to));
      return crest(distance);
    }));
    auto const spacing = random_spacing(random);
    auto parameters = named_parameters("multday_use_eps");
    parameters.lmin = 0;
    parameters.dog_thres = least_of_crest;
    auto const one = detect_on(image, spacing, parameters, Rules::repaired);
    auto const other = detect_on(transposed(image), exchanged(spacing), parameters, Rules::repaired);

    EXPECT_EQ(one.features.size(), ridges.size());
    EXPECT_EQ(other.features.size(), one.features.size());
    auto const length = *summarise(one, spacing).total_length_km;
    double steps = 0;
    for (auto const& feature : one.features) steps += static_cast<double>(feature.cells.size());
    EXPECT_NEAR(*summarise(other, exchanged(spacing)).total_length_km, length,
                2 * steps * unit_roundoff * length);
  }
}

TEST(Spacing, APowerOfTwoAsScaleScalesLengthsExactly) {
  RandomValues random(63);
  for (unsigned trial = 0; trial < 6; ++trial) {
    auto const image = framed(noise(50, 60, trial));
    auto const spacing = random_spacing(random);
    for (auto const rules : all_rules) {
      auto const expected = detect_on(image, spacing, named_parameters("rgps"), rules);
      for (auto const exponent : {-40, -1, 3, 60}) {
        Spacing const scaled{std::ldexp(spacing.rows, exponent), std::ldexp(spacing.columns, exponent)};
        auto const found = detect_on(image, scaled, named_parameters("rgps"), rules);
        expect_same_features(found, expected);
        EXPECT_EQ(found.notes, expected.notes);
        EXPECT_EQ(*summarise(found, scaled).total_length_km,
                  std::ldexp(*summarise(expected, spacing).total_length_km, exponent));
        for (auto const& feature : found.features) {
          EXPECT_EQ(polyline_length(feature.cells, scaled),
                    std::ldexp(polyline_length(feature.cells, spacing), exponent));
        }
      }
    }
  }
}

TEST(Spacing, NotesSayWhatCountsCellsAndWhatHasNoLogarithm) {
  auto image = framed(noise(40, 40, 5));
  auto const notes = [&](Spacing const& spacing, char const* set, Rules rules) {
    return detect_on(image, spacing, named_parameters(set), rules).notes;
  };
  EXPECT_TRUE(notes(1, "dog15", Rules::repaired).empty());
  for (auto const rules : all_rules) {
    auto const found = notes({6, 4}, "dog15", rules);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].find("the rows are 1.5 times as far apart as the columns"), std::string::npos);
    EXPECT_EQ(found[0].find("lkf_tools knows square cells only") != std::string::npos,
              rules == Rules::lkf_tools);
  }
  // 36 x 36 cells are inside the frame.
  for (std::size_t const k : {420, 540, 620}) image.eps[k] = 0;
  image.eps[900] = -0.1;
  auto const found = notes(1, "dog15", Rules::repaired);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find("4 of 1296 values are zero or negative"), 0u) << found[0];
  EXPECT_TRUE(notes(1, "process_dataset", Rules::repaired).empty());
}

TEST(Spacing, JsonHasLengthsInKmAndSaysWhyOneIsMissing) {
  auto const image = framed(filled(40, 40, [](double i, double) { return 1.7e307 * crest(i - 20); }));
  auto parameters = named_parameters("multday_use_eps");
  parameters.dog_thres = 1.7e307 * least_of_crest;
  auto const detection = detect_on(image, {2, 0.5}, parameters, Rules::repaired);
  ASSERT_EQ(detection.features.size(), 1u);

  auto const json = to_json(detection, parameters, Rules::repaired, Spacing{2, 0.5});
  auto const& feature = json["features"][0];
  EXPECT_EQ(feature["length_km"], 0.5 * detection.features[0].length_cells);
  EXPECT_EQ(feature["chord_km"], 0.5 * detection.features[0].chord_cells);
  EXPECT_EQ(json["total_length_km"], 0.5 * detection.features[0].length_cells);
  EXPECT_EQ(json["spacing_km"]["rows"], 2);
  EXPECT_EQ(json["spacing_km"]["columns"], 0.5);
  EXPECT_EQ(json["notes"].size(), 1u);
  // Of 36 values of 8e306 the sum is beyond double, the mean is not.
  EXPECT_NEAR(feature["mean_deformation"].get<double>(), 1.7e307 * 0.51, 1e-12 * 1e307);

  auto const huge = to_json(detection, parameters, Rules::repaired, Spacing{5e307, 2e307});
  EXPECT_TRUE(huge["total_length_km"].is_null());
  EXPECT_NE(huge["notes"].back().get<std::string>().find("beyond the range of double"), std::string::npos);
  EXPECT_EQ(huge.dump().find("inf"), std::string::npos);

  auto const unknown = to_json(detection, parameters, Rules::repaired);
  for (auto const* key : {"length_km", "chord_km"}) EXPECT_TRUE(unknown["features"][0][key].is_null());
  for (auto const* key : {"spacing_km", "total_length_km"}) EXPECT_TRUE(unknown[key].is_null());
  EXPECT_NE(unknown["notes"].back().get<std::string>().find("no grid spacing"), std::string::npos);
}

TEST(Spacing, RefusesWhatIsNone) {
  auto const image = framed(noise(10, 10, 1));
  for (auto const wrong : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(detect_on(image, {wrong, 1}, {}, Rules::repaired), InputError) << wrong;
    EXPECT_THROW(detect_on(image, {1, wrong}, {}, Rules::repaired), InputError) << wrong;
  }
  auto other = image.field();
  other.spacing = {1, 2};
  EXPECT_THROW(detect(std::vector{image.field(), other}, {}, Rules::repaired), InputError);
}

}  // namespace
}  // namespace ulpine::lkf::test
