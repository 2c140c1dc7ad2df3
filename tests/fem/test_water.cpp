// SPDX-License-Identifier: Apache-2.0
// Humid air: its weight, its saturation, its rain and where all water is.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/fem/base_column.hpp"
#include "core/fem/parts/rain.hpp"
#include "core/physics/moist_air.hpp"
#include "fem/air_support.hpp"
#include "tests/support/random_values.hpp"

namespace {

using namespace ulpine;
using test::ElementAir;
using test::largest;

constexpr double unit = 0x1p-53;

char const* const hill = R"toml(
[mesh]
nx = 5
ny = 4
nz = 6
length = [6000.0, 5000.0, 8000.0]
jitter = 0.1
[mountain]
height = 500.0
[boundary]
fixed = ['inflow', 'outflow']
[sponge]
rate = 0.02
thickness = [1500.0, 1500.0, 3000.0]
[time]
step = '10 s'
[air]
viscosity = 5.0
)toml";
/// A box without weight in which all is uniform, and of that pressure: no wind but what heat makes.
std::string uniform(std::string const& water, std::string const& theta = "293.15") {
  return "[mesh]\nnx = 3\nny = 2\nnz = 8\nlength = [600.0, 400.0, 1600.0]\njitter = 0.1\n[air]\n"
         "humid = true\nbuoyancy_frequency = 0.0\ngravity = 1e-6\ntheta = " +
         theta +
         "\n[time]\nstep = '10 s'\n[start.bubble]\namplitude = 0.0\nradius = [0.0, 0.0, 0.0]\n[water]\n" +
         water;
}

TEST(HumidAir, WithoutWaterIsDryAirToTheBit) {
  // 1 + 0 is 1, theta times 1 is theta, and physics takes nothing from nothing.
  std::string const bubble =
      "humidity = 0.0\n[wind]\nu = 8.0\n[start.bubble]\namplitude = 2.0\ncentre = [3000.0, 2000.0, 2000.0]\n"
      "radius = [2000.0, 2000.0, 2000.0]\n";
  for (auto const* policy : {"fp64", "fp32", "mixed", "tf32", "quad"}) {
    ElementAir dry(hill + bubble.substr(bubble.find("[wind]")), policy);
    ElementAir humid(hill + ("humid = true\n" + bubble), policy);
    for (auto* air : {&dry, &humid}) air->steps(3);
    EXPECT_GT(largest(dry.values("w")), 0.5) << policy;
    for (auto const* field : {"u", "v", "w", "theta", "p_departure", "rho"}) {
      EXPECT_EQ(humid.values(field), dry.values(field)) << field << ' ' << policy;
    }
    for (auto const* field : {"vapour", "cloud", "rain", "fallen", "water_made"}) {
      EXPECT_EQ(largest(humid.values(field)), 0) << field << ' ' << policy;
    }
  }
}

TEST(HumidAir, AtRestStaysAtRestToTheBit) {
  std::string text(hill);
  text.replace(text.find("viscosity = 5.0"), 15,
               "humid = true\nhumidity = 0.9\nhumidity_depth = 4000.0\nviscosity = 5.0\ndiffusivity = 0.0");
  for (auto const* policy : {"fp64", "fp32", "mixed", "bf16", "quad"}) {
    ElementAir air(text, policy);
    auto const hash = air.hash();

    air.steps(3);

    EXPECT_EQ(air.hash(), hash) << policy;
    EXPECT_GT(largest(air.values("vapour")), 0.01);
  }
}

