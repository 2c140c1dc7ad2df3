// SPDX-License-Identifier: Apache-2.0
// Published flows on coarse grids, and the mass of air. Full runs: docs/results/fdm.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fdm/air_support.hpp"

namespace {

using namespace ulpine;
using Flows = test::Air;

struct Current {
  double front, theta_min, w_min;  ///< m, K, m s-1
};
/// Straka's density current on 200 m after 900 s; the front is where theta' is -1 K at the lowest level.
Current density_current(std::string const& air) {
  auto const model = Flows::make(
      "[grid]\nnx = 128\nnz = 32\ndx = 200.0\ndz = 200.0\n[time]\nstep = '2 s'\n[sound]\nlongest_step = '0.5 "
      "s'\n[advection]\norder = 5\n[boundary]\nwest = 'wall'\neast = 'wall'\n[mixing]\ndiffusivity = 75.0\n" +
      air +
      "[start]\nkind = 'bubble'\namplitude = -15.0\namplitude_of = 'temperature'\ncentre_x = 0.0\ncentre_z = "
      "3000.0\nradius_x = 4000.0\nradius_z = 2000.0\n");
  model->advance(450);
  auto const theta = Flows::read(*model, "theta"), w = Flows::read(*model, "w");
  std::size_t i = 127;
  while (i > 0 && theta[i - 1] > -1) --i;
  auto const part = (-1 - theta[i - 1]) / (theta[i] - theta[i - 1]);
  return {(static_cast<double>(i) - 0.5 + part) * 200, *std::ranges::min_element(theta),
          *std::ranges::min_element(w)};
}

TEST_F(Flows, ADensityCurrentComesAsFarAsStrakas) {
  // The compressible reference of Straka et al. 1993, 25 m: front 15537 m, sampled each 200 m; theta' -9.774
  // K, w -15.95 m s-1. Anelastic models' fronts are 0.3 to 0.4 km behind, and so is this one with the base
  // state's density in place of the air's.
  auto const full = density_current("[air]\ndensity = 'full'\n");
  EXPECT_NEAR(full.front, 15537, 200);
  EXPECT_NEAR(full.theta_min, -9.774, 0.05 * 9.774);
  EXPECT_NEAR(full.w_min, -15.95, 0.05 * 15.95);
  auto const base = density_current("");
  EXPECT_LT(base.front, full.front - 100);
}

TEST_F(Flows, ABubbleRisesLightAsItWasAndKeepsTheAir) {
  // theta_0 = 300 K: p_0 = p00 (1 - g z / (c_p theta_0))^(c_p / R_d); rho = p00 (p / p00)^(c_v / c_p) / (R_d
  // theta).
  constexpr std::size_t n = 50;
  auto const model = make(
      "[grid]\nnx = 50\nnz = 50\ndx = 200.0\ndz = 200.0\n[time]\nstep = '4 s'\n[sound]\nlongest_step = '0.5 "
      "s'\n[advection]\norder = 5\n[air]\ndensity = 'full'\n[boundary]\nwest = 'wall'\neast = 'wall'\n"
      "[start]\nkind = 'bubble'\namplitude = 2.0\ncentre_x = 0.0\ncentre_z = 2000.0\nradius_x = "
      "2000.0\nradius_z = 2000.0\n");
  auto const density = [](double p, double theta) {
    return 1e5 * std::pow(p / 1e5, 717.0 / 1004) / (287 * theta);
  };
  auto const deficit = [&] {  // kg m-3, of the sum over cells
    auto const theta = read(*model, "theta"), p = read(*model, "p");
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      auto const z = (static_cast<double>(k) + 0.5) * 200;
      auto const base = 1e5 * std::pow(1 - 9.8 * z / (1004 * 300), 1004.0 / 287);
      for (std::size_t i = 0; i < n; ++i) {
        sum += density(base, 300) - density(base + p[k * n + i], 300 + theta[k * n + i]);
      }
    }
    return sum;
  };
  auto const before = deficit();
  EXPECT_GT(before, 0);
  model->advance(125);
  // p' is stepped in no form that keeps mass: its equation takes p_0 where p stands, of 1e-3, and theta' is
  // carried in no flux form; both count where air moves, so that after 500 s, half of the way up, a hundredth
  // of the deficit may have gone.
  EXPECT_NEAR(deficit() / before, 1, 0.01);
}

