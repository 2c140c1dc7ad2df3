// SPDX-License-Identifier: Apache-2.0
// Element matrices against 113-bit integrals the long way.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// math:: in 113 bits comes before what uses it.
#include "tests/fem/reference_elements.hpp"
//
#include "core/fem/instances.hpp"
#include "tests/fem/element_matrix.hpp"

namespace ulpine::fem {
namespace {

using test::at;
using test::ElementMatrix;
using test::RandomValues;
using test::ReferenceElement;
using Local = std::array<float128, 4>;

constexpr int trials = 45;

template <class P>
std::vector<typename P::State> stored(auto const& values) {
  std::vector<typename P::State> out;
  for (double const value : values) out.push_back(static_cast<typename P::State>(value));
  return out;
}

/// Relative error of what an element's matrix adds up, as a multiple of its terms' absolute values with
/// `steepest` for each gradient: edges are right to u, so volumes to (9 c + 3) u and gradients to
/// (9 c + 7) u times `steepest`, c = L^3 / det; two gradients and a volume meet, and 40 roundings of sums and
/// products. Operands of rounded products are right to the format's roundoff v; two meet.
template <class P>
double relative_error(ReferenceElement const& e) {
  using Real = typename P::Compute;
  double const u = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
  double v = 0;
  if constexpr (std::is_same_v<typename P::Multiplicand, Tf32> ||
                std::is_same_v<typename P::Multiplicand, Binary16>) {
    v = 0x1p-11;
  }
  if constexpr (std::is_same_v<typename P::Multiplicand, Bfloat16>) v = 0x1p-8;
  // Block floating point: binary16 holds components down to 2^-14 of the largest with all its bits; smaller
  // ones lose 2^-25 of the largest, which the same v covers.
  return (27 * e.condition() + 64) * u + 2.1 * v;
}

template <class P>
class ElementMatrices : public testing::Test {};
using Policies = testing::Types<Fp64, Fp32, Mixed, Tf32Products, Bf16Products, Fp16Products>;
TYPED_TEST_SUITE(ElementMatrices, Policies);

template <class P, Diffusion diffusion, Advection advection>
void expect_scalar_matrices_as_the_reference() {
  RandomValues random(7);
  bool const tensor = diffusion == Diffusion::tensor, by_parts = advection == Advection::by_parts;
  for (int trial = 0; trial < trials; ++trial) {
    auto x = test::random_tetrahedron(random, trial);
    if (sizeof(typename P::State) == 4) {
      for (auto& value : x) value = static_cast<float>(value);
    }
    ReferenceElement const e(x.data());
    if (e.volume <= 0) continue;
    auto const u = test::random_values<12>(random, -20, 20);
    auto const c = test::random_values<4>(random, 280, 320), c_ref = test::random_values<4>(random, 280, 320),
               sigma = test::random_values<4>(random, 0, 0.1), source = test::random_values<4>(random, -1, 1);
    auto const kappa = test::random_values<36>(random, -50, 100);
    auto const kappa_one = test::random_values<4>(random, 0, 100);
    double const beta = trial % 4 / 4.0, implicit = trial % 2 == 0 ? 1.25 : 0;
    bool const lumped = trial % 5 == 1;
    auto const position = stored<P>(x), velocity = stored<P>(u), value = stored<P>(c),
               reference = stored<P>(c_ref), absorption = stored<P>(sigma), sources = stored<P>(source),
               diffusivity = tensor ? stored<P>(kappa) : stored<P>(kappa_one);
    using F = AdvectionDiffusion<P, diffusion, advection>;
    using Real = typename P::Compute;
    F const form{position.data(),
                 {velocity.data(), value.data(), diffusivity.data(), absorption.data(), reference.data(),
                  sources.data()},
                 {static_cast<Real>(implicit), static_cast<Real>(beta)},
                 {lumped}};
    ElementMatrix<F> const got(form);

    auto const div = test::divergence(e, u);
    auto const K = test::mean_tensor(tensor, kappa, kappa_one);
    double const V = static_cast<double>(e.volume), g = e.steepest();
    // |u| <= 20 sqrt(3), |kappa| <= 100, sigma <= 0.1; three times for sums over components.
    double const sizes = V * (4 * 35 * g + (tensor ? 9 : 3) * 100 * g * g + 0.1 + 3 * 60 * g);
    double const bound = relative_error<P>(e) * (V + implicit * sizes);
    double const right_bound = relative_error<P>(e) * V *
                               (1 + 0.1 * 40 + 35 * g * 40 * 3 + (tensor ? 9 : 3) * 100 * g * g * 40 * 3 +
                                3 * 60 * g * 320 + (by_parts ? 35 * g * 320 * 3 : 0));
    for (int i = 0; i < 4; ++i) {
      float128 right = e.integrate([&](Local const& L) { return L[i] * at(L, source); });
      for (int j = 0; j < 4; ++j) {
        auto const& gi = e.gradient[i];
        auto const& gj = e.gradient[j];
        float128 diffused = 0;
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b) diffused += gi[a] * K[a][b] * gj[b] * e.volume;
        auto const advected = e.integrate([&](Local const& L) {
          return by_parts ? -test::dot(at(L, u), gi) * L[j] - (1 - beta) * div * L[i] * L[j]
                          : L[i] * test::dot(at(L, u), gj) + beta * div * L[i] * L[j];
        });
        auto const absorbed = e.integrate([&](Local const& L) { return at(L, sigma) * L[i] * L[j]; });
        auto const consistent = e.integrate([&](Local const& L) { return L[i] * L[j]; });
        auto const lump = i == j ? e.volume / 4 : float128(0);
        auto const want = (lumped ? lump : consistent) + implicit * (diffused + advected + absorbed);
        EXPECT_NEAR(static_cast<double>(want), static_cast<double>(got.entry[i][j][0]), bound)
            << trial << ": " << i << ", " << j;
        right -= (diffused + advected) * c[j] + absorbed * (float128(c[j]) - c_ref[j]);
      }
      EXPECT_NEAR(static_cast<double>(right), static_cast<double>(got.sum[i][0]), right_bound)
          << trial << ": " << i;
    }
  }
}

TYPED_TEST(ElementMatrices, OfScalarsAreTheReferenceWithinTheirRoundoff) {
  expect_scalar_matrices_as_the_reference<TypeParam, Diffusion::isotropic, Advection::direct>();
  expect_scalar_matrices_as_the_reference<TypeParam, Diffusion::tensor, Advection::direct>();
}
TYPED_TEST(ElementMatrices, OfScalarsByPartsAreTheReferenceWithinTheirRoundoff) {
  expect_scalar_matrices_as_the_reference<TypeParam, Diffusion::isotropic, Advection::by_parts>();
  expect_scalar_matrices_as_the_reference<TypeParam, Diffusion::tensor, Advection::by_parts>();
}

template <class P, VelocityBlocks blocks>
void expect_momentum_as_the_reference() {
  RandomValues random(11);
  using F = Momentum<P, blocks>;
  using Real = typename P::Compute;
  for (int trial = 0; trial < trials; ++trial) {
    auto x = test::random_tetrahedron(random, trial);
    if (sizeof(typename P::State) == 4) {
      for (auto& value : x) value = static_cast<float>(value);
    }
    ReferenceElement const e(x.data());
    if (e.volume <= 0) continue;
    auto const u = test::random_values<12>(random, -20, 20), old = test::random_values<12>(random, -20, 20),
               target = test::random_values<12>(random, -20, 20),
               sigma = test::random_values<12>(random, 0, 0.1);
    auto const rho = test::random_values<4>(random, 0.2, 1.2), b = test::random_values<4>(random, -0.1, 0.1),
               p = test::random_values<4>(random, -500, 500);
    auto const mu = test::random_values<36>(random, 0, 50);
    Viscosity const form_of_viscosity =
        F::full ? std::array{Viscosity::tensor, Viscosity::partial_stress, Viscosity::full_stress}[trial % 3]
                : Viscosity::tensor;
    MomentumOptions const options{trial % 5 == 1, trial % 7 == 1, form_of_viscosity == Viscosity::tensor,
                                  trial % 3 == 1, form_of_viscosity};
    MomentumStep<Real> const step{
        static_cast<Real>(1.25),
        static_cast<Real>(trial % 4 / 4.0),
        {Real(0), static_cast<Real>(0.5), static_cast<Real>(-9.75)},
        {static_cast<Real>(0.125), static_cast<Real>(-0.25), static_cast<Real>(0.5)}};
    auto const position = stored<P>(x), velocity = stored<P>(u), old_velocity = stored<P>(old),
               density = stored<P>(rho), viscosity = stored<P>(mu), absorption = stored<P>(sigma),
               towards = stored<P>(target), buoyancy = stored<P>(b), pressure = stored<P>(p);
    F const form{position.data(),
                 {velocity.data(), old_velocity.data(), density.data(), viscosity.data(), absorption.data(),
                  towards.data(), buoyancy.data(), pressure.data()},
                 step,
                 options};
    ElementMatrix<F> const got(form);

    auto const div = test::divergence(e, u);
    auto const grad_p = test::gradient(e, p);
    double const V = static_cast<double>(e.volume), g = e.steepest(), f = F::full ? 0.5 : 0;
    double const rate =
        V * 1.2 * (3 * 35 * g + 3 * 60 * g + 0.1 + f) + V * 9 * 50 * g * g * (F::full ? 3 : 1);
    double const bound = relative_error<P>(e) * (1.2 * V + 1.25 * rate);
    double const right_bound =
        relative_error<P>(e) * (4 * 3 * 20 * rate + 4 * 20 * 0.12 * V + V * 0.2 * 10 + V * 3 * 1000 * g);
    for (int i = 0; i < 4; ++i) {
      auto const& gi = e.gradient[i];
      std::array<float128, 3> right{};
      for (int k = 0; k < 3; ++k) {
        right[k] = e.integrate([&](Local const& L) {
          return static_cast<double>(step.gravity[k]) * L[i] * at(L, b) +
                 (options.pressure_by_parts ? -L[i] * grad_p[k] : at(L, p) * gi[k]);
        });
      }
      float128 const lumped = e.integrate([&](Local const& L) { return at(L, rho) * L[i]; });
      for (int j = 0; j < 4; ++j) {
        auto const& gj = e.gradient[j];
        auto const mass = e.integrate([&](Local const& L) { return at(L, rho) * L[i] * L[j]; });
        auto const advected =
            e.integrate([&](Local const& L) { return at(L, rho) * L[i] * test::dot(at(L, u), gj); });
        float128 centre[9];
        for (int k = 0; k < 9; ++k) {
          centre[k] = 0;
          for (int a = 0; a < 4; ++a) {
            centre[k] += float128(options.viscosity_tensor ? mu[9 * a + k] : mu[a]) / 4;
          }
        }
        float128 tensor = 0;
        for (int a = 0; a < 3; ++a)
          for (int c = 0; c < 3; ++c) {
            if (options.viscosity_tensor || a == c) {
              tensor += gi[a] * (options.viscosity_tensor ? centre[3 * a + c] : centre[0]) * gj[c] * e.volume;
            }
          }
        float128 const turn[3] = {float128(step.coriolis[0]), float128(step.coriolis[1]),
                                  float128(step.coriolis[2])};
        float128 const spin[3][3] = {{0, -turn[2], turn[1]}, {turn[2], 0, -turn[0]}, {-turn[1], turn[0], 0}};
        for (int c = 0; c < 3; ++c) {
          std::array<double, 4> s;
          for (int k = 0; k < 4; ++k) s[k] = sigma[F::absorptions == 1 ? k : 3 * k + c];
          auto const consistent =
              e.integrate([&](Local const& L) { return at(L, rho) * at(L, s) * L[i] * L[j]; });
          auto const lump = i == j ? e.integrate([&](Local const& L) { return at(L, rho) * at(L, s) * L[i]; })
                                   : float128(0);
          auto const absorbed = options.lumped_absorption ? lump : consistent;
          for (int d = 0; d < 3; ++d) {
            float128 a = c == d ? advected + static_cast<double>(step.beta) * div * mass + tensor + absorbed
                                : float128(0);
            if (F::full) {
              a += spin[c][d] * mass;
              if (form_of_viscosity != Viscosity::tensor) a += centre[0] * e.volume * gi[d] * gj[c];
              if (form_of_viscosity == Viscosity::full_stress) {
                a -= float128(2) / 3 * centre[0] * e.volume * gi[c] * gj[d];
              }
            } else if (c != d) {
              continue;
            }
            right[c] -= a * old[3 * j + d];
            if (F::width == 1 && c > 0) continue;
            auto const diagonal = i == j ? lumped : float128(0);
            auto const m = c == d ? (options.lumped ? diagonal : mass) : float128(0);
            int const k = F::full ? 3 * c + d : c;
            EXPECT_NEAR(static_cast<double>(m + float128(1.25) * a), static_cast<double>(got.entry[i][j][k]),
                        bound)
                << trial << ": " << i << ", " << j << ", block " << c << ", " << d;
          }
          right[c] += absorbed * target[3 * j + c];
        }
      }
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(static_cast<double>(right[c]), static_cast<double>(got.sum[i][c]), right_bound)
            << trial << ": " << i << ", " << c;
      }
      EXPECT_NEAR(static_cast<double>(lumped), static_cast<double>(got.sum[i][3]), bound);
    }
  }
}

