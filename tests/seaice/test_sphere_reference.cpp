// SPDX-License-Identifier: Apache-2.0
// Against numbers of neXtSIM-DG's public code (branch kokkos, commit 433cf3f1, its CPU classes in FP64, with
// the cosine in iMJwPSI) on a patch of the sphere after pole rotation with three land cells; see the README
// of the reference data. Its lengths: element matrices lack the square of the Earth's radius.
#include <gtest/gtest.h>

#include <fstream>

#include "core/seaice/constants.hpp"
#include "core/seaice/geometry.hpp"
#include "seaice/plain_sphere.hpp"
#include "seaice/solver_support.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::PlainSphere;
using test::read_doubles;
using test::relative_difference;

constexpr double square_radius = sphere::radius * sphere::radius;

/// One of the reference's sets.
struct Reference {
  std::filesystem::path folder;
  QuadMesh mesh;
  int cg, dg;

  explicit Reference(int velocity)
      : folder{test::data_folder() /
               (velocity == 1 ? "seaice/kernels/cg1dg3_m2" : "seaice/kernels/cg2dg6_m2")},
        mesh{sphere_patch(7, 5, 0, 1, 0, 1)},
        cg{velocity},
        dg{velocity == 1 ? 3 : 6} {
    auto const vertices = values("in_vertices");
    for (std::size_t k = 0; k < mesh.x.size(); ++k) {
      mesh.x[k] = vertices[2 * k];
      mesh.y[k] = vertices[2 * k + 1];
    }
    std::ifstream land(folder / "landmask.txt");
    int sea = 0;
    for (auto& cell : mesh.mask) {
      land >> sea;
      cell = static_cast<std::uint8_t>(sea);
    }
  }
  std::vector<double> values(std::string const& name) const { return read_doubles(folder / (name + ".f64")); }
  std::size_t cells() const { return mesh.mask.size(); }
  /// [cell][mode] to [mode][cell], zero on land.
  std::vector<double> modes(std::string const& name) const {
    auto data = values(name);
    data = test::transposed(data, data.size() / cells());
    for (std::size_t k = 0; k < data.size(); ++k) {
      if (mesh.mask[k % cells()] == 0) data[k] = 0;
    }
    return data;
  }
  /// Zero at nodes that do not move, where the reference has what no one uses.
  std::vector<double> of_moving(std::vector<double> data, double factor = 1) const {
    auto const row = static_cast<std::size_t>(cg * mesh.nx + 1);
    PlainSphere const plain(mesh, cg, dg);
    for (auto& value : data) value *= factor;
    for (int j = -1; j <= mesh.ny; ++j) {
      for (int i = -1; i <= mesh.nx; ++i) {
        if (plain.sea(i, j)) continue;
        for (int local = 0; local < (cg + 1) * (cg + 1); ++local) {
          int const x = cg * i + local % (cg + 1), y = cg * j + local / (cg + 1);
          if (x < 0 || y < 0 || x > cg * mesh.nx || y > cg * mesh.ny) continue;
          data[static_cast<std::size_t>(y) * row + static_cast<std::size_t>(x)] = 0;
        }
      }
    }
    return data;
  }
};

#define SKIP_WITHOUT_DATA()                                                                            \
  if (test::data_folder().empty()) {                                                                   \
    GTEST_SKIP() << "no reference data: set ULPINE_TEST_DATA to the folder that holds seaice/kernels"; \
  }

/// Entries of all element matrices, cell after cell, as the reference has them.
template <class S>
void expect_element_matrices() {
  Reference const reference(S::cg);
  std::vector<double> grad_x, grad_y, turn, project, div_x, div_y, div_turn,
      mass(reference.values("lumpedmass").size(), 0);
  PlainSphere const plain(reference.mesh, S::cg, S::dg);
  auto const append = [](std::vector<double>& to, double const* from, int count, double factor) {
    for (int k = 0; k < count; ++k) to.push_back(factor * from[k]);
  };
  for (int j = 0; j < reference.mesh.ny; ++j) {
    for (int i = 0; i < reference.mesh.nx; ++i) {
      auto const corners = reference.mesh.corners(i, j);
      auto const element = element_matrices<double, S>(corners.x, corners.y);
      constexpr int gradient = S::stress * S::nodes;
      append(grad_x, element.stress + StressLayout<S>::grad_x, gradient, 1);
      append(grad_y, element.stress + StressLayout<S>::grad_y, gradient, 1);
      append(turn, element.stress + StressLayout<S>::turn, gradient, 1);
      append(project, element.stress + StressLayout<S>::project, S::stress * S::gauss, 1);
      append(div_x, element.divergence + DivergenceLayout<S>::x, gradient, 1 / square_radius);
      append(div_y, element.divergence + DivergenceLayout<S>::y, gradient, 1 / square_radius);
      append(div_turn, element.divergence + DivergenceLayout<S>::turn, gradient, 1 / square_radius);
      for (int c = 0; c < S::nodes; ++c) mass[plain.node(i, j, c)] += element.lumped_mass[c] / square_radius;
    }
  }
  // Both invert mass matrices of condition 180 and add some ten products.
  auto const expect = [&](std::vector<double> const& got, char const* name) {
    EXPECT_LT(relative_difference(got, reference.values(name)), 1e-12) << name;
  };
  expect(grad_x, "map_iMgradX");
  expect(grad_y, "map_iMgradY");
  expect(turn, "map_iMM");
  expect(project, "map_iMJwPSI");
  expect(div_x, "map_divS1");
  expect(div_y, "map_divS2");
  expect(div_turn, "map_divM");
  expect(mass, "lumpedmass");
}

