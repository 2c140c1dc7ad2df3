// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <locale>
#include <string>
#include <vector>

#include "core/sounding/base_state.hpp"
#include "core/sounding/moist_air.hpp"
#include "core/sounding/sounding.hpp"
#include "io/error.hpp"
#include "sounding/samples.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using test::arps_sample;
using test::arps_text;
using test::cm1_sample;
using test::table_sample;
using test::with;

constexpr double knot = 1852.0 / 3600;
constexpr double kappa = 287.0 / 1004;

/// Bounds of a few roundings.
void expect_close(double value, double expected, double roundings = 8) {
  EXPECT_NEAR(value, expected, roundings * 0x1p-53 * std::abs(expected));
}

double theta_of(double kelvin, double pascal) { return kelvin * std::pow(1e5 / pascal, kappa); }

/// Buck's formula again, from the specification (section 10).
double specific_humidity_of(double kelvin, double pascal) {
  double const e =
      (1.0007 + 3.46e-8 * pascal) * 611.21 * std::exp(17.502 * (kelvin - 273.15) / (kelvin - 32.18));
  return 287.0 / 461 * e / (pascal - (1 - 287.0 / 461) * e);
}

TEST(InputSounding, HasItsValuesInSi) {
  auto const sounding = parse_sounding(cm1_sample, "cm1");
  EXPECT_EQ(sounding.source, "cm1");
  EXPECT_EQ(sounding.ground_pressure, 1e5);
  EXPECT_EQ(sounding.height, (std::vector<double>{0, 100, 1000, 12000}));
  EXPECT_EQ(sounding.theta, (std::vector<double>{300, 300.5, 302, 343}));
  double const ratio[] = {0.016, 0.015, 0.0125, 0.00005};
  for (std::size_t k = 0; k < 4; ++k) expect_close(sounding.humidity[k], ratio[k] / (1 + ratio[k]));
}

TEST(InputSounding, GroundHasTheWindOfTheLowestLevel) {
  auto const sounding = parse_sounding(cm1_sample, "cm1");
  EXPECT_EQ(sounding.u, (std::vector<double>{-3, -3, 0, 20}));
  EXPECT_EQ(sounding.v, (std::vector<double>{4, 4, 6.5, 0}));
}

TEST(InputSounding, MayHaveBlankLinesOtherLineEndsAndFortransNumbers) {
  auto const plain = parse_sounding(cm1_sample, "cm1");
  auto text = "\r\n \r\n" + with(with(cm1_sample, "343.00", "+3.43D2"), "0.05E+00", ".5d-1");
  for (std::size_t at = 3; (at = text.find('\n', at + 2)) != std::string::npos;) text.insert(at, "\r");
  auto const sounding = parse_sounding(text, "cm1");
  EXPECT_EQ(sounding.theta, plain.theta);
  EXPECT_EQ(sounding.humidity, plain.humidity);
  EXPECT_EQ(parse_sounding(cm1_sample.substr(0, cm1_sample.size() - 1), "cm1").height, plain.height);
}

// As in WRF's em_hill2d_x and em_grav2d_x.
TEST(InputSounding, MayHaveALevelAtTheGroundWhoseAirItIs) {
  auto const sounding =
      parse_sounding("1000.0 301.0 16.0\n0.00 300.0 15.0 20.0 -1.0\n1000.0 302.0 12.0 21.0 0.0\n", "wrf");
  EXPECT_EQ(sounding.ground_pressure, 1e5);
  EXPECT_EQ(sounding.height, (std::vector<double>{0, 1000}));
  EXPECT_EQ(sounding.theta, (std::vector<double>{300, 302}));
  EXPECT_EQ(sounding.u, (std::vector<double>{20, 21}));
  EXPECT_EQ(sounding.v, (std::vector<double>{-1, 0}));
  expect_close(sounding.humidity[0], 0.015 / 1.015);
}

