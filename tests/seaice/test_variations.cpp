// SPDX-License-Identifier: Apache-2.0
// tf32 rounds what varies within a cell and nothing else: what is constant over a cell costs no digit.
#include <gtest/gtest.h>

#include <cmath>

#include "core/mesh/quad_mesh.hpp"
#include "seaice/plain_support.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using namespace ulpine::test;

/// Order of the velocity; whether each cell has matrices of its own.
class Tf32Operands : public ::testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  static constexpr double half_a_unit = 0x1p-11, half_a_float = 0x1p-24;

  Tf32Operands() : case_{small_case(1, std::get<1>(GetParam()), 7, 5, std::get<0>(GetParam()))} {
    case_.cyclone = false;
    case_.ocean_u.assign(case_.nodes(), 0);
    case_.ocean_v.assign(case_.nodes(), 0);
    case_.alpha = 1;  // the stress is the rheology's after one sub-step
    case_.substeps = 1;
    solver_ = make("tf32", Assembly::deterministic, setup_of(case_));
  }
  std::size_t modes() const { return case_.cg == 1 ? 3 : 8; }

  PlainCase case_;
  std::unique_ptr<IceSolver> solver_;
};

TEST_P(Tf32Operands, OfTheStrainAreNoVelocitiesOfTheWholeCell) {
  // Half of Delta_min = 2e-9 s-1 under a drift whose own 11 bits are worth ten times as much over a cell.
  constexpr double drift_u = 0.3, drift_v = -0.2, e11 = 1e-9, e22 = -0.75e-9, dudy = 0.5e-9, dvdx = 1.5e-9;
  auto const setup = setup_of(case_);
  std::vector<double> u(case_.nodes()), v(u);
  for (int j = 0; j <= case_.cg * case_.ny; ++j) {
    for (int i = 0; i <= case_.cg * case_.nx; ++i) {
      auto const place = node_place(setup.mesh, case_.cg, i, j);
      u[case_.node(i, j)] = drift_u + e11 * place.x + dudy * place.y;
      v[case_.node(i, j)] = drift_v + dvdx * place.x + e22 * place.y;
    }
  }
  solver_->write(FieldId::u, u.data());
  solver_->write(FieldId::v, v.data());

  ASSERT_TRUE(solver_->run_stage("seaice.strain"));

  // Cells are 3 km wide at least and less than 9 km; a difference of velocities is up to 2e-9 s-1 times that,
  // rounded to 11 bits as is the matrix, and lies between floats of up to 0.5 m s-1. The entries of a
  // gradient's row sum up to 8 over the width, those of the modes that vanish up to 60.
  constexpr double least_width = 3e3, width = 9e3;
  constexpr double of_a_difference = 2 * half_a_unit * 2e-9 * width + half_a_float;
  auto const xx = read(*solver_, FieldId::strain_xx), yy = read(*solver_, FieldId::strain_yy),
             xy = read(*solver_, FieldId::strain_xy);
  ASSERT_EQ(xx.size(), modes() * case_.cells());
  for (std::size_t k = 0; k < modes(); ++k) {
    double const bound = (k == 0 ? 8 : 60) / least_width * of_a_difference;
    for (std::size_t cell = 0; cell < case_.cells(); ++cell) {
      auto const at = k * case_.cells() + cell;
      EXPECT_NEAR(xx[at], k == 0 ? e11 : 0, bound) << "mode " << k << ", cell " << cell;
      EXPECT_NEAR(yy[at], k == 0 ? e22 : 0, bound) << "mode " << k << ", cell " << cell;
      EXPECT_NEAR(xy[at], k == 0 ? (dudy + dvdx) / 2 : 0, bound) << "mode " << k << ", cell " << cell;
    }
  }
}

