// SPDX-License-Identifier: Apache-2.0
// Against numbers of neXtSIM-DG's public code (branch kokkos, commit 433cf3f1, its CPU classes in FP64),
// computed for this project with g++ 12.2; see the README of the reference data.
#include <gtest/gtest.h>

#include <fstream>

#include "core/seaice/constants.hpp"
#include "seaice/solver_support.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::read_doubles;
using test::relative_difference;

/// A folder of the reference data and its order.
struct KernelSet {
  char const* name;
  int cg, dg, stress_modes;
};

/// The 7 x 5 distorted Cartesian mesh with random data: one sub-step, 100 sub-steps and one advection step.
class KernelReference : public ::testing::TestWithParam<std::tuple<KernelSet, Assembly>> {
 protected:
  void SetUp() override {
    if (test::data_folder().empty()) {
      GTEST_SKIP() << "no reference data: set ULPINE_TEST_DATA to the folder that holds seaice/kernels";
    }
    set_ = std::get<0>(GetParam());
    folder_ = test::data_folder() / "seaice/kernels" / set_.name;
    auto const tracer_modes = static_cast<std::size_t>(set_.dg),
               stress_modes = static_cast<std::size_t>(set_.stress_modes);
    auto& mesh = setup_.mesh;
    mesh = rectangle_mesh(7, 5, 1, 1);
    auto const vertices = values("in_vertices");
    for (std::size_t k = 0; k < mesh.x.size(); ++k) {
      mesh.x[k] = vertices[2 * k];
      mesh.y[k] = vertices[2 * k + 1];
    }
    setup_.ocean_u = values("in_uOcean");
    setup_.ocean_v = values("in_vOcean");
    setup_.parameters.cg = set_.cg;
    setup_.parameters.dg = set_.dg;
    setup_.parameters.limiter = LimiterKind::nextsim;
    solver_ = test::make("fp64", std::get<1>(GetParam()), setup_);
    give(FieldId::u, values("in_u"));
    give(FieldId::v, values("in_v"));
    give(FieldId::h, test::transposed(values("in_H"), tracer_modes));
    give(FieldId::a, test::transposed(values("in_A"), tracer_modes));
    give(FieldId::stress_xx, test::transposed(values("in_S11"), stress_modes));
    give(FieldId::stress_xy, test::transposed(values("in_S12"), stress_modes));
    give(FieldId::stress_yy, test::transposed(values("in_S22"), stress_modes));
  }

  std::vector<double> values(std::string const& name) const {
    return read_doubles(folder_ / (name + ".f64"));
  }
  void give(FieldId field, std::vector<double> const& data) {
    ASSERT_EQ(data.size(), solver_->size(field));
    solver_->write(field, data.data());
  }
  void expect(FieldId field, std::string const& name, bool cellwise) const {
    auto const cells = static_cast<std::size_t>(setup_.mesh.cells());
    auto const given = values(name);
    auto const reference = cellwise ? test::transposed(given, given.size() / cells) : given;
    EXPECT_LT(relative_difference(test::read(*solver_, field), reference), 1e-12) << name;
  }
  void stage(char const* name) { ASSERT_TRUE(solver_->run_stage(name)) << name; }

  /// Nodal averages, strength, and the wind of the reference in place of an analytic one.
  void begin_sub_cycle() {
    stage("seaice.nodal");
    stage("seaice.forcing");
    stage("seaice.strength");
    give(FieldId::u0, values("in_u"));
    give(FieldId::v0, values("in_v"));
    auto wind_x = values("in_uAtmos"), wind_y = values("in_vAtmos");
    auto const a = test::read(*solver_, FieldId::node_a);
    for (std::size_t k = 0; k < a.size(); ++k) {
      double const drag =
          a[k] * constants::air_density * constants::air_drag * std::hypot(wind_x[k], wind_y[k]);
      wind_x[k] *= drag;
      wind_y[k] *= drag;
    }
    give(FieldId::wind_x, wind_x);
    give(FieldId::wind_y, wind_y);
  }

  KernelSet set_{};
  std::filesystem::path folder_;
  seaice::Setup setup_;
  std::unique_ptr<test::IceSolver> solver_;
};

TEST_P(KernelReference, EveryStageOfASubStepAgrees) {
  begin_sub_cycle();
  expect(FieldId::node_h, "cgH", false);
  expect(FieldId::node_a, "cgA", false);

  stage("seaice.strain");
  expect(FieldId::strain_xx, "out_E11", true);
  expect(FieldId::strain_xy, "out_E12", true);
  expect(FieldId::strain_yy, "out_E22", true);

  stage("seaice.stress");
  expect(FieldId::stress_xx, "out_S11", true);
  expect(FieldId::stress_xy, "out_S12", true);
  expect(FieldId::stress_yy, "out_S22", true);

  stage("seaice.divergence");
  // The reference sets the force to zero at the boundary, where it is never used.
  auto const interior = [&](std::vector<double> data) {
    auto const nx = set_.cg * setup_.mesh.nx, ny = set_.cg * setup_.mesh.ny;
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i) {
        if (i == 0 || j == 0 || i == nx || j == ny) {
          data[static_cast<std::size_t>(j * (nx + 1) + i)] = 0;
        }
      }
    }
    return data;
  };
  EXPECT_LT(
      relative_difference(interior(test::read(*solver_, FieldId::force_x)), interior(values("out_dStressX"))),
      1e-12);
  EXPECT_LT(
      relative_difference(interior(test::read(*solver_, FieldId::force_y)), interior(values("out_dStressY"))),
      1e-12);

  stage("seaice.velocity");
  EXPECT_LT(
      relative_difference(interior(test::read(*solver_, FieldId::u)), interior(values("out_u_beforeBC"))),
      1e-12);
  EXPECT_LT(
      relative_difference(interior(test::read(*solver_, FieldId::v)), interior(values("out_v_beforeBC"))),
      1e-12);

  stage("seaice.boundary");
  expect(FieldId::u, "out_u", false);
  expect(FieldId::v, "out_v", false);
}

TEST_P(KernelReference, OneHundredSubStepsAgree) {
  begin_sub_cycle();
  for (int k = 0; k < 100; ++k) {
    stage("seaice.strain_stress");
    stage("seaice.divergence");
    stage("seaice.velocity");
    stage("seaice.boundary");
  }
  expect(FieldId::u, "out100_u", false);
  expect(FieldId::v, "out100_v", false);
  expect(FieldId::stress_xx, "out100_S11", true);
  expect(FieldId::stress_xy, "out100_S12", true);
  expect(FieldId::stress_yy, "out100_S22", true);
}

TEST_P(KernelReference, AdvectionStepAgrees) {
  stage("seaice.advect.update");
  expect(FieldId::dg_u, "adv_velx_dg", true);
  expect(FieldId::dg_v, "adv_vely_dg", true);
  expect(FieldId::h, "adv_H_nolimit", true);
  expect(FieldId::a, "adv_A_nolimit", true);
  stage("seaice.limit");
  expect(FieldId::h, "adv_H_limited", true);
  expect(FieldId::a, "adv_A_limited", true);
}

INSTANTIATE_TEST_SUITE_P(Cartesian, KernelReference,
                         ::testing::Combine(::testing::Values(KernelSet{"cg1dg3_m1", 1, 3, 3},
                                                              KernelSet{"cg2dg6_m1", 2, 6, 8}),
                                            ::testing::Values(Assembly::deterministic, Assembly::atomic)),
                         [](auto const& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  name_of(std::get<1>(info.param));
                         });

}  // namespace