TYPED_TEST(ElementMatrices, OfMomentumAreTheReferenceWithinTheirRoundoff) {
  expect_momentum_as_the_reference<TypeParam, VelocityBlocks::shared>();
  expect_momentum_as_the_reference<TypeParam, VelocityBlocks::diagonal>();
  expect_momentum_as_the_reference<TypeParam, VelocityBlocks::full>();
}

TYPED_TEST(ElementMatrices, OfThePressureAreTheReferenceWithinTheirRoundoff) {
  using P = TypeParam;
  using Real = typename P::Compute;
  using State = typename P::State;
  RandomValues random(13);
  for (int trial = 0; trial < trials; ++trial) {
    auto x = test::random_tetrahedron(random, trial);
    if (sizeof(State) == 4) {
      for (auto& value : x) value = static_cast<float>(value);
    }
    ReferenceElement const e(x.data());
    if (e.volume <= 0) continue;
    auto const rho = test::random_values<4>(random, 0.2, 1.2),
               older = test::random_values<4>(random, 0.2, 1.2),
               D = test::random_values<4>(random, 1e-5, 2e-5), p = test::random_values<4>(random, 1e4, 1e5),
               eos = test::random_values<4>(random, 1e4, 1e5);
    auto const position = stored<P>(x), density = stored<P>(rho), old_density = stored<P>(older),
               compressibility = stored<P>(D), pressure = stored<P>(p), of_density = stored<P>(eos);
    auto const* const mesh = position.data();
    bool const by_parts = trial % 2 == 1;
    ElementMatrix const plain(PlainDivergence<P>{mesh, by_parts, nullptr, nullptr, State(1)});
    ElementMatrix const weighted(
        CompressibleDivergence<P>{mesh, by_parts, density.data(), old_density.data(), State(0.75)});
    ElementMatrix const projection(ProjectionMatrix<P>{mesh, compressibility.data(), of_density.data(),
                                                       pressure.data(), old_density.data(), density.data(),
                                                       Real(0.5), Real(0.25)});
    std::array<double, 4> between;
    for (int k = 0; k < 4; ++k) between[k] = 0.75 * rho[k] + 0.25 * older[k];
    auto const grad_rho = test::gradient(e, between);
    double const V = static_cast<double>(e.volume), g = e.steepest(), error = relative_error<P>(e);
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        auto const& gi = e.gradient[i];
        auto const& gj = e.gradient[j];
        for (int d = 0; d < 3; ++d) {
          auto const want =
              e.integrate([&](Local const& L) { return by_parts ? -gi[d] * L[j] : L[i] * gj[d]; });
          EXPECT_NEAR(static_cast<double>(want), static_cast<double>(plain.entry[i][j][d]), error * V * g);
          auto const with_density = e.integrate([&](Local const& L) {
            return by_parts ? -gi[d] * L[j] * at(L, between)
                            : L[i] * (at(L, between) * gj[d] + grad_rho[d] * L[j]);
          });
          EXPECT_NEAR(static_cast<double>(with_density), static_cast<double>(weighted.entry[i][j][d]),
                      error * V * g * 1.2 * 5);
        }
        auto const compressed = e.integrate([&](Local const& L) { return at(L, D) * L[i] * L[j]; }) / 2;
        EXPECT_NEAR(static_cast<double>(compressed), static_cast<double>(projection.entry[i][j][0]),
                    error * V * 2e-5);
      }
      auto const right = e.integrate([&](Local const& L) {
        return L[i] * (at(L, D) * (at(L, eos) - at(L, p)) + at(L, older) - at(L, rho));
      }) / 4;
      EXPECT_NEAR(static_cast<double>(right), static_cast<double>(projection.sum[i][0]),
                  error * V * (2e-5 * 1e5 + 1.2));
    }
  }
}

