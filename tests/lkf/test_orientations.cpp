// SPDX-License-Identifier: Apache-2.0
// What is detected as the grid of one field is numbered from other corners and along the other axis first.
#include "verification/lkf/orientations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lkf/images.hpp"
#include "support/random_values.hpp"

namespace ulpine::lkf::test {
namespace {

using ulpine::test::RandomValues;

/// A quarter turn.
Image turned(Image const& image) {
  return filled(image.columns, image.rows, [&](double i, double j) {
    return image.eps[static_cast<std::size_t>(j) * static_cast<std::size_t>(image.columns) +
                     static_cast<std::size_t>(image.columns - 1) - static_cast<std::size_t>(i)];
  });
}

Image mirrored(Image const& image) {
  return filled(image.rows, image.columns, [&](double i, double j) {
    return image.eps[static_cast<std::size_t>(i) * static_cast<std::size_t>(image.columns) +
                     static_cast<std::size_t>(image.columns - 1) - static_cast<std::size_t>(j)];
  });
}

struct OnGrid {
  Image image;
  Spacing spacing;

  Field field() const {
    auto field = image.field();
    field.spacing = spacing;
    return field;
  }
};

/// The image and its mirror image, each by quarter turns.
std::vector<OnGrid> all_of(Image const& image, Spacing const& spacing) {
  std::vector<OnGrid> all;
  for (auto next : {OnGrid{image, spacing}, OnGrid{mirrored(image), spacing}}) {
    for (int quarters = 0; quarters < 4; ++quarters) {
      all.push_back(next);
      next = {turned(next.image), {next.spacing.columns, next.spacing.rows}};
    }
  }
  return all;
}

/// Crossing ridges of random places, directions and strengths on uneven ground.
Image ridges(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  RandomValues random{seed};
  auto image = filled(rows, columns, [&](double, double) { return 0.01 * std::exp(0.2 * random.normal()); });
  for (int k = 0; k < 9; ++k) {
    auto const direction = random.between(0, std::numbers::pi), reach = random.between(8, 30),
               row = random.between(0, double(rows)), column = random.between(0, double(columns)),
               strength = random.between(0.05, 1);
    Cell const from{static_cast<std::int32_t>(row - reach * std::sin(direction)),
                    static_cast<std::int32_t>(column - reach * std::cos(direction))};
    Cell const to{static_cast<std::int32_t>(row + reach * std::sin(direction)),
                  static_cast<std::int32_t>(column + reach * std::cos(direction))};
    auto const line = filled(rows, columns, [&](double i, double j) {
      auto const distance = to_line(i, j, from, to);
      return strength * std::exp(-distance * distance);
    });
    for (std::size_t i = 0; i < image.eps.size(); ++i) image.eps[i] += line.eps[i];
  }
  return framed(image);
}

/// Sums of the same lengths in another order.
void expect_near(Range<double> const& found, Range<double> const& expected) {
  EXPECT_NEAR(found.least, expected.least, 1e-12 * expected.greatest);
  EXPECT_NEAR(found.greatest, expected.greatest, 1e-12 * expected.greatest);
}

TEST(Orientations, AreThoseOfTheFieldTurnedAndMirrored) {
  auto const parameters = named_parameters("cells");
  std::int64_t widest = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    auto const image = ridges(60, 74, seed);
    for (auto const rules : all_rules) {
      for (auto const& spacing : {Spacing{4}, Spacing{3, 5}}) {
        std::vector<std::int64_t> counts;
        std::vector<double> cells, km;
        for (auto const& grid : all_of(image, spacing)) {
          auto const summary = summarise(detect(grid.field(), parameters, rules), grid.spacing);
          counts.push_back(summary.count);
          cells.push_back(summary.total_length_cells);
          km.push_back(summary.total_length_km.value());
        }
        auto const over = over_orientations(OnGrid{image, spacing}.field(), parameters, rules, spacing);
        EXPECT_EQ(over.count.least, std::ranges::min(counts)) << seed;
        EXPECT_EQ(over.count.greatest, std::ranges::max(counts)) << seed;
        expect_near(over.total_length_cells, {std::ranges::min(cells), std::ranges::max(cells)});
        expect_near(over.total_length_km.value(), {std::ranges::min(km), std::ranges::max(km)});
        widest = std::max(widest, over.count.width());
      }
    }
  }
  EXPECT_GT(widest, 0) << "no field whose features depend on its orientation";
}

// Whoever numbers the grid otherwise is told the same.
TEST(Orientations, DoNotDependOnTheOrientation) {
  auto const parameters = named_parameters("cells");
  for (auto const rules : all_rules) {
    for (auto const& image : {ridges(50, 41, 11), framed(noise(30, 44, 3))}) {
      Spacing const spacing{2, 3};
      auto const expected = over_orientations(OnGrid{image, spacing}.field(), parameters, rules, spacing);
      for (auto const& grid : all_of(image, spacing)) {
        auto const over = over_orientations(grid.field(), parameters, rules, grid.spacing);
        EXPECT_EQ(over.count.least, expected.count.least);
        EXPECT_EQ(over.count.greatest, expected.count.greatest);
        expect_near(over.total_length_cells, expected.total_length_cells);
        expect_near(over.total_length_km.value(), expected.total_length_km.value());
      }
    }
  }
}

TEST(Orientations, AgreeAboutALineAndAboutNothing) {
  auto const parameters = named_parameters("cells");
  auto const line = framed(filled(40, 50, [](double i, double j) {
    return ridge(to_line(i, j, {20, 8}, {20, 40}));
  }));
  auto const quiet = framed(filled(40, 50, [](double, double) { return 0.01; }));
  for (auto const rules : all_rules) {
    auto const of_line = over_orientations(line.field(), parameters, rules);
    EXPECT_EQ(of_line.count.least, 1);
    EXPECT_EQ(of_line.count.greatest, 1);
    EXPECT_FALSE(of_line.total_length_km) << "no spacing is known";
    auto const of_none = over_orientations(quiet.field(), parameters, rules, Spacing{4});
    EXPECT_EQ(of_none.count.greatest, 0);
    EXPECT_EQ(of_none.total_length_km.value().greatest, 0);
  }
}

}  // namespace
}  // namespace ulpine::lkf::test
