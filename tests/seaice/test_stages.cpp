// SPDX-License-Identifier: Apache-2.0
// Every stage of the core, and whole steps, against a second implementation in long double that shares
// nothing with it: needs no data folder.
#include <gtest/gtest.h>

#include <tuple>

#include "seaice/plain_support.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using namespace ulpine::test;

/// Equal parallelograms, or distorted cells with stored element matrices or with those made on the fly.
enum class Cells { parallelograms, distorted, on_the_fly };

using Kind = std::tuple<Assembly, Order, Cells>;

std::string name_of_kind(Kind const& kind) {
  auto const& [assembly, order, cells] = kind;
  return std::string(name_of(assembly)) + "_" + name_of(order) +
         (cells == Cells::distorted    ? "_distorted"
          : cells == Cells::on_the_fly ? "_on_the_fly"
                                       : "_parallelograms");
}

PlainCase case_of(Kind const& kind) {
  auto const& [assembly, order, cells] = kind;
  return small_case(order.dg, cells != Cells::parallelograms, 7, 5, order.cg);
}

Setup core_setup(PlainCase const& plain, Kind const& kind) {
  auto setup = setup_of(plain);
  if (std::get<Cells>(kind) == Cells::on_the_fly) setup.parameters.maps = MapsKind::on_the_fly;
  return setup;
}

class Stages : public ::testing::TestWithParam<Kind> {
 protected:
  Stages() : setup_{case_of(GetParam())} { build(); }

  void build() {
    solver_ = make("fp64", std::get<0>(GetParam()), core_setup(setup_, GetParam()));
    give_random_fields(*solver_, setup_, 31);
  }

  /// Runs `stage` of the core and `step` of both plain models on the same fields; compares what it wrote.
  template <class Step>
  void expect(char const* stage, std::initializer_list<FieldId> written, Step const& step,
              double cap = 1e-13) {
    auto exact = taken_from<long double>(*solver_, setup_);
    auto rounded = taken_from<double>(*solver_, setup_);
    auto const before = taken_from<long double>(*solver_, setup_);
    step(exact);
    step(rounded);
    ASSERT_TRUE(solver_->run_stage(stage)) << stage;
    auto const exact_fields = shared_fields(exact);
    auto const rounded_fields = shared_fields(rounded);
    auto const before_fields = shared_fields(before);
    for (std::size_t f = 0; f < exact_fields.size(); ++f) {
      auto const id = exact_fields[f].first;
      auto const name = std::string(stage) + " " + name_of(id);
      auto const& wanted = *exact_fields[f].second;
      if (std::find(written.begin(), written.end(), id) == written.end()) {
        auto const got = read(*solver_, id);
        EXPECT_TRUE(std::equal(got.begin(), got.end(), before_fields[f].second->begin()))
            << name << " was changed";
        continue;
      }
      auto const plane = wanted.size() == setup_.nodes() ? setup_.nodes() : setup_.cells();
      expect_agreement(read(*solver_, id), wanted, *rounded_fields[f].second, plane, cap, name);
    }
  }

  PlainCase setup_;
  std::unique_ptr<IceSolver> solver_;
};

TEST_P(Stages, StrainIsTheProjectedVelocityGradient) {
  expect("seaice.strain", {FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy},
         [](auto& plain) { plain.strain(); });
}

TEST_P(Stages, StressRelaxesTowardsTheLawOfTheStrength) {
  ASSERT_TRUE(solver_->run_stage("seaice.strength"));
  expect("seaice.stress", {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy},
         [](auto& plain) { plain.stress(); });
}

TEST_P(Stages, StressOfIceAtRestFeelsTheLeastStrainRate) {
  for (double const size : {0.0, 1e-9}) {  // Delta_min is 2e-9
    for (auto const id : {FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy}) {
      auto strain = read(*solver_, id);
      for (auto& value : strain) {
        value *= size / 3e-5;
      }
      solver_->write(id, strain.data());
    }
    ASSERT_TRUE(solver_->run_stage("seaice.strength"));
    expect("seaice.stress", {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy},
           [](auto& plain) { plain.stress(); });
    build();
  }
}

TEST_P(Stages, LandHasNoStrengthWhateverItsTracersHold) {
  std::vector<double> ones(static_cast<std::size_t>(setup_.dg) * setup_.cells(), 0);
  std::fill_n(ones.begin(), setup_.cells(), 1.0);
  solver_->write(FieldId::h, ones.data());
  solver_->write(FieldId::a, ones.data());
  ASSERT_TRUE(solver_->run_stage("seaice.strength"));
  expect("seaice.stress", {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy},
         [](auto& plain) { plain.stress(); });
  EXPECT_EQ(read(*solver_, FieldId::stress_xx)[setup_.cell(3, 2)], 0);
}