// h^-2 = m has e^T m e = 1 for every edge: in 113 bits; then each policy's h against that one's. Its error is
// that of the polar factor, some 64 u L whatever the condition, since the iteration is backward stable.
TEST(EdgeLengthTensor, MakesEveryEdgeOfUnitLength) {
  RandomValues random(17);
  for (int trial = 0; trial < trials; ++trial) {
    auto const x = test::random_tetrahedron(random, trial);
    ReferenceElement const e(x.data());
    float128 edge[3][3], h[6];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d) edge[k][d] = e.x[k + 1][d] - e.x[0][d];
    edge_length_tensor(edge, h);
    test::Vector const rows[3] = {{h[0], h[5], h[4]}, {h[5], h[1], h[3]}, {h[4], h[3], h[2]}};
    auto const determinant = test::dot(rows[0], test::cross(rows[1], rows[2]));
    test::Vector const adjoint[3] = {test::cross(rows[1], rows[2]), test::cross(rows[2], rows[0]),
                                     test::cross(rows[0], rows[1])};
    for (int k = 0; k < 4; ++k)
      for (int l = 0; l < k; ++l) {
        auto const v = test::minus(e.x[k], e.x[l]);
        float128 square = 0;
        for (auto const& row : adjoint) {
          auto const part = test::dot(row, v) / determinant;
          square += part * part;
        }
        EXPECT_NEAR(static_cast<double>(square - 1), 0, 1e-20) << trial;
      }
  }
}

