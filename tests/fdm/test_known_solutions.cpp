// SPDX-License-Identifier: Apache-2.0
// Flows of which something is known: rest, sound, symmetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "fdm/air_support.hpp"

namespace {

using namespace ulpine;

using test::Air;

TEST_F(Air, AtRestStaysAtRestOverAnyGround) {
  for (auto const* ground : {"", "[terrain]\nkind = 'bell'\nheight = 800.0\nhalf_width = 2000.0\n",
                             "[terrain]\nkind = 'schaer'\nheight = 500.0\nflat_above = 6000.0\n"}) {
    for (auto const* scheme : {"runge_kutta", "leapfrog"}) {
      auto const model = make(
          "[grid]\nnx = 12\nny = 5\nnz = 10\ndx = 1000.0\ndz = 800.0\n[base]\nkind = 'constant_n'\n"
          "[time]\nscheme = '" +
          std::string(scheme) + "'\n" + ground);
      model->advance(5);
      for (auto const* name : {"u", "v", "w", "p", "theta"}) {
        for (double const value : read(*model, name)) EXPECT_EQ(value, 0) << name << " " << ground;
      }
    }
  }
}

/// Times at which the sign of `value` changes from one to the next of equally spaced samples.
std::vector<double> zeros(std::vector<double> const& values, double spacing) {
  std::vector<double> times;
  for (std::size_t n = 1; n < values.size(); ++n) {
    if ((values[n - 1] < 0) == (values[n] < 0)) continue;
    times.push_back((static_cast<double>(n) - values[n] / (values[n] - values[n - 1])) * spacing);
  }
  return times;
}

TEST_F(Air, StandingSoundHasItsPeriod) {
  // 200 m of air at about 300 K, so thin that gravity changes nothing above 1e-4: T = 2 H / c.
  auto const model = make(
      "[grid]\nnx = 2\nnz = 40\ndx = 1000.0\ndz = 5.0\n[time]\nstep = '0.01 s'\n"
      "[sound]\nlongest_step = '0.01 s'\nimplicitness = 0.5\ndivergence_damping = 0.0\n"
      "[base]\ntheta = 300.0\n[start]\nkind = 'acoustic_column'\namplitude = 1.0\n");
  std::vector<double> lowest{read(*model, "p").front()};
  for (int step = 0; step < 240; ++step) {
    model->advance(1);
    lowest.push_back(read(*model, "p").front());
  }
  auto const times = zeros(lowest, 0.01);
  ASSERT_GE(times.size(), 3u);
  auto const temperature = 300 - 9.8 / 1004 * 100;  // half-way up
  auto const period = 2 * 200 / std::sqrt(1004.0 / 717 * 287 * temperature);
  // Levels of 1/40: (pi/40)^2/24 = 2.6e-4; steps of 1/115 of the period, centred: (2 pi/115)^2/12 = 2.5e-4.
  EXPECT_NEAR((times[2] - times[0]) / period, 1, 1e-3);
}

TEST_F(Air, APulseTravelsAtTheSpeedOfSound) {
  auto const model = make(
      "[grid]\nnx = 400\nnz = 4\ndx = 100.0\ndz = 50.0\n[time]\nstep = '0.5 s'\n"
      "[sound]\nlongest_step = '0.05 s'\nimplicitness = 0.5\ndivergence_damping = 0.0\n[base]\ntheta = "
      "300.0\n"
      "[start]\nkind = 'acoustic_pulse'\namplitude = 1.0\nradius_x = 2000.0\n");
  model->advance(60);
  auto const p = read(*model, "p");
  auto const peak = std::max_element(p.begin() + 200, p.begin() + 400);
  auto const curvature = peak[1] - 2 * peak[0] + peak[-1];
  auto const place = static_cast<double>(peak - p.begin()) + 0.5 - (peak[1] - peak[-1]) / (2 * curvature);
  auto const distance = (place - 200) * 100;
  auto const temperature = 300 - 9.8 / 1004 * 100;
  // Waves of k = 1 / 1 km or so on 100 m: the second order of differences makes them late by (0.1)^2/24.
  EXPECT_NEAR(distance / (30 * std::sqrt(1004.0 / 717 * 287 * temperature)), 1, 2e-3);
}

/// theta' of Skamarock and Klemp 1994 in Boussinesq air: every wave k of the first vertical mode m oscillates
/// with N k / sqrt(k^2 + m^2) while the wind carries it; at `steps` points of a period, half-way up.
std::vector<double> gravity_wave(int points, double spacing, double centre, double width, double amplitude,
                                 double wind, double height, double frequency, double time) {
  auto const length = points * spacing, m = std::numbers::pi / height;
  std::vector<double> start(static_cast<std::size_t>(points)), result(start);
  for (int i = 0; i < points; ++i) {
    auto const off = ((i + 0.5) * spacing - centre) / width;
    start[static_cast<std::size_t>(i)] = amplitude / (1 + off * off);
  }
  for (int n = 0; n <= points / 2; ++n) {
    auto const k = 2 * std::numbers::pi * n / length;
    double even = 0, odd = 0;
    for (int i = 0; i < points; ++i) {
      even += start[static_cast<std::size_t>(i)] * std::cos(k * i * spacing);
      odd += start[static_cast<std::size_t>(i)] * std::sin(k * i * spacing);
    }
    auto const part =
        (n == 0 || 2 * n == points ? 1.0 : 2.0) / points * std::cos(frequency * k / std::hypot(k, m) * time);
    for (int i = 0; i < points; ++i) {
      auto const x = i * spacing - wind * time;
      result[static_cast<std::size_t>(i)] += part * (even * std::cos(k * x) + odd * std::sin(k * x));
    }
  }
  return result;
}

TEST_F(Air, CarriesGravityWavesAsTheirDispersionHasIt) {
  // A layer so shallow that its density hardly varies: 2 km, Delta rho / rho of 0.2; wave at N t = 30.
  auto const model = make(
      "[grid]\nnx = 300\nnz = 20\ndx = 200.0\ndz = 100.0\n[time]\nstep = '4 s'\n"
      "[sound]\nlongest_step = '0.5 s'\n[base]\nkind = 'constant_n'\nfrequency = 0.01\nu = 5.0\n"
      "[start]\nkind = 'gravity_wave'\namplitude = 0.01\nradius_x = 1000.0\ncentre_x = 20000.0\n");
  model->advance(750);
  auto const theta = read(*model, "theta");
  auto const wanted = gravity_wave(300, 200, 20000, 1000, 0.01, 5, 2000, 0.01, 3000);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    auto const here = (theta[9 * 300 + i] + theta[10 * 300 + i]) / 2;  // half-way up, where the mode is 1
    difference += (here - wanted[i]) * (here - wanted[i]);
    size += wanted[i] * wanted[i];
  }
  EXPECT_LT(std::sqrt(difference / size), 0.1);
}