TEST(HumidColumn, HasTheHumidityAskedForAndTheDensityOfTheColumn) {
  fem::Air<double> const dry{1004.64, 717.6, 1e5, 9.81};
  fem::ReferenceColumn const column(dry, 300, 0.01);
  fem::HumidColumn const humid(column, 0.9, 5000);
  for (double const z : {0.0, 500.0, 3000.0, 9000.0}) {
    auto const r = humid.vapour(z), t = humid.temperature(z), p = column.pressure(z);
    // Bolton (1980, Mon. Wea. Rev. 108, 1046-1053, eq. 10), in Pa; Buck's formula is within 0.3 % of it down
    // to -20 degrees and 0.8 % to -35, with the factor of up to 1.0042 for air that is no ideal gas.
    auto const celsius = t - 273.15, e = 611.2 * std::exp(17.67 * celsius / (celsius + 243.5));
    auto const ratio = 287.0 / 461, saturated = ratio * e / (p - (1 - ratio) * e);
    EXPECT_NEAR(r / saturated / (0.9 * std::exp(-z / 5000)), 1, celsius > -20 ? 0.008 : 0.013) << z;
    // p = rho_d (R_d + r R_v) T and rho = rho_d (1 + r), R_v / R_d as above.
    auto const gas = dry.gas_constant(), rho = p / (gas * t * (1 + r / ratio)) * (1 + r);
    EXPECT_NEAR(rho / column.density(z), 1, 100 * unit) << z;
  }
  EXPECT_EQ(fem::HumidColumn(column, 0, 0).theta(700), column.theta(700));
}

/// Air with the vapour and the cloud that `set` makes in a bubble moves in a step as dry air whose potential
/// temperature is that of its density does.
template <class Set>
void expect_weight(double humidity, Set const& set) {
  std::string const text =
      "[mesh]\nnx = 6\nny = 3\nnz = 8\nlength = [900.0, 450.0, 1200.0]\njitter = 0.1\n"
      "[time]\nstep = '2 s'\n[pressure]\ntolerance = 1e-12\n[solver]\ntolerance = 1e-12\n[air]\n";
  ElementAir humid(text + "humid = true\nhumidity = " + std::to_string(humidity) + "\n"), dry(text);
  auto theta = humid.values("theta"), vapour = humid.values("vapour"), cloud = humid.values("cloud");
  for (std::size_t n = 0; n < humid.nodes(); ++n) {
    auto const [x, y, z] = humid.point(n);
    auto const r = std::hypot(x - 450, y - 225, z - 500) / 350;
    if (r < 1) set((1 + std::cos(std::numbers::pi * r)) / 2, vapour[n], cloud[n]);
  }
  humid.set("vapour", vapour);
  humid.set("cloud", cloud);
  for (std::size_t n = 0; n < theta.size(); ++n) {
    theta[n] *= (1 + vapour[n] * 461 / 287) / (1 + vapour[n] + cloud[n]);
  }
  dry.set("theta", theta);
  // To the rounding of theta and of density.
  auto const a = humid.values("rho"), b = dry.values("rho");
  for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n] / b[n], 1, 50 * unit);

  for (auto* air : {&humid, &dry}) air->steps(1);

  // What moves is moved by some mm in 2 s: a part 1e-5 of the disturbance's width changes place, once for
  // theta and water apart and once together. Water changes its phase only after the wind is known.
  auto const w = humid.values("w"), of_dry = dry.values("w");
  EXPECT_GT(largest(of_dry), 0.002);
  for (std::size_t n = 0; n < w.size(); ++n) EXPECT_NEAR(w[n], of_dry[n], 1e-3 * largest(of_dry));
}

TEST(HumidAir, RisesByItsVapour) {
  expect_weight(0.2, [](double share, double& vapour, double&) { vapour += 0.004 * share; });
}

TEST(HumidAir, SinksByTheWeightOfItsCloud) {
  expect_weight(1, [](double share, double&, double& cloud) { cloud += 9e-4 * share; });
}

/// Bolton's (1980) mixing of saturation in the place of Buck's.
double bolton(double temperature, double pressure) {
  auto const celsius = temperature - 273.15, e = 611.2 * std::exp(17.67 * celsius / (celsius + 243.5));
  auto const ratio = 287.0 / 461;
  return ratio * e / (pressure - (1 - ratio) * e);
}