template <class Real>
void expect_lengths_as_in_113_bits(double u) {
  RandomValues random(19);
  for (int trial = 0; trial < trials; ++trial) {
    auto const x = test::random_tetrahedron(random, trial);
    ReferenceElement const e(x.data());
    Real edge[3][3], h[6];
    float128 same[3][3], want[6];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d) {
        edge[k][d] = static_cast<Real>(x[3 * (k + 1) + d] - x[d]);
        same[k][d] = edge[k][d];
      }
    edge_length_tensor(edge, h);
    edge_length_tensor(same, want);
    for (int k = 0; k < 6; ++k) {
      EXPECT_NEAR(static_cast<double>(want[k]), static_cast<double>(h[k]), 64 * u * e.longest)
          << trial << ": " << k;
    }
  }
}
TEST(EdgeLengthTensor, KeepsItsBitsOnFlatElements) {
  expect_lengths_as_in_113_bits<double>(0x1p-53);
  expect_lengths_as_in_113_bits<float>(0x1p-24);
}

TEST(EdgeLengthTensor, IsAccurateOnElementsOfAnyFlatness) {
  RandomValues random(23);
  for (int const exponent : {0, 10, 20, 30, 40}) {
    auto const x = random.uniform(9, -1, 1);
    double edge[3][3], h[6];
    float128 same[3][3], want[6];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d)
        same[k][d] = edge[k][d] = std::ldexp(x[static_cast<std::size_t>(3 * k + d)], d == 2 ? -exponent : 0);
    edge_length_tensor(edge, h);
    edge_length_tensor(same, want);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(static_cast<double>(want[k]), h[k], 64 * 0x1p-53 * 2) << exponent << ": " << k;
  }
}

