// SPDX-License-Identifier: Apache-2.0
// Evaluators against values worked out by hand or known in closed form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include "io/error.hpp"
#include "support/random_values.hpp"
#include "verification/evaluated_fields.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/evaluators/kinds.hpp"
#include "verification/metrics/spectrum.hpp"

namespace ulpine::verification {
namespace {

using evaluated_fields::refusal, evaluated_fields::six_cells, evaluated_fields::Study;
constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto eps = std::numeric_limits<double>::epsilon();

TEST(Evaluators, WeighWhatIsInsideTheDomainByArea) {
  auto const study = six_cells();
  // 1, -4, 2, 3 with weights 1, 2, 3, 4: sums of small integers, exact in double.
  EXPECT_EQ(study.scalar("kind = \"integral\"\nfield = \"h\""), 1 - 8 + 6 + 12);
  EXPECT_EQ(study.scalar("kind = \"mean\"\nfield = \"h\""), 11 / 10.0);
  EXPECT_EQ(study.scalar("kind = \"mean\"\nfield = \"h\"\nweights = \"none\""), 2 / 4.0);
  EXPECT_EQ(study.scalar("kind = \"integral\"\nfield = \"h\"\nweights = \"none\""), 2);
  EXPECT_EQ(study.scalar("kind = \"extremum\"\nfield = \"h\""), 3);
  EXPECT_EQ(study.scalar("kind = \"extremum\"\nfield = \"h\"\nwhich = \"minimum\""), -4);
  EXPECT_EQ(study.scalar("kind = \"extremum\"\nfield = \"h\"\nwhich = \"magnitude\""), 4);
  EXPECT_EQ(study.scalar("kind = \"power\"\nfield = \"h\"\nfactor = 0.5"), 0.5 * (1 + 32 + 12 + 36) / 10);
  EXPECT_EQ(study.scalar("kind = \"power\"\nfield = \"h\"\nexponent = 3"), (1 - 128 + 24 + 108) / 10.0);
  // Variance with mean 1.1: 8.1 - 1.21; few operations of numbers below 100.
  EXPECT_NEAR(study.scalar("kind = \"power\"\nfield = \"h\"\nabout = \"mean\""), 6.89, 100 * eps);
  EXPECT_EQ(study.units("kind = \"integral\"\nfield = \"h\""), "m m2");
  EXPECT_EQ(study.units("kind = \"power\"\nfield = \"h\""), "m2");
  EXPECT_EQ(study.units("kind = \"mean\"\nfield = \"h\""), "m");
}

/// Three levels of two points at heights 0, 10 and 20 m, and what they should be.
Study known_levels() {
  Study study;
  auto& grid = study.add("w", "m s-1", {3, 1, 2}, {1, 1, 3, 4, 0, 12});
  grid.levels = 3;
  grid.coordinates[0] = {0, 10, 20};
  grid.axis_units[0] = "m";
  study.layout.constants["w_known"] = {0, 0, 3, 0, 0, 5};
  study.layout.constants["ground"] = {1, 2};
  return study;
}

TEST(Evaluators, MeasureTheDistanceFromWhatIsKnown) {
  auto const study = known_levels();
  std::string const keys = "kind = \"distance\"\nfield = \"w\"\nfrom = \"w_known\"\n";
  // Squares of differences 1 1 | 0 16 | 0 49, of what is known 0 0 | 9 0 | 0 25.
  EXPECT_EQ(study.scalar(keys), std::sqrt(67.0 / 34));
  EXPECT_EQ(study.scalar(keys + "lowest = 10\n"), std::sqrt(65.0 / 34));
  EXPECT_EQ(study.scalar(keys + "lowest = 1\nhighest = 10\n"), std::sqrt(16.0 / 9));
  EXPECT_EQ(study.units(keys), "1");
  auto const fitted = study.evaluation(keys + "lowest = 10\n");
  EXPECT_EQ(fitted.curves.at(0).name, "e_level");
  EXPECT_EQ(fitted.curves.at(0).x.units, "m");
  auto const curve = study.curve(keys + "lowest = 10\n");
  EXPECT_EQ(curve.x, (std::vector<double>{10, 20}));
  EXPECT_EQ(curve.y, (std::vector<double>{std::sqrt(16.0 / 9), std::sqrt(49.0 / 25)}));
  EXPECT_TRUE(std::isnan(study.curve(keys).y.at(0)));  // nothing is known to be there
  auto weighted = known_levels();
  weighted.layout.grids["w"].weights = {1, 1, 2, 3, 1, 0};
  EXPECT_EQ(weighted.scalar(keys), std::sqrt(50.0 / 18));
  EXPECT_EQ(weighted.scalar(keys + "weights = \"none\"\n"), std::sqrt(67.0 / 34));
  for (auto const& [wrong, words] : {std::pair{"from = \"w_know\"\n", "'w_known'?"},
                                     {"from = \"ground\"\n", "other dimensions"},
                                     {"from = \"w_known\"\nlowest = 30\n", "no level between"}}) {
    try {
      study.evaluation("kind = \"distance\"\nfield = \"w\"\n" + std::string(wrong));
      ADD_FAILURE() << wrong;
    } catch (InputError const& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }
}

TEST(Evaluators, TakeMeansOverTheLastTimes) {
  // Outputs of h every 10 s: the mean over 20 s has the last two, 2 and 6 or 4 and 0.
  Study study;
  study.add("h", "m", {2}, {0, 0});
  study.layout.times = {0, 10, 20, 30};
  std::vector<std::vector<double>> const outputs = {{100, 100}, {50, 60}, {2, 4}, {6, 0}};
  auto const mean_of = [&](std::string const& keys) {
    auto const fitted = study.evaluation("kind = \"power\"\nfield = \"h\"\nmean_over = \"20 s\"\n" + keys);
    auto const first = fitted.evaluation.mean.first(study.layout.times);
    EXPECT_EQ(first, 2u);
    EvaluationOverTime over_time;
    for (auto time = first; time < outputs.size(); ++time) {
      over_time.add(fitted, study.layout, {{"h", outputs[time]}});
    }
    return over_time.statistics(fitted, study.layout).at(0);
  };
  EXPECT_EQ(mean_of(""), (4.0 * 4 + 2 * 2) / 2);
  EXPECT_EQ(mean_of("mean_of = \"fields\"\n"), (4.0 * 4 + 2 * 2) / 2);
  EXPECT_EQ(mean_of("mean_of = \"values\"\n"), ((2.0 * 2 + 4 * 4) / 2 + 6.0 * 6 / 2) / 2);
  // Curves likewise; all 30 s have the last three, and no more than there is can be asked for.
  auto const profile = study.evaluation(
      "kind = \"profile\"\nfield = \"h\"\naxis = \"x\"\nmean_over = \"30 s\"\nmean_of = \"values\"\n");
  EXPECT_EQ(profile.evaluation.mean.first(study.layout.times), 1u);
  EvaluationOverTime over_time;
  for (auto const& output : {outputs[2], outputs[3]}) over_time.add(profile, study.layout, {{"h", output}});
  EXPECT_EQ(over_time.curves(profile, study.layout).at(0).y, (std::vector<double>{4, 2}));
  EXPECT_EQ(over_time.curves(profile, study.layout).at(0).x, (std::vector<double>{0, 1}));
  EXPECT_THROW(study.evaluation("kind = \"mean\"\nfield = \"h\"\nmean_over = \"31 s\"\n"), InputError);
  EXPECT_NE(refusal("[evaluate.e]\nkind = \"mean\"\nfield = \"h\"\nmean_of = \"values\"\n").find("mean_of"),
            std::string::npos);
  EXPECT_NE(refusal("[evaluate.e]\nkind = \"mean\"\nfield = \"h\"\nmean_over = \"0 s\"\n").find("mean_over"),
            std::string::npos);
}

TEST(Evaluators, QuantilesAreInversesOfTheWeightedDistribution) {
  auto const study = six_cells();
  auto const quantile = [&](std::string const& p) {
    return study.scalar("kind = \"quantile\"\nfield = \"h\"\nprobability = " + p);
  };
  // In order -4, 1, 2, 3 the weights reach 2, 3, 6, 10.
  EXPECT_EQ(quantile("0"), -4);
  EXPECT_EQ(quantile("0.2"), -4);
  EXPECT_EQ(quantile("0.25"), 1);
  EXPECT_EQ(quantile("0.5"), 2);
  EXPECT_EQ(quantile("0.7"), 3);
  EXPECT_EQ(quantile("1"), 3);
}

TEST(Evaluators, ExtentsAreWhatLiesBeyondTheThreshold) {
  auto const study = six_cells();
  auto const extent = [&](std::string const& keys) {
    return study.scalar("kind = \"extent\"\nfield = \"h\"\n" + keys);
  };
  // 1, -4, 2, 3 with weights 1, 2, 3, 4; what is at the threshold is not beyond it.
  EXPECT_EQ(extent("threshold = 1"), 3 + 4);
  EXPECT_EQ(extent("threshold = 1\nside = \"below\""), 2);
  EXPECT_EQ(extent("threshold = 1\nweights = \"none\""), 2);
  EXPECT_EQ(extent("threshold = 3"), 0);
  EXPECT_EQ(study.units("kind = \"extent\"\nfield = \"h\"\nthreshold = 1"), "m2");
  EXPECT_EQ(study.units("kind = \"extent\"\nfield = \"h\"\nthreshold = 1\nweights = \"none\""), "1");
  auto const keys = refusal("[evaluate.e]\nkind = \"extent\"\nfield = \"h\"");
  EXPECT_NE(keys.find("evaluate.e.threshold"), std::string::npos) << keys;
}

TEST(Evaluators, LookAtOneLevelAlone) {
  Study study;
  auto& grid = study.add("t", "K", {3, 1, 2}, {1, 2, 10, 20, 100, 200});
  grid.weights = {1, 1, 1, 3, 1, 1};
  grid.weight_units = "m3";
  grid.levels = 3;
  auto const of = [&](std::string const& kind, int level) {
    return study.scalar("kind = \"" + kind + "\"\nfield = \"t\"\nlevel = " + std::to_string(level));
  };
  EXPECT_EQ(of("extremum", 0), 2);
  EXPECT_EQ(of("integral", 1), 10 + 3 * 20);
  EXPECT_EQ(of("integral", 2), 300);
  EXPECT_THROW(of("mean", 3), InputError);
  grid.levels = 0;
  EXPECT_THROW(of("mean", 0), InputError);
}

TEST(Evaluators, QuantilesOfRandomFieldsHaveTheirShareBelow) {
  std::minstd_rand random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::int64_t const side : {1, 4, 15}) {
    Study study;
    std::vector<double> values(static_cast<std::size_t>(side * side));
    for (auto& value : values) value = uniform(random);
    study.add("u", "1", {side, side}, values);
    for (auto const p : {0.1, 0.5, 0.9}) {
      auto const found =
          study.scalar("kind = \"quantile\"\nfield = \"u\"\nprobability = " + std::to_string(p));
      auto const below = std::ranges::count_if(values, [&](double x) { return x < found; });
      auto const not_above = std::ranges::count_if(values, [&](double x) { return x <= found; });
      auto const n = static_cast<double>(values.size());
      EXPECT_LT(double(below), p * n + 1e-9);
      EXPECT_GE(double(not_above), p * n - 1e-9);
    }
  }
}

TEST(Evaluators, TakeLogarithmsDownToTheirFloor) {
  Study study;
  study.add("s", "s-1", {1, 4}, {0, 1e-12, 1e-4, nan});
  auto const keys = std::string("kind = \"mean\"\nfield = \"s\"\ntransform = \"log10\"\nfloor = 1e-10");
  EXPECT_NEAR(study.scalar(keys), (-10 - 10 - 4) / 3.0, 10 * 4 * eps);
  EXPECT_EQ(study.units(keys), "1");
}

TEST(Evaluators, HaveNoValueOfAFieldWithoutValues) {
  Study study;
  study.add("h", "m", {1, 2}, {nan, nan});
  for (auto const* kind : {"mean", "extremum", "quantile", "power"}) {
    EXPECT_TRUE(std::isnan(study.scalar(std::string("kind = \"") + kind + "\"\nfield = \"h\""))) << kind;
  }
  study.frame["h"] = {1, std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(std::isnan(study.scalar("kind = \"mean\"\nfield = \"h\""))) << "infinite is no value";
}

TEST(Evaluators, ProfilesAreMeansOfEachLevel) {
  Study study;
  // T = 10 z + x on 3 levels of 2 x 4 cells, weighted by x: sum of x^2 / sum of x over x = 1..4 is 3.
  std::vector<double> values, weights;
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 2; ++y) {
      for (int x = 1; x <= 4; ++x) values.push_back(10 * z + x), weights.push_back(x);
    }
  }
  auto& grid = study.add("T", "K", {3, 2, 4}, values);
  grid.coordinates[0] = {50, 150, 250};
  grid.axis_units[0] = "m";
  auto const plain = study.curve("kind = \"profile\"\nfield = \"T\"\naxis = \"z\"");
  EXPECT_EQ(plain.x, (std::vector<double>{50, 150, 250}));
  EXPECT_EQ(plain.y, (std::vector<double>{2.5, 12.5, 22.5}));
  EXPECT_EQ(study.curve("kind = \"profile\"\nfield = \"T\"\naxis = \"x\"").y,
            (std::vector<double>{11, 12, 13, 14}));
  // The variance of 1, 2, 3, 4 is 1.25; weighted by themselves, about 3: (4 + 2 + 0 + 4) / 10.
  auto const moments = "kind = \"profile\"\nfield = \"T\"\naxis = \"z\"\nexponent = ";
  EXPECT_EQ(study.curve(moments + std::string("2")).y, (std::vector<double>{1.25, 1.25, 1.25}));
  EXPECT_EQ(study.curve(moments + std::string("3")).y, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(study.evaluation(moments + std::string("2")).curves.at(0).y.units, "K2");
  grid.weights = weights;
  grid.outside.assign(24, false);
  std::fill_n(grid.outside.begin(), 8, true);
  EXPECT_EQ(study.curve(moments + std::string("2")).y[1], 1);
  auto const weighted = study.curve("kind = \"profile\"\nfield = \"T\"\naxis = \"z\"");
  EXPECT_TRUE(std::isnan(weighted.y[0]));
  EXPECT_EQ(weighted.y[1], 13);
  auto const info = study.evaluation("kind = \"profile\"\nfield = \"T\"\naxis = \"z\"").curves.at(0);
  EXPECT_EQ(info.x.units, "m");
  EXPECT_EQ(info.y.units, "K");
}

TEST(Evaluators, SpectraPeakAtTheWaveOnCellsThatAreNotSquare) {
  // A wave of 20 km along either axis on cells of 1 km x 4 km (dx, dy).
  constexpr int ny = 20, nx = 160;
  Study study;
  for (auto const along_x : {false, true}) {
    std::vector<double> values;
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        values.push_back(std::sin(2 * std::numbers::pi * (along_x ? i / 20. : j / 5.)));
      }
    }
    study.add("u", "m s-1", {ny, nx}, values).spacing = {4000, 1000};
    auto const found = study.curve("kind = \"spectrum\"\nfield = \"u\"");
    auto const peak = std::ranges::max_element(found.y) - found.y.begin();
    // Rings are as wide as one wave over the domain's 80 km along y.
    EXPECT_NEAR(found.x[static_cast<std::size_t>(peak)], 1 / 20e3, 0.5 / 80e3) << along_x;
  }
  auto const info = study.evaluation("kind = \"spectrum\"\nfield = \"u\"").curves.at(0);
  EXPECT_EQ(info.x.units, "m-1");
  EXPECT_EQ(info.x.scale, "log");
  EXPECT_EQ(info.y.units, "m2 s-2");
}

