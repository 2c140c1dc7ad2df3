// SPDX-License-Identifier: Apache-2.0
// N^2 in cloud against the buoyancy of a parcel that is moved up and down.
#include <gtest/gtest.h>

#include <cmath>

#include "fdm/smooth_air.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fdm;
using Levels = test::SmoothAir<Flat>;

constexpr double gravity = 9.8, gas = 287, vapour_gas = 461, heat = 1004, latent = 2.50078e6;

double saturated(double temperature, double pressure) {
  auto const e = (1.0007 + 3.46e-8 * pressure) * 611.21 *
                 std::exp(17.502 * (temperature - 273.15) / (temperature - 32.18));
  return gas / vapour_gas * e / (pressure - (1 - gas / vapour_gas) * e);
}

/// Saturated air of temperature T(z) with cloud that changes with height.
struct Cloud {
  Levels const& air;
  double z0, lapse, cloud_change;  ///< m, K m-1, kg kg-1 m-1
  double temperature(double z) const { return 281 - lapse * (z - z0); }
  double theta(double z) const { return temperature(z) / air.exner(z); }
  double vapour(double z) const { return saturated(temperature(z), air.pressure(z)); }
  double cloud(double z) const { return 1e-3 + cloud_change * (z - z0); }
  /// theta that with dry air's gas law gives the density.
  static double density_theta(double theta, double vapour, double water) {
    return theta * (1 + vapour * vapour_gas / gas) / (1 + water);
  }
  double surroundings(double z) const { return density_theta(theta(z), vapour(z), vapour(z) + cloud(z)); }
  /// Of a parcel from z0 that keeps all its water: d ln theta = -L / (c_p T) dq_s.
  double parcel(double z) const {
    constexpr int steps = 200;
    auto t = temperature(z0), q = vapour(z0), theta_now = theta(z0);
    for (int n = 1; n <= steps; ++n) {
      auto const at = z0 + (z - z0) * n / steps;
      auto next = t;
      for (int iteration = 0; iteration < 30; ++iteration) {
        auto const off = std::log(next / air.exner(at) / theta_now) +
                         latent / (heat * (t + next) / 2) * (saturated(next, air.pressure(at)) - q);
        auto const slope = saturated(next, air.pressure(at)) * 17.502 * 240.97 / std::pow(next - 32.18, 2);
        next -= off / (1 / next + latent / (heat * next) * slope);
      }
      t = next;
      q = saturated(t, air.pressure(at));
      theta_now = t / air.exner(at);
    }
    return density_theta(theta_now, q, vapour(z0) + cloud(z0));
  }
  double frequency2() const {
    constexpr double h = 50;
    auto const parted = (parcel(z0 + h) - parcel(z0 - h)) - (surroundings(z0 + h) - surroundings(z0 - h));
    return -gravity / surroundings(z0) * parted / (2 * h);
  }
};

TEST(MoistStability, IsTheBuoyancyOfAParcelThatIsMoved) {
  Levels air(4);
  std::int32_t k = 0;
  while (air.heights.centre(k, 0, 0) < 2500) ++k;
  auto const z0 = air.heights.centre(k, 0, 0);
  auto const n2 = [&](Moisture<double> const& water, Rows<double const> theta) {
    return stability(air.space.grid, air.space.ground(), gravity, theta, water, k, 1, 2);
  };
  for (double const lapse : {0.003, 0.005, 0.0065, 0.008}) {
    for (double const change : {0.0, 2e-6}) {
      Cloud const cloud{air, z0, lapse, change};
      auto const field = [&](auto const& of) {
        return Rows<double const>(air.field(Place::centre, [&](double, double, double z) { return of(z); }));
      };
      auto const theta = field([&](double z) { return cloud.theta(z) - air.base.theta(z); });
      Moisture<double> const water{field([](double) { return 0.0; }),
                                   field([&](double z) { return cloud.vapour(z); }),
                                   field([&](double z) { return cloud.cloud(z); })};
      auto const dry = n2({}, theta), moist = n2(water, theta);
      EXPECT_NEAR(dry, gravity * std::log(cloud.theta(z0 + 10) / cloud.theta(z0 - 10)) / 20, 0.01 * dry);
      // What the formula leaves out is of the order of q, in parts of dry air's N^2.
      EXPECT_NEAR(moist, cloud.frequency2(), cloud.vapour(z0) * dry) << lapse << ' ' << change;
      // A millionth is no cloud yet.
      Moisture<double> const clear{water.p, water.vapour, field([](double) { return 1e-6; })};
      EXPECT_EQ(n2(clear, theta), dry);
      air.forget();
    }
  }
}

}  // namespace