TEST(InputSounding, HasALineThatStandsTwiceOnce) {
  auto const line = "  1000.00     302.00      12.50       0.00       6.50\n";
  auto const twice = parse_sounding(with(cm1_sample, line, std::string(line) + line), "cm1");
  EXPECT_EQ(twice.height, parse_sounding(cm1_sample, "cm1").height);
}

TEST(InputSounding, MayHaveCommentsAByteOrderMarkAndLinesThatEndInCr) {
  auto const plain = parse_sounding(cm1_sample, "cm1");
  auto const commented =
      parse_sounding("# hPa K g/kg\n" + with(cm1_sample, "4.00\n", "4.00 ! the lowest\n!\n"), "c");
  EXPECT_EQ(commented.theta, plain.theta);
  EXPECT_EQ(parse_sounding("\xef\xbb\xbf" + cm1_sample, "cm1").theta, plain.theta);
  auto old = cm1_sample;
  std::replace(old.begin(), old.end(), '\n', '\r');
  EXPECT_EQ(parse_sounding(old, "cm1").theta, plain.theta);
}

// As in WRF's em_les: 305 K in the first line over a mixed layer of 300 K.
TEST(InputSounding, MayHaveGroundFarWarmerThanAir) {
  auto const sounding = parse_sounding(
      "1000 305 14\n25 300 10 10 0\n925 300 10 10 0\n1025 305.6 4 10 0\n2025 310.9 4 10 0\n", "wrf");
  EXPECT_EQ(sounding.theta[0], 305);
}

struct DecimalComma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(InputSounding, DoesNotDependOnTheLocale) {
  auto const plain = parse_sounding(cm1_sample, "cm1");
  auto const before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  auto const other = parse_sounding(cm1_sample, "cm1");
  auto const refusal =
      test::message_of<InputError>([] { parse_sounding(with(cm1_sample, "300.50", "2.5"), "cm1"); });
  std::locale::global(before);
  EXPECT_EQ(other.theta, plain.theta);
  EXPECT_NE(refusal.find("2.5 ("), std::string::npos) << refusal;
}

TEST(WyomingTable, HasItsValuesInSi) {
  auto const sounding = parse_sounding(table_sample, "table");
  EXPECT_EQ(sounding.height, (std::vector<double>{345, 720, 1454, 3096, 5770}));
  expect_close(sounding.ground_pressure, 96600);
  double const celsius[] = {22.2, 20.4, 22.0, 7.6, -11.1}, pressure[] = {966, 925, 850, 700, 500};
  for (std::size_t k = 0; k < 5; ++k) {
    expect_close(sounding.theta[k], theta_of(celsius[k] + 273.15, 100 * pressure[k]), 16);
  }
  expect_close(sounding.humidity[0], specific_humidity_of(21.0 + 273.15, 96600), 64);
  expect_close(sounding.humidity[3], specific_humidity_of(-9.4 + 273.15, 70000), 64);
}

TEST(WyomingTable, WindBlowsFromItsDirection) {
  auto const sounding = parse_sounding(table_sample, "table");
  EXPECT_NEAR(sounding.u[0], 0, 1e-14);  // from the south
  expect_close(sounding.v[0], 10 * knot);
  expect_close(sounding.u[1], 20 * knot);  // from the west
  EXPECT_NEAR(sounding.v[1], 0, 1e-14);
  expect_close(sounding.u[2], 30 * knot * std::sqrt(0.5));  // from the south-west
  expect_close(sounding.v[2], 30 * knot * std::sqrt(0.5));
  expect_close(sounding.u[4], -50 * knot);  // from the east
}

TEST(WyomingTable, FillsGapsLinearlyInTheLogarithmOfPressure) {
  auto const sounding = parse_sounding(table_sample, "table");
  auto const share = std::log(850. / 925) / std::log(700. / 925);
  expect_close(sounding.humidity[2],
               sounding.humidity[1] + share * (sounding.humidity[3] - sounding.humidity[1]), 32);
  auto const windy = std::log(700. / 850) / std::log(500. / 850);
  expect_close(sounding.u[3], sounding.u[2] + windy * (sounding.u[4] - sounding.u[2]), 512);
}