TEST(SaturatedBox, EndsSaturatedWithItsMassAndItsEnergy) {
  for (bool const cloudy : {false, true}) {
    // 12 % too much vapour, or too little and cloud enough.
    ElementAir air(uniform(cloudy ? "vapour = 0.0145\ncloud = 9e-4\n" : "vapour = 0.0169\n"));
    auto const theta = air.values("theta").front(), vapour = air.values("vapour").front(),
               cloud = air.values("cloud").front(), rho = air.values("rho").front(),
               p = air.values("p").front(), mass = air.integral_of("rho");

    air.steps(8);

    auto const end_theta = air.values("theta").front(), end_p = air.values("p").front(),
               end = air.values("vapour").front();
    auto const kappa = 287.04 / 1004.64, t = end_theta * std::pow(end_p / 1e5, kappa);
    // Each call of Newton's leaves 1e-4 of the distance and the pressure, which follows, moves saturation by
    // a seventh of a part of what is left: after eight the float of the rates' solver counts. Buck's
    // formula is within 0.3 % of Bolton's, with a factor of 1.0042 for air that is no ideal gas.
    EXPECT_NEAR(end / physics::saturation_humidity(t, end_p), 1, 1e-6);
    EXPECT_NEAR(end / bolton(t, end_p), 1, 0.008);
    EXPECT_EQ(end > vapour, cloudy);
    // Water and mass to what the solvers leave of rates that are 0.
    EXPECT_NEAR(end + air.values("cloud").front(), vapour + cloud, 1e-12);
    EXPECT_NEAR(air.integral_of("rho"), mass, 1e-10 * mass);
    // Water makes the air a hundredth lighter than the reference, and gravity accelerates by that 1e-8 m s-2
    // for 80 s; the density changes by that wind over the speed of sound.
    auto const moved = 0.011e-6 * 80 / 340;
    EXPECT_NEAR(air.values("rho").front() / rho, 1, moved);
    // The gas law with the water that is left: p = rho_d R_d T (1 + r_v R_v / R_d).
    auto const dry = rho / (1 + vapour + cloud);
    EXPECT_NEAR(end_p / (dry * 287.04 * t * (1 + end * 461 / 287)), 1, moved + 1e-10);
    // L_v / c_p of heat for each kg at an Exner function between those of begin and end: they are 0.3 %
    // apart.
    EXPECT_NEAR((end_theta - theta) / (vapour - end) / (2500780 / 1004.0 / std::pow(p / 1e5, kappa)), 1,
                0.004);
  }
}

TEST(WaterOfHumidAir, IsKeptToRoundingWhereAirIsAtRest) {
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    // Saturated, with cloud that becomes rain and rain that falls.
    ElementAir air(uniform("vapour = 0.016\ncloud = 0.004\nrain = 0.002\n"), policy);
    air.steps(8);
    auto const balance = [&] { return air.integral_of("water_content") + air.integral_of("rain_on_ground"); };
    auto const before = balance(), mass = air.integral_of("rho") + air.integral_of("rain_on_ground");
    auto const fallen = air.integral_of("rain_on_ground");

    air.steps(8);

    EXPECT_GT(air.integral_of("rain_on_ground"), fallen + 0.01 * before) << policy;
    // Roundings of a step at a node: of three processes, a fall of some 14 sums in 2 sub-steps and three
    // solves: 100 units of the node's water, and of its mass where the pressure follows. And the wind that
    // the water's weight makes, 0.022 of 1e-6 m s-2 for 160 s, carries for 80 s what differs over 200 m.
    auto const rounding = 8 * 100 * (std::string(policy) == "fp32" ? 0x1p-24 : unit);
    auto const moved = 0.022e-6 * 160 * 80 / 200;
    EXPECT_NEAR(balance() / before, 1, rounding + moved) << policy;
    auto const now = air.integral_of("rho") + air.integral_of("rain_on_ground");
    EXPECT_NEAR(now / mass, 1, rounding) << policy;
    EXPECT_LT(air.integral_of("water_made"), (rounding + moved) * before);
  }
}

/// A point of random humid air, with some water that advection has left negative.
struct Point {
  double theta, departure, vapour, cloud, rain;
};

