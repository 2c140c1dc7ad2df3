// SPDX-License-Identifier: Apache-2.0
// The laws that a case selects: closed forms in 113 bits, the yield curve, dissipation, symmetry, ice at
// rest.
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/exec/host.hpp"
#include "core/seaice/rheology.hpp"
#include "seaice/rough_case.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::read;

/// Strain rates of any direction, from far below Delta_min to far above, s-1.
class RandomStrain {
 public:
  Tensor<double> operator()() {
    double const size = std::exp2(exponent_(generator_));
    return {size * part_(generator_), size * part_(generator_), size * part_(generator_)};
  }

 private:
  std::mt19937_64 generator_{11};
  std::uniform_real_distribution<double> part_{-1, 1}, exponent_{-50, -12};
};

template <class Real>
Tensor<Real> as(Tensor<double> const& t) {
  return {Real(t.xx), Real(t.yy), Real(t.xy)};
}

/// 2 eta e + (zeta - eta) tr(e) I - P/2 I with eta = zeta / e^2, e = 2: as the papers write both laws.
Tensor<float128> from_viscosity(Tensor<float128> const& e, float128 const& zeta, float128 const& pressure) {
  float128 const eta = zeta / 4, isotropic = (zeta - eta) * (e.xx + e.yy) - pressure / 2;
  return {2 * eta * e.xx + isotropic, 2 * eta * e.yy + isotropic, 2 * eta * e.xy};
}

/// Delta without a floor: sqrt((e11 + e22)^2 + ((e11 - e22)^2 + 4 e12^2) / e^2).
float128 plain_delta(Tensor<float128> const& e) {
  float128 const divergence = e.xx + e.yy, tension = e.xx - e.yy, shear = 2 * e.xy;
  return sqrt(divergence * divergence + (tension * tension + shear * shear) / 4);
}

float128 const least = constants::least_delta;
float128 const strength = 27500;

Tensor<float128> plastic(Tensor<float128> const& e) {
  float128 const delta = plain_delta(e);
  return from_viscosity(e, strength / (2 * sqrt(delta * delta + least * least)), strength);
}
Tensor<float128> replaced(Tensor<float128> const& e) {
  float128 const delta = plain_delta(e);
  return from_viscosity(e, strength / (2 * (delta + least)), strength * delta / (delta + least));
}

template <template <class> class Law, class Real>
Tensor<Real> stress_of(Tensor<double> const& e) {
  return Law<Real>{}.stress(as<Real>(e), Real(27500));
}

/// The ellipse: (sigma11 + sigma22 + P)^2 / P^2 + e^2 ((sigma11 - sigma22)^2 + 4 sigma12^2) / P^2, 1 on it.
float128 on_ellipse(Tensor<float128> const& s, float128 const& pressure) {
  float128 const mean = (s.xx + s.yy + pressure) / pressure, tension = (s.xx - s.yy) / pressure,
                 shear = 2 * s.xy / pressure;
  return mean * mean + 4 * (tension * tension + shear * shear);
}

template <class Real, class Exact>
void expect_near(Tensor<Real> const& got, Tensor<float128> const& wanted, Exact const& exact,
                 double roundings, double unit) {
  // The parts of a stress may cancel: errors are of the size of the pressure or less.
  float128 const size = abs(wanted.xx) + abs(wanted.yy) + abs(wanted.xy) + exact;
  EXPECT_LE(static_cast<double>(abs(float128(got.xx) - wanted.xx) / size), roundings * unit);
  EXPECT_LE(static_cast<double>(abs(float128(got.yy) - wanted.yy) / size), roundings * unit);
  EXPECT_LE(static_cast<double>(abs(float128(got.xy) - wanted.xy) / size), roundings * unit);
}

TEST(Laws, AreTheirClosedForms) {
  // Some ten operations each way, whose errors a pure shear's cancelling parts of Delta at most double.
  RandomStrain random;
  for (int k = 0; k < 2000; ++k) {
    auto const e = random();
    auto const exact = as<float128>(e);
    float128 const delta = plain_delta(exact);
    float128 const vp = strength, replacement = strength * delta / (delta + least);
    expect_near(stress_of<ViscousPlastic, float128>(e), plastic(exact), vp, 64, 0x1p-113);
    expect_near(stress_of<ViscousPlastic, double>(e), plastic(exact), vp, 64, 0x1p-53);
    expect_near(stress_of<ViscousPlastic, float>(e),
                plastic(as<float128>(Tensor<double>(
                    {static_cast<float>(e.xx), static_cast<float>(e.yy), static_cast<float>(e.xy)}))),
                vp, 64, 0x1p-24);
    expect_near(stress_of<ReplacementPressure, float128>(e), replaced(exact), replacement, 64, 0x1p-113);
    expect_near(stress_of<ReplacementPressure, double>(e), replaced(exact), replacement, 64, 0x1p-53);
  }
}