TEST(WyomingTable, FillsSeveralGapsInARow) {
  auto const text = with(table_sample, "270     20", "          ");
  auto const two = with(text, "225     30", "          ");
  auto const sounding = parse_sounding(two, "table");
  for (std::size_t k = 1; k < 4; ++k) {
    double const pressure[] = {966, 925, 850, 700, 500};
    auto const share = std::log(pressure[k] / 966) / std::log(500. / 966);
    expect_close(sounding.v[k], sounding.v[0] + share * (sounding.v[4] - sounding.v[0]), 64);
  }
}

TEST(WyomingTable, AboveTheLastDewPointIsDryAndBelowTheFirstAsThere) {
  auto const sounding = parse_sounding(table_sample, "table");
  EXPECT_EQ(sounding.humidity[4], 0);
  auto const late =
      parse_sounding(with(table_sample, "  21.0     93  16.50", "                    "), "table");
  EXPECT_EQ(late.humidity[0], late.humidity[1]);
  auto const calm = parse_sounding(with(table_sample, "90     50", "         "), "table");
  EXPECT_EQ(calm.u[4], calm.u[2]);
  EXPECT_EQ(calm.v[3], calm.v[2]);
}

TEST(WyomingTable, LevelsWithoutTemperatureAreLeftOut) {
  EXPECT_EQ(parse_sounding(table_sample, "table").height.size(), 5u);
  auto const calm = with(table_sample, "225     30", "          ");
  EXPECT_EQ(parse_sounding(with(calm, "   22.0 ", "        "), "table").height.size(), 4u);
  EXPECT_EQ(parse_sounding(with(calm, "   22.0 ", "  -9999 "), "table").height.size(), 4u);
}

TEST(WyomingTable, LevelsOfWindAloneKeepTheirWind) {
  auto const plain = parse_sounding(table_sample, "table");
  auto const sounding = parse_sounding(with(table_sample, "   22.0 ", "        "), "table");
  ASSERT_EQ(sounding.height.size(), 5u);
  EXPECT_EQ(sounding.u[2], plain.u[2]);
  EXPECT_EQ(sounding.v[2], plain.v[2]);
  // Temperature there, from 20.4 at 925 hPa and 7.6 at 700, is linear in ln p.
  auto const share = std::log(850. / 925) / std::log(700. / 925);
  expect_close(sounding.theta[2], theta_of(273.15 + 20.4 + share * (7.6 - 20.4), 85000), 64);
}

TEST(WyomingTable, WindsBeyondTheTemperaturesFillItsEnds) {
  auto const sounding = parse_sounding(
      "PRES HGHT TEMP DWPT DRCT SKNT\nhPa m C C deg knot\n"
      " 950  560  -999  -999  270  10\n 900 1000 14 10 -999 -999\n 700 3040 0 -8 -999 -999\n"
      " 650 3610  -999  -999  270  30\n",
      "table");
  EXPECT_EQ(sounding.height, (std::vector<double>{1000, 3040}));
  EXPECT_EQ(sounding.ground_pressure, 90000);
  for (auto const& [k, pressure] : {std::pair{0u, 900.}, std::pair{1u, 700.}}) {
    expect_close(sounding.u[k], knot * (10 + 20 * std::log(pressure / 950) / std::log(650. / 950)), 64);
  }
}

TEST(WyomingTable, LevelsOfEqualPressureAreToldApartByHeight) {
  auto const sounding = parse_sounding(
      "PRES HGHT TEMP DWPT DRCT SKNT\nhPa m C C deg knot\n"
      " 1000 100 20 15 270 10\n 1000 104 20 14 270 20\n 999 109 19 14 -999 -999\n 850 1520 11 5 270 30\n",
      "table");
  EXPECT_EQ(sounding.height, (std::vector<double>{100, 104, 109, 1520}));
  expect_close(sounding.u[1], 20 * knot);
  EXPECT_EQ(sounding.theta[0], sounding.theta[1]);
}

