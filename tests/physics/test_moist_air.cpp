// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

// Qualified calls in templates see only what is declared before them.
#include "precision/quad.hpp"

#include "core/physics/moist_air.hpp"
#include "physics/plain_rain.hpp"
#include "support/random_values.hpp"

namespace physics_test {
namespace {

using namespace ulpine;

template <class T>
constexpr double roundoff = std::numeric_limits<T>::epsilon() / 2;

double relative(float128 const& got, float128 const& expected) {
  return std::fabs(static_cast<double>((got - expected) / expected));
}

template <class T>
class MoistAir : public testing::Test {};
using Scalars = testing::Types<double, float>;
TYPED_TEST_SUITE(MoistAir, Scalars);

struct Sample {
  double temperature, pressure;
};
/// Of the troposphere and the lower stratosphere, where e_s < p / 5.
Sample sample(test::RandomValues& random) {
  auto const temperature = random.between(190, 318);
  return {temperature, random.between(temperature > 260 ? 50000 : 8000, 105000)};
}

// The exponent a = b (T - 273.15) / (T - 32.18) has five roundings of itself and, of the constants 3/20 and
// 9/50, 17.502 (0.15 + 0.18) / 158 of a roundoff; exp is off by less than one ulp, two roundoffs; six more
// constants and operations. q_s amplifies the error of e_s by p / (p - 0.38 e_s) and has five operations.
TYPED_TEST(MoistAir, SaturationIsThatOf113Bits) {
  using T = TypeParam;
  test::RandomValues random(1);
  for (int n = 0; n < 4000; ++n) {
    auto const [temperature, pressure] = sample(random);
    auto const t = T(temperature), p = T(pressure);
    auto const exponent = std::fabs(17.502 * (double(t) - 273.15) / (double(t) - 32.18));
    auto const bound = (6 * exponent + 10) * roundoff<T>;
    auto const pressure_of_vapour = plain_saturation_pressure(t, p);
    ASSERT_LE(relative(physics::saturation_pressure(t, p), pressure_of_vapour), bound) << t << ' ' << p;
    auto const amplified = double(p) / (double(p) - 0.38 * static_cast<double>(pressure_of_vapour));
    auto const humidity = plain_saturation_humidity(t, p);
    ASSERT_LE(relative(physics::saturation_humidity(t, p), humidity), amplified * bound + 8 * roundoff<T>);
    // Slopes: central differences in 113 bits are good to 2^-60; about ten operations.
    float128 const h = ldexp(float128(1), -30);
    auto const of_pressure =
        (log(plain_saturation_pressure(t + h, p)) - log(plain_saturation_pressure(t - h, p))) / (2 * h);
    ASSERT_LE(relative(physics::saturation_pressure_slope(t), of_pressure), 10 * roundoff<T> + 1e-15);
    ASSERT_LE(
        relative(physics::saturation_humidity_slope(t, T(humidity)), plain_saturation_slope(t, p) / humidity),
        16 * roundoff<T> + 1e-15);
  }
}

// Vapour pressure over water as IAPWS-95 has it (NIST Chemistry WebBook, SRD 69, saturation properties of
// water by temperature, to the digits printed): Buck's formula stays within 0.1 %.
TEST(SaturationPressure, IsThatOfSteamTables) {
  struct Entry {
    double celsius, pascal;
  };
  for (auto const [celsius, pascal] : {Entry{0.01, 611.65}, Entry{10, 1228.2}, Entry{20, 2339.3},
                                       Entry{25, 3169.9}, Entry{30, 4247.0}, Entry{40, 7384.9}}) {
    auto const temperature = celsius + 273.15, pressure = 1e5;
    auto const enhancement = 1.0007 + 3.46e-8 * pressure;
    EXPECT_NEAR(physics::saturation_pressure(temperature, pressure) / enhancement, pascal, 1e-3 * pascal);
  }
  // At the freezing point the exponent is 0: Buck's constants by themselves, 1.00416 x 6.1121 hPa at 1000
  // hPa.
  EXPECT_NEAR(physics::saturation_pressure(273.15, 1e5), 613.7526336, 1e-12 * 613);
}

// Bolton (1980, Mon. Wea. Rev. 108, eq. 10) has 6.112 hPa and 17.67, 243.5 K and claims 0.1 %; Buck claims
// 0.2 % from -20 C on.
TEST(SaturationPressure, IsBoltonsWithinWhatBothClaim) {
  for (double celsius = -20; celsius <= 35; celsius += 0.5) {
    auto const bolton = 611.2 * std::exp(17.67 * celsius / (celsius + 243.5));
    auto const mine = physics::saturation_pressure(celsius + 273.15, 0.0) / 1.0007;
    EXPECT_NEAR(mine / bolton, 1, 3e-3) << celsius;
  }
}

// Of thermodynamic diagrams: at 1000 hPa and 20 C 14.9 g per kg of dry air, which are 14.7 per kg of
// air; 3.84 and 3.83 at 0 C.
TEST(SaturationHumidity, IsThatOfTables) {
  EXPECT_NEAR(physics::saturation_humidity(293.15, 1e5), 0.01467, 1e-4);
  EXPECT_NEAR(physics::saturation_humidity(273.15, 1e5), 0.00383, 3e-5);
}

TYPED_TEST(MoistAir, HoldsMoreVapourWhereWarmerAndThinner) {
  using T = TypeParam;
  T pressure_before = 0, humidity_before = 0;
  for (int n = 0; n <= 1280; ++n) {
    auto const temperature = T(190) + T(n) / T(10);
    auto const pressure = physics::saturation_pressure(temperature, T(80000));
    auto const humidity = physics::saturation_humidity(temperature, T(80000));
    EXPECT_GT(pressure, pressure_before) << temperature;
    EXPECT_GT(humidity, humidity_before) << temperature;
    EXPECT_GT(physics::saturation_humidity(temperature, T(70000)), humidity);
    pressure_before = pressure, humidity_before = humidity;
  }
}

// exner: the exponent and the quotient are off by 1 and 2 roundoffs, pow by two.
TYPED_TEST(MoistAir, ExnersFunctionIsThatOf113Bits) {
  using T = TypeParam;
  test::RandomValues random(2);
  EXPECT_EQ(physics::exner(T(100000)), T(1));
  for (int n = 0; n < 1000; ++n) {
    auto const p = T(random.between(1000, 110000));
    auto const expected = pow(float128(p) / 100000, r_d / c_p);
    EXPECT_LE(relative(physics::exner(p), expected), (0.29 * (2 + 5) + 3) * roundoff<T>) << p;
  }
}

TYPED_TEST(MoistAir, ReleasesTheLatentHeat) {
  using T = TypeParam;
  auto const exner = T(4) / T(5), condensed = T(1) / T(512);
  auto const expected = l_v / c_p / 512 / float128(exner);
  EXPECT_LE(relative(physics::heating(exner, condensed), expected), 4 * roundoff<T>);
  EXPECT_EQ(physics::heating(exner, -condensed), -physics::heating(exner, condensed));
  EXPECT_LE(relative(physics::arps::gas_constant_ratio<T>(), r_d / r_v), roundoff<T>);
}

}  // namespace
}  // namespace physics_test