TEST(SphereReference, ElementMatricesOfTheFirstOrderAgree) {
  SKIP_WITHOUT_DATA();
  expect_element_matrices<OnSphere<Space<1, 3>>>();
}
TEST(SphereReference, ElementMatricesOfTheSecondOrderAgree) {
  SKIP_WITHOUT_DATA();
  expect_element_matrices<OnSphere<Space<2, 6>>>();
}

/// The reference's state in a solver.
struct Case {
  Reference reference;
  Setup setup;
  std::unique_ptr<test::IceSolver> solver;

  explicit Case(int cg) : reference(cg) {
    setup.mesh = reference.mesh;
    setup.ocean_u = reference.values("in_uOcean");
    setup.ocean_v = reference.values("in_vOcean");
    setup.parameters.cg = reference.cg;
    setup.parameters.dg = reference.dg;
    setup.parameters.limiter = LimiterKind::nextsim;
    solver = test::make("fp64", Assembly::deterministic, setup);
    give(FieldId::u, reference.values("in_u"));
    give(FieldId::v, reference.values("in_v"));
    give(FieldId::h, reference.modes("in_H"));
    give(FieldId::a, reference.modes("in_A"));
    give(FieldId::stress_xx, reference.modes("in_S11"));
    give(FieldId::stress_xy, reference.modes("in_S12"));
    give(FieldId::stress_yy, reference.modes("in_S22"));
  }
  void give(FieldId field, std::vector<double> const& data) {
    ASSERT_EQ(data.size(), solver->size(field));
    solver->write(field, data.data());
  }
  void stage(char const* name) { ASSERT_TRUE(solver->run_stage(name)) << name; }
  std::vector<double> read(FieldId field) const { return test::read(*solver, field); }
  void expect_modes(FieldId field, char const* name) const {
    EXPECT_LT(relative_difference(read(field), reference.modes(name)), 1e-12) << name;
  }
  void expect_moving(FieldId field, char const* name, double factor = 1) const {
    EXPECT_LT(relative_difference(reference.of_moving(read(field)),
                                  reference.of_moving(reference.values(name), factor)),
              1e-12)
        << name;
  }

  /// Land carries ice in the reference's nodal averages.
  void begin_sub_cycle() {
    auto const h = reference.values("in_H"), a = reference.values("in_A");
    give(FieldId::h, test::transposed(h, static_cast<std::size_t>(reference.dg)));
    give(FieldId::a, test::transposed(a, static_cast<std::size_t>(reference.dg)));
    stage("seaice.nodal");
    stage("seaice.forcing");
    stage("seaice.strength");
    give(FieldId::u0, reference.values("in_u"));
    give(FieldId::v0, reference.values("in_v"));
    auto wind_x = reference.values("in_uAtmos"), wind_y = reference.values("in_vAtmos");
    auto const cover = read(FieldId::node_a);
    for (std::size_t k = 0; k < cover.size(); ++k) {
      double const drag =
          cover[k] * constants::air_density * constants::air_drag * std::hypot(wind_x[k], wind_y[k]);
      wind_x[k] *= drag;
      wind_y[k] *= drag;
    }
    give(FieldId::wind_x, wind_x);
    give(FieldId::wind_y, wind_y);
  }
};

class SphereSubCycle : public ::testing::TestWithParam<int> {};