TEST(WyomingTable, RowsOfOneLevelAreJoined) {
  // At 2000 m, to the metre, temperature and then wind, 0.1 hPa (0.8 m) apart.
  auto const sounding = parse_sounding(
      "PRES HGHT TEMP DWPT DRCT SKNT\nhPa m C C deg knot\n"
      " 1000.0 100 20 15 270 10\n 800.0 2000 8.0 2.0 -999 -999\n 799.9 2000 7.9 1.9 270 21\n"
      " 700.0 3085 0 -8 270 30\n",
      "table");
  EXPECT_EQ(sounding.height, (std::vector<double>{100, 2000, 3085}));
  expect_close(sounding.theta[1], theta_of(281.15, 80000), 16);
  expect_close(sounding.u[1], 21 * knot);
  auto const without = parse_sounding(
      "PRES TEMP DWPT DRCT SKNT\nhPa C C deg knot\n"
      " 1000 20 15 270 10\n 1000 20 15 270 12\n 700 0 -8 270 30\n",
      "table");
  EXPECT_EQ(without.height.size(), 2u);
  expect_close(without.u[0], 10 * knot);
}

TEST(WyomingTable, MayStandFromTheTopDown) {
  std::string const heading = "PRES HGHT TEMP DWPT DRCT SKNT\nhPa m C C deg knot\n";
  std::string const low = "1000 100 20 15 270 10\n", middle = "850 1510 11 5 280 30\n",
                    high = "700 3080 2 -8 290 40\n";
  auto const up = parse_sounding(heading + low + middle + high, "up"),
             down = parse_sounding(heading + high + middle + low, "down");
  EXPECT_EQ(up.height, (std::vector<double>{100, 1510, 3080}));
  EXPECT_EQ(down.height, up.height);
  EXPECT_EQ(down.theta, up.theta);
  EXPECT_EQ(down.u, up.u);
  EXPECT_EQ(down.ground_pressure, up.ground_pressure);
}

TEST(WyomingTable, ReadsOtherUnitsAndOrdersOfColumns) {
  auto const sounding = parse_sounding(
      "SPED TEMP PRES DRCT DWPT\n m/s C mb deg C\n 5 20 1000 270 10\n 10 10 900 270 -999\n 10 0 800 270 "
      "-20\n",
      "table");
  expect_close(sounding.u[0], 5);
  expect_close(sounding.ground_pressure, 1e5);
  expect_close(sounding.theta[0], 293.15);
}

TEST(WyomingTable, WithoutHeightsIsHypsometric) {
  // Dry, 0 degrees everywhere: z = R_d T / g ln(p_1 / p_2).
  auto const sounding = parse_sounding(
      "PRES TEMP DWPT DRCT SKNT\n hPa C C deg knot\n 1000 0 -200 0 0\n 700 0 -200 0 0\n 200 0 -200 0 0\n",
      "table");
  EXPECT_EQ(sounding.height[0], 0);
  for (auto const& [level, pressure] : {std::pair{1u, 700.}, std::pair{2u, 200.}}) {
    // What vapour there is at -200 degrees weighs nothing that a double would show.
    expect_close(sounding.height[level], 287 * 273.15 / 9.8 * std::log(1000 / pressure), 32);
  }
}

