// SPDX-License-Identifier: Apache-2.0
// The 11-point route: its rule, its small solvers, and its matrices against the closed forms'.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

// math:: in 113 bits comes before what uses it.
#include "precision/host_policies.hpp"
#include "tests/fem/reference_elements.hpp"
//
#include "core/fem/instances.hpp"
#include "tests/fem/element_matrix.hpp"
#include "tests/fem/flow.hpp"
#include "tests/support/fem/quadrature_flow.hpp"
#include "tests/support/fem/quadrature_forms.hpp"
#include "tests/support/fem/traffic.hpp"

namespace ulpine::fem {
namespace {

using test::RandomValues;
using test::ReferenceElement;

double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

TEST(ElevenPoints, IntegrateEveryMonomialOfDegreeFourExactly) {
  for (int a = 0; a <= 4; ++a)
    for (int b = 0; a + b <= 4; ++b)
      for (int c = 0; a + b + c <= 4; ++c)
        for (int d = 0; a + b + c + d <= 4; ++d) {
          float128 sum = 0;
          for (int q = 0; q < quadrature_points; ++q) {
            float128 term = quadrature_weight<float128>(q);
            int const power[4] = {a, b, c, d};
            for (int k = 0; k < 4; ++k)
              for (int n = 0; n < power[k]; ++n) term *= quadrature_coordinate<float128>(q, k);
            sum += term;
          }
          float128 const exact = float128(factorial(a) * factorial(b) * factorial(c) * factorial(d)) /
                                 factorial(a + b + c + d + 3);
          EXPECT_NEAR(static_cast<double>((sum - exact) / exact), 0, 1e-31) << a << b << c << d;
        }
}

TEST(ElevenPoints, AreInsideAndSumToOne) {
  for (int q = 0; q < quadrature_points; ++q) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      EXPECT_GT(quadrature_coordinate<double>(q, k), 0);
      sum += quadrature_coordinate<double>(q, k);
    }
    EXPECT_NEAR(sum, 1, 4 * 0x1p-53);
  }
  // The order of the first of each orbit: 11/14 at the last node; a at the first two.
  EXPECT_GT(quadrature_coordinate<double>(1, 3), 0.7);
  EXPECT_GT(quadrature_coordinate<double>(4, 0), 0.7);
  EXPECT_GT(quadrature_coordinate<double>(5, 1), 0.3);
  EXPECT_GT(quadrature_coordinate<double>(6, 2), 0.3);
  EXPECT_GT(quadrature_coordinate<double>(10, 2), 0.3);
}

TEST(SmallSolvers, SolveSystemsThatNeedPivots) {
  RandomValues random(23);
  for (int trial = 0; trial < 100; ++trial) {
    double a[6][6], x[6], want[6];
    for (auto& value : want) value = random.between(-1, 1);
    double most = 0;
    for (int r = 0; r < 6; ++r) {
      x[r] = 0;
      for (int c = 0; c < 6; ++c) {
        a[r][c] = r == c ? 0 : random.between(-1, 1);  // a diagonal of zeros: no elimination without pivots
        x[r] += a[r][c] * want[c];
      }
      most = std::max(most, std::abs(x[r]));
    }
    double matrix[6][6];
    std::copy(&a[0][0], &a[0][0] + 36, &matrix[0][0]);
    double right[6];
    std::copy(x, x + 6, right);

    solve_pivoted(a, x);

    double size = 0;
    for (double const value : x) size = std::max(size, std::abs(value));
    for (int r = 0; r < 6; ++r) {
      double residual = right[r];
      for (int c = 0; c < 6; ++c) residual -= matrix[r][c] * x[c];
      // Backward stable: growth of at most 2^5, six operations of six entries.
      EXPECT_NEAR(residual, 0, 32 * 36 * 0x1p-53 * (size + most)) << trial;
    }
  }
}

TEST(SmallSolvers, DiagonaliseSymmetricMatrices) {
  RandomValues random(29);
  for (int trial = 0; trial < 100; ++trial) {
    double a[3][3], v[3][3], given[3][3];
    double const spread = trial % 2 == 0 ? 1 : 1e-9;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c <= r; ++c) {
        given[r][c] = given[c][r] = a[r][c] = a[c][r] = random.between(-1, 1) * (r == 2 ? spread : 1);
      }

    symmetric_eigen(a, v);

    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        double orthogonal = 0, back = 0;
        for (int k = 0; k < 3; ++k) {
          orthogonal += v[k][r] * v[k][c];
          back += v[r][k] * a[k][k] * v[c][k];
        }
        EXPECT_NEAR(orthogonal, r == c ? 1 : 0, 200 * 0x1p-53);  // 24 rotations of some 8 roundings
        EXPECT_NEAR(back, given[r][c], 3 * 200 * 0x1p-53) << trial;
      }
  }
}

