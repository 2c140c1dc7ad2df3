// SPDX-License-Identifier: Apache-2.0
#include "core/sounding/parcel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace ulpine {
namespace {

using Kind = AnalyticProfile::Kind;

HydrostaticBase<double> weisman_klemp(double humidity) {
  AnalyticProfile given;
  given.kind = Kind::weisman_klemp;
  given.humidity = humidity;
  return HydrostaticBase<double>(make_profile<double>(given), 20000);
}

/// Saturation humidity and its slope, again from section 10 of the specification.
double saturation_pressure(double kelvin, double pascal) {
  return (1.0007 + 3.46e-8 * pascal) * 611.21 * std::exp(17.502 * (kelvin - 273.15) / (kelvin - 32.18));
}
double saturation(double kelvin, double pascal) {
  auto const e = saturation_pressure(kelvin, pascal);
  return 287. / 461 * e / (pascal - (1 - 287. / 461) * e);
}

/// CAPE as the specification's numbers were made, as far as can be told: level by level, condensing what is
/// above saturation at each (first order), and with `virtual_factor` for R_v / R_d - 1 in buoyancy.
double cape_by_levels(double humidity, double step, double virtual_factor) {
  auto const base = weisman_klemp(humidity);
  std::vector<double> heights;
  for (int k = 0; k * step <= 20000; ++k) heights.push_back(k * step);
  auto const air = base.column(heights);
  double theta = 300, vapour = humidity, cape = 0;
  for (std::size_t k = 0; k < heights.size(); ++k) {
    auto const pressure = air.pressure[k], exner = air.exner[k];
    if (vapour > saturation(theta * exner, pressure)) {
      for (int iteration = 0; iteration < 20; ++iteration) {
        auto const kelvin = theta * exner, saturated = saturation(kelvin, pressure);
        auto const slope = saturated * 17.502 * 240.97 / ((kelvin - 32.18) * (kelvin - 32.18));
        auto const gained = (saturated - vapour) / (1 + 2.50078e6 * slope / 1004);
        vapour += gained;
        theta -= 2.50078e6 * gained / (1004 * exner);
      }
    }
    auto const surrounding = air.theta[k] * (1 + virtual_factor * air.humidity[k]);
    cape += step * std::max(9.8 * (theta * (1 + virtual_factor * vapour) / surrounding - 1), 0.);
  }
  return cape;
}

constexpr double virtual_factor = 461. / 287 - 1;
struct Published {
  double humidity, cape;
};
constexpr Published published[] = {{0.011, 564}, {0.012, 965}, {0.014, 1964}, {0.016, 3151}};

TEST(PublishedCape, IsThatOfAFirstOrderSchemeOfTenMetres) {
  for (auto const& [humidity, cape] : published) EXPECT_NEAR(cape_by_levels(humidity, 10, 0.608), cape, 0.5);
}

TEST(PublishedCape, IsMetButForThatSchemesErrorAndTheDigitsPrinted) {
  for (auto const& [humidity, cape] : published) {
    auto const limit =
        2 * cape_by_levels(humidity, 10, virtual_factor) - cape_by_levels(humidity, 20, virtual_factor);
    auto const error = cape_by_levels(humidity, 10, 0.608) - limit;
    EXPECT_GT(error, 0);
    EXPECT_LT(error, 2.5);
    auto const ours = lift_surface_parcel(weisman_klemp(humidity)).cape;
    EXPECT_NEAR(ours, cape - error, 0.5 + 0.1);
    // The limit of a first-order scheme, extrapolated once.
    EXPECT_NEAR(ours, limit, 0.1) << humidity;
  }
}

TEST(PublishedCape, CondensationLevelIsTheFirstTenMetresAbove) {
  auto const lcl = lift_surface_parcel(weisman_klemp(0.014)).lcl;
  EXPECT_GT(lcl, 970);
  EXPECT_LE(lcl, 980);
}

TEST(Parcel, CapeConvergesWithTheSquareOfTheStep) {
  for (double const humidity : {0.012, 0.016}) {
    auto const base = weisman_klemp(humidity);
    auto const cape = [&](double step) { return lift_surface_parcel(base, 20000, step).cape; };
    auto const exact = cape(1.25);
    // Where buoyancy changes sign within a step the error is no smooth function of it: a broad bound.
    EXPECT_NEAR(std::log2((cape(80) - exact) / (cape(40) - exact)), 2, 0.5);
    EXPECT_NEAR(cape(10), exact, 0.1);
  }
}

TEST(Parcel, BecomesSaturatedWhereItsOwnHumidityIsThatOfSaturation) {
  for (double const humidity : {0.006, 0.011, 0.016}) {
    auto const base = weisman_klemp(humidity);
    auto const ascent = lift_surface_parcel(base);
    EXPECT_NEAR(saturation(ascent.lcl_temperature, ascent.lcl_pressure), humidity, 1e-9);
    auto const exner = base.exner(ascent.lcl);
    EXPECT_NEAR(ascent.lcl_temperature, 300 * exner, 1e-9);
    EXPECT_NEAR(ascent.lcl_pressure, 1e5 * std::pow(exner, 1004. / 287), 1e-6);
    // Bolton (1980), equation 22: from the vapour pressure, some tenths of a kelvin.
    auto const vapour = humidity * 1e5 / (287. / 461 + (1 - 287. / 461) * humidity) / 100;
    auto const bolton = 2840 / (3.5 * std::log(300.) - std::log(vapour) - 4.805) + 55;
    EXPECT_NEAR(ascent.lcl_temperature, bolton, 0.4);
  }
}

TEST(Parcel, OrdersItsLevels) {
  for (double const humidity : {0.011, 0.012, 0.014, 0.016}) {
    auto const base = weisman_klemp(humidity);
    auto const ascent = lift_surface_parcel(base);
    EXPECT_LT(0, ascent.lcl);
    EXPECT_LT(ascent.lcl, ascent.lfc);
    EXPECT_LT(ascent.lfc, ascent.el);
    EXPECT_LT(ascent.cin, 0);
    // Nothing is added beyond the levels.
    EXPECT_NEAR(lift_surface_parcel(base, ascent.el + 1).cape, ascent.cape, 0.05);
    EXPECT_NEAR(lift_surface_parcel(base, ascent.el + 1).el, ascent.el, 0.5);
    auto const half = lift_surface_parcel(base, 0.5 * (ascent.lfc + ascent.el));
    EXPECT_LT(half.cape, ascent.cape);
    EXPECT_EQ(half.el, 0.5 * (ascent.lfc + ascent.el));
    EXPECT_NEAR(half.cin, ascent.cin, 0.05);
  }
}

/// Air as a functor of the profile's interface.
class Given : public Profile<double> {
 public:
  Given(double surface_theta, double slope, double humidity, double top = 25000)
      : surface_theta_(surface_theta), slope_(slope), humidity_(humidity), top_(top) {}
  double theta(double height) const override { return height > 0 ? 300 + slope_ * height : surface_theta_; }
  double humidity(double height, double) const override { return height > 0 ? 0 : humidity_; }
  Wind wind(double) const override { return {0, 0}; }
  double ground() const override { return 0; }
  double ground_pressure() const override { return 1e5; }
  double top() const override { return top_; }
  std::string name() const override { return "given"; }