TEST_P(Stages, StrainAndStressInOnePassDoNotStoreTheStrain) {
  ASSERT_TRUE(solver_->run_stage("seaice.strength"));
  expect("seaice.strain_stress", {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy},
         [](auto& plain) {
           auto const e11 = plain.e11, e22 = plain.e22, e12 = plain.e12;
           plain.strain();
           plain.stress();
           plain.e11 = e11, plain.e22 = e22, plain.e12 = e12;
         });
}

TEST_P(Stages, DivergenceIsTheWeakOneOfTheStress) {
  expect("seaice.divergence", {FieldId::force_x, FieldId::force_y}, [](auto& plain) { plain.divergence(); });
}

TEST_P(Stages, VelocityTakesOneImplicitStep) {
  expect("seaice.velocity", {FieldId::u, FieldId::v}, [](auto& plain) { plain.velocity(); });
}

TEST_P(Stages, BoundaryStopsTheNodesOfCoastsAndEdgesOnly) {
  expect("seaice.boundary", {FieldId::u, FieldId::v}, [](auto& plain) { plain.boundary(); });
}

TEST_P(Stages, DivergenceVelocityAndBoundaryInOnePassDoNotStoreTheForce) {
  if (std::get<0>(GetParam()) ==
      Assembly::atomic) {  // where contributions are scattered there is no one pass
    expect("seaice.divergence_velocity", {FieldId::u, FieldId::v, FieldId::force_x, FieldId::force_y},
           [](auto& plain) {
             plain.divergence();
             plain.velocity();
             plain.boundary();
           });
    return;
  }
  expect("seaice.divergence_velocity", {FieldId::u, FieldId::v}, [](auto& plain) {
    auto const force_x = plain.force_x, force_y = plain.force_y;
    plain.divergence();
    plain.velocity();
    plain.boundary();
    plain.force_x = force_x, plain.force_y = force_y;
  });
}

TEST_P(Stages, NodalAveragesCountEveryCellAround) {
  expect("seaice.nodal", {FieldId::node_h, FieldId::node_a}, [](auto& plain) { plain.average_to_nodes(); });
}

TEST_P(Stages, ForcingClampsAndBlowsFromTheCycloneAtTheEndOfTheStep) {
  std::vector<double> h(setup_.nodes(), 0.5), a(setup_.nodes(), 0.5);
  h[3] = -1, h[4] = 0.5e-4, h[5] = 2e-4, a[3] = 1.5, a[4] = -0.5, a[5] = 0.5e-4, a[6] = 2e-4;
  solver_->write(FieldId::node_h, h.data());
  solver_->write(FieldId::node_a, a.data());
  expect("seaice.forcing", {FieldId::node_h, FieldId::node_a, FieldId::wind_x, FieldId::wind_y},
         [&](auto& plain) { plain.force(setup_.dt); });
}

TEST_P(Stages, ForcingKnowsUniformWind) {
  setup_.cyclone = false;
  setup_.wind_u = 7;
  setup_.wind_v = -11;
  build();
  expect("seaice.forcing", {FieldId::node_h, FieldId::node_a, FieldId::wind_x, FieldId::wind_y},
         [&](auto& plain) { plain.force(setup_.dt); });
}

TEST_P(Stages, LimiterHoldsBothTracersAndBothKinds) {
  for (bool const nextsim : {false, true}) {
    setup_.nextsim_limiter = nextsim;
    build();
    RandomValues random(77);
    std::vector<double> h(static_cast<std::size_t>(setup_.dg) * setup_.cells()), a(h);
    for (std::size_t k = 0; k < h.size(); ++k) {
      bool const mean = k < setup_.cells();
      h[k] = mean ? random.between(-0.5, 2) : random.between(-2, 2);
      a[k] = mean ? random.between(-0.5, 1.5) : random.between(-1, 1);
    }
    solver_->write(FieldId::h, h.data());
    solver_->write(FieldId::a, a.data());
    expect("seaice.limit", {FieldId::h, FieldId::a}, [](auto& plain) { plain.limit(); });
  }
}

TEST_P(Stages, AdvectionOfEveryOrderCarriesBothTracers) {
  for (int const order : {1, 2, 3}) {
    setup_.runge_kutta = order;
    setup_.dt = 900;
    build();
    expect("seaice.advect.update", {FieldId::h, FieldId::a, FieldId::dg_u, FieldId::dg_v},
           [](auto& plain) { plain.advect(); });
  }
}

