// SPDX-License-Identifier: Apache-2.0
// The residuals of the mEVP iteration: known rates, a fixed point, the equations themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/exec/host.hpp"
#include "seaice/rough_case.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::IceSolver;
using test::read;

std::unique_ptr<IceSolver> solver_of(char const* policy, seaice::Setup setup,
                                     Assembly assembly = Assembly::deterministic) {
  setup.convergence = true;
  return test::make(policy, assembly, setup);
}

double number(IceSolver const& solver, FieldId field) { return read(solver, field).at(0); }

TEST(Convergence, OfTheStressIsThatOfItsRelaxation) {
  // One cell between walls: the strain rate is zero, the stress goes to -P/2 and is T (1 - q^n) after n
  // sub-steps, q = 1 - 1/alpha.
  seaice::Setup setup{.mesh = rectangle_mesh(1, 1, 4000, 4000)};
  setup.parameters.alpha = 8;
  double const pressure = constants::strength * 0.5, target = std::sqrt(2.0) * pressure / 2;
  for (int const substeps : {1, 2, 10, 40}) {
    setup.parameters.substeps = substeps;
    double const rest = std::pow(1 - 1.0 / 8, substeps);
    for (auto const& [policy, unit] : {std::pair{"fp64", 0x1p-53}, {"fp32", 0x1p-24}, {"quad", 0x1p-53}}) {
      auto const solver = solver_of(policy, setup);
      test::give_uniform_ice(*solver, 1, 0.5, 1);

      solver->advance(1);

      // A rounding of the stress in each sub-step, and some of the residual.
      double const bound = (substeps + 8) * unit;
      EXPECT_NEAR(number(*solver, FieldId::stress_residual), rest * target, bound * target) << policy;
      EXPECT_NEAR(number(*solver, FieldId::stress_ratio), rest / (1 - rest), bound / (1 - rest) / (1 - rest))
          << policy;
      EXPECT_EQ(number(*solver, FieldId::velocity_ratio), 0) << "nothing moves";
    }
  }
}

TEST(Convergence, OfTheVelocityIsThatOfItsRelaxation) {
  // Ice that feels wind and inertia alone: v goes to v0 + dt tau / (rho H), by the factor beta / (1 + beta)
  // in each sub-step. Its drag on the water is 1e-4 rho_o C_o |v|, below 1e-5 of the inertia.
  int const n = 9;
  seaice::Setup setup{.mesh = rectangle_mesh(n, n, n * 4000.0, n * 4000.0)};
  auto& parameters = setup.parameters;
  parameters.wind.kind = Wind<double>::Kind::uniform;
  parameters.wind.u = 8;
  parameters.wind.v = -6;
  parameters.coriolis = 0;
  parameters.beta = 5;
  double const middle = 4 * (n + 1) + 4;
  double const stress = 1e-4 * constants::air_density * constants::air_drag * 10 * 10;
  double const speed = parameters.dt * stress / constants::ice_density;  // of ice 1 m thick
  for (int const substeps : {1, 2, 7}) {
    parameters.substeps = substeps;
    auto const solver = solver_of("fp64", setup);
    test::give_uniform_ice(*solver, setup.mesh.cells(), 1, 0);

    solver->advance(1);

    double const rest = std::pow(5.0 / 6, substeps);
    auto const residual = read(*solver, FieldId::velocity_residual);
    EXPECT_NEAR(residual[static_cast<std::size_t>(middle)], rest * speed, 1e-5 * speed);
    // Nodes amid the basin all move alike and the others not at all.
    EXPECT_NEAR(number(*solver, FieldId::velocity_ratio), rest / (1 - rest), 1e-4 * rest / (1 - rest));
    EXPECT_EQ(residual[0], 0);
  }
}

TEST(Convergence, IsExactAtAFixedPoint) {
  // Uniform ice at rest, the stress at its target after one sub-step.
  seaice::Setup setup{.mesh = rectangle_mesh(8, 4, 8 * 4096.0, 4 * 4096.0)};
  setup.parameters.alpha = 1;
  setup.parameters.substeps = 3;
  for (char const* const policy : {"fp64", "fp32", "mixed"}) {
    auto const solver = solver_of(policy, setup);
    test::give_uniform_ice(*solver, setup.mesh.cells(), 1, 1);
    solver->advance(1);
    EXPECT_EQ(number(*solver, FieldId::stress_ratio), 0) << policy;
    EXPECT_EQ(number(*solver, FieldId::velocity_ratio), 0) << policy;
  }
}