struct Mirror {
  char const *sides, *scheme, *policy, *more;
};
class Mirrored : public Air, public ::testing::WithParamInterface<Mirror> {};

TEST_P(Mirrored, StaysMirroredToTheBit) {
  auto const& [sides, scheme, policy, more] = GetParam();
  constexpr std::size_t nx = 21, ny = 6, nz = 14;
  auto const model = make(
      "[grid]\nnx = 21\nny = 6\nnz = 14\ndx = 500.0\ndy = 700.0\ndz = 400.0\n[time]\nstep = '3 s'\nscheme = "
      "'" +
          std::string(scheme) + "'\n[boundary]\nwest = '" + sides + "'\neast = '" + sides +
          "'\n[mixing]\nfourth_order = 0.001\nclosure = 'smagorinsky'\n[base]\nkind = 'constant_n'\n"
          "[start]\nkind = 'bubble'\namplitude = 3.0\ncentre_z = 1500.0\nradius_x = 2500.0\nradius_z = "
          "1200.0\n" +
          more,
      policy);
  model->advance(25);
  auto const check = [&](char const* name, std::size_t columns, double sign) {
    auto const values = read(*model, name);
    double most = 0;
    for (std::size_t row = 0; row * columns < values.size(); ++row) {
      for (std::size_t i = 0; i < columns; ++i) {
        auto const here = values[row * columns + i], there = values[row * columns + columns - 1 - i];
        ASSERT_EQ(here, sign * there) << name << " row " << row << " point " << i;
        most = std::max(most, std::abs(here));
      }
    }
    EXPECT_GT(most, 0.01) << name << " does not move";
  };
  static_assert(ny * nz > 0);
  check("u", nx + 1, -1);
  check("v", nx, 1);
  check("w", nx, 1);
  check("p", nx, 1);
  check("theta", nx, 1);
}
INSTANTIATE_TEST_SUITE_P(
    Host, Mirrored,
    ::testing::Values(Mirror{"wall", "runge_kutta", "fp64", ""}, Mirror{"wall", "runge_kutta", "fp32", ""},
                      Mirror{"wall", "leapfrog", "fp64", ""}, Mirror{"periodic", "runge_kutta", "mixed", ""},
                      Mirror{"open", "runge_kutta", "fp64", ""}, Mirror{"open", "leapfrog", "fp32", ""},
                      Mirror{"wall", "runge_kutta", "tf32", "[air]\ndensity = 'full'\n"},
                      Mirror{"open", "leapfrog", "fp64", "[advection]\norder = 5\n"},
                      Mirror{"wall", "runge_kutta", "fp32", "[advection]\norder = 5\n"},
                      Mirror{"wall", "runge_kutta", "fp64",
                             "[terrain]\nkind = 'bell'\nheight = 300.0\nhalf_width = 2000.0\n"}),
    [](auto const& info) {
      return std::string(info.param.sides) + "_" + info.param.scheme + "_" + info.param.policy + "_" +
             std::to_string(info.index);
    });

}  // namespace