TEST(SmallSolvers, FindTheClosedFormsEdgeLengths) {
  RandomValues random(31);
  for (int trial = 0; trial < 60; ++trial) {
    auto const x = test::random_tetrahedron(random, trial);
    ReferenceElement const e(x.data());
    double edge[3][3], h[6], closed[6];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d) edge[k][d] = x[3 * (k + 1) + d] - x[d];

    get_edge_lengths(edge, h);
    edge_length_tensor(edge, closed);

    // The 6 x 6 system has a condition of some c^2, c = L^3 / det, and h that of m's root besides.
    double const c = e.condition();
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(h[k], closed[k], 1000 * 0x1p-53 * c * c * c * e.longest) << trial;
  }
}

/// Appends them, row by row.
template <class F>
void element_matrix(F const& form, std::vector<typename F::Real>& entries,
                    std::vector<typename F::Real>& sums) {
  test::ElementMatrix<F> const all(form);
  for (int i = 0; i < 4; ++i) {
    for (auto const& entry : all.entry[i]) entries.insert(entries.end(), entry, entry + F::width);
    sums.insert(sums.end(), all.sum[i], all.sum[i] + sums_of<F>);
  }
}

template <class Real>
void expect_near(std::vector<Real> const& got, std::vector<Real> const& want, double relative) {
  double most = 0;
  for (auto const& value : want) most = std::max(most, std::abs(static_cast<double>(value)));
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(got[k]), static_cast<double>(want[k]), relative * most) << k;
  }
}

template <class P>
void expect_equal_routes(double u) {
  RandomValues random(37);
  using Real = typename P::Compute;
  for (int trial = 0; trial < 40; ++trial) {
    auto const x =
        test::random_tetrahedron(random, 1);  // not flat: entries of any size would hide in the largest
    std::vector<double> const position(x.begin(), x.end());
    ReferenceElement const e(x.data());
    if (e.condition() > 50) continue;
    test::Flow<P> const flow(position, static_cast<std::uint64_t>(trial));
    double const error =
        (27 * e.condition() + 300) * u * 30;  // 11 points, signs of weights: test_elements.cpp
    auto const* const mesh = flow.position.data();
    for (bool const by_parts : {false, true}) {
      std::vector<Real> a, b, a_right, b_right;
      QuadratureAdvectionDiffusion<P> form{mesh, flow.scalar_input(true), {Real(1), Real(1) / Real(4)}, {}};
      form.tensor = true;
      form.by_parts = by_parts;
      element_matrix(form, a, a_right);
      if (by_parts) {
        element_matrix(TensorScalarFormByParts<P>{mesh, form.in, form.step, {}}, b, b_right);
      } else {
        element_matrix(TensorScalarForm<P>{mesh, form.in, form.step, {}}, b, b_right);
      }
      expect_near(a, b, error);
      expect_near(a_right, b_right, error);
      a.clear(), b.clear();
      element_matrix(QuadratureDivergence<P>{mesh, by_parts, flow.density.data()}, a, a_right);
      element_matrix(CompressibleDivergence<P>{mesh, by_parts, flow.density.data(), flow.density.data(), 1},
                     b, b_right);
      expect_near(a, b, error);
    }
    std::vector<Real> a, b, none;
    element_matrix(QuadraturePressureDiffusion<P>{mesh}, a, none);
    element_matrix(PressureDiffusion<P>{mesh}, b, none);
    double const c = e.condition();
    expect_near(a, b, 1000 * u * c * c * c);
  }
}

TEST(RoutesToAnElementMatrix, AgreeInEveryPolicyWithoutRoundedProducts) {
  expect_equal_routes<Quad>(0x1p-113);
  expect_equal_routes<Fp64>(0x1p-53);
  expect_equal_routes<Mixed>(0x1p-24);
}

struct MomentumTerms {
  bool implicit = false, advection = false, viscosity = false, absorption = false, buoyancy = false,
       pressure = false, coriolis = false;
};