TEST_P(Stages, StrengthHoldsItsArgumentsToWhatIcePhysicallyIs) {
  solver_->advance(1);  // of the limited tracers, which the step leaves in H and A

  auto const exact = taken_from<long double>(*solver_, setup_);
  auto const strength = read(*solver_, FieldId::strength);
  ASSERT_EQ(strength.size(), static_cast<std::size_t>(exact.local_nodes()) * setup_.cells());
  for (int j = 0; j < setup_.ny; ++j) {
    for (int i = 0; i < setup_.nx; ++i) {
      std::size_t q = 0;
      ExactIce::for_each_point(exact.stress_points(), [&](long double s, long double t, long double) {
        auto const wanted = exact.strength(i, j, s, t);
        auto const got = strength[q++ * setup_.cells() + setup_.cell(i, j)];
        // exp(-20 (1 - A)) makes 20 roundings of A one of P.
        EXPECT_LE(std::abs(got - wanted), 64 * 0x1p-53L * wanted) << i << " " << j << " " << q;
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Host, Stages,
                         ::testing::Combine(::testing::Values(Assembly::deterministic, Assembly::atomic),
                                            ::testing::ValuesIn(orders),
                                            ::testing::Values(Cells::parallelograms, Cells::distorted)),
                         [](auto const& info) { return name_of_kind(info.param); });
INSTANTIATE_TEST_SUITE_P(OnTheFly, Stages,
                         ::testing::Values(Kind{Assembly::deterministic, {1, 3}, Cells::on_the_fly},
                                           Kind{Assembly::deterministic, {2, 6}, Cells::on_the_fly}),
                         [](auto const& info) { return name_of_kind(info.param); });

/// What a whole run is compared in.
constexpr FieldId compared[] = {
    FieldId::u,         FieldId::v,         FieldId::h,         FieldId::a,         FieldId::stress_xx,
    FieldId::stress_yy, FieldId::stress_xy, FieldId::strain_xx, FieldId::strain_yy, FieldId::strain_xy};

class WholeSteps : public ::testing::TestWithParam<Kind> {};

TEST_P(WholeSteps, AreTheStagesInTheirOrder) {
  auto const assembly = std::get<0>(GetParam());
  auto setup = case_of(GetParam());
  for (int const order : {1, 2, 3}) {
    setup.runge_kutta = order;
    setup.nextsim_limiter = order == 3;
    for (char const* const policy : {"fp64", "quad"}) {
      auto const solver = make(policy, assembly, core_setup(setup, GetParam()));
      if (std::string(policy) == "quad" &&
          (assembly == Assembly::atomic || std::get<Cells>(GetParam()) == Cells::on_the_fly)) {
        EXPECT_EQ(solver, nullptr) << "no atomic addition of 128 bits, nor matrices on the fly in them";
        continue;
      }
      give_random_fields(*solver, setup, 7);
      auto exact = taken_from<long double>(*solver, setup);
      auto rounded = taken_from<double>(*solver, setup);
      for (int step = 1; step <= 4; ++step) {
        solver->advance(step);
        exact.advance(step);
        rounded.advance(step);
      }
      auto const exact_fields = shared_fields(exact);
      auto const rounded_fields = shared_fields(rounded);
      for (std::size_t f = 0; f < std::size(compared); ++f) {
        auto const id = compared[f];
        ASSERT_EQ(exact_fields[f].first, id);
        auto const& wanted = *exact_fields[f].second;
        expect_agreement(read(*solver, id), wanted, *rounded_fields[f].second,
                         wanted.size() == setup.nodes() ? setup.nodes() : setup.cells(), 1e-11,
                         std::string(policy) + " " + name_of(id));
      }
      expect_agreement(read(*solver, FieldId::shear), exact.shear(), rounded.shear(), setup.cells(), 1e-11,
                       std::string(policy) + " shear");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Host, WholeSteps,
                         ::testing::Combine(::testing::Values(Assembly::deterministic, Assembly::atomic),
                                            ::testing::ValuesIn(orders),
                                            ::testing::Values(Cells::parallelograms, Cells::distorted)),
                         [](auto const& info) { return name_of_kind(info.param); });
INSTANTIATE_TEST_SUITE_P(OnTheFly, WholeSteps,
                         ::testing::Values(Kind{Assembly::deterministic, {1, 3}, Cells::on_the_fly},
                                           Kind{Assembly::deterministic, {2, 6}, Cells::on_the_fly}),
                         [](auto const& info) { return name_of_kind(info.param); });

}  // namespace