TEST(Laws, StressesLieOnOrWithinTheYieldCurve) {
  RandomStrain random;
  for (int k = 0; k < 2000; ++k) {
    auto const e = as<float128>(random());
    float128 const delta = plain_delta(e);
    // Hibler's with the floor under the root: (Delta / sqrt(Delta^2 + Delta_min^2))^2 of the way out.
    float128 const within = delta * delta / (delta * delta + least * least);
    EXPECT_LT(static_cast<double>(
                  abs(on_ellipse(ViscousPlastic<float128>{}.stress(e, strength), strength) - within)),
              1e-30);
    EXPECT_LE(static_cast<double>(on_ellipse(ViscousPlastic<float128>{}.stress(e, strength), strength)), 1.0);
    float128 const pressure = strength * delta / (delta + least);
    EXPECT_LT(static_cast<double>(
                  abs(on_ellipse(ReplacementPressure<float128>{}.stress(e, strength), pressure) - 1)),
              1e-28);
    EXPECT_LT(pressure, strength);
  }
}

float128 dissipation(Tensor<float128> const& s, Tensor<float128> const& e) {
  return s.xx * e.xx + s.yy * e.yy + 2 * s.xy * e.xy;
}

TEST(Laws, WithReplacementPressureIceNeverGivesEnergyToTheFlow) {
  RandomStrain random;
  for (int k = 0; k < 2000; ++k) {
    auto const e = as<float128>(random());
    float128 const delta = plain_delta(e), trace = e.xx + e.yy;
    auto const power = dissipation(ReplacementPressure<float128>{}.stress(e, strength), e);
    float128 const wanted = strength * delta / (delta + least) * (delta - trace) / 2;
    EXPECT_GE(power, float128(0));
    EXPECT_LT(static_cast<double>(abs(power - wanted) / (strength * delta)), 1e-30);
  }
  // Without, slowly diverging ice does: P/2 outweighs the viscous stress.
  Tensor<float128> const slow{least / 100, least / 100, 0};
  EXPECT_LT(dissipation(ViscousPlastic<float128>{}.stress(slow, strength), slow), float128(0));
}

TEST(Laws, KnowNoDirection) {
  RandomStrain random;
  float128 const c = float128(3) / 5, s = float128(4) / 5;
  auto const turn = [&](Tensor<float128> const& t) {
    return Tensor<float128>{c * c * t.xx - 2 * c * s * t.xy + s * s * t.yy,
                            s * s * t.xx + 2 * c * s * t.xy + c * c * t.yy,
                            c * s * (t.xx - t.yy) + (c * c - s * s) * t.xy};
  };
  for (int k = 0; k < 500; ++k) {
    auto const e = as<float128>(random());
    for (bool const replacement : {false, true}) {
      auto const law = [&](Tensor<float128> const& rate) {
        return replacement ? ReplacementPressure<float128>{}.stress(rate, strength)
                           : ViscousPlastic<float128>{}.stress(rate, strength);
      };
      auto const turned_first = law(turn(e)), turned_last = turn(law(e));
      expect_near(turned_first, turned_last, strength / 1000000, 1, 1e-24);
      // Mirrored about the diagonal and about an axis.
      auto const plain = law(e), diagonal = law({e.yy, e.xx, e.xy}), axis = law({e.xx, e.yy, -e.xy});
      EXPECT_LT(static_cast<double>(abs(diagonal.xx - plain.yy) / strength), 1e-30);
      EXPECT_EQ(axis.xx, plain.xx);
      EXPECT_EQ(axis.xy, -plain.xy);
    }
  }
}