template <class P, VelocityBlocks blocks>
Momentum<P, blocks> momentum_of(test::Flow<P> const& flow, typename P::State const* still,
                                MomentumTerms const& terms, MomentumOptions const& options) {
  using Real = typename P::Compute;
  constexpr bool shared = blocks == VelocityBlocks::shared;
  Momentum<P, blocks> form{flow.position.data(), {}, {}, options};
  auto& in = form.in;
  in.velocity = terms.advection ? flow.velocity.data() : still;
  in.old_velocity = flow.old_velocity.data();
  in.density = flow.density.data();
  if (terms.viscosity) {
    in.viscosity = options.viscosity_tensor ? flow.tensor.data() : flow.diffusivity.data();
  }
  if (terms.absorption) {
    in.absorption = shared ? flow.absorption.data() : flow.absorption3.data();
    in.target = flow.velocity.data();
  }
  if (terms.buoyancy) in.buoyancy = flow.buoyancy.data();
  if (terms.pressure) in.pressure = flow.pressure.data();
  form.step = {Real(terms.implicit ? 1 : 0), Real(1) / Real(4), {Real(1), Real(-2), Real(-10)}, {}};
  if (terms.coriolis) {
    for (int d = 0; d < 3; ++d) form.step.coriolis[d] = Real(d + 1) / Real(8);
  }
  return form;
}

template <class P, VelocityBlocks blocks>
void expect_equal_momentum(test::Flow<P> const& flow, MomentumTerms const& terms,
                           MomentumOptions const& options, double error) {
  using Real = typename P::Compute;
  std::vector<typename P::State> const still(12, typename P::State(0));
  auto const form = momentum_of<P, blocks>(flow, still.data(), terms, options);
  std::vector<Real> a, b, a_right, b_right;
  element_matrix(QuadratureMomentum<P, blocks>{form.position, form.in, form.step, form.options}, a, a_right);
  element_matrix(form, b, b_right);
  expect_near(a, b, error);
  std::vector<Real> a_mass, b_mass, a_force, b_force;
  for (std::size_t k = 0; k < a_right.size(); ++k) {
    (k % 4 == 3 ? a_mass : a_force).push_back(a_right[k]);
    (k % 4 == 3 ? b_mass : b_force).push_back(b_right[k]);
  }
  expect_near(a_mass, b_mass, error);
  expect_near(a_force, b_force, error);
}

/// One term at a time, so that none hides in a larger one, and all of them with each option.
template <class P, VelocityBlocks blocks>
void expect_equal_routes_to_momentum(test::Flow<P> const& flow, double error) {
  MomentumTerms const single[] = {{.advection = true}, {.viscosity = true}, {.absorption = true},
                                  {.buoyancy = true},  {.pressure = true},  {.coriolis = true}};
  MomentumOptions const choices[] = {{},
                                     {.lumped = true, .pressure_by_parts = true},
                                     {.lumped_absorption = true},
                                     {.viscosity_tensor = true},
                                     {.form = Viscosity::partial_stress},
                                     {.form = Viscosity::full_stress}};
  for (auto const& options : choices) {
    for (auto terms : single) {
      expect_equal_momentum<P, blocks>(flow, terms, options, error);
      terms.implicit = true;
      expect_equal_momentum<P, blocks>(flow, terms, options, error);
    }
    expect_equal_momentum<P, blocks>(flow, {true, true, true, true, true, true, true}, options, error);
  }
}

template <class P>
void expect_equal_routes_of_the_flow(double u) {
  RandomValues random(41);
  using Real = typename P::Compute;
  int held = 0;
  for (int trial = 0; held < 4; ++trial) {
    auto const x = test::random_tetrahedron(random, 1);
    std::vector<double> const position(x.begin(), x.end());
    ReferenceElement const e(x.data());
    if (e.condition() > 50) continue;
    ++held;
    test::Flow<P> const flow(position, static_cast<std::uint64_t>(trial));
    // As above, and a force is a sum of up to 12 products of either sign.
    double const error = (27 * e.condition() + 300) * u * 30 * 12;
    expect_equal_routes_to_momentum<P, VelocityBlocks::shared>(flow, error);
    expect_equal_routes_to_momentum<P, VelocityBlocks::diagonal>(flow, error);
    expect_equal_routes_to_momentum<P, VelocityBlocks::full>(flow, error);
    auto const projection = flow.template form<ProjectionMatrix<P>>();
    std::vector<Real> a, b, a_right, b_right;
    element_matrix(projection, a, a_right);
    element_matrix(
        QuadratureProjection<P>{projection.position, projection.compressibility,
                                projection.pressure_of_density, projection.pressure, projection.old_density,
                                projection.density, projection.scale, projection.inverse_dt},
        b, b_right);
    expect_near(a, b, error);
    expect_near(a_right, b_right, error);
  }
}