TEST_P(SphereSubCycle, EveryStageAgrees) {
  SKIP_WITHOUT_DATA();
  Case c(GetParam());
  c.begin_sub_cycle();
  EXPECT_LT(relative_difference(c.read(FieldId::node_h), c.reference.values("cgH")), 1e-12);
  EXPECT_LT(relative_difference(c.read(FieldId::node_a), c.reference.values("cgA")), 1e-12);
  c.stage("seaice.strain");
  for (auto const field : {FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy}) {
    auto data = c.read(field);  // the reference leaves land out
    for (std::size_t k = 0; k < data.size(); ++k) {
      if (c.reference.mesh.mask[k % c.reference.cells()] == 0) data[k] = 0;
    }
    c.give(field, data);
  }
  c.expect_modes(FieldId::strain_xx, "out_E11");
  c.expect_modes(FieldId::strain_xy, "out_E12");
  c.expect_modes(FieldId::strain_yy, "out_E22");
  c.stage("seaice.stress");
  c.expect_modes(FieldId::stress_xx, "out_S11");
  c.expect_modes(FieldId::stress_xy, "out_S12");
  c.expect_modes(FieldId::stress_yy, "out_S22");
  c.stage("seaice.divergence");
  c.expect_moving(FieldId::force_x, "out_dStressX", square_radius);
  c.expect_moving(FieldId::force_y, "out_dStressY", square_radius);
  c.stage("seaice.velocity");
  c.expect_moving(FieldId::u, "out_u_beforeBC");
  c.expect_moving(FieldId::v, "out_v_beforeBC");
  c.stage("seaice.boundary");
  // In the reference a node of land alone drifts: here all nodes of land stand still.
  auto const u = c.read(FieldId::u), v = c.read(FieldId::v);
  EXPECT_EQ(c.reference.of_moving(u), u);
  EXPECT_EQ(c.reference.of_moving(v), v);
  c.expect_moving(FieldId::u, "out_u");
  c.expect_moving(FieldId::v, "out_v");
}

TEST_P(SphereSubCycle, OneHundredSubStepsAgree) {
  SKIP_WITHOUT_DATA();
  Case c(GetParam());
  c.begin_sub_cycle();
  for (int k = 0; k < 100; ++k) {
    c.stage("seaice.strain_stress");
    c.stage("seaice.divergence_velocity");
  }
  c.expect_moving(FieldId::u, "out100_u");
  c.expect_moving(FieldId::v, "out100_v");
  c.expect_modes(FieldId::stress_xx, "out100_S11");
  c.expect_modes(FieldId::stress_xy, "out100_S12");
  c.expect_modes(FieldId::stress_yy, "out100_S22");
}

/// The reference's northward flux lacks the cosine of the latitude. A second implementation without it agrees
/// with the reference, and with it, that being all that is switched, with the core.
TEST_P(SphereSubCycle, AdvectionAgreesButForTheCosineThatTheReferenceLacks) {
  SKIP_WITHOUT_DATA();
  Case c(GetParam());
  auto const& reference = c.reference;
  PlainSphere plain(reference.mesh, reference.cg, reference.dg);
  auto const wide = [](std::vector<double> const& data) {
    return PlainSphere::Field(data.begin(), data.end());
  };
  auto const narrow = [](PlainSphere::Field const& data) {
    return std::vector<double>(data.begin(), data.end());
  };
  auto const u = plain.project_velocity(wide(reference.values("in_u"))),
             v = plain.project_velocity(wide(reference.values("in_v")));
  auto const step = [&](char const* name) {
    return narrow(plain.advected(wide(reference.modes(name)), u, v, c.setup.parameters.dt));
  };
  c.stage("seaice.advect.update");
  auto dg_u = c.read(FieldId::dg_u), dg_v = c.read(FieldId::dg_v);
  for (std::size_t k = 0; k < dg_u.size(); ++k) {
    if (reference.mesh.mask[k % reference.cells()] == 0) dg_u[k] = dg_v[k] = 0;
  }
  EXPECT_LT(relative_difference(dg_u, reference.modes("adv_velx_dg")), 1e-12);
  EXPECT_LT(relative_difference(dg_v, reference.modes("adv_vely_dg")), 1e-12);
  for (bool const height : {true, false}) {
    auto const* const before = height ? "in_H" : "in_A";
    auto const after = c.read(height ? FieldId::h : FieldId::a);
    plain.cosine = true;
    auto const right = step(before);
    plain.cosine = false;
    auto const theirs = step(before);
    EXPECT_LT(relative_difference(theirs, reference.modes(height ? "adv_H_nolimit" : "adv_A_nolimit")),
              1e-12);
    EXPECT_LT(relative_difference(after, right), 1e-12);
    EXPECT_GT(relative_difference(right, theirs), 1e-7) << "the cosine makes no difference here";
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, SphereSubCycle, ::testing::Values(1, 2),
                         [](auto const& info) { return "cg" + std::to_string(info.param); });

}  // namespace