TEST(WarmRainAtANode, KeepsDryAirAndWaterAtConstantVolume) {
  test::RandomValues random(5);
  fem::Air<double> const air{1004.64, 717.6, 1e5, 9.81};
  auto made_at_all = 0.0;
  for (int n = 0; n < 2000; ++n) {
    auto const reference = random.between(3e4, 1e5), kappa = 287.04 / 1004.64;
    Point at{random.between(280, 310) * std::pow(reference / 9e4, -0.2), random.between(-300, 300), 0, 0, 0};
    auto const t = at.theta * std::pow((reference + at.departure) / 1e5, kappa);
    auto const saturated = bolton(t, reference);
    at.vapour = random.between(0, 1.1) * saturated;
    at.cloud = random.between(-0.0005, 0.003);
    at.rain = random.between(-0.0005, 0.005);
    auto const before = at;
    auto const gas = [&](Point const& of, double dry) {
      auto const p = reference + of.departure;
      return dry * 287.04 * of.theta * std::pow(p / 1e5, kappa) * (1 + of.vapour * 461 / 287) / p;
    };
    auto density = 0.0, dry = 0.0, speed = 0.0, made = 0.25;
    fem::DensityOfAir<double>{{air, &at.theta, &at.departure, &reference, {&at.vapour, &at.cloud, &at.rain}},
                              &density}(0);
    auto const water = [](Point const& of) { return of.vapour + of.cloud + of.rain; };
    auto const dry_before = density / (1 + water(before));
    EXPECT_NEAR(gas(before, dry_before), 1, 60 * unit);

    fem::Wet<double> const wet{air, &reference, &at.theta, &at.departure, &at.vapour, &at.cloud, &at.rain};
    fem::FormRain<double>{wet, 20, &density, &dry, &speed, &made}(0);
    auto const formed = at;
    fem::AdjustSaturation<double>{wet, &dry, &density}(0);

    auto const added = std::max(0.0, -before.cloud) + std::max(0.0, -before.rain);
    made_at_all += added;
    EXPECT_NEAR(dry, dry_before, 4 * unit);
    EXPECT_NEAR((made - 0.25) / dry, added, 10 * unit);
    EXPECT_NEAR(water(at), water(before) + added, 0.03 * 20 * unit);
    for (auto const part : {at.vapour, at.cloud, at.rain}) EXPECT_GE(part, 0);
    // Some 60 roundings, those of the powers' arguments by up to cp / cv.
    EXPECT_NEAR(density / (1 + water(at)) / dry_before, 1, 200 * unit);
    EXPECT_NEAR(gas(at, dry_before), 1, 200 * unit);
    auto const content = dry * formed.rain;
    EXPECT_NEAR(speed, 36.34 * std::pow(content / 1000, 0.1364) * std::sqrt(1.225 / dry), 1e-12);
  }
  EXPECT_GT(made_at_all, 0);
}

TEST(WaterOfHumidAir, IsCarriedWithAnErrorOfSecondOrder) {
  // Vapour that never condenses in a bubble that rises: what the advective form loses or gains of it.
  double error[2];
  for (int n = 0; n < 2; ++n) {
    ElementAir air("[mesh]\nnx = 6\nny = 4\nnz = 8\nrefinement = " + std::to_string(n + 1) +
                   "\nlength = [900.0, 600.0, 1200.0]\n[time]\nstep = '" + std::to_string(4 >> n) +
                   " s'\n[air]\nhumid = true\ntheta = 300.0\nbuoyancy_frequency = 0.0\n[start.bubble]\n"
                   "amplitude = 1.0\ncentre = [450.0, 300.0, 450.0]\nradius = [400.0, 290.0, 440.0]\n"
                   "[water]\nvapour = 0.005\n");
    auto const start = air.integral_of("water_content");
    air.steps(15 << n);
    EXPECT_GT(largest(air.values("w")), 0.5);
    error[n] = (air.integral_of("water_content") - air.integral_of("water_made")) / start - 1;
  }
  EXPECT_LT(std::abs(error[1]), std::abs(error[0]) / 2.5) << error[0] << ' ' << error[1];
  EXPECT_LT(std::abs(error[0]), 0.01);
}