TEST(Convergence, IsTheResidualOfTheEquations) {
  test::Rough rough(0);
  auto setup = rough.setup;
  setup.parameters.substeps = 7;
  auto const nx = setup.mesh.nx, ny = setup.mesh.ny;
  for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
    auto const solver = solver_of("fp64", setup, assembly);
    test::give_random_ice(*solver, setup.mesh.cells(), 3);
    solver->advance(1);
    solver->advance(2);

    // v + R / (rho H / dt + c) with the momentum's residual R per area.
    auto const u = read(*solver, FieldId::u), v = read(*solver, FieldId::v), u0 = read(*solver, FieldId::u0),
               v0 = read(*solver, FieldId::v0), h = read(*solver, FieldId::node_h),
               a = read(*solver, FieldId::node_a), wx = read(*solver, FieldId::wind_x),
               wy = read(*solver, FieldId::wind_y), fx = read(*solver, FieldId::force_x),
               fy = read(*solver, FieldId::force_y), got = read(*solver, FieldId::velocity_residual);
    long double const mass = static_cast<long double>(test::length / nx) * (test::length / ny);
    long double residuals = 0, speeds = 0;
    double most = 0;
    std::vector<double> wanted(u.size());
    for (std::int32_t j = 0; j <= ny; ++j) {
      for (std::int32_t i = 0; i <= nx; ++i) {
        auto const k = static_cast<std::size_t>(j) * (nx + 1) + i;
        bool free = i > 0 && j > 0 && i < nx && j < ny;
        for (int c = 0; free && c < 4; ++c) {
          auto const cell = static_cast<std::size_t>(j - 1 + c / 2) * nx + (i - 1 + c % 2);
          free = setup.mesh.mask[cell] != 0;
        }
        long double const inertia =
            constants::ice_density * static_cast<long double>(h[k]) / setup.parameters.dt;
        long double const drag = a[k] * static_cast<long double>(constants::water_density) *
                                 constants::water_drag * std::hypot<long double>(u[k], v[k]);
        long double const turn =
            constants::ice_density * static_cast<long double>(setup.parameters.coriolis) * h[k];
        long double const rx = inertia * (u0[k] - u[k]) - drag * u[k] + turn * v[k] + wx[k] + fx[k] / mass;
        long double const ry = inertia * (v0[k] - v[k]) - drag * v[k] - turn * u[k] + wy[k] + fy[k] / mass;
        wanted[k] = free ? static_cast<double>(std::hypot(rx, ry) / (inertia + drag)) : 0;
        most = std::max(most, wanted[k]);
        residuals += static_cast<long double>(wanted[k]) * wanted[k];
        speeds += static_cast<long double>(u[k]) * u[k] + static_cast<long double>(v[k]) * v[k];
      }
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(got[k], wanted[k], 1e-12 * most) << k;
    EXPECT_NEAR(number(*solver, FieldId::velocity_ratio), static_cast<double>(std::sqrt(residuals / speeds)),
                1e-12 * number(*solver, FieldId::velocity_ratio));

    // The stress that the law wants is what one relaxation with alpha = 1 leaves.
    auto other = setup;
    other.parameters.alpha = 1;
    auto const target = test::make("fp64", Assembly::deterministic, other);
    for (auto const field : {FieldId::u, FieldId::v, FieldId::h, FieldId::a}) {
      target->write_bits(field, solver->bits(field).data());
    }
    target->run_stage("seaice.strength");
    target->run_stage("seaice.strain_stress");
    auto const cells = static_cast<std::size_t>(setup.mesh.cells());
    auto const distance = read(*solver, FieldId::stress_residual);
    std::vector<long double> apart(cells, 0), whole(cells, 0);
    for (auto const field : {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy}) {
      auto const is = read(*solver, field), wants = read(*target, field);
      double const count = field == FieldId::stress_xy ? 2 : 1;
      for (std::size_t cell = 0; cell < cells; ++cell) {
        for (int mode = 0; mode < 3; ++mode) {
          auto const k = static_cast<std::size_t>(mode) * cells + cell;
          double const square = mode == 0 ? 1 : 1.0 / 12;  // mean of (x - 1/2)^2
          apart[cell] += count * square * std::pow(static_cast<long double>(wants[k]) - is[k], 2);
          whole[cell] += count * square * std::pow(static_cast<long double>(is[k]), 2);
        }
      }
    }
    long double apart_in_all = 0, whole_in_all = 0;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      EXPECT_NEAR(distance[cell], static_cast<double>(std::sqrt(apart[cell])), 1e-12 * 27500) << cell;
      apart_in_all += apart[cell];
      whole_in_all += whole[cell];
    }
    double const ratio = static_cast<double>(std::sqrt(apart_in_all / whole_in_all));
    EXPECT_GT(ratio, 0.1) << "seven sub-steps of 1500 do not converge";
    EXPECT_NEAR(number(*solver, FieldId::stress_ratio), ratio, 1e-12 * ratio);
  }
}