TEST(WyomingTable, AColumnOfHeightsThatIsBlankIsNone) {
  std::string const none =
      "PRES TEMP DWPT DRCT SKNT\n hPa C C deg knot\n 1000 20 15 270 10\n 700 2 -8 290 40\n";
  auto const without = parse_sounding(none, "none");
  auto const blank = parse_sounding(
      "  PRES  HGHT  TEMP  DWPT  DRCT  SKNT\n"
      "   hPa     m     C     C   deg  knot\n"
      "  1000          20    15   270    10\n"
      "   700           2    -8   290    40\n",
      "blank");
  auto const missing = parse_sounding(
      "PRES HGHT TEMP DWPT DRCT SKNT\n hPa m C C deg knot\n"
      " 1000 -9999 20 15 270 10\n 700 -9999 2 -8 290 40\n",
      "missing");
  for (auto const& sounding : {blank, missing}) {
    EXPECT_EQ(sounding.height, without.height);
    EXPECT_EQ(sounding.theta, without.theta);
  }
  EXPECT_EQ(without.height[0], 0);
}

TEST(WyomingTable, MissingHeightsAreHypsometricFromTheLevelBelow) {
  auto const sounding = parse_sounding(with(table_sample, "   1454 ", "        "), "table");
  auto const virtual_of = [&](std::size_t k, double celsius) {
    return (celsius + 273.15) * (1 + (461. / 287 - 1) * sounding.humidity[k]);
  };
  auto const mean = (virtual_of(1, 20.4) + virtual_of(2, 22.0)) / 2;
  expect_close(sounding.height[2], 720 + 287 * mean / 9.8 * std::log(925. / 850), 32);
  EXPECT_NEAR(sounding.height[2], 1454, 5);
  EXPECT_EQ(sounding.height[3], 3096);
}

TEST(ArpsSounding, HasItsLevelsFromTheGroundUp) {
  auto const sounding = parse_sounding(arps_sample, "snd");
  EXPECT_EQ(sounding.height, (std::vector<double>{0, 1000, 8000, 16000}));
  EXPECT_EQ(sounding.theta, (std::vector<double>{303, 303.5, 327, 410}));
  EXPECT_EQ(sounding.u, (std::vector<double>{-12, -10, 20, 15}));
  EXPECT_EQ(sounding.v, (std::vector<double>{-3, 2, 0, -5.4}));
  EXPECT_EQ(sounding.ground_pressure, 96500);
}

TEST(ArpsSounding, MayStandFromTheGroundUpAndHaveALineTwice) {
  auto const plain = parse_sounding(arps_sample, "snd");
  auto const heading = arps_sample.substr(0, arps_sample.find("    16000.0"));
  std::string const ground = "0 303 0.71 -12 -3\n", low = "1000 303.5 0.85 -10 2\n",
                    middle = "8000 327 0.5 20 0\n", high = "16000 410 0 15 -5.4\n";
  auto const up = parse_sounding(heading + ground + low + middle + high, "up");
  EXPECT_EQ(up.height, plain.height);
  EXPECT_EQ(up.humidity, plain.humidity);
  EXPECT_EQ(up.v, plain.v);
  auto const five = with(heading, "          4\n", "          5\n");
  EXPECT_EQ(parse_sounding(five + high + middle + low + low + ground, "twice").theta, plain.theta);
  auto const pressures = parse_sounding(arps_text("'pressure' 'temperature' 's'", "250 1",
                                                  "90000 250 0 1 0\n70000 250 0 2 0\n30000 250 0 3 0\n"),
                                        "up");
  EXPECT_EQ(pressures.ground_pressure, 90000);
  EXPECT_EQ(pressures.u, (std::vector<double>{1, 2, 3}));
}

TEST(ArpsSounding, RelativeHumidityIsThatOfItsOwnHydrostaticPressure) {
  auto const sounding = parse_sounding(arps_sample, "snd");
  HydrostaticBase<double> const base(make_profile<double>(sounding));
  auto const column = base.column(sounding.height);
  double const relative[] = {0.71, 0.85, 0.5, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    auto const expected =
        relative[k] * specific_humidity_of(sounding.theta[k] * column.exner[k], column.pressure[k]);
    EXPECT_NEAR(sounding.humidity[k], expected, 1e-13 * expected) << k;
  }
}