TEST(RoutesToMomentumAndProjection, AgreeInEveryTermAndOption) {
  expect_equal_routes_of_the_flow<Quad>(0x1p-113);
  expect_equal_routes_of_the_flow<Fp64>(0x1p-53);
  expect_equal_routes_of_the_flow<Mixed>(0x1p-24);
}

TEST(UpwindShare, HasTheLimitsOfItsRule) {
  for (double const sign : {-1.0, 1.0}) {
    for (double const p : {1e-11, 1e-6, 0.03, 0.0625, 0.5, 1.0, 1.5, 2.9, 3.1, 11.0, 12.0, 500.0}) {
      auto const share = [&](UpwindRule rule) { return sign * upwind_share(rule, sign * p); };
      float128 const large = p;
      double const exact = static_cast<double>(1 / boost::multiprecision::tanh(large) - 1 / large);
      EXPECT_EQ(share(UpwindRule::unity), 1);
      EXPECT_NEAR(share(UpwindRule::optimal), p < 1e-10 ? 0 : exact, 1e-10 * exact) << p;
      EXPECT_DOUBLE_EQ(share(UpwindRule::doubly_asymptotic), p <= 3 ? p / 3 : 1);
      EXPECT_DOUBLE_EQ(share(UpwindRule::critical), p <= 1 ? 0 : 1 - 1 / p);
    }
  }
}

TEST(StreamlineUpwinding, VanishesWithoutFlowAndWeightsTestFunctionsWithIt) {
  std::vector<double> const position{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, value{1, 2, 3, 4},
      kappa{1e-3, 1e-3, 1e-3, 1e-3};
  std::vector<double> flow{2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0};
  double const* const mesh = position.data();
  QuadratureAdvectionDiffusion<Fp64> form{mesh, {flow.data(), value.data(), kappa.data()}, {1, 0}, {}};
  std::vector<double> plain, supg, upwind, r;
  element_matrix(form, plain, r);
  form.upwinding = {Stabilisation::supg, UpwindRule::unity, 0.5};
  element_matrix(form, supg, r);
  form.upwinding.stabilisation = Stabilisation::streamline_upwind;
  element_matrix(form, upwind, r);

  // u = (2, 0, 0), J = I: v = u, nu = 0.5 * 2 / 4 = 0.25; u.grad N = (-2, 2, 0, 0), V = 1 / 6.
  double const nu = 0.25, stream[4] = {-2, 2, 0, 0};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      double const along = nu * stream[i] * stream[j] / 6;
      EXPECT_NEAR(upwind[4 * i + j] - plain[4 * i + j], along, 1e-15);
      EXPECT_NEAR(supg[4 * i + j] - plain[4 * i + j], along + nu * stream[i] / 24, 1e-15);  // and the mass
    }
  for (auto& component : flow) component = 0;
  std::vector<double> still, none;
  form.upwinding.stabilisation = Stabilisation::none;
  element_matrix(form, none, r);
  form.upwinding.stabilisation = Stabilisation::supg;
  element_matrix(form, still, r);
  EXPECT_EQ(still, none);
}

TEST(TrafficOfAssembly, CountsEachArrayOnce) {
  // By hand: 4 x 4 B of connectivity an element; x 3, u 3, kappa 9, c 1, sigma, c_ref, S a node; values;
  // right side.
  MeshSizes const size{103635, 554394, 1450000};
  EXPECT_EQ(minimal_bytes<TensorScalarForm<Fp64>>(size), 8870304 + 19 * 829080 + 11600000 + 829080);
  EXPECT_EQ(minimal_bytes<PlainDivergence<Fp64>>(size), 8870304 + 3 * 829080 + 3 * 11600000);
  EXPECT_EQ(row_gather_bytes<ScalarForm<Fp64>>(size) - minimal_bytes<ScalarForm<Fp64>>(size),
            (4 + 4) * 4 * 554394 + 8 * 103635);  // four visits an element, each with its slots
  EXPECT_EQ(entry_gather_bytes<ScalarForm<Fp32>>(size) - minimal_bytes<ScalarForm<Fp32>>(size),
            (2 * 20 * 4 + 64) * 554394 + 4 * 1450000);
}

}  // namespace
}  // namespace ulpine::fem
