// SPDX-License-Identifier: Apache-2.0
// Water at the points of the grid: which air the processes of warm rain are given, and what they leave.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/fdm/parts/density.hpp"
#include "core/fdm/parts/rain.hpp"
#include "fdm/smooth_air.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using test::Function;
using test::wave;
using Hills = test::SmoothAir<Terrain>;

struct Humid {
  Function theta = wave(1, 4, 2.6), p = wave(-60, 400, 0.7), vapour = wave(0.012, 0.005, 1.7),
           cloud = wave(0.002, 0.001, 0.2), rain = wave(0.003, 0.001, 2.9);
};
/// Of the gas law at p = p_0 + p', with the density of the base state.
physics::Air<double> air_at(Hills const& air, Humid const& f, double x, double y, double z) {
  auto const p = air.pressure(z) + f.p(x, y, z);
  return {air.density(z), p, std::pow(p / 1e5, 287.0 / 1004), air.base.theta(z)};
}

template <class Check>
void at_all(Hills const& air, Check const& check) {
  for (std::int32_t k = 0; k < air.p.nz; ++k) {
    for (std::int32_t j = 0; j < air.p.ny; ++j) {
      for (std::int32_t i = 0; i < air.p.nx; ++i) {
        air.at(Place::centre, k, j, i, [&](double x, double y, double z) {
          check(k, j, i, x, y, z);
          return 0;
        });
      }
    }
  }
}
/// The table of heights that the test has pressure from is good to 1e-8.
constexpr double close = 1e-6;

TEST(Rain, FormsInTheAirAsItIsPressed) {
  Hills air(1);
  Humid const f;
  auto const at = [&](Function const& of) { return air.field(Place::centre, of); };
  auto const p = at(f.p), velocity = air.empty();
  Water<double> const water{at(f.theta), at(f.vapour), at(f.cloud), at(f.rain)};
  for_each(Host{}, air.extent(),
           FormRain<double, Terrain<double>>{air.space.ground(), 20.0, p, water, velocity});
  double evaporated = 0;
  at_all(air, [&](auto k, auto j, auto i, double x, double y, double z) {
    auto const around = air_at(air, f, x, y, z);
    auto const wanted = physics::form_rain(
        around, {f.theta(x, y, z), f.vapour(x, y, z), f.cloud(x, y, z), f.rain(x, y, z)}, 20.0);
    EXPECT_NEAR(water.theta(k, j, i), wanted.theta, close * 10);
    EXPECT_NEAR(water.vapour(k, j, i), wanted.vapour, close * 0.02);
    EXPECT_NEAR(water.cloud(k, j, i), wanted.cloud, close * 0.01);
    EXPECT_NEAR(water.rain(k, j, i), wanted.rain, close * 0.01);
    auto const speed =
        36.34 * std::pow(0.001 * around.density * wanted.rain, 0.1364) * std::sqrt(1.225 / around.density);
    EXPECT_NEAR(velocity(k, j, i), speed, close * speed);
    evaporated = std::max(evaporated, wanted.vapour - f.vapour(x, y, z));
  });
  EXPECT_GT(evaporated, 1e-5);
}

TEST(Rain, LeavesTheAirSaturatedAsItIsPressed) {
  Hills air(1);
  Humid const f;
  auto const at = [&](Function const& of) { return air.field(Place::centre, of); };
  auto const p = at(f.p);
  Water<double> const water{at(f.theta), at(f.vapour), at(f.cloud), at(f.rain)};
  for_each(Host{}, air.extent(), AdjustSaturation<double, Terrain<double>>{air.space.ground(), p, water});
  int condensed = 0, evaporated = 0;
  at_all(air, [&](auto k, auto j, auto i, double x, double y, double z) {
    auto const wanted = physics::adjust_saturation(
        air_at(air, f, x, y, z), {f.theta(x, y, z), f.vapour(x, y, z), f.cloud(x, y, z), f.rain(x, y, z)});
    EXPECT_NEAR(water.theta(k, j, i), wanted.theta, close * 10);
    EXPECT_NEAR(water.vapour(k, j, i), wanted.vapour, close * 0.02);
    EXPECT_NEAR(water.cloud(k, j, i), wanted.cloud, close * 0.01);
    EXPECT_EQ(water.rain(k, j, i), wanted.rain);
    ++(wanted.cloud > f.cloud(x, y, z) ? condensed : evaporated);
  });
  EXPECT_GT(condensed, 0);
  EXPECT_GT(evaporated, 0);
}

TEST(MoistAir, IsAsLightAsItsVapourAndAsHeavyAsItsWater) {
  // 1 / (1 - B), B of the dry air to second order; of vapour and water as ARPS has it.
  Hills air(1);
  Humid const f;
  auto const at = [&](Function const& of) { return air.field(Place::centre, of); };
  Air<double> state{{}, {}, {}, at(f.p), at(f.theta), at(f.vapour), at(f.cloud), at(f.rain)};
  auto const volume = air.empty();
  double const per_gamma = 717.0 / 1004;
  for_each(Host{}, air.extent(),
           RelativeVolume<double, double, Terrain<double>>{air.space.ground(), per_gamma, state, volume});
  at_all(air, [&](auto k, auto j, auto i, double x, double y, double z) {
    auto const warm = f.theta(x, y, z) / air.base.theta(z), pressed = f.p(x, y, z) / air.pressure(z);
    auto const dry = 1 - std::pow(1 + pressed, per_gamma) / (1 + warm);
    auto const humid = air.humidity(z), more = f.vapour(x, y, z) - humid;
    auto const water =
        more / (287.0 / 461 + humid) - (more + f.cloud(x, y, z) + f.rain(x, y, z)) / (1 + humid);
    auto const size = std::abs(warm) + std::abs(pressed);
    EXPECT_NEAR(volume(k, j, i), 1 / (1 - dry - water), 2 * size * size * size + 1e-7);
  });
}

}  // namespace