/// How much the air's mass has changed, and what of it the terms make that the equation of p' neglects, as
/// parts of the mass; `bound`: the latter with all of its parts of one sign.
struct MassBudget {
  double change = 0, made = 0, bound = 0;
};
/// The equation of p' takes p_0 in place of p in gamma p div u, so that rho of p and theta has
/// D rho / Dt = -rho div u + rho (p' / p) div u: of the mass, the integral of rho (p' / p) div u comes to be.
/// In air of theta_0 = 300 K without mixing, two-dimensional, over `steps` steps of `step` s.
MassBudget mass_budget(Model& model, std::size_t nx, std::size_t nz, double dx, double dz, int steps,
                       double step) {
  MassBudget budget;
  double first = 0, made = 0, bound = 0, mass = 0;
  for (int n = 0; n <= steps; ++n) {
    if (n > 0) model.advance(1);
    auto const theta = Flows::read(model, "theta"), p = Flows::read(model, "p"), u = Flows::read(model, "u"),
               w = Flows::read(model, "w");
    mass = made = bound = 0;
    for (std::size_t k = 0; k < nz; ++k) {
      auto const z = (static_cast<double>(k) + 0.5) * dz;
      auto const base = 1e5 * std::pow(1 - 9.8 * z / (1004 * 300), 1004.0 / 287);
      for (std::size_t i = 0; i < nx; ++i) {
        auto const c = k * nx + i, west = k * (nx + 1) + i;
        auto const pressure = base + p[c];
        auto const density = 1e5 * std::pow(pressure / 1e5, 717.0 / 1004) / (287 * (300 + theta[c]));
        auto const spreading = (u[west + 1] - u[west]) / dx + (w[c + nx] - w[c]) / dz;
        mass += density;
        made += density * p[c] / pressure * spreading;
        bound += std::abs(density * p[c] / pressure * spreading);
      }
    }
    if (n == 0) first = mass;
    auto const length = n == 0 || n == steps ? step / 2 : step;  // trapezia
    budget.made += made / first * length;
    budget.bound += bound / first * length;
  }
  budget.change = mass / first - 1;
  return budget;
}

TEST_F(Flows, LoudSoundMakesTheMassThatTheEquationOfPressureNeglects) {
  // A standing wave of 5 kPa on 40 levels in steps of 1/115 of its period, both centred, after a quarter,
  // when it has made the most, and a half: differences are right to (pi / 40)^2 / 24 and (2 pi / 115)^2 / 12,
  // their products to twice that, which is 1e-3 in all.
  for (int const steps : {29, 58}) {
    auto const model = make(
        "[grid]\nnx = 2\nnz = 40\ndx = 1000.0\ndz = 5.0\n[time]\nstep = '0.01 s'\n[sound]\nlongest_step = "
        "'0.01 s'\nimplicitness = 0.5\ndivergence_damping = 0.0\n[base]\ntheta = 300.0\n[start]\nkind = "
        "'acoustic_column'\namplitude = 5000.0\n");
    auto const budget = mass_budget(*model, 2, 40, 1000, 5, steps, 0.01);
    // p'^2 / (2 gamma p_0^2) of the mass, over a cosine half of it; the next order is of p' / p_0.
    if (steps == 29) {
      EXPECT_NEAR(budget.change / (0.05 * 0.05 * 717 / 1004 / 4), 1, 0.05);
    }
    EXPECT_NEAR(budget.change, budget.made, 5e-3 * budget.bound) << steps;
  }
}

TEST_F(Flows, ABubbleMakesTheMassThatTheEquationOfPressureNeglects) {
  // Second differences on ten cells a radius are right to (pi / 10)^2 / 6 = 1.6 %, in each of the three
  // fields that change mass.
  auto const model = make(
      "[grid]\nnx = 50\nnz = 50\ndx = 200.0\ndz = 200.0\n[time]\nstep = '4 s'\n[sound]\nlongest_step = '0.5 "
      "s'\n[air]\ndensity = 'full'\n[boundary]\nwest = 'wall'\neast = 'wall'\n[start]\nkind = 'bubble'\n"
      "amplitude = 2.0\ncentre_x = 0.0\ncentre_z = 2000.0\nradius_x = 2000.0\nradius_z = 2000.0\n");
  auto const budget = mass_budget(*model, 50, 50, 200, 200, 125, 4);
  EXPECT_NEAR(budget.change, budget.made, 0.05 * budget.bound);
  EXPECT_LT(std::abs(budget.change), budget.bound);
}

}  // namespace

TEST_F(Flows, EddiesGrowWhereAllHadDecayed) {
  // Still, stable air (N = 0.01 s-1) takes the eddies' energy: l is Delta / 10 = 20 m, K_h = 1.2 (0.1 l
  // sqrt(e)) and d sqrt(e)/dt at most -K_h N^2 / (2 sqrt(e)) = -1.2e-4 m s-2, so that 1e-3 m2 s-2 last 264 s
  // and less. Then all have the least energy, to the bit.
  auto const air = [](std::string const& policy, std::string const& base, std::string const& start) {
    return make(
        "[grid]\nnx = 24\nnz = 24\ndx = 200.0\ndz = 200.0\n[time]\nstep = '4 s'\n[sound]\nlongest_step = "
        "'0.5 s'\n[mixing]\nclosure = 'energy'\n[base]\n" +
            base + "[start]\n" + start,
        policy);
  };
  for (std::string const policy : {"fp64", "fp32"}) {
    auto const still = air(policy, "kind = 'constant_n'\n", "energy = 1e-3\n");
    still->advance(400);
    auto const least = policy == "fp64" ? 1e-6 : static_cast<double>(1e-6F);
    for (auto const e : read(*still, "e")) ASSERT_EQ(e, least) << policy;
    // Of none, shear would make none: a bubble of 2 K, which shears the air around it by some 0.02 s-1, makes
    // e = 0.01 and more of the least, since C e / l^2 is of the order of a tenth of that shear's square.
    auto const bubble =
        "kind = 'bubble'\namplitude = 2.0\ncentre_z = 1200.0\nradius_x = 1000.0\nradius_z = "
        "1000.0\n";
    auto const rising = air(policy, "kind = 'constant_theta'\n", bubble + std::string("energy = 0.0\n"));
    rising->advance(150);
    auto const e = read(*rising, "e");
    EXPECT_GT(*std::ranges::max_element(e), 1e-2) << policy;
  }
}
