// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/sounding/base_state.hpp"
#include "core/sounding/profile.hpp"
#include "io/error.hpp"
#include "sounding/samples.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine {
namespace {

using Kind = AnalyticProfile::Kind;

AnalyticProfile weisman_klemp() {
  AnalyticProfile given;
  given.kind = Kind::weisman_klemp;
  return given;
}

void expect_close(double value, double expected, double roundings = 8) {
  EXPECT_NEAR(value, expected, roundings * 0x1p-53 * std::abs(expected));
}

TEST(SoundingProfile, IsLinearBetweenLevelsAndConstantBelow) {
  auto const sounding = parse_sounding(test::cm1_sample, "cm1");
  auto const profile = make_profile<double>(sounding);
  EXPECT_EQ(profile->theta(550), 301.25);
  EXPECT_EQ(profile->theta(100), 300.5);
  EXPECT_EQ(profile->theta(-50), 300);
  EXPECT_EQ(profile->theta(12000), 343);
  EXPECT_EQ(profile->humidity(12000, 0.6), sounding.humidity[3]);
  EXPECT_EQ(profile->humidity(0, 1), sounding.humidity[0]);
  expect_close(profile->humidity(550, 1), (sounding.humidity[1] + sounding.humidity[2]) / 2);
  EXPECT_EQ(profile->wind(325).u, -2.25);
  EXPECT_EQ(profile->wind(6500).v, 3.25);
  EXPECT_EQ(profile->ground(), 0);
  EXPECT_EQ(profile->ground_pressure(), 1e5);
  EXPECT_EQ(profile->top(), 12000);
  EXPECT_EQ(profile->name(), "cm1");
}

TEST(SoundingProfile, IsTheSameInLongDouble) {
  auto const sounding = parse_sounding(test::table_sample, "table");
  auto const one = make_profile<double>(sounding);
  auto const other = make_profile<long double>(sounding);
  EXPECT_EQ(other->ground(), 345);
  for (double const height : {0., 345., 400., 2000., 5770.}) {
    EXPECT_NEAR(one->theta(height), static_cast<double>(other->theta(height)), 1e-12);
    EXPECT_NEAR(one->wind(height).u, static_cast<double>(other->wind(height).u), 1e-12);
  }
}

TEST(AnalyticProfiles, AreTheirFormulas) {
  AnalyticProfile given;
  EXPECT_EQ(make_profile<double>(given)->theta(7000), 300);
  given.kind = Kind::constant_frequency;
  expect_close(make_profile<double>(given)->theta(7000), 300 * std::exp(1e-4 * 7000 / 9.8));
  given.kind = Kind::isothermal;
  given.theta = 250;
  given.ground_pressure = 9e4;
  auto const isothermal = make_profile<double>(given);
  // T = theta exner with exner = exner_s exp(-g z / (c_p T)).
  for (double const height : {0., 5000., 20000.}) {
    auto const exner = std::pow(0.9, 287. / 1004) * std::exp(-9.8 * height / (1004 * 250));
    expect_close(isothermal->theta(height) * exner, 250, 16);
  }
  EXPECT_EQ(isothermal->humidity(0, 1), 0);
  EXPECT_EQ(isothermal->ground(), 0);
  EXPECT_EQ(isothermal->ground_pressure(), 9e4);
  EXPECT_EQ(isothermal->top(), std::numeric_limits<double>::infinity());
}

TEST(AnalyticProfiles, WindIsConstantAndShearedByTheHyperbolicTangent) {
  AnalyticProfile given;
  given.wind = {2, -1, 30, 2000};
  auto const profile = make_profile<double>(given);
  EXPECT_EQ(profile->wind(0).u, 2);
  EXPECT_EQ(profile->wind(0).v, -1);
  expect_close(profile->wind(2000).u, 2 + 30 * std::tanh(1.));
  expect_close(profile->wind(4000).u, 2 + 30 * std::tanh(2.));
}

TEST(WeismanKlemp, IsItsFormulasAtChosenHeights) {
  auto const profile = make_profile<double>(weisman_klemp());
  EXPECT_EQ(profile->theta(0), 300);
  EXPECT_EQ(profile->theta(-100), 300);
  EXPECT_EQ(profile->theta(12000), 343);
  expect_close(profile->theta(6000), 300 + 43 * std::pow(0.5, 1.25));
  expect_close(profile->theta(15000), 343 * std::exp(9.8 * 3000 / (1004 * 213)));
  EXPECT_NEAR(profile->theta(12000.001), 343, 1e-4);
  // Relative humidity 1 - 0.75 (z / 12 km)^(5/4), and a quarter above.
  auto const relative = [&](double height, double exner) {
    auto const temperature = profile->theta(height) * exner;
    return profile->humidity(height, exner) /
           moist_air::saturation_humidity(temperature, moist_air::pressure_of_exner(exner));
  };
  expect_close(relative(6000, 0.8), 1 - 0.75 * std::pow(0.5, 1.25));
  expect_close(relative(12000, 0.63), 0.25);
  expect_close(relative(13000, 0.6), 0.25);
  EXPECT_EQ(profile->humidity(0, 1), 0.014);
  EXPECT_EQ(profile->humidity(-100, 1.004), 0.014);
}

TEST(WeismanKlemp, MixedLayerMayHaveALeastDistanceFromSaturation) {
  auto given = weisman_klemp();
  given.humidity = 0.05;
  given.mixed_relative_humidity = 0.95;
  auto const profile = make_profile<double>(given);
  auto const saturated = [&](double height, double exner) {
    return moist_air::saturation_humidity(profile->theta(height) * exner,
                                          moist_air::pressure_of_exner(exner));
  };
  expect_close(profile->humidity(500, 0.98), 0.95 * saturated(500, 0.98));
  expect_close(profile->humidity(1200, 0.96), 0.95 * saturated(1200, 0.96));
  expect_close(profile->humidity(1201, 0.96),
               (1 - 0.75 * std::pow(1201. / 12000, 1.25)) * saturated(1201, 0.96));
}

// Section 11.4 of the specification: integrated for it from 1000 hPa at the ground.
TEST(WeismanKlemp, TropopauseIsAsInTheSpecification) {
  HydrostaticBase<double> const base(make_profile<double>(weisman_klemp()));
  auto const exner = base.exner(12000);
  EXPECT_NEAR(base.profile().theta(12000) * exner, 217.2, 0.05);
  EXPECT_NEAR(moist_air::pressure_of_exner(exner), 20230, 5);
}

TEST(WeismanKlemp, PressureMayBeGivenAtTheGround) {
  auto given = weisman_klemp();
  given.ground_pressure = 95530;  // as of the other anchor, 213 K at the tropopause
  HydrostaticBase<double> const base(make_profile<double>(given));
  EXPECT_NEAR(343 * base.exner(12000), 213, 0.3);
}

TEST(AnalyticProfiles, RefuseWhatNoAirHas) {
  auto const refusal = [](auto change) {
    AnalyticProfile given;
    change(given);
    return test::message_of<InputError>([&] { make_profile<double>(given); });
  };
  EXPECT_EQ(refusal([](auto& p) { p.humidity = 14; }),
            "specific humidity of the profile is 14 (0 to 0.06 kg kg-1 is possible) change it");
  EXPECT_EQ(refusal([](auto& p) { p.ground_pressure = 1000; }),
            "pressure at the ground of the profile is 1000 (10000 to 120000 Pa is possible) change it");
  EXPECT_NE(refusal([](auto& p) { p.theta = 27; }).find("theta of the profile is 27"), std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.frequency = -0.01; }).find("buoyancy frequency"), std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.mixed_relative_humidity = 95; }).find("relative humidity"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.wind.u = NAN; }).find("wind u of the profile is nan"), std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.wind.v = 201; }).find("wind v"), std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.wind.aloft = -201; }).find("wind aloft"), std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.wind.depth = 0; }).find("depth of the wind aloft"), std::string::npos);
}

}  // namespace
}  // namespace ulpine