TEST(ArpsSounding, TemperaturesAtHeightsAreInBalanceInTheLogarithmOfPressure) {
  // Dry and isothermal: p = p_s exp(-g z / (R_d T)).
  auto const sounding = parse_sounding(arps_text("'Height' 'Temperature' 'Mixing ratio'", "100 90000",
                                                 "9100 260 0 0 0\n1100 260 0 0 0\n100 260 0 0 0\n"),
                                       "snd");
  for (std::size_t k = 0; k < 3; ++k) {
    auto const pressure = 90000 * std::exp(-9.8 * (sounding.height[k] - 100) / (287 * 260));
    expect_close(sounding.theta[k], theta_of(260, pressure), 32);
  }
}

TEST(ArpsSounding, HumidityMayBeMixingRatioSpecificRelativeOrDewPoint) {
  auto const read = [](char const* kind, std::string const& value) {
    std::string const rest = " 0 0\n";
    return parse_sounding(
        arps_text("'pressure' 'temperature' '" + std::string(kind) + "'", "250 1",
                  "50000 270 0" + rest + "80000 283 " + value + rest + "90000 290 " + value + rest),
        "snd");
  };
  auto dew = [&] {
    std::string const rest = " 0 0\n";
    return parse_sounding(arps_text("'P' 'T' 'Dewpoint'", "250 1",
                                    "50000 270 200" + rest + "80000 283 280" + rest + "90000 290 280" + rest),
                          "snd");
  }();
  EXPECT_EQ(read("specific humidity", "0.007").humidity[1], 0.007);
  expect_close(read("Mixing ratio", "0.007").humidity[1], 0.007 / 1.007);
  expect_close(read("RELATIVE", "0.7").humidity[1], 0.7 * specific_humidity_of(283, 80000), 64);
  expect_close(dew.humidity[1], specific_humidity_of(280, 80000), 64);
  expect_close(dew.humidity[0], specific_humidity_of(280, 90000), 64);
}

TEST(ArpsSounding, LevelsOfPressureBeginAtTheGroundsHeight) {
  auto const sounding = parse_sounding(arps_text("'pressure' 'temperature' 's'", "250 1",
                                                 "30000 250 0 0 0\n70000 250 0 0 0\n90000 250 0 0 0\n"),
                                       "snd");
  EXPECT_EQ(sounding.height[0], 250);
  EXPECT_EQ(sounding.ground_pressure, 90000);
  expect_close(sounding.height[2], 250 + 287 * 250 / 9.8 * std::log(3.), 32);
  expect_close(sounding.theta[2], theta_of(250, 30000), 32);
  auto const same = parse_sounding(
      arps_text("'pressure' 'potential' 's'", "250 1", "30000 400 0 0 0\n70000 350 0 0 0\n90000 300 0 0 0\n"),
      "snd");
  EXPECT_EQ(same.theta, (std::vector<double>{300, 350, 400}));
}

TEST(ArpsSounding, WindMayBeDirectionAndSpeedOrKnots) {
  auto const levels = "9000 350 0 270 20\n1000 310 0 180 10\n0 300 0 0 5\n";
  auto const metres = parse_sounding(arps_text("'h' 'p' 's' 'Direction'", "0 1e5", levels), "snd");
  expect_close(metres.u[2], 20);
  expect_close(metres.v[1], 10);
  expect_close(metres.v[0], -5);
  auto const knots = parse_sounding(arps_text("'h' 'p' 's' 'knots'", "0 1e5", levels), "snd");
  expect_close(knots.u[2], 20 * knot);
}

TEST(ArpsSounding, OfVersionThreeHasNoNameForTheWindWhichIsUAndV) {
  auto const sounding = parse_sounding(arps_text("'height' 'potential temperature' 's'", "0 1e5",
                                                 "9000 350 0 27 -2\n1000 310 0 8 1\n0 300 0 0 5\n"),
                                       "snd");
  EXPECT_EQ(sounding.u, (std::vector<double>{0, 8, 27}));
  EXPECT_EQ(sounding.v, (std::vector<double>{5, 1, -2}));
}