TEST(EdgeLengthTensor, HasTheSameBitsInAnotherUnitOfLength) {
  RandomValues random(29);
  for (int const exponent : {-60, -7, -2, -1, 1, 2, 9, 60}) {
    auto const x = random.uniform(9, -1, 1);
    double edge[3][3], scaled[3][3], h[6], want[6];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d) {
        edge[k][d] = x[static_cast<std::size_t>(3 * k + d)];
        scaled[k][d] = std::ldexp(edge[k][d], exponent);
      }
    edge_length_tensor(edge, want);
    edge_length_tensor(scaled, h);
    for (int k = 0; k < 6; ++k) EXPECT_EQ(h[k], std::ldexp(want[k], exponent)) << exponent << ": " << k;
  }
}

TEST(EdgeLengthTensor, IsTheEdgeTimesOneOnARegularTetrahedron) {
  double const a = 1 / std::sqrt(2.0);
  double const edge[3][3] = {
      {a, a, 0}, {a, 0, a}, {0, a, a}};  // of length 1; the orientation does not matter
  double h[6];

  edge_length_tensor(edge, h);

  for (int k = 0; k < 6; ++k) EXPECT_NEAR(h[k], k < 3 ? 1 : 0, 16 * 0x1p-53);
}

}  // namespace
}  // namespace ulpine::fem
