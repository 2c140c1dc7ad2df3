// SPDX-License-Identifier: Apache-2.0
// What the orders of velocity and tracers promise: convergence, conservation, exactness, bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/exec/host.hpp"
#include "core/seaice/constants.hpp"
#include "precision/quad.hpp"
#include "seaice/plain_ice.hpp"
#include "seaice/rough_case.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::IceSolver;
using test::make;
using test::Order;
using test::read;

test::PlainCase plain_case(QuadMesh const& mesh, Order order) {
  test::PlainCase c;
  c.nx = mesh.nx;
  c.ny = mesh.ny;
  c.cg = order.cg;
  c.dg = order.dg;
  c.x = mesh.x;
  c.y = mesh.y;
  c.sea = mesh.mask;
  return c;
}

class EveryOrder : public ::testing::TestWithParam<Order> {
 protected:
  Order const order_ = GetParam();
};

/// Error in L2 after a smooth hill was carried along a circle about a point outside of it: it moves and turns
/// about itself. Runge-Kutta of the order that the tracers have.
double transport_error(int n, Order order, double distortion) {
  auto const mesh = rectangle_mesh(n, n, 1, 1, distortion);
  Parameters parameters;
  parameters.cg = order.cg;
  parameters.dg = order.dg;
  parameters.runge_kutta = order.dg == 1 ? 1 : order.dg == 3 ? 2 : 3;
  int const steps = (order.dg == 1 ? 1 : 4) * n;
  double const turn = order.dg == 1 ? 0.1 : 0.6,  // the first order converges late on a long way
      centre_x = 0.1, centre_y = 0.4;
  parameters.dt = 1.0 / steps;
  auto const solver = make("fp64", Assembly::deterministic, {mesh, parameters});
  test::give_velocity(*solver, mesh, order.cg, [&](double x, double y) {
    return std::pair{-turn * (y - centre_y), turn * (x - centre_x)};
  });
  auto const hill_at = [&](double angle) {
    return [=](double x, double y) {
      // A Gaussian that is longer than wide, of 1e-11 at the walls.
      double const c = std::cos(angle), s = std::sin(angle);
      double const along = c * (x - centre_x) + s * (y - centre_y) - 0.45,
                   across = -s * (x - centre_x) + c * (y - centre_y);
      return std::exp(-along * along / 0.0072 - across * across / 0.0044);
    };
  };
  test::PlainIce<double> plain(plain_case(mesh, order));
  auto const start = plain.project(hill_at(0));
  solver->write(FieldId::h, start.data());
  for (int step = 0; step < steps; ++step) solver->run_stage("seaice.advect.update");

  auto const result = read(*solver, FieldId::h);
  auto const exact = hill_at(turn);
  double error = 0, norm = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      plain.for_each_point(4, [&](double s, double t, double weight) {
        auto const p = plain.at(i, j, s, t);
        double const wanted = exact(p.x, p.y);
        double const off = plain.polynomial(result, plain.c.cell(i, j), s, t) - wanted;
        error += weight * p.determinant * off * off;
        norm += weight * p.determinant * wanted * wanted;
      });
    }
  }
  return std::sqrt(error / norm);
}

TEST_P(EveryOrder, CarriesASmoothHillWithTheOrderOfItsTracers) {
  int const n = order_.dg == 1 ? 96 : order_.dg == 3 ? 32 : 24;
  double const least = order_.dg == 1 ? 0.9 : order_.dg == 3 ? 1.9 : 2.8;
  for (double const distortion : {0.0, 0.04}) {
    double const coarse = transport_error(n, order_, distortion),
                 fine = transport_error(2 * n, order_, distortion);
    double const observed = std::log2(coarse / fine);
    RecordProperty(distortion == 0 ? "order_uniform" : "order_distorted", std::to_string(observed));
    EXPECT_GE(observed, least) << coarse << " " << fine;
  }
}

TEST_P(EveryOrder, ConservesVolumeAndAreaToRoundingWhereNothingLeaves) {
  auto const mesh = rectangle_mesh(16, 16, test::length, test::length, 0.05);
  test::PlainIce<long double> const plain(plain_case(mesh, order_));
  for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
    for (int const runge_kutta : {1, 2, 3}) {
      Parameters parameters;
      parameters.cg = order_.cg;
      parameters.dg = order_.dg;
      parameters.runge_kutta = runge_kutta;
      auto const solver = make("fp64", assembly, {mesh, parameters});
      test::give_random_ice(*solver, mesh.cells(), 5);
      test::give_velocity(*solver, mesh, order_.cg, [](double x, double y) {
        auto const inside = [](double z) { return z > 0.2 * test::length && z < 0.8 * test::length; };
        return inside(x) && inside(y) ? std::pair{0.3 * std::sin(1e-5 * y), 0.2 * std::cos(2e-5 * x)}
                                      : std::pair{0.0, 0.0};
      });
      auto const integral = [&](FieldId field) {
        auto const modes = read(*solver, field);
        long double sum = 0;
        for (auto const part : plain.integrals({modes.begin(), modes.end()})) sum += part;
        return sum;
      };
      auto const volume = integral(FieldId::h), area = integral(FieldId::a);
      auto const before = read(*solver, FieldId::h);

      for (int step = 0; step < 20; ++step) solver->run_stage("seaice.advect.update");

      // Of 256 cells each step rounds every share of the sum a few times.
      EXPECT_LT(std::abs(static_cast<double>((integral(FieldId::h) - volume) / volume)), 20 * 0x1p-52);
      EXPECT_LT(std::abs(static_cast<double>((integral(FieldId::a) - area) / area)), 20 * 0x1p-52);
      EXPECT_GT(test::relative_difference(read(*solver, FieldId::h), before), 1e-6) << "nothing moved";
    }
  }
}