TEST(Formats, AgreeOnTheSameAir) {
  auto const table = parse_sounding(
      "PRES TEMP DWPT DRCT SKNT\n hPa C C deg knot\n 900 20 10 200 10\n 700 5 -5 250 30\n 300 -40 -60 270 "
      "60\n",
      "t");
  auto const arps = parse_sounding(
      arps_text("'pressure' 'temperature' 'dewpoint' 'knots'", "0 1",
                "30000 233.15 213.15 270 60\n70000 278.15 268.15 250 30\n90000 293.15 283.15 200 10\n"),
      "a");
  for (std::size_t k = 0; k < 3; ++k) {
    expect_close(table.theta[k], arps.theta[k], 16);
    expect_close(table.humidity[k], arps.humidity[k], 256);
    EXPECT_NEAR(table.height[k], arps.height[k], 1e-10);
    EXPECT_NEAR(table.u[k], arps.u[k], 1e-12);
    EXPECT_NEAR(table.v[k], arps.v[k], 1e-12);
  }
}

TEST(Formats, AreToldApartInFiles) {
  test::TemporaryFolder const folder;
  EXPECT_EQ(read_sounding(folder.write("one.snd", cm1_sample)).height.size(), 4u);
  EXPECT_EQ(read_sounding(folder.write("two.txt", arps_sample)).height.size(), 4u);
  auto const table = read_sounding(folder.write("input_sounding", "# a comment\n" + table_sample));
  EXPECT_EQ(table.height.size(), 5u);
  EXPECT_EQ(table.source, (folder / "input_sounding").string());
}

TEST(FromGround, CountsHeightsFromTheFirstLevel) {
  auto const sounding = from_ground(parse_sounding(table_sample, "table"));
  EXPECT_EQ(sounding.height, (std::vector<double>{0, 375, 1109, 2751, 5425}));
  EXPECT_EQ(sounding.ground_pressure, parse_sounding(table_sample, "table").ground_pressure);
}

// Smithsonian Meteorological Tables, 6th edition, tables 94 (over water): Goff and Gratch's formula. Buck
// gives 0.05 % to 50 degrees and 0.2 % below -20 as his error.
TEST(SaturationPressure, IsThatOfTheTablesToBucksError) {
  struct {
    double celsius, hectopascal, share;
  } const entries[] = {{-30, 0.5088, 5e-3}, {-20, 1.2540, 2e-3}, {0, 6.1078, 1e-3},
                       {10, 12.272, 1e-3},  {20, 23.373, 1e-3},  {30, 42.430, 1e-3}};
  for (auto const& entry : entries) {
    // 1.0007 is what enhancement by air has without air.
    auto const pure = moist_air::saturation_pressure(entry.celsius + 273.15, 0.0) / 1.0007;
    EXPECT_NEAR(pure / (100 * entry.hectopascal), 1, entry.share) << entry.celsius;
  }
  EXPECT_NEAR(moist_air::saturation_pressure(293.15, 1e5) / moist_air::saturation_pressure(293.15, 0.0),
              (1.0007 + 3.46e-3) / 1.0007, 1e-15);
}

TEST(Humidity, ConvertsToMixingRatioAndBack) {
  for (double const q : {0., 1e-6, 0.01, 0.5}) {
    EXPECT_NEAR(moist_air::humidity_of_mixing_ratio(moist_air::mixing_ratio(q)), q, 4 * 0x1p-53 * q);
  }
  EXPECT_EQ(moist_air::mixing_ratio(0.5), 1);
}

TEST(Humidity, IsAllVapourWhereItsPressureIsMoreThanTheWhole) {
  for (double const vapour : {1000.0, 1500.0, 5000.0}) {
    EXPECT_EQ(moist_air::specific_humidity(vapour, 1000.0), 1);
  }
  EXPECT_NEAR(moist_air::specific_humidity(999.999, 1000.0), 1, 1e-5);
}

}  // namespace
}  // namespace ulpine
