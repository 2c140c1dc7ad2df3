// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// Qualified calls in templates see only what is declared before them.
#include "precision/double_float_functions.hpp"
#include "precision/emulated_number.hpp"
#include "precision/quad.hpp"
#include "support/strict.hpp"

#include "core/physics/warm_rain.hpp"
#include "physics/plain_rain.hpp"
#include "support/random_values.hpp"

namespace physics_test {
namespace {

using namespace ulpine;
using physics::Air;
using physics::MoistState;

template <class T>
constexpr double roundoff = std::numeric_limits<T>::epsilon() / 2;

/// A point of a rainy or clear troposphere in doubles that floats hold.
struct Point {
  double density, pressure, exner, base_theta, theta, vapour, cloud, rain;
};

double rounded(double x) { return double(float(x)); }

/// Of many magnitudes: dry, cloudless and rainless points too; air from 20 % to 130 % of saturation; with
/// theta and with its departure from a base state.
Point sample(test::RandomValues& random) {
  auto const water = [&](double most) {
    auto const kind = random.uniform();
    return kind < 0.15
               ? 0.0
               : rounded(kind < 0.6 ? most * random.uniform() : most * std::exp(-18 * random.uniform()));
  };
  auto const temperature = random.between(230, 312);
  auto const pressure = random.between(temperature > 265 ? 60000 : 20000, 103000);
  auto const exner = std::pow(pressure / 1e5, 287.0 / 1004);
  auto const base = random.uniform() < 0.5 ? 0.0 : 300.0;
  auto const saturated =
      static_cast<double>(plain_saturation_humidity(float128(temperature), float128(pressure)));
  return {.density = rounded(pressure / (287 * temperature)),
          .pressure = rounded(pressure),
          .exner = rounded(exner),
          .base_theta = base,
          .theta = rounded(temperature / exner - base),
          .vapour = rounded(saturated * random.between(0.2, 1.3)),
          .cloud = water(0.006),
          .rain = water(0.012)};
}

template <class T>
Air<T> air_of(Point const& p) {
  return {T(p.density), T(p.pressure), T(p.exner), T(p.base_theta)};
}
template <class T>
MoistState<T> state_of(Point const& p) {
  return {T(p.theta), T(p.vapour), T(p.cloud), T(p.rain)};
}
PlainPoint plain_of(Point const& p) {
  return {p.density, p.pressure, p.exner, float128(p.theta) + p.base_theta, p.vapour, p.cloud, p.rain};
}

/// Relative error of e_s and q_s in roundoffs: test_moist_air.cpp.
double saturation_error(double temperature, double pressure) {
  auto const exponent = std::fabs(17.502 * (temperature - 273.15) / (temperature - 32.18));
  auto const vapour = static_cast<double>(plain_saturation_pressure(temperature, pressure));
  return (6 * exponent + 10) * pressure / (pressure - 0.38 * vapour) + 8;
}

double distance(float128 const& a, float128 const& b) { return std::fabs(static_cast<double>(a - b)); }

template <class T>
class WarmRain : public testing::Test {};
using Scalars = testing::Types<double, float>;
TYPED_TEST_SUITE(WarmRain, Scalars);

// Roundings of each process, counted. A power x^y by exp(y log x): the logarithm's argument is off by a few
// roundoffs, log and exp by less than two, y and the product by one each: 4 y |log x| + 4 y + 2.
TYPED_TEST(WarmRain, ProcessesAreThoseOf113Bits) {
  using T = TypeParam;
  test::RandomValues random(3);
  double worst = 0;
  auto const check = [&](T got, float128 const& expected, double bound, char const* what) {
    ASSERT_LE(distance(got, expected), bound) << what;
    if (bound > 0) worst = std::fmax(worst, distance(got, expected) / bound);
  };
  for (int n = 0; n < 5000; ++n) {
    auto const p = sample(random);
    auto const air = air_of<T>(p);
    auto const state = state_of<T>(p);
    auto const dt = T(random.below(3) == 0 ? 1000 : 1 + int(random.below(24)));
    auto const u = roundoff<T>, seconds = double(dt);

    auto plain = plain_of(p);
    auto const converted = plain.convert(dt);
    check(physics::autoconversion(state.cloud, dt), converted,
          (1e-6 * seconds + 4 * static_cast<double>(converted)) * u, "autoconversion");

    plain = plain_of(p);
    auto const collected = plain.collect(dt);
    check(physics::accretion(state.cloud, state.rain, dt), collected, 12 * static_cast<double>(collected) * u,
          "accretion");

    // Temperature as the kernel rounds it, so that what is left is the process.
    auto const temperature = air.temperature(state.theta);
    plain = plain_of(p);
    plain.theta = float128(temperature) / plain.exner;
    auto const of_saturation = saturation_error(double(temperature), p.pressure);
    auto const saturated = static_cast<double>(plain_saturation_humidity(float128(temperature), p.pressure));
    auto const evaporated = plain.evaporate(dt);
    auto const content = p.density * p.rain;
    auto const logarithm = content > 0 ? std::fabs(std::log(content)) : 0;
    auto const unlimited = seconds * (1.6 + 30.3922 * std::pow(content, 0.2046)) * std::pow(content, 0.525) /
                           (p.density * (2.03e4 + 9.584e6 / (p.pressure * saturated)));
    auto const of_factors = 4 * (0.525 + 0.2046) * (logarithm + 1) + 2 * 2 + of_saturation + 15;
    auto const humidity = p.vapour / saturated;
    check(physics::evaporation(air, temperature, state.vapour, state.rain, dt), evaporated,
          unlimited * (std::fabs(1 - humidity) * of_factors + humidity * (of_saturation + 2) + 2) * u,
          "evaporation");

    plain = plain_of(p);
    plain.theta = float128(temperature) / plain.exner;
    auto const adjusted = plain.saturate();
    check(physics::saturation_deficit(air, temperature, state.vapour, state.cloud), adjusted,
          (saturated * of_saturation + static_cast<double>(abs(adjusted)) * (2 * of_saturation + 25)) * u +
              1e-17,
          "adjustment");

    if (p.rain > 0) {
      auto const velocity = plain_velocity(p.density, p.rain);
      auto const bound = 4 * 0.1364 * (std::fabs(std::log(content / 1000)) + 1) + 2 + 8;
      check(physics::terminal_velocity(air.density, state.rain), velocity,
            static_cast<double>(velocity) * bound * u, "velocity");
    }
  }
  this->RecordProperty("largest_error_in_bounds", std::to_string(worst));
}

// Klemp and Wilhelmson (1978, J. Atmos. Sci. 35, 1070-1096, eqs. 2.13 to 2.15): g cm-3, mb; constants in SI
// are these to three digits.
TEST(Evaporation, IsThatOfKlempAndWilhelmson) {
  for (double const rain : {1e-5, 1e-3, 5e-3}) {
    double const density = 1.1, pressure = 90000, temperature = 290, vapour = 0.008;
    auto const content = density / 1000 * rain;
    auto const saturated = physics::saturation_humidity(temperature, pressure);
    auto const ventilation = 1.6 + 124.9 * std::pow(content, 0.2046);
    auto const rate = 1 / (density / 1000) * (1 - vapour / saturated) * ventilation *
                      std::pow(content, 0.525) / (5.4e5 + 2.55e6 / (pressure / 100 * saturated));
    EXPECT_NEAR(
        physics::evaporation(Air<double>{density, pressure, 1, 0}, temperature, vapour, rain, 1.0) / rate, 1,
        3e-3);
  }
}

// 36.34 x 10^(-6 x 0.1364) m s-1 of 1 g m-3 at the density of the ground.
TEST(TerminalVelocity, IsByHand) {
  EXPECT_NEAR(physics::terminal_velocity(1.225, 1e-3 / 1.225), 36.34 * std::pow(10, -0.8184), 1e-12);
  EXPECT_NEAR(physics::terminal_velocity(1.225, 1e-3 / 1.225), 5.52, 5e-3);
  // Thinner air of the same water content: faster by the root of the densities' ratio.
  EXPECT_NEAR(physics::terminal_velocity(0.30625, 4e-3 / 1.225), 2 * 36.34 * std::pow(10, -0.8184), 1e-12);
}

TYPED_TEST(WarmRain, FallsFasterWhereThereIsMoreAndNotWhereThereIsNone) {
  using T = TypeParam;
  EXPECT_EQ(physics::terminal_velocity(T(1), T(0)), T(0));
  EXPECT_EQ(physics::terminal_velocity(T(1), T(-1) / T(1000)), T(0));
  auto before = T(0);
  for (int n = -60; n <= 0; ++n) {
    auto const rain = std::ldexp(T(1) / T(50), n);
    auto const velocity = physics::terminal_velocity(T(1), rain);
    EXPECT_GT(velocity, before);
    before = velocity;
  }
  EXPECT_LT(before, T(22));  // 36.34 x (2e-5)^0.1364 sqrt(1.225) = 9.2 m s-1 is what storms have
}

TYPED_TEST(WarmRain, NothingBecomesRainBelowTheThresholdAndNoMoreThanThereIs) {
  using T = TypeParam;
  auto const gram = T(1) / T(1000);
  EXPECT_EQ(physics::autoconversion(gram, T(10)), T(0));
  EXPECT_EQ(physics::autoconversion(T(0), T(10)), T(0));
  EXPECT_NEAR(double(physics::autoconversion(T(3) * gram, T(10))), 2e-5, 1e-10);
  EXPECT_EQ(physics::autoconversion(T(3) * gram, T(1e6)), T(3) * gram);
  EXPECT_EQ(physics::accretion(T(3) * gram, T(0), T(10)), T(0));
  EXPECT_EQ(physics::accretion(T(0), gram, T(10)), T(0));
  EXPECT_EQ(physics::accretion(T(3) * gram, gram, T(1e6)), T(3) * gram);
  // 2.2 x 3e-3 x (2^-8)^0.875 = 2.2 x 3e-3 / 128 per second.
  EXPECT_NEAR(double(physics::accretion(T(3) * gram, T(1) / T(256), T(1))), 2.2 * 3e-3 / 128, 4e-11);
}

TYPED_TEST(WarmRain, EvaporatesLessWhereMoister) {
  using T = TypeParam;
  Air<T> const air{T(1), T(90000), T(1), T(0)};
  auto const temperature = T(290), rain = T(1) / T(1000);
  auto const saturated = physics::saturation_humidity(temperature, air.pressure);
  auto before = physics::evaporation(air, temperature, T(0), rain, T(10));
  EXPECT_LT(before, rain);
  for (int n = 1; n < 64; ++n) {
    auto const now = physics::evaporation(air, temperature, saturated * T(n) / T(64), rain, T(10));
    EXPECT_LT(now, before);
    EXPECT_GT(now, T(0));
    before = now;
  }
  EXPECT_EQ(physics::evaporation(air, temperature, saturated, rain, T(10)), T(0));
  EXPECT_EQ(physics::evaporation(air, temperature, T(2) * saturated, rain, T(10)), T(0));
  EXPECT_EQ(physics::evaporation(air, temperature, T(0), T(0), T(10)), T(0));
  EXPECT_EQ(physics::evaporation(air, temperature, T(0), rain, T(1e9)), rain);
}

/// Sum of three kinds of water without rounding to speak of.
template <class T>
float128 total(MoistState<T> const& s) {
  return float128(s.vapour) + float128(s.cloud) + float128(s.rain);
}

/// Six additions to numbers that are no larger than all the water; heat to the roundings of theta (of its
/// sum), of L_v / (c_p pi) dq (four), and of the change of q_v that is told by q_v itself (two).
template <class T>
void expect_conserved(Point const& p, MoistState<T> const& before, MoistState<T> const& after) {
  auto const u = roundoff<T>, water = static_cast<double>(total(before));
  EXPECT_LE(distance(total(after), total(before)), 6 * u * water);
  auto const warming = float128(after.theta) - float128(before.theta);
  auto const per_water = l_v / (c_p * float128(p.exner));
  auto const released = per_water * (float128(before.vapour) - float128(after.vapour));
  EXPECT_LE(distance(warming, released),
            u * (std::fabs(double(after.theta)) + 5 * std::fabs(static_cast<double>(released)) +
                 2 * static_cast<double>(per_water) * water));
  for (auto const q : {after.vapour, after.cloud, after.rain}) EXPECT_GE(q, T(0));
}

TYPED_TEST(WarmRain, ConservesWaterAndHeat) {
  using T = TypeParam;
  test::RandomValues random(5);
  for (int n = 0; n < 10000; ++n) {
    auto const p = sample(random);
    auto const before = state_of<T>(p);
    auto const dt = T(n % 4 == 0 ? 1e5 : 1 + int(random.below(24)));
    auto const rained = physics::form_rain(air_of<T>(p), before, dt);
    expect_conserved(p, before, rained);
    expect_conserved(p, rained, physics::adjust_saturation(air_of<T>(p), rained));
    if (testing::Test::HasFailure()) return;
  }
}

// Each amount has at most a few hundred roundoffs (above); what follows amplifies it no more than by its own
// relative slope, below 10 where q_v - q_s is not small beside q_s.
template <class T>
void expect_plain(double u) {
  test::RandomValues random(7);
  for (int n = 0; n < 1000; ++n) {
    auto const p = sample(random);
    auto const dt = 1 + int(random.below(24));
    auto plain = plain_of(p);
    plain.convert(dt), plain.collect(dt), plain.evaporate(dt);
    auto state = physics::form_rain(air_of<T>(p), state_of<T>(p), T(dt));
    auto const check = [&] {
      auto const water = static_cast<double>(plain.vapour + plain.cloud + plain.rain);
      auto const near = [&](T got, float128 const& expected, double scale) {
        float128 const value = [&] {
          if constexpr (std::is_same_v<T, EmulatedNumber>)
            return float128(got.value());
          else if constexpr (std::is_same_v<T, DoubleFloat>)
            return got.template wide<float128>();
          else if constexpr (std::is_same_v<T, StrictFloat>)
            return float128(static_cast<float>(got));
          else
            return float128(got);
        }();
        ASSERT_LE(distance(value, expected), scale * 2000 * u);
      };
      near(state.vapour, plain.vapour, water);
      near(state.cloud, plain.cloud, water);
      near(state.rain, plain.rain, water);
      near(state.theta, plain.theta - p.base_theta, 2491 * water + 1);
    };
    check();
    plain.saturate();
    state = physics::adjust_saturation(air_of<T>(p), state);
    check();
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(AllScalars, TakeTheStepOf113Bits) {
  expect_plain<double>(roundoff<double>);
  expect_plain<float>(roundoff<float>);
  expect_plain<StrictFloat>(roundoff<float>);
  expect_plain<float128>(std::ldexp(1, -60));     // slopes by differences in the plain scheme
  expect_plain<DoubleFloat>(std::ldexp(1, -46));  // the bound of a product
  emulation = Emulation(*parse_format("e11m45"));
  expect_plain<EmulatedNumber>(std::ldexp(1, -46));
  emulation = Emulation(*parse_format("e8m23"));
  expect_plain<EmulatedNumber>(std::ldexp(1, -24));
  emulation = Emulation();
}

TEST(AllScalars, HaveTheBitsOfTheirLikes) {
  test::RandomValues random(9);
  for (int n = 0; n < 2000; ++n) {
    auto const p = sample(random);
    auto const step = [&]<class T>(T dt) {
      return physics::adjust_saturation(air_of<T>(p), physics::form_rain(air_of<T>(p), state_of<T>(p), dt));
    };
    auto const of_double = step(6.0);
    auto const emulated = step(EmulatedNumber(6));
    ASSERT_EQ(emulated.theta.value(), of_double.theta);
    ASSERT_EQ(emulated.cloud.value(), of_double.cloud);
    ASSERT_EQ(emulated.rain.value(), of_double.rain);
    auto const of_float = step(6.0f);
    auto const strict = step(StrictFloat(6));
    ASSERT_EQ(static_cast<float>(strict.vapour), of_float.vapour);
    ASSERT_EQ(static_cast<float>(strict.theta), of_float.theta);
  }
}

TYPED_TEST(WarmRain, NegativeWaterIsNone) {
  using T = TypeParam;
  Point p{1.0, 90000, 0.97, 0, 298, 0.008, 0.002, 0.001};
  for (int which = 0; which < 3; ++which) {
    auto negative = p, none = p;
    (which == 0 ? negative.vapour : which == 1 ? negative.cloud : negative.rain) = -1e-5;
    (which == 0 ? none.vapour : which == 1 ? none.cloud : none.rain) = 0;
    auto const same = [](MoistState<T> const& a, MoistState<T> const& b) {
      return a.theta == b.theta && a.vapour == b.vapour && a.cloud == b.cloud && a.rain == b.rain;
    };
    auto const air = air_of<T>(p);
    EXPECT_TRUE(same(physics::form_rain(air, state_of<T>(negative), T(6)),
                     physics::form_rain(air, state_of<T>(none), T(6))))
        << which;
    EXPECT_TRUE(same(physics::adjust_saturation(air, state_of<T>(negative)),
                     physics::adjust_saturation(air, state_of<T>(none))))
        << which;
  }
}

TYPED_TEST(WarmRain, WhatIsNoNumberStaysNone) {
  using T = TypeParam;
  auto const nan = std::numeric_limits<T>::quiet_NaN();
  Point const p{1.0, 90000, 0.97, 0, 298, 0.008, 0.002, 0.001};
  auto const air = air_of<T>(p);
  for (int which = 0; which < 4; ++which) {
    auto state = state_of<T>(p);
    (which == 0 ? state.theta : which == 1 ? state.vapour : which == 2 ? state.cloud : state.rain) = nan;
    for (auto const& after : {physics::form_rain(air, state, T(6)), physics::adjust_saturation(air, state)}) {
      EXPECT_TRUE(std::isnan(which == 0   ? after.theta
                             : which == 1 ? after.vapour
                             : which == 2 ? after.cloud
                                          : after.rain))
          << which;
    }
  }
  auto const gram = T(1) / T(1000);
  EXPECT_TRUE(std::isnan(physics::evaporation(air, nan, T(0), gram, T(6))));
  EXPECT_TRUE(std::isnan(physics::evaporation(air, T(290), nan, gram, T(6))));
  EXPECT_TRUE(std::isnan(physics::saturation_deficit(air, nan, T(0), gram)));
  EXPECT_TRUE(std::isnan(physics::terminal_velocity(nan, T(1))));
  EXPECT_TRUE(std::isnan(physics::terminal_velocity(T(1), nan)));
}

/// The dq of q_s(T - L_v / c_p dq) = q_v + dq, by bisection in 113 bits: the left side falls with dq, the
/// right rises; 0 and q_s(T) - q_v lie on both sides.
float128 equilibrium(float128 const& temperature, float128 const& pressure, float128 const& vapour) {
  float128 const deficit = plain_saturation_humidity(temperature, pressure) - vapour;
  float128 low = least(deficit, 0), high = positive(deficit);
  for (int step = 0; step < 110; ++step) {
    float128 const middle = (low + high) / 2;
    bool const short_of =
        plain_saturation_humidity(temperature - l_v / c_p * middle, pressure) > vapour + middle;
    (short_of ? low : high) = middle;
  }
  return low;
}

// What Newton's step leaves: (L_v / c_p)^2 q_s'' dq^2 / (2 (1 + L_v / c_p q_s')), q_s'' somewhere between
// both temperatures; and rounding, which the processes' test bounds by the same terms.
TEST(SaturationAdjustment, LeavesWhatNewtonsMethodLeaves) {
  test::RandomValues random(11);
  double largest = 0;
  for (int n = 0; n < 150; ++n) {
    auto p = sample(random);
    p.cloud = 0.1;
    auto const air = air_of<double>(p);
    auto state = state_of<double>(p);
    for (int step = 0; step < 5; ++step) {
      auto const temperature = air.temperature(state.theta);
      auto const wanted = equilibrium(temperature, p.pressure, state.vapour);
      auto const per_water = l_v / c_p;
      float128 const h = ldexp(float128(1), -20);
      auto const curvature = [&](float128 const& t) -> float128 {
        return (plain_saturation_humidity(t + h, p.pressure) + plain_saturation_humidity(t - h, p.pressure) -
                2 * plain_saturation_humidity(t, p.pressure)) /
               (h * h);
      };
      auto const here = curvature(temperature), there = curvature(temperature - per_water * wanted);
      auto const slope = plain_saturation_slope(temperature, p.pressure);
      auto const left = [&](float128 const& bend) {
        return static_cast<double>(per_water * per_water * bend * wanted * wanted /
                                   (2 * (1 + per_water * slope)));
      };
      auto const taken = float128(physics::saturation_deficit(air, temperature, state.vapour, state.cloud));
      // The curve lies above its tangent: whichever its sign, the step falls short of evaporating all that
      // has to, or condenses too much.
      auto const missing = static_cast<double>(wanted - taken);
      auto const rounding = 300 * roundoff<double> * (state.vapour + std::fabs(static_cast<double>(wanted)));
      EXPECT_LE(missing, 1.001 * std::fmax(left(here), left(there)) + rounding);
      EXPECT_GE(missing, 0.999 * std::fmin(left(here), left(there)) - rounding);
      if (step == 0) largest = std::fmax(largest, missing);
      state = physics::adjust_saturation(air, state);
    }
    // Five steps square the distance five times: what is left is rounding, that of q_s (processes' test).
    auto const saturated = physics::saturation_humidity(air.temperature(state.theta), p.pressure);
    EXPECT_NEAR(state.vapour / saturated, 1, 400 * roundoff<double>);
  }
  RecordProperty("largest_left_by_one_step", std::to_string(largest));
  EXPECT_GT(largest, 1e-5);  // where air is far from saturated one step does show
}

TYPED_TEST(WarmRain, CloudEvaporatesNoFurtherThanThereIsSomeAndVapourCondensesFully) {
  using T = TypeParam;
  Air<T> const air{T(1), T(90000), T(1), T(0)};
  auto const saturated = physics::saturation_humidity(T(290), air.pressure);
  auto const little = T(1) / T(100000);
  auto const dry = physics::adjust_saturation(air, MoistState<T>{T(290), saturated / T(2), little, T(0)});
  EXPECT_EQ(dry.cloud, T(0));
  EXPECT_EQ(dry.vapour, saturated / T(2) + little);
  EXPECT_LT(dry.theta, T(290));
  auto const cloudless =
      physics::adjust_saturation(air, MoistState<T>{T(290), saturated / T(2), T(0), little});
  EXPECT_EQ(cloudless.theta, T(290));
  EXPECT_EQ(cloudless.vapour, saturated / T(2));
  EXPECT_EQ(cloudless.rain, little);
  auto const moist = physics::adjust_saturation(air, MoistState<T>{T(290), T(2) * saturated, T(0), T(0)});
  EXPECT_GT(moist.cloud, T(0));
  EXPECT_GT(moist.theta, T(290));
  EXPECT_LT(moist.vapour, T(2) * saturated);
  EXPECT_GT(moist.vapour, saturated);  // warmer air holds more
}

}  // namespace
}  // namespace physics_test