TEST(Convergence, FallsWithMoreSubsteps) {
  seaice::Setup setup{.mesh = rectangle_mesh(12, 12, test::length, test::length)};
  setup.parameters.wind = test::cyclone();
  setup.parameters.alpha = setup.parameters.beta = 300;
  double velocity = 1e9, stress = 1e9;
  for (int const substeps : {100, 1000, 10000}) {
    setup.parameters.substeps = substeps;
    auto const solver = solver_of("fp64", setup);
    test::give_uniform_ice(*solver, setup.mesh.cells(), 0.3, 0.9);
    solver->advance(1);
    EXPECT_LT(number(*solver, FieldId::velocity_ratio), velocity / 2) << substeps;
    EXPECT_LT(number(*solver, FieldId::stress_ratio), stress / 2) << substeps;
    velocity = number(*solver, FieldId::velocity_ratio);
    stress = number(*solver, FieldId::stress_ratio);
  }
  EXPECT_LT(velocity, 1e-9);
  EXPECT_LT(stress, 1e-9);
}

TEST(Convergence, IsTheSameBitsForEveryNumberOfThreadsAndChangesNothing) {
  struct Silent : StageObserver {
    void stage_done(StagePosition const&, char const*, char const*, RawField const&) override {}
  } watched;
  for (char const* const policy : {"fp64", "fp32", "mixed", "tf32"}) {
    test::Rough rough(0.05);
    auto const plain = rough.run(policy, Assembly::deterministic, 1, 3);
    rough.setup.convergence = true;
    auto const one = rough.run(policy, Assembly::deterministic, 1, 3);
    auto const three = rough.run(policy, Assembly::deterministic, 3, 3);
    auto const staged = rough.run(policy, Assembly::deterministic, 2, 3, &watched);
    for (auto const field : {FieldId::velocity_residual, FieldId::stress_residual, FieldId::velocity_ratio,
                             FieldId::stress_ratio}) {
      auto const values = read(*one, field);
      EXPECT_GT(*std::ranges::max_element(values), 0) << name_of(field);
      EXPECT_EQ(values, read(*three, field)) << policy << ' ' << name_of(field);
      EXPECT_EQ(values, read(*staged, field)) << policy << ' ' << name_of(field);
    }
    EXPECT_EQ(plain->state_hash(), one->state_hash()) << policy;
    one->advance(4);
    plain->advance(4);
    EXPECT_EQ(plain->state_hash(), one->state_hash()) << policy << " after the residuals were read";
    // Two copies of a number a node, six of the three modes a cell and one more.
    auto const bytes = [&](FieldId field) {
      return one->field(field).layout().allocated() * bytes_of(one->field(field).type());
    };
    EXPECT_EQ(one->other_bytes() - plain->other_bytes(),
              2 * bytes(FieldId::u) + 6 * bytes(FieldId::stress_xx) + bytes(FieldId::stress_residual))
        << policy;
  }
}

TEST(Convergence, IsNotKnownBeforeAStep) {
  test::Rough rough(0.05);
  rough.setup.convergence = true;
  auto const solver = rough.run("fp64", Assembly::deterministic, 1, 0);
  auto const all_zero = [&] {
    auto const values = read(*solver, FieldId::velocity_residual);
    return std::ranges::all_of(values, [](double x) { return x == 0; }) &&
           number(*solver, FieldId::velocity_ratio) == 0 && number(*solver, FieldId::stress_ratio) == 0;
  };
  EXPECT_TRUE(all_zero());
  solver->advance(1);
  EXPECT_FALSE(all_zero());
  solver->state_replaced();
  EXPECT_TRUE(all_zero());
}

}  // namespace
