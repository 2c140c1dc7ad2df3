// SPDX-License-Identifier: Apache-2.0
// What leaves through open sides, and what comes back.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "fem/air_support.hpp"

namespace {

using namespace ulpine;
using test::ElementAir;

constexpr double pi = std::numbers::pi, frequency = 0.03, depth = 3000, length = 60000, gravity = 9.81;
/// Of long gravity waves of half a wave between ground and lid, without compressibility.
constexpr double wave_speed = frequency * depth / pi;

/// Warmth of 0.1 K in the middle of a stable layer that starts one wave either way. Energy that is left of
/// it, over that of the start, when both have come to the sides and would be half-way back.
double energy_left(std::string const& sides) {
  ElementAir air(
      "[mesh]\nnx = 60\nny = 1\nnz = 8\nlength = [60000.0, 1000.0, 3000.0]\n[air]\ntheta = 300.0\n"
      "buoyancy_frequency = 0.03\n[time]\nstep = '20 s'\nimplicitness = 0.5\n" +
      sides);
  auto const reference = air.values("theta_reference");
  auto theta = reference;
  for (std::size_t n = 0; n < air.nodes(); ++n) {
    auto const [x, y, z] = air.point(n);
    theta[n] += 0.1 * std::sin(pi * z / depth) * std::exp(-std::pow((x - length / 2) / 6000, 2));
  }
  air.set("theta", theta);
  // Of the first of its vertical modes, along x.
  auto const energy = [&] {
    auto const u = air.values("u"), now = air.values("theta"), volume = air.values("cell_volume");
    std::map<double, std::array<double, 2>> along;
    for (std::size_t n = 0; n < air.nodes(); ++n) {
      auto const [x, y, z] = air.point(n);
      along[x][0] += volume[n] * u[n] * std::cos(pi * z / depth);
      along[x][1] +=
          volume[n] * gravity * (now[n] - reference[n]) / reference[n] / frequency * std::sin(pi * z / depth);
    }
    auto sum = 0.0;
    for (auto const& [x, both] : along) sum += both[0] * both[0] + both[1] * both[1];
    return sum;
  };
  auto const start = energy();
  air.steps(static_cast<int>(length / wave_speed / 20));
  return energy() / start;
}

std::string open(double speed) {
  return "[boundary]\nopen = ['inflow', 'outflow']\nopen_speed = " + std::to_string(speed) + "\n";
}

TEST(OpenSides, LetWavesOfTheirSpeedOutAndReflectOthersAsTheirImpedanceSays) {
  auto const walls = energy_left(""), matched = energy_left(open(wave_speed));
  // The layer is compressible and its waves are not all long: what is left between walls is more than half.
  EXPECT_GT(walls, 0.6);
  EXPECT_GT(energy_left(open(0)), 0.9 * walls);
  EXPECT_LT(matched, 0.05);
  // ((s - c) / (s + c))^2 = 1 / 9 for half and twice the speed, and what is no long wave as above.
  EXPECT_NEAR(energy_left(open(wave_speed / 2)), walls / 9 + matched, 0.02);
  EXPECT_NEAR(energy_left(open(2 * wave_speed)), walls / 9 + matched, 0.02);
}

TEST(OpenSides, LetABubbleOutThatTheWindCarries) {
  ElementAir air(R"toml(
[mesh]
nx = 20
ny = 1
nz = 8
length = [4000.0, 200.0, 1600.0]
[boundary]
fixed = ['inflow']
open = ['outflow']
[air]
theta = 300.0
[wind]
u = 20.0
[upwind]
scheme = 'supg'
[time]
step = '4 s'
[start.bubble]
amplitude = 1.0
centre = [2500.0, 0.0, 800.0]
radius = [500.0, 0.0, 500.0]
)toml");
  auto const reference = air.values("theta_reference");
  auto const warmth = [&] {
    auto const theta = air.values("theta");
    return air.integral([&](std::size_t n) { return std::abs(theta[n] - reference[n]); });
  };
  auto const start = warmth();
  // Out after 100 s; the waves, which run at up to 5 m s-1 against the wind, a minute later.
  air.steps(60);
  EXPECT_LT(warmth(), 0.01 * start);
  EXPECT_LT(test::largest(air.values("w")), 0.05);
}

TEST(OpenSides, GiveTheReferencesThetaToWhatEnters) {
  ElementAir air(R"toml(
[mesh]
nx = 8
ny = 2
nz = 4
length = [800.0, 200.0, 400.0]
[boundary]
open = ['inflow', 'outflow']
[air]
buoyancy_frequency = 0.0
[wind]
u = 10.0
[time]
step = '2 s'
)toml");
  auto const reference = air.values("theta_reference");
  auto theta = reference;
  for (auto& value : theta) value += 1;
  air.set("theta", theta);

  air.steps(1);

  theta = air.values("theta");
  for (std::size_t n = 0; n < air.nodes(); ++n) {
    auto const x = air.point(n)[0];
    if (x == 0) {
      EXPECT_EQ(theta[n], reference[n]);
    }
    if (x == 800) {
      EXPECT_NEAR(theta[n], reference[n] + 1, 1e-3);
    }
  }
}

TEST(OpenSides, LoseTheMassThatTheirOutflowSays) {
  ElementAir air(R"toml(
[mesh]
nx = 20
ny = 2
nz = 4
length = [4000.0, 400.0, 800.0]
[boundary]
open = ['inflow', 'outflow']
open_speed = 340.0
[time]
step = '0.25 s'
implicitness = 0.5
)toml");
  auto pressure = air.values("p_departure");
  for (std::size_t n = 0; n < air.nodes(); ++n) pressure[n] = 200 * std::sin(pi * air.point(n)[0] / 4000);
  air.set("p_departure", pressure);
  auto const start = air.integral_of("rho");
  auto lost = 0.0;
  for (int k = 0; k < 60; ++k) {
    auto const before = air.integral_of("outflow");
    air.steps(1);
    lost += (before + air.integral_of("outflow")) / 2 * 0.25;
  }
  auto const change = start - air.integral_of("rho");
  EXPECT_GT(lost, 1e-4 * start);
  EXPECT_NEAR(change, lost, 0.005 * lost);
}

TEST(OpenSides, TellTheMassThatAUniformWindTakesThroughOne) {
  ElementAir air(R"toml(
[mesh]
nx = 4
ny = 3
nz = 5
length = [800.0, 300.0, 1000.0]
[boundary]
fixed = ['inflow']
open = ['outflow']
[wind]
u = 10.0
v = 3.0
)toml");
  auto const rho = air.values("rho");
  // rho u dy dz by the trapezoidal rule over the nodes of the side.
  auto through = 0.0;
  for (std::size_t n = 0; n < air.nodes(); ++n) {
    auto const [x, y, z] = air.point(n);
    if (x < 800) continue;
    through += rho[n] * 10 * (y > 0 && y < 300 ? 100.0 : 50.0) * (z > 0 && z < 1000 ? 200.0 : 100.0);
  }
  // Two of the four corners of a side's squares have a third of the area of a triangle, two that of both.
  EXPECT_NEAR(air.integral_of("outflow"), through, 2e-3 * through);
}

TEST(OpenSides, AreRefusedWhereTheyAreFixedToo) {
  auto const refusal = [](std::string const& text) -> std::string {
    try {
      fem::read_case(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"));
    } catch (InputError const& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal("[boundary]\nfixed = ['outflow']\nopen = ['outflow']\n").find("boundary.open[0]"),
            std::string::npos);
  EXPECT_NE(refusal("[boundary]\nopen = ['east']\n").find("boundary.open[0]"), std::string::npos);
}

}  // namespace