TEST(Tf32Gradients, OfSquaresHaveNoErrorThatAllCellsShare) {
  // 11 bits of 1 / 8 km are off by 4e-4. Velocities are such that their differences are exact in 11 bits.
  for (double const width : {4000.0, 3000.0, 1234.5}) {
    seaice::Setup setup{.mesh = rectangle_mesh(3, 2, 3 * width, 2 * width)};
    setup.parameters.dg = 1;
    auto const solver = make("tf32", Assembly::deterministic, setup);
    std::vector<double> u(12), v(12);
    for (std::size_t node = 0; node < 12; ++node) {
      u[node] = 0x1p-10 * static_cast<double>(node % 4);
      v[node] = 0x1p-11 * static_cast<double>(node % 4) - 0x1p-12 * static_cast<double>(node / 4);
    }
    solver->write(FieldId::u, u.data());
    solver->write(FieldId::v, v.data());
    ASSERT_TRUE(solver->run_stage("seaice.strain"));
    auto const xx = read(*solver, FieldId::strain_xx), yy = read(*solver, FieldId::strain_yy),
               xy = read(*solver, FieldId::strain_xy);
    constexpr double of_eight_operations = 0x1p-21;
    for (std::size_t cell = 0; cell < 6; ++cell) {
      EXPECT_NEAR(xx[cell] * width, 0x1p-10, 0x1p-10 * of_eight_operations) << width;
      EXPECT_NEAR(yy[cell] * width, -0x1p-12, 0x1p-12 * of_eight_operations) << width;
      EXPECT_NEAR(xy[cell] * width, 0x1p-12, 0x1p-12 * of_eight_operations) << width;
    }
  }
}

TEST_P(Tf32Operands, OfStrengthAndStressAreNoMeans) {
  // At rest the stress is -P/2 all over a cell; thicknesses have 24 bits, no two cells the same.
  std::vector<double> h(case_.cells()), a(case_.cells(), 1);
  for (std::size_t cell = 0; cell < case_.cells(); ++cell) {
    h[cell] = static_cast<float>(0.3 + 0.01 / (1 + static_cast<double>(cell)));
  }
  solver_->write(FieldId::h, h.data());
  solver_->write(FieldId::a, a.data());

  solver_->advance(1);

  auto const xx = solver_->values<float>(FieldId::stress_xx), yy = solver_->values<float>(FieldId::stress_yy),
             xy = solver_->values<float>(FieldId::stress_xy);
  for (int j = 0; j < case_.ny; ++j) {
    for (int i = 0; i < case_.nx; ++i) {
      auto const cell = case_.cell(i, j);
      float const p = case_.is_sea(i, j) ? 27500.0f * static_cast<float>(h[cell]) : 0;
      for (std::size_t k = 0; k < modes(); ++k) {
        auto const at = k * case_.cells() + cell;
        EXPECT_EQ(xx[at], k == 0 ? -(p / 2) : 0) << "mode " << k << ", cell " << cell;
        EXPECT_EQ(yy[at], k == 0 ? -(p / 2) : 0) << "mode " << k << ", cell " << cell;
        EXPECT_EQ(xy[at], 0) << "mode " << k << ", cell " << cell;
      }
    }
  }
}

TEST(Tf32OnTheSphere, WhatTurnsTheAxesTakesTheWholeVelocity) {
  // E11 = -tan(latitude) v / R and E12 = tan(latitude) u / 2 R of a velocity that is constant in coordinates:
  // sums of one sign, of operands and matrices of 11 bits.
  for (int const cg : {1, 2}) {
    seaice::Setup setup{.mesh = sphere_patch(7, 5, 2.0, 2.5, 1.0, 1.2)};
    setup.parameters.cg = cg;
    setup.parameters.dg = cg == 1 ? 3 : 6;
    auto const solver = make("tf32", Assembly::deterministic, setup),
               exact = make("fp64", Assembly::deterministic, setup);
    std::vector<double> const u(solver->size(FieldId::u), 0.3), v(u.size(), -0.2);
    for (auto const& ice : {solver.get(), exact.get()}) {
      ice->write(FieldId::u, u.data());
      ice->write(FieldId::v, v.data());
      ASSERT_TRUE(ice->run_stage("seaice.strain"));
    }
    for (auto const field : {FieldId::strain_xx, FieldId::strain_xy}) {
      auto const got = read(*solver, field), wanted = read(*exact, field);
      for (std::size_t cell = 0; cell < 35; ++cell) {
        ASSERT_GT(std::abs(wanted[cell]), 1e-8) << "mode 0 of every cell";
        EXPECT_NEAR(got[cell], wanted[cell], 0x1.1p-10 * std::abs(wanted[cell]))
            << name_of(field) << ", cG" << cg << ", cell " << cell;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Host, Tf32Operands, ::testing::Combine(::testing::Values(1, 2), ::testing::Bool()),
                         [](auto const& info) {
                           return "cg" + std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "_distorted" : "_equal_cells");
                         });

}  // namespace