/// A field of 32 x 32 cells of 16 km whose modes of ring r have the power 10^logarithm(r).
Study modes(double (*logarithm)(int)) {
  constexpr int n = 32;
  std::vector<double> values(n * n);
  for (int ky = -15; ky <= 15; ++ky) {
    for (int kx = -15; kx <= 15; ++kx) {
      auto const ring = static_cast<int>(std::lround(std::hypot(kx, ky)));
      if (ky < 0 || (ky == 0 && kx <= 0) || ring > 15) continue;
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          values[static_cast<std::size_t>(j * n + i)] +=
              std::pow(10, logarithm(ring) / 2) *
              std::cos(2 * std::numbers::pi * (kx * i + ky * j) / n + 7 * kx + 3 * ky);
        }
      }
    }
  }
  Study study;
  study.add("u", "m s-1", {n, n}, values).spacing = {16e3, 16e3};
  return study;
}

constexpr auto band = "kind = \"slope\"\nfield = \"u\"\nshortest = 64e3\nlongest = 256e3\n";

/// Sums of 1e3 modes of size 1 and their transforms: some 1e4 roundings each of 1e-16, in powers of 1e-3.
TEST(Evaluators, SlopesAreThoseOfThePowerLaw) {
  EXPECT_NEAR(modes([](int ring) { return -3 * std::log10(ring); }).scalar(band), -3, 1e-9);
  EXPECT_NEAR(modes([](int ring) { return 2 * std::log10(ring); }).scalar(band), 2, 1e-9);
  EXPECT_EQ(modes([](int) { return 0.0; }).units(band), "1");
}