 private:
  double surface_theta_, slope_, humidity_, top_;
};

TEST(Parcel, ConservesPseudoEquivalentPotentialTemperature) {
  // In air so cold that the parcel is buoyant throughout, CAPE is the area of theta_v of the parcel, here by
  // steps of 0.25 m of explicit Euler's rule for c_p d ln theta = -L_v / T dq, q the saturation's.
  HydrostaticBase<double> const base(std::make_shared<Given const>(300., 1e-4, 0.014), 10000);
  auto const ascent = lift_surface_parcel(base, 8000);
  double theta = 300, cape = 0;
  constexpr double step = 0.25;
  double vapour = 0.014;
  for (double z = ascent.lcl; z < 8000 - step / 2; z += step) {
    auto const exner = base.exner(z + step), pressure = 1e5 * std::pow(exner, 1004. / 287);
    auto const kelvin = theta * exner,
               slope = (saturation(kelvin + 0.01, pressure) - saturation(kelvin - 0.01, pressure)) / 0.02;
    // d q = (q_s(T dry) - q) + slope dT with c_p dT = -L dq.
    auto const condensed = (vapour - saturation(kelvin, pressure)) / (1 + 2.50078e6 / 1004 * slope);
    auto const air = 300 + 1e-4 * (z + step);
    theta *= std::exp(2.50078e6 * condensed / (1004 * kelvin));
    vapour -= condensed;
    cape += step * 9.8 * (theta * (1 + virtual_factor * vapour) / air - 1);
  }
  EXPECT_GT(cape, 4000);
  EXPECT_NEAR(ascent.cape / cape, 1, 1e-3);
}

TEST(Parcel, OfNeutralDryAirHasNothing) {
  HydrostaticBase<double> const base(make_profile<double>(AnalyticProfile{}));
  auto const ascent = lift_surface_parcel(base);
  EXPECT_TRUE(std::isnan(ascent.lcl) && std::isnan(ascent.lfc) && std::isnan(ascent.el));
  EXPECT_TRUE(std::isnan(ascent.lcl_pressure) && std::isnan(ascent.lcl_temperature));
  EXPECT_EQ(ascent.cape, 0);
  EXPECT_EQ(ascent.cin, 0);
}

TEST(Parcel, OfStableAirHasNoFreeConvection) {
  HydrostaticBase<double> const base(std::make_shared<Given const>(290., 1e-2, 0.004), 10000);
  auto const ascent = lift_surface_parcel(base);
  EXPECT_TRUE(std::isnan(ascent.lfc) && std::isnan(ascent.el));
  EXPECT_FALSE(std::isnan(ascent.lcl));
  EXPECT_EQ(ascent.cape, 0);
  EXPECT_EQ(ascent.cin, 0);
}

TEST(Parcel, OfSaturatedAirCondensesAtTheGround) {
  HydrostaticBase<double> const base(std::make_shared<Given const>(300., 1e-3, 0.05), 10000);
  EXPECT_EQ(lift_surface_parcel(base).lcl, 0);
}

TEST(Parcel, BuoyantBeforeItCondensesIsFreeFromThere) {
  // 2 K warmer than what is above: buoyant from the first step on, but CAPE begins at the LCL.
  HydrostaticBase<double> const base(std::make_shared<Given const>(302., 0., 0.012), 10000);
  auto const ascent = lift_surface_parcel(base, 3000);
  EXPECT_EQ(ascent.lfc, ascent.lcl);
  EXPECT_EQ(ascent.cin, 0);
  auto const least = 9.8 * (302. / 300 - 1) * (3000 - ascent.lcl);
  EXPECT_GT(ascent.cape, least);
  EXPECT_LT(ascent.cape, 9.8 * (320. / 300 - 1) * (3000 - ascent.lcl));
}

TEST(Parcel, IsLiftedToTheTopOfTheProfileAtMost) {
  HydrostaticBase<double> const base(std::make_shared<Given const>(302., 0., 0.012, 2000.), 10000);
  EXPECT_EQ(lift_surface_parcel(base, 3000).el, 2000);
}

}  // namespace
}  // namespace ulpine