TEST_P(EveryOrder, ConstantStrainRateGivesTheViscousPlasticStressTo113Bits) {
  auto const mesh = rectangle_mesh(3, 2, 3 * 4096.0, 2 * 4096.0);
  Parameters parameters;
  parameters.cg = order_.cg;
  parameters.dg = order_.dg;
  parameters.alpha = 1;
  auto const solver = make("quad", Assembly::deterministic, {mesh, parameters});
  auto const cells = static_cast<std::size_t>(mesh.cells());
  test::give_uniform_ice(*solver, mesh.cells(), 0.75, 0.5);
  double const xx = 0x1p-20, xy = 0x1p-21, yx = -0x1p-22, yy = -0x1p-19;  // exact at every node
  test::give_velocity(*solver, mesh, order_.cg, [&](double x, double y) {
    return std::pair{xx * x + xy * y, yx * x + yy * y};
  });

  solver->run_stage("seaice.strength");
  solver->run_stage("seaice.strain_stress");

  float128 const e11 = xx, e22 = yy, e12 = (float128(xy) + yx) / 2;
  float128 const p = float128(27500) * 0.75 * exp(float128(-10));
  float128 const least = constants::least_delta;
  float128 const delta = sqrt(least * least + 1.25 * (e11 * e11 + e22 * e22) + 1.5 * e11 * e22 + e12 * e12);
  float128 const expected[] = {p / (8 * delta) * (5 * e11 + 3 * e22) - p / 2,
                               p / (8 * delta) * (5 * e22 + 3 * e11) - p / 2, p / (4 * delta) * e12};
  FieldId const fields[] = {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy};
  for (int c = 0; c < 3; ++c) {
    auto const values = solver->values<float128>(fields[c]);
    ASSERT_EQ(values.size(), (order_.cg == 1 ? 3 : 8) * cells);
    for (std::size_t k = 0; k < values.size(); ++k) {
      float128 const wanted = k < cells ? expected[c] : float128(0);  // no slope
      // A mode is its factor (1, 12, 180, 144, 2160) times an integral of the stress times the mode, which is
      // as large as the mean of the mode's size: so do the roundings of a stress grow.
      static constexpr double growth[] = {1, 3, 3, 12, 12, 9, 35, 35};
      EXPECT_LT(static_cast<double>(abs(values[k] - wanted) / abs(expected[c])),
                64 * growth[k / cells] * 0x1p-112)
          << c << " " << k;
    }
  }
}

/// Least and largest value of a cell's polynomial on a lattice of 41 x 41 points with the corners.
std::pair<double, double> extremes(test::PlainIce<double> const& plain, std::vector<double> const& modes,
                                   std::size_t cell) {
  std::pair<double, double> found{INFINITY, -INFINITY};
  for (int j = 0; j <= 40; ++j) {
    for (int i = 0; i <= 40; ++i) {
      double const value = plain.polynomial(modes, cell, i / 40.0, j / 40.0);
      found = {std::min(found.first, value), std::max(found.second, value)};
    }
  }
  return found;
}

TEST_P(EveryOrder, LimiterKeepsPolynomialsWithinBoundsAndNoLower) {
  auto const mesh = rectangle_mesh(40, 25, 1, 1);
  Parameters parameters;
  parameters.cg = order_.cg;
  parameters.dg = order_.dg;
  auto const solver = make("fp64", Assembly::deterministic, {mesh, parameters});
  test::PlainIce<double> const plain(plain_case(mesh, order_));
  auto const cells = static_cast<std::size_t>(mesh.cells());
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(-0.5, 1.5), slope(-1, 1);
  for (auto const& [field, most] : {std::pair{FieldId::a, 1.0}, {FieldId::h, INFINITY}}) {
    std::vector<double> given(solver->size(field));
    for (std::size_t k = 0; k < given.size(); ++k)
      given[k] = k < cells ? uniform(generator) : slope(generator);
    solver->write(field, given.data());

    solver->run_stage("seaice.limit");

    auto const limited = read(*solver, field);
    int untouched = 0, touching = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      auto const [lowest, highest] = extremes(plain, limited, k);
      EXPECT_LE(highest, most + 1e-15);
      EXPECT_GE(lowest, -1e-15);
      EXPECT_EQ(limited[k], std::min(std::max(given[k], 0.0), most));
      auto const [was_lowest, was_highest] = extremes(plain, given, k);
      bool same = true;
      for (std::size_t m = k; m < given.size(); m += cells) same = same && limited[m] == given[m];
      if (was_lowest > 1e-3 && was_highest < most - 1e-3) {
        EXPECT_TRUE(same) << k;
        ++untouched;
      } else if (!same && given[k] > 0 && given[k] < most) {
        // Between two points of the lattice a quadratic of these slopes rises by less than 1e-3.
        EXPECT_TRUE(lowest < 1e-3 || highest > most - 1e-3) << k << ": flatter than needed";
        ++touching;
      }
    }
    EXPECT_GT(untouched, 20);
    EXPECT_EQ(touching > 20, order_.dg > 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Host, EveryOrder, ::testing::ValuesIn(test::orders),
                         [](auto const& info) { return test::name_of(info.param); });

}  // namespace