/// 256 to 64 km are 2 to 8 waves along 512 km. A ring at an end of the band that is a decade above a flat
/// spectrum turns the line; one beyond does not.
TEST(Evaluators, SlopesTakeTheRingsOfTheBandAndItsEnds) {
  double mean = 0, squares = 0;
  for (int ring = 2; ring <= 8; ++ring) mean += std::log10(ring) / 7;
  for (int ring = 2; ring <= 8; ++ring) squares += std::pow(std::log10(ring) - mean, 2);
  EXPECT_NEAR(modes([](int ring) { return ring == 2 ? 1.0 : 0.0; }).scalar(band),
              (std::log10(2) - mean) / squares, 1e-9);
  EXPECT_NEAR(modes([](int ring) { return ring == 8 ? 1.0 : 0.0; }).scalar(band),
              (std::log10(8) - mean) / squares, 1e-9);
  EXPECT_NEAR(modes([](int ring) { return ring == 1 || ring == 9 ? 1.0 : 0.0; }).scalar(band), 0, 1e-9);
}

TEST(Evaluators, SlopesNeedABandWithThreeRings) {
  auto const of_keys = [](std::string const& keys) {
    return refusal("[evaluate.e]\nkind = \"slope\"\nfield = \"u\"\n" + keys);
  };
  EXPECT_NE(of_keys("longest = 256e3").find("evaluate.e.shortest: is missing"), std::string::npos);
  EXPECT_NE(of_keys("shortest = 64e3").find("evaluate.e.longest: is missing"), std::string::npos);
  EXPECT_NE(of_keys("shortest = 256e3\nlongest = 64e3").find("exchange them"), std::string::npos);
  auto study = modes([](int) { return 0.0; });
  auto const problem = [&](std::string const& keys) -> std::string {
    try {
      study.evaluation("kind = \"slope\"\nfield = \"u\"\n" + keys);
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("shortest = 128e3\nlongest = 256e3"), "");
  EXPECT_NE(problem("shortest = 129e3\nlongest = 256e3").find("has 2 rings"), std::string::npos);
  study.layout.grids["u"].spacing = {0, 0};
  EXPECT_NE(problem("shortest = 64e3\nlongest = 256e3").find("has no grid spacing"), std::string::npos);
}

/// No power at all has no logarithm.
TEST(Evaluators, SlopesOfConstantFieldsAreNone) {
  auto study = modes([](int) { return 0.0; });
  study.frame["u"].assign(32 * 32, 2.5);
  EXPECT_TRUE(std::isnan(study.scalar(band)));
}

TEST(Evaluators, SpectraOfLevelsAreAveraged) {
  constexpr int side = 16;
  Study study;
  std::vector<double> values(2 * side * side);
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (auto& value : values) value = uniform(random);
  study.add("w", "1", {2, side, side}, values);
  auto const found = study.curve("kind = \"spectrum\"\nfield = \"w\"");
  auto const lower = radial_spectrum(std::span(values).first(side * side), side, side),
             upper = radial_spectrum(std::span(values).last(side * side), side, side);
  ASSERT_EQ(found.y.size() + 1, lower.power.size());
  for (std::size_t ring = 1; ring < lower.power.size(); ++ring) {
    EXPECT_NEAR(found.y[ring - 1], (lower.power[ring] + upper.power[ring]) / 2, 4 * eps * found.y[ring - 1]);
  }
}

/// Of w in a box the mean is what rounding left: it must decide nothing.
TEST(Evaluators, SpectraAreOfWavesAndNotOfTheMean) {
  constexpr int side = 12;
  Study study;
  std::vector<double> values;
  for (int n = 0; n < side * side; ++n) values.push_back(std::cos(2 * std::numbers::pi * n / side));
  study.add("w", "m s-1", {side, side}, values).spacing = {50, 50};
  auto const keys = "kind = \"spectrum\"\nfield = \"w\"";
  auto const without = study.curve(keys);
  for (auto& value : values) value += 300;
  study.frame["w"] = values;
  auto const lifted = study.curve(keys);

  ASSERT_EQ(without.x.size(), 6u);
  EXPECT_DOUBLE_EQ(without.x.front(), 1. / (side * 50));
  EXPECT_EQ(lifted.x, without.x);
  // Modes are sums of 144 values of 301, each off by 21 roundings; two of size 72 make the power over 8 x
  // 144.
  EXPECT_NEAR(lifted.y.front(), without.y.front(), 2 * 2 * 72 * (21 * 144 * 301 * 0x1p-53) / (8 * 144));
  // One wave along x among the eight modes of its ring, of amplitude 1: (144 / 2)^2 / 144 twice over 8.
  EXPECT_NEAR(without.y.front(), 2 * 36. / 8, 1e-12);
}

TEST(Evaluators, SpectraNeedRoomForAWave) {
  for (auto const side : {1, 2, 3, 4}) {
    Study study;
    study.add("w", "1", {1, side}, std::vector<double>(static_cast<std::size_t>(side), 1));
    auto const refused = [&] {
      try {
        study.curve("kind = \"spectrum\"\nfield = \"w\"");
      } catch (InputError const&) {
        return true;
      }
      return false;
    };
    EXPECT_EQ(refused(), side % 2 == 1) << side;
  }
}

/// A line of strong shear along row 20 of 40 x 40 cells, from column 6 to 33.
Study line_of_shear(std::string const& units, double background, double line) {
  Study study;
  std::vector<double> field(1600, background);
  for (int i = 6; i < 34; ++i) field[std::size_t(20 * 40 + i)] = line;
  study.add("shear", units, {40, 40}, field).spacing = {12500, 12500};
  return study;
}

TEST(Evaluators, HoldDeformationADayAgainstThresholdsADay) {
  // `multday_use_eps` takes what exceeds 0.01 day-1: 2e-7 s-1 is 0.017 day-1, 1e-7 s-1 is 0.009 day-1.
  auto const keys = std::string("kind = \"lkf\"\nfield = \"shear\"\nparameters = \"multday_use_eps\"");
  auto const count = [&](Study const& study) {
    return study.evaluation(keys).evaluation.evaluator->statistics(study.frame, study.layout).at(0);
  };
  EXPECT_EQ(count(line_of_shear("s-1", 1e-8, 2e-7)), 1);
  EXPECT_EQ(count(line_of_shear("s-1", 5e-9, 1e-7)), 0);
  EXPECT_EQ(count(line_of_shear("day-1", 8.64e-4, 0.01728)), 1);
}

TEST(Evaluators, KnowWhatFeaturesOweToTheOrientationOfTheGrid) {
  ulpine::test::RandomValues random{4};
  Study study = line_of_shear("day-1", 0.01, 0.3);
  auto& grid = study.layout.grids["shear"];
  auto& field = study.frame["shear"];
  for (auto& value : field) value *= std::exp(1.5 * random.normal());
  auto const keys = std::string("kind = \"lkf\"\nfield = \"shear\"");
  auto const statistics = [&] {
    return study.evaluation(keys).evaluation.evaluator->statistics(study.frame, study.layout);
  };
  auto const rows = grid.shape[0], columns = grid.shape[1];
  auto const mirror = [&] {
    auto const before = field;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j)
        field[i * columns + j] = before[i * columns + columns - 1 - j];
    }
  };
  auto const spreads =
      study.evaluation(keys).evaluation.evaluator->spreads_over_orientations(study.frame, study.layout);
  ASSERT_EQ(spreads.size(), 2u);
  auto const as_it_is = statistics();
  mirror();
  auto const in_the_mirror = statistics();
  auto const turned_spreads =
      study.evaluation(keys).evaluation.evaluator->spreads_over_orientations(study.frame, study.layout);
  EXPECT_GT(spreads[0], 0);
  EXPECT_GT(spreads[1], 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_GE(spreads[i] * (1 + 1e-12), std::abs(as_it_is[i] - in_the_mirror[i]));
    EXPECT_NEAR(turned_spreads[i], spreads[i], 1e-12 * as_it_is[i]);
  }
  study.layout.grids["shear"].spacing = {0, 0};
  EXPECT_EQ(study.evaluation(keys)
                .evaluation.evaluator->spreads_over_orientations(study.frame, study.layout)
                .size(),
            1u);
  EXPECT_TRUE(study.evaluation(keys).evaluation.evaluator->depends_on_orientation());
  EXPECT_FALSE(
      study.evaluation("kind = \"mean\"\nfield = \"shear\"").evaluation.evaluator->depends_on_orientation());
}