TEST(RainOfHumidAir, ReachesTheGroundAndNothingElse) {
  ElementAir air(uniform("vapour = 0.016\nrain = 0.003\n"));
  air.steps(1);

  auto const fallen = air.values("fallen");
  for (std::size_t n = 0; n < air.nodes(); ++n) {
    if (air.point(n)[2] > 0) {
      EXPECT_EQ(fallen[n], 0);
    }
  }
  // The first layer of uniform rain: rho r V dt, V = 36.34 (rho r / 1000)^0.1364 (1.225 / rho)^(1/2) of the
  // density of dry air; rain that evaporates first is below a hundredth, since the air is nearly saturated.
  auto const p = air.values("p").front(),
             t = air.values("theta").front() * std::pow(p / 1e5, 287.04 / 1004.64);
  auto const dry = p / (287.04 * t * (1 + 0.016 * 461 / 287)), content = dry * 0.003;
  auto const expected = content * 36.34 * std::pow(content / 1000, 0.1364) * std::sqrt(1.225 / dry) * 10;
  EXPECT_NEAR(air.integral_of("rain_on_ground") / (600 * 400) / expected, 1, 0.02);
}

TEST(RainOfHumidAir, InDoubleIsThatOfTheReference) {
  auto const text = uniform("vapour = 0.016\ncloud = 0.003\nrain = 0.003\n") +
                    "[pressure]\ntolerance = 1e-12\n[solver]\ntolerance = 1e-12\n";
  ElementAir air(text), reference(text, "quad");
  for (auto* one : {&air, &reference}) one->steps(2);
  // Two steps of some hundred roundings; what the solvers leave is of rates that are nearly 0.
  for (auto const* field : {"theta", "vapour", "cloud", "rain", "fallen", "rho"}) {
    auto const a = air.values(field), b = reference.values(field);
    for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], 1e-11 * largest(b)) << field;
  }
}

TEST(RainOfHumidAir, IsNothingAtFixedSides) {
  std::string text(hill);
  text.replace(text.find("viscosity = 5.0"), 15, "humid = true\nhumidity = 0.95\nviscosity = 5.0");
  ElementAir air(text +
                 "[wind]\nu = 8.0\n[start.bubble]\namplitude = 3.0\ncentre = [1500.0, 2500.0, 1500.0]\n"
                 "radius = [3000.0, 3000.0, 2000.0]\n[water]\nvapour = 0.004\nrain = 0.004\n");

  air.steps(5);

  auto const rain = air.values("rain"), vapour = air.values("vapour"),
             of_case = air.values("vapour_reference");
  EXPECT_GT(largest(rain), 1e-3);
  EXPECT_GT(largest(air.values("cloud")), 1e-5);
  for (std::size_t n = 0; n < rain.size(); ++n) {
    auto const x = air.point(n)[0];
    if (x > 0 && x < 6000) continue;
    EXPECT_EQ(rain[n], 0);
    EXPECT_EQ(vapour[n], of_case[n]);
  }
}

std::string refusal(std::string const& text) {
  try {
    fem::read_case(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"));
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

TEST(CasesOfHumidAir, AreRefusedWithTheKey) {
  auto const begins = [](std::string const& message, std::string const& key) {
    return message.find(key) != std::string::npos;
  };
  EXPECT_PRED2(begins, refusal("[air]\nhumid = true\n[water]\ncarried = false\n"), "water.carried");
  EXPECT_PRED2(begins,
               refusal("[air]\nhumid = true\nbuoyancy_frequency = 0.0\n[manufactured]\nperiod = '64 s'\n"),
               "manufactured.period: does not go with air.humid");
  EXPECT_PRED2(begins,
               refusal("[air]\nhumid = true\nbuoyancy_frequency = 0.0\n[mesh]\nlength = [1e3, 1e3, 29e3]\n"),
               "air.humid");
  EXPECT_PRED2(begins, refusal("[air]\nhumid = true\nhumidity = 1.5\n"), "air.humidity");
}

TEST(CasesOfHumidAir, AreEchoedAsCases) {
  auto const first = io::CaseFile::parse(
      "core = 'fem'\n[air]\nhumid = true\nhumidity = 0.5\n[water]\nfastest_fall = 9.0\n", "case.toml");
  fem::read_case(first);
  auto const again = io::CaseFile::parse(first.resolved(), "echo.toml");
  fem::read_case(again);
  EXPECT_NO_THROW(again.reject_unknown());
  EXPECT_EQ(again.resolved(), first.resolved());
}

}  // namespace