TEST(Laws, AtRestOnlyTheReplacementPressureIsNone) {
  Tensor<double> const still{0, 0, 0};
  auto const replaced_stress = ReplacementPressure<double>{}.stress(still, 27500);
  EXPECT_EQ(replaced_stress.xx, 0);
  EXPECT_EQ(replaced_stress.yy, 0);
  EXPECT_EQ(replaced_stress.xy, 0);
  EXPECT_EQ((ViscousPlastic<double>{}.stress(still, 27500).xx), -27500.0 / 2);
  auto const on_land = ReplacementPressure<double>{}.stress({1e-6, -2e-6, 3e-6}, 0);
  EXPECT_TRUE(on_land.xx == 0 && on_land.yy == 0 && on_land.xy == 0);
}

seaice::Setup still_basin(char const* law, double distortion) {
  seaice::Setup setup{.mesh = rectangle_mesh(12, 9, 12 * 4000.0, 9 * 4000.0, distortion)};
  setup.parameters.rheology = law;
  setup.parameters.substeps = 10;
  return setup;
}

TEST(Laws, IceOfUnequalThicknessLiesStillWithReplacementPressureOnly) {
  for (char const* const policy : {"fp64", "fp32", "mixed"}) {
    for (int const dg : {1, 3}) {
      for (bool const moves : {false, true}) {
        auto setup = still_basin(moves ? "vp" : "vp_replacement", 0.05);
        setup.parameters.dg = dg;
        auto const solver = test::make(policy, Assembly::deterministic, setup);
        ASSERT_NE(solver, nullptr);
        test::give_random_ice(*solver, setup.mesh.cells(), 5);
        solver->advance(1);
        auto const u = read(*solver, FieldId::u), v = read(*solver, FieldId::v);
        bool const still = std::ranges::all_of(u, [](double x) { return x == 0; }) &&
                           std::ranges::all_of(v, [](double x) { return x == 0; });
        EXPECT_EQ(still, !moves) << policy << " dg" << dg;
      }
    }
  }
}

TEST(Laws, OfTheStressStageAreThoseOfTheCase) {
  // One relaxation with alpha = 1 leaves the law's stress of a constant strain rate in mode 0.
  double const xx = 0x1p-20, xy = 0x1p-21, yx = -0x1p-22, yy = -0x1p-19;
  for (char const* const law : {"vp", "vp_replacement"}) {
    auto setup = still_basin(law, 0);
    setup.parameters.alpha = 1;
    auto const solver = test::make("fp64", Assembly::deterministic, setup);
    auto const cells = static_cast<std::size_t>(setup.mesh.cells());
    std::vector<double> ones(solver->size(FieldId::h), 0), u, v;
    std::fill_n(ones.begin(), cells, 1.0);
    solver->write(FieldId::h, ones.data());
    solver->write(FieldId::a, ones.data());
    for (std::size_t k = 0; k < setup.mesh.x.size(); ++k) {
      u.push_back(xx * setup.mesh.x[k] + xy * setup.mesh.y[k]);
      v.push_back(yx * setup.mesh.x[k] + yy * setup.mesh.y[k]);
    }
    solver->write(FieldId::u, u.data());
    solver->write(FieldId::v, v.data());
    solver->run_stage("seaice.strength");
    solver->run_stage("seaice.strain_stress");
    Tensor<float128> const e{xx, yy, (float128(xy) + yx) / 2};
    auto const wanted = std::string(law) == "vp" ? plastic(e) : replaced(e);
    auto const s11 = read(*solver, FieldId::stress_xx), s22 = read(*solver, FieldId::stress_yy),
               s12 = read(*solver, FieldId::stress_xy);
    for (std::size_t k = 0; k < cells; ++k) {
      expect_near(Tensor<double>{s11[k], s22[k], s12[k]}, wanted, strength, 256, 0x1p-53);
    }
  }
}

TEST(Laws, OfTheComparisonRunWhereTheyAreBuilt) {
  auto const setup = still_basin("vp_replacement", 0);
  for (char const* const policy : {"fp64", "fp32", "mixed"}) {
    EXPECT_NE(test::make(policy, Assembly::deterministic, setup), nullptr) << policy;
    EXPECT_EQ(test::make(policy, Assembly::atomic, setup), nullptr) << policy;
  }
  for (char const* const policy : {"tf32", "bf16", "fp16", "quad"}) {
    EXPECT_EQ(test::make(policy, Assembly::deterministic, setup), nullptr) << policy;
  }
}

}  // namespace
