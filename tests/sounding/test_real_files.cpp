// SPDX-License-Identifier: Apache-2.0
// Files of les/sounding and les/reference in ULPINE_TEST_DATA.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "core/sounding/parcel.hpp"
#include "support/reference_data.hpp"

namespace ulpine {
namespace {

#define NEEDS(path) \
  if (path.empty()) \
  GTEST_SKIP() << "no reference data: set ULPINE_TEST_DATA to the folder that holds les/sounding"

struct Expected {
  char const* name;
  std::size_t levels;
  double pressure, top, theta, last_theta;
};

TEST(RealSoundings, OfCm1HaveTheirLevels) {
  for (auto const& e : {Expected{"bryan_morrison", 101, 96300, 24800, 306.7079, 555.5028},
                        Expected{"jordan_allmean", 28, 101630, 40000, 296.4766, 1095.359},
                        Expected{"seabreeze_test", 81, 100000, 19875, 300.5, 492.2421},
                        Expected{"trier", 51, 100600, 40000, 299.35, 800.5215}}) {
    auto const path = test::reference_file("les/sounding/cm1_input_sounding_" + std::string(e.name) + ".txt");
    NEEDS(path);
    auto const sounding = read_sounding(path);
    EXPECT_EQ(sounding.height.size(), e.levels);
    EXPECT_NEAR(sounding.ground_pressure, e.pressure, 1e-9);
    EXPECT_EQ(sounding.height.back(), e.top);
    EXPECT_EQ(sounding.theta.front(), e.theta);
    EXPECT_EQ(sounding.theta.back(), e.last_theta);
  }
}

/// The full lines of a table of the University of Wyoming, in the units of the file.
struct Row {
  double pressure, height, temperature, dew_point, humidity, ratio, direction, speed, theta, theta_e, theta_v;
};
std::vector<Row> rows_of(std::filesystem::path const& path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Row r{};
    if (words >> r.pressure >> r.height >> r.temperature >> r.dew_point >> r.humidity >> r.ratio >>
        r.direction >> r.speed >> r.theta >> r.theta_e >> r.theta_v) {
      rows.push_back(r);
    }
  }
  return rows;
}

class RealTables : public testing::TestWithParam<char const*> {};

TEST_P(RealTables, AgreeWithTheirOwnDerivedColumns) {
  auto const path = test::reference_file("les/sounding/" + std::string(GetParam()));
  NEEDS(path);
  auto const sounding = read_sounding(path);
  auto const rows = rows_of(path);
  ASSERT_EQ(sounding.height.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    auto const& row = rows[k];
    EXPECT_EQ(sounding.height[k], row.height);
    // Theirs has the exponent 0.2854 (1 - 0.28 r) or 0.286; half a last digit, temperature's and theirs.
    auto const exponent = 3e-4 * std::abs(std::log(row.pressure / 1000)) * row.theta;
    auto const stretch = std::pow(1000 / row.pressure, 0.286);
    EXPECT_NEAR(sounding.theta[k], row.theta, 0.05 + 0.05 * stretch + exponent) << k;
    // Mixing ratio: half a last digit of it, and of the dew point (d ln e_s / dT); Bolton's formula instead
    // of Buck's, which differ by 0.4 % of enhancement, and below freezing by up to 2 % at -70 degrees.
    auto const ratio = 1000 * moist_air::mixing_ratio(sounding.humidity[k]);
    auto const slope = 17.502 * 240.97 / std::pow(row.dew_point + 240.97, 2);
    auto const formulas = 0.005 + 4e-4 * std::max(-row.dew_point, 0.0);
    EXPECT_NEAR(ratio, row.ratio, 0.005 + row.ratio * (0.05 * slope + formulas)) << k;
    EXPECT_NEAR(std::hypot(sounding.u[k], sounding.v[k]), row.speed * 1852 / 3600, 1e-12);
  }
}

TEST_P(RealTables, HeightsAndPressuresAreInHydrostaticBalance) {
  auto const path = test::reference_file("les/sounding/" + std::string(GetParam()));
  NEEDS(path);
  auto const sounding = read_sounding(path);
  auto const rows = rows_of(path);
  HydrostaticBase<double> const base(make_profile<double>(sounding), 20000);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    // Their heights are geopotential metres of 9.80665 m s-2 and rounded; levels left out of the copy bend
    // temperature, which is no line, by some tenths of a kelvin. 0.3 % in all.
    auto const exner = base.exner(sounding.height[k]);
    EXPECT_NEAR(moist_air::pressure_of_exner(exner) / (100 * rows[k].pressure), 1, 3e-3) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Norman, RealTables,
                         testing::Values("metpy_may4_sounding.txt", "metpy_20110522_OUN_12Z.txt"));

TEST(RealSoundings, CarryTheEnergyOfTheirStorms) {
  // Both tables are of days with violent tornadoes at Norman; Trier's is of a squall line of COARE.
  for (auto const& [name, least, most] : {std::tuple{"metpy_may4_sounding.txt", 2000., 4000.},
                                          std::tuple{"metpy_20110522_OUN_12Z.txt", 2500., 4500.},
                                          std::tuple{"cm1_input_sounding_trier.txt", 1500., 3000.}}) {
    auto const path = test::reference_file(std::string("les/sounding/") + name);
    NEEDS(path);
    HydrostaticBase<double> const base(make_profile<double>(read_sounding(path)), 20000);
    auto const ascent = lift_surface_parcel(base);
    EXPECT_GT(ascent.cape, least) << name;
    EXPECT_LT(ascent.cape, most) << name;
  }
}

TEST(WeismanKlempReference, IsMetToEveryDigitPrinted) {
  auto const path = test::reference_file("les/reference/wk82_profile_q14.csv");
  NEEDS(path);
  AnalyticProfile given;
  given.kind = AnalyticProfile::Kind::weisman_klemp;
  HydrostaticBase<double> const base(make_profile<double>(given));
  std::vector<double> heights;
  for (int k = 0; k <= 2000; ++k) heights.push_back(10 * k);
  auto const column = base.column(heights);

  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  int rows = 0;
  for (char comma = 0; std::getline(file, line); ++rows) {
    std::istringstream words(line);
    double z, p, theta, kelvin, humidity, relative;
    ASSERT_TRUE(words >> z >> comma >> p >> comma >> theta >> comma >> kelvin >> comma >> humidity >> comma >>
                relative);
    auto const k = static_cast<std::size_t>(z / 10);
    // Seven digits are printed: half a unit of the last, which its levels of 10 m reach.
    auto const expect = [&](double value, double printed) {
      EXPECT_NEAR(value, printed, 0.5001 * std::pow(10, std::floor(std::log10(printed)) - 6)) << line;
    };
    expect(column.pressure[k], p);
    expect(column.theta[k], theta);
    expect(column.theta[k] * column.exner[k], kelvin);
    expect(column.humidity[k], humidity);
  }
  EXPECT_EQ(rows, 81);
}

}  // namespace
}  // namespace ulpine