/// The default threshold is the same as of the test above, on cells of any size; lkf_tools' own scales.
TEST(Evaluators, CountCellsUnlessToldToScale) {
  auto study = line_of_shear("s-1", 1e-8, 2e-7);
  auto const length = [&](std::string const& parameters) {
    auto const found = study.evaluation("kind = \"lkf\"\nfield = \"shear\"\n" + parameters);
    return found.evaluation.evaluator->statistics(study.frame, study.layout).at(1);
  };
  auto const scaled = std::string("parameters = \"process_dataset\"");
  auto const at_design = length("");
  ASSERT_GT(at_design, 200);
  EXPECT_EQ(length(scaled), at_design);
  study.layout.grids["shear"].spacing = {1250, 1250};
  EXPECT_NEAR(length(""), at_design / 10, 1e-9 * at_design);
  EXPECT_EQ(length(scaled), 0) << "28 cells are shorter than the least length of 30";
}

TEST(Evaluators, MeasureFeaturesAlongBothAxes) {
  auto study = line_of_shear("s-1", 1e-8, 2e-7);
  auto const keys = std::string("kind = \"lkf\"\nfield = \"shear\"\nparameters = \"multday_use_eps\"");
  auto const length = [&] {
    auto const found = study.evaluation(keys);
    EXPECT_EQ(found.statistics.at(1).name, "e_total_length_km");
    return found.evaluation.evaluator->statistics(study.frame, study.layout).at(1);
  };
  auto const square = length();
  ASSERT_GT(square, 200);
  // A line along a row is as many columns long whatever the distance of the rows: the mean spacing of 12.5 km
  // stays, so do the parameters.
  study.layout.grids["shear"].spacing = {15000, 10000};
  EXPECT_NEAR(length(), square * 10 / 12.5, 1e-9);
  EXPECT_EQ(study.evaluation(keys).statistics.at(1).resolution, 12.5);
  study.layout.grids["shear"].spacing = {0, 0};
  EXPECT_EQ(study.evaluation(keys).statistics.size(), 1u) << "no length without a spacing";
}

}  // namespace
}  // namespace ulpine::verification
