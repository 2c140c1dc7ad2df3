// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "core/fem/air.hpp"
#include "core/fem/reference_column.hpp"
#include "core/fem/sponge.hpp"

namespace {

using namespace ulpine::fem;

constexpr Air<double> dry{1004.64, 717.6, 1e5, 9.81};
constexpr double unit = 0x1p-53;

TEST(EquationOfState, IsThatOfAnIdealGas) {
  std::mt19937 random{1};
  std::uniform_real_distribution<double> temperatures(250, 400), pressures(1e4, 1.1e5), densities(0.1, 1.5);
  for (int n = 0; n < 1000; ++n) {
    auto const theta = temperatures(random), p = pressures(random), rho = densities(random);
    auto const state = equation_of_state(dry, theta, p, rho);
    auto const temperature = theta * std::pow(p / 1e5, 287.04 / 1004.64);
    // The exponent is rounded differently by up to 2 units, |log(p / p0)| < 2.4, and a dozen roundings
    // follow.
    auto const bound = 30 * unit;
    EXPECT_NEAR(state.density * 287.04 * temperature / p, 1, bound);
    EXPECT_NEAR(state.pressure_it_has / (rho * 287.04 * temperature), 1, bound);
  }
}

TEST(EquationOfState, DerivativeIsTheSecant) {
  // Central difference over h = 1e-4 of p: its error is h^2 / 6 of the third derivative by log p, below 1;
  // and two units of rounding over h.
  for (double const p : {2e4, 5e4, 1e5}) {
    auto const h = 1e-4;
    auto const at = [&](double pressure) { return equation_of_state(dry, 300.0, pressure, 1.0); };
    auto const secant = (at(p * (1 + h)).density - at(p * (1 - h)).density) / (2 * h * p);
    EXPECT_NEAR(at(p).per_pressure / secant, 1, h * h + 60 * unit / h);
  }
}

TEST(ReferenceColumn, HasTheValuesOfTheMountainCase) {
  // theta0 = 293.15 K, N = 0.01 s-1, to the digits given in the description of the case.
  ReferenceColumn const column(dry, 293.15, 0.01);
  EXPECT_NEAR(column.density(0), 1.188414, 5e-7);
  EXPECT_NEAR(column.density(5000), 0.72520, 5e-6);
  EXPECT_NEAR(column.pressure(5000), 53786.6, 0.05);
  EXPECT_NEAR(column.density(10000), 0.41424, 5e-6);
  EXPECT_NEAR(column.pressure(10000), 26374.4, 0.05);
  EXPECT_NEAR(column.density(16000), 0.18591, 5e-6);
  EXPECT_NEAR(column.pressure(16000), 9359.2, 0.05);
}

TEST(ReferenceColumn, IsInBalanceAndItsFrequencyIsTheOneAskedFor) {
  for (double const frequency : {0.0, 0.005, 0.01, 0.02}) {
    ReferenceColumn const column(dry, 300, frequency);
    for (double const z : {10.0, 500.0, 3000.0, 9000.0}) {
      // Central differences over 2 m: h^2 / 6 of third derivatives, of scale heights above 5 km, and rounding
      // of values over h.
      auto const h = 1.0, slack = h * h / (6 * 5000.0 * 5000.0) + 20 * unit * 9000 / h;
      auto const weight = dry.gravity * column.density(z);
      EXPECT_NEAR(-(column.pressure(z + h) - column.pressure(z - h)) / (2 * h) / weight, 1, slack);
      auto const stability = dry.gravity * std::log(column.theta(z + h) / column.theta(z - h)) / (2 * h);
      EXPECT_NEAR(stability, frequency * frequency, 20 * unit * dry.gravity / h);
      auto const state = equation_of_state(dry, column.theta(z), column.pressure(z), 1.0);
      EXPECT_NEAR(state.density / column.density(z), 1, 100 * unit);
    }
  }
}

TEST(ReferenceColumn, TendsToThatOfConstantTemperatureAndKnowsItsTop) {
  ReferenceColumn const neutral(dry, 300, 0), nearly(dry, 300, 1e-7);
  // N^2 z / (2 g) of the height: 1e-14 * 5000 / 19.6 relative, and rounding.
  EXPECT_NEAR(nearly.exner(5000) / neutral.exner(5000), 1, 1e-11);
  EXPECT_NEAR(neutral.top(), 1004.64 * 300 / 9.81, 1e-9);
  EXPECT_NEAR(neutral.exner(neutral.top()), 0, 1e-14);
  ReferenceColumn const weak(dry, 300, 0.01);
  EXPECT_NEAR(weak.exner(weak.top()), 0, 1e-13);
  EXPECT_GT(weak.exner(weak.top() - 1), 0);
  EXPECT_EQ(ReferenceColumn(dry, 300, 0.03).top(), std::numeric_limits<double>::infinity());
}

TEST(Sponge, IsFullInTheOuterQuarterAndNoneInside) {
  Sponge const sponge{0.2, {1000, 2000, 500}, {0, -4000, 0}, {10000, 4000, 3000}};
  EXPECT_EQ(sponge.at({5000, 0, 100}), 0);
  EXPECT_EQ(sponge.at({5000, 0, 0}), 0);     // none at the ground
  EXPECT_EQ(sponge.at({1000, 0, 1000}), 0);  // where a layer begins
  auto const one = 0.2 / std::sqrt(3.0);
  EXPECT_NEAR(sponge.at({0, 0, 100}), one, 4 * unit);
  EXPECT_NEAR(sponge.at({250, 0, 100}), one, 4 * unit);
  EXPECT_NEAR(sponge.at({10000, 0, 100}), one, 4 * unit);
  EXPECT_NEAR(sponge.at({5000, -4000, 100}), one, 4 * unit);
  EXPECT_NEAR(sponge.at({5000, 0, 3000}), one, 4 * unit);
  EXPECT_NEAR(sponge.at({10000, 4000, 3000}), 0.2, 4 * unit);
  // Half of the way to full strength: sin^2(pi / 4).
  EXPECT_NEAR(sponge.at({1000 - 375, 0, 100}), one / 2, 8 * unit);
  EXPECT_NEAR(sponge.at({5000, 2000 + 750, 100}), one / 2, 8 * unit);
  EXPECT_NEAR(sponge.at({5000, 0, 2500 + 187.5}), one / 2, 8 * unit);
}

TEST(Sponge, GrowsOutwardWithoutJumps) {
  Sponge const sponge{1, {1000, 0, 0}, {0, 0, 0}, {10000, 1, 1}};
  auto before = sponge.at({1000, 0, 0});
  for (double x = 999; x >= 0; --x) {
    auto const here = sponge.at({x, 0, 0});
    EXPECT_GE(here, before);
    EXPECT_LT(here - before, 1.0 / 400);  // the steepest slope is pi / 2 over 750 m, of 1 / sqrt(3)
    before = here;
  }
}

}  // namespace
