// SPDX-License-Identifier: Apache-2.0
// Streamline upwinding in closed form: against 113-bit integrals, the 11 points, and what it is for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

// math:: in 113 bits comes before what uses it.
#include "tests/fem/reference_elements.hpp"
//
#include "core/exec/host.hpp"
#include "core/fem/assembly.hpp"
#include "core/fem/instances.hpp"
#include "core/fem/step_kernels.hpp"
#include "core/linalg/krylov.hpp"
#include "core/mesh/tetra_box.hpp"
#include "core/mesh/tetra_connections.hpp"
#include "tests/fem/air_support.hpp"
#include "tests/fem/element_matrix.hpp"
#include "tests/fem/flow.hpp"
#include "tests/support/fem/quadrature_forms.hpp"

namespace ulpine::fem {
namespace {

using test::at;
using test::RandomValues;
using test::ReferenceElement;
using test::Vector;
using Local = std::array<float128, 4>;

constexpr Stabilisation schemes[] = {Stabilisation::none, Stabilisation::streamline_upwind,
                                     Stabilisation::supg};
constexpr UpwindRule rules[] = {UpwindRule::unity, UpwindRule::optimal, UpwindRule::doubly_asymptotic,
                                UpwindRule::critical};

template <class F>
std::array<std::vector<double>, 2> entries_and_sums(F const& form) {
  test::ElementMatrix<F> const all(form);
  std::array<std::vector<double>, 2> out;
  for (int i = 0; i < 4; ++i) {
    for (auto const& entry : all.entry[i])
      for (auto const value : entry) out[0].push_back(static_cast<double>(value));
    for (int k = 0; k < F::right; ++k) out[1].push_back(static_cast<double>(all.sum[i][k]));
  }
  return out;
}

float128 magnitude(float128 x) { return x < 0 ? float128(-x) : x; }

/// The longest stretch along u inside the element, from its end points.
struct Stretch {
  Vector start{}, end{};
  float128 length;

  Stretch(ReferenceElement const& e, Vector const& u) {
    float128 forward = 0;
    for (int k = 0; k < 4; ++k) {
      auto const d = test::dot(u, e.gradient[k]);
      if (d > 0) forward += d;
    }
    for (int k = 0; k < 4; ++k) {
      auto const share = test::dot(u, e.gradient[k]) / forward;
      for (int c = 0; c < 3; ++c) {
        if (share > 0) end[c] += share * e.x[k][c];
        if (share < 0) start[c] -= share * e.x[k][c];
      }
    }
    auto const along = test::minus(end, start);
    length = boost::multiprecision::sqrt(test::dot(along, along));
  }
};

TEST(LengthAlongTheFlow, IsThatOfTheLongestStretchInsideTheElement) {
  RandomValues random(43);
  for (int trial = 0; trial < 60; ++trial) {
    auto const x = test::random_tetrahedron(random, trial);
    ReferenceElement const e(x.data());
    Vector u{};
    for (auto& component : u) component = random.between(-20, 20);
    Stretch const stretch(e, u);
    auto const speed = boost::multiprecision::sqrt(test::dot(u, u));

    // Its ends lie on a line along u, and no line through a point inside is longer.
    auto const across = test::cross(test::minus(stretch.end, stretch.start), u);
    EXPECT_LT(static_cast<double>(boost::multiprecision::sqrt(test::dot(across, across))), 1e-20);
    for (int line = 0; line < 50; ++line) {
      float128 ahead = 1e30, behind = 1e30;
      std::array<double, 4> L;
      double total = 0;
      for (auto& share : L) total += share = -std::log(random.uniform());
      for (int k = 0; k < 4; ++k) {
        auto const rate = test::dot(u, e.gradient[k]) / speed;
        auto const reach = float128(L[k] / total) / magnitude(rate);
        (rate < 0 ? ahead : behind) = std::min(rate < 0 ? ahead : behind, reach);
      }
      EXPECT_LE(static_cast<double>(ahead + behind), static_cast<double>(stretch.length) * (1 + 1e-12));
    }

    double edge[3][3], v[3];
    for (int k = 0; k < 3; ++k)
      for (int d = 0; d < 3; ++d) edge[k][d] = x[3 * (k + 1) + d] - x[d];
    for (int d = 0; d < 3; ++d) v[d] = static_cast<double>(u[d]);
    double const rate = crossing_rate(geometry_of(edge), v);
    // Gradients to (9 c + 7) u of the steepest (test_elements.cpp), seven sums of three products.
    double const error =
        (9 * e.condition() + 7 + 21) * 0x1p-53 * 8 * static_cast<double>(speed) * e.steepest();
    EXPECT_NEAR(rate, static_cast<double>(2 * speed / stretch.length), error) << trial;
  }
}

TEST(LengthAlongTheFlow, DoesNotDependOnTheOrderOfTheNodes) {
  RandomValues random(47);
  for (int trial = 0; trial < 20; ++trial) {
    auto const x = test::random_tetrahedron(random, 1);
    ReferenceElement const e(x.data());
    double const u[3] = {random.between(-20, 20), random.between(-20, 20), random.between(-20, 20)};
    Upwinding<double> const how{Stabilisation::supg, UpwindRule::optimal, 0.5};
    double first = 0;
    for (auto const& order : {std::array{0, 1, 2, 3}, std::array{1, 2, 0, 3}, std::array{3, 2, 1, 0},
                              std::array{1, 0, 3, 2}, std::array{2, 3, 0, 1}}) {
      double edge[3][3];
      for (int k = 0; k < 3; ++k)
        for (int d = 0; d < 3; ++d) edge[k][d] = x[3 * order[k + 1] + d] - x[3 * order[0] + d];
      auto const geometry = geometry_of(edge);
      auto const nu = along_flow_time(how, geometry, u, 200 * geometry.volume * dot(u, u));
      if (first == 0) first = nu;
      // Of the sum as below, and of the Peclet number, each twice.
      EXPECT_NEAR(nu / first, 1, 2 * 3 * (9 * e.condition() + 28) * 0x1p-53 * 2 * e.condition()) << trial;
    }
  }
}

TEST(TimeAlongTheFlow, IsThatOfOneDimensionOnAnElementAlongTheFlow) {
  // Its longest stretch along x is an edge of 200 m; Pe = 10 * 200 / (2 * 250) = 4.
  double const edge[3][3] = {{200, 0, 0}, {100, 150, 0}, {100, 50, 120}}, u[3] = {10, 0, 0};
  auto const geometry = geometry_of(edge);
  auto const spread = 250 * geometry.volume * 100;
  auto const nu = [&](UpwindRule rule, double kappa_spread) {
    return along_flow_time(Upwinding<double>{Stabilisation::supg, rule, 0.25}, geometry, u, kappa_spread);
  };
  double const full = 0.25 * 200 / 10;
  EXPECT_NEAR(nu(UpwindRule::unity, spread), full, 1e-13);
  EXPECT_NEAR(nu(UpwindRule::optimal, spread), full * (1 / std::tanh(4.0) - 0.25), 1e-13);
  EXPECT_NEAR(nu(UpwindRule::critical, spread), full * 0.75, 1e-13);
  EXPECT_NEAR(nu(UpwindRule::doubly_asymptotic, 2 * spread), full * 2 / 3, 1e-13);
  EXPECT_NEAR(nu(UpwindRule::optimal, 0), full, 1e-13);
  auto const limited = along_flow_time(Upwinding<double>{Stabilisation::supg, UpwindRule::unity, 0.25, 3.75},
                                       geometry, u, spread);
  EXPECT_NEAR(limited, 3, 1e-13);  // 1 / (1 / 5^2 + 1 / 3.75^2)^(1/2)
  double const still[3] = {9e-6, 0, 0};
  EXPECT_EQ(along_flow_time(Upwinding<double>{Stabilisation::supg}, geometry, still, 0.0), 0);
}

/// kappa and mu along the flow and what follows, in 113 bits.
struct ReferenceUpwinding {
  std::array<float128, 4> tested;  ///< nu u.grad N_i

  ReferenceUpwinding(ReferenceElement const& e, Upwinding<double> const& how,
                     std::array<double, 12> const& velocity, std::array<Vector, 3> const& kappa) {
    Vector u{};
    for (int k = 0; k < 12; ++k) u[k % 3] += float128(velocity[k]) / 4;
    auto const square = test::dot(u, u);
    float128 spread = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) spread += u[a] * kappa[a][b] * u[b];
    auto const length = Stretch(e, u).length, speed = boost::multiprecision::sqrt(square);
    float128 share = 1;
    if (how.rule != UpwindRule::unity && spread > 0) {
      // Pe = |u| l / (2 u.kappa u / |u|^2).
      share = upwind_share(how.rule, float128(speed * length * square / (2 * spread)));
    }
    for (int k = 0; k < 4; ++k) {
      tested[k] = how.scale * share * length / speed * test::dot(u, e.gradient[k]);
    }
  }
};

template <class P, Diffusion diffusion>
void expect_upwinding_as_the_reference() {
  RandomValues random(53);
  using Real = typename P::Compute;
  bool const tensor = diffusion == Diffusion::tensor;
  double const unit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
  for (int trial = 0; trial < 48; ++trial) {
    auto x = test::random_tetrahedron(random, trial);
    if (sizeof(typename P::State) == 4) {
      for (auto& value : x) value = static_cast<float>(value);
    }
    ReferenceElement const e(x.data());
    if (e.condition() > (sizeof(Real) == 4 ? 20 : 1000)) continue;
    auto const u = test::random_values<12>(random, -20, 20);
    auto const c = test::random_values<4>(random, 280, 320), c_ref = test::random_values<4>(random, 280, 320),
               sigma = test::random_values<4>(random, 0, 0.1), source = test::random_values<4>(random, -1, 1);
    auto const kappa = test::random_values<36>(random, -50, 100);
    auto const kappa_one = test::random_values<4>(random, 0, 2000);
    double const beta = trial % 4 / 4.0, implicit = trial % 2 == 0 ? 1.25 : 0;
    auto const to_state = [](auto const& values) {
      return std::vector<typename P::State>(values.begin(), values.end());
    };
    auto const position = to_state(x), velocity = to_state(u), value = to_state(c),
               reference = to_state(c_ref), absorption = to_state(sigma), sources = to_state(source),
               diffusivity = tensor ? to_state(kappa) : to_state(kappa_one);
    auto const K = test::mean_tensor(tensor, kappa, kappa_one);
    auto const rule = rules[trial / 3 % 4];
    for (auto const scheme : schemes) {
      Upwinding<double> const how{scheme, rule, 0.75};
      ReferenceUpwinding const upwinding(e, how, u, K);
      bool const supg = scheme == Stabilisation::supg;
      for (bool const lumped : {false, true}) {
        using F = AdvectionDiffusion<P, diffusion, Advection::direct, Upwind::along_flow>;
        using Plain = AdvectionDiffusion<P, diffusion, Advection::direct>;
        auto const* const mesh = position.data();
        ScalarInput<P> const in{velocity.data(),   value.data(),     diffusivity.data(),
                                absorption.data(), reference.data(), sources.data()};
        ScalarStep<Real> const step{static_cast<Real>(implicit), static_cast<Real>(beta)};
        auto const got =
            entries_and_sums(F{mesh, in, step, {lumped}, {scheme, rule, static_cast<Real>(how.scale)}});
        auto const plain = entries_and_sums(Plain{mesh, in, step, {lumped}});
        if (scheme == Stabilisation::none) {
          EXPECT_EQ(got, plain);
          continue;
        }

        auto const div = test::divergence(e, u);
        double const V = static_cast<double>(e.volume), g = e.steepest();
        // As in test_elements.cpp, and the error of nu: that of sum_i |u.grad N_i| is (9 c + 28) u of four
        // |u| times the steepest gradient, which is at most 2 c of the sum itself; that of the Peclet number
        // twice as much, and xi as a function of it or of its inverse has no slope above 1.
        double const error =
            (27 * e.condition() + 64 + 3 * (9 * e.condition() + 28) * 2 * e.condition()) * unit;
        double const diffused = (tensor ? 9 * 100 : 3 * 2000) * g * g;
        double const bound = error * V * (2 + implicit * (8 * 35 * g + diffused + 0.2 + 6 * 60 * g));
        double const right_bound =
            error * V * (2 + 0.2 * 40 + 2 * 35 * g * 40 * 3 + diffused * 40 * 3 + 6 * 60 * g * 320);
        for (int i = 0; i < 4; ++i) {
          auto const s = upwinding.tested[i];
          float128 right =
              supg ? s * e.integrate([&](Local const& L) { return at(L, source); }) : float128(0);
          for (int j = 0; j < 4; ++j) {
            auto const advected =
                s * e.integrate([&](Local const& L) { return test::dot(at(L, u), e.gradient[j]); });
            auto const mass = s * e.volume / 4;
            auto const absorbed = s * e.integrate([&](Local const& L) { return at(L, sigma) * L[j]; });
            auto const a = advected + (supg ? beta * div * mass : float128(0));
            auto const lump = i == j ? s * e.volume : float128(0);
            auto const m = supg ? (lumped ? lump : mass) : float128(0);
            auto const want = m + implicit * (a + (supg ? absorbed : float128(0)));
            EXPECT_NEAR(got[0][4 * i + j] - plain[0][4 * i + j], static_cast<double>(want), bound)
                << trial << ": " << i << ", " << j;
            right -= a * c[j] + (supg ? absorbed * (float128(c[j]) - c_ref[j]) : float128(0));
          }
          EXPECT_NEAR(got[1][i] - plain[1][i], static_cast<double>(right), right_bound) << trial << ": " << i;
        }
      }
    }
  }
}

TEST(UpwindedElements, AreTheReferenceWithinTheirRoundoff) {
  expect_upwinding_as_the_reference<Fp64, Diffusion::isotropic>();
  expect_upwinding_as_the_reference<Fp64, Diffusion::tensor>();
  expect_upwinding_as_the_reference<Fp32, Diffusion::isotropic>();
  expect_upwinding_as_the_reference<Mixed, Diffusion::isotropic>();
}

TEST(UpwindedElements, AreThoseOfTheElevenPointsInAUniformFlow) {
  RandomValues random(59);
  for (int trial = 0; trial < 40; ++trial) {
    auto const x = test::random_tetrahedron(random, 1);
    ReferenceElement const e(x.data());
    if (e.condition() > 50) continue;
    test::Flow<Fp64> flow({x.begin(), x.end()}, static_cast<std::uint64_t>(trial));
    for (std::size_t k = 3; k < 12; ++k) flow.velocity[k] = flow.velocity[k - 3];
    for (std::size_t k = 9; k < 36; ++k) flow.tensor[k] = flow.tensor[k - 9];
    for (int d = 0; d < 3; ++d)  // positive along any flow
      for (std::size_t k = 0; k < 4; ++k) flow.tensor[9 * k + static_cast<std::size_t>(4 * d)] += 2000;
    auto const* const mesh = flow.position.data();
    for (auto const scheme : schemes)
      for (auto const rule : rules) {
        QuadratureAdvectionDiffusion<Fp64> points{mesh, flow.scalar_input(true), {1, 0.25}, {trial % 2 == 1}};
        points.tensor = true;
        points.upwinding = {scheme, rule, 0.5};
        points.length = UpwindLength::along_flow;
        auto const want = entries_and_sums(points);
        auto const got = entries_and_sums(
            UpwindTensorScalarForm<Fp64>{mesh, points.in, points.step, points.options, points.upwinding});
        double const error = (27 * e.condition() + 300 + 3 * (9 * e.condition() + 28) * 2 * e.condition()) *
                             0x1p-53 * 30;  // as in test_quadrature.cpp, and of nu as above
        for (int part = 0; part < 2; ++part) {
          double most = 0;
          for (double const value : want[part]) most = std::max(most, std::abs(value));
          for (std::size_t k = 0; k < want[part].size(); ++k) {
            EXPECT_NEAR(got[part][k], want[part][k], error * most) << trial << ' ' << part << ' ' << k;
          }
        }
      }
  }
}

TEST(UpwindedMomentum, HasTheReferencesViscosityAlongTheFlow) {
  RandomValues random(61);
  for (int trial = 0; trial < 24; ++trial) {
    auto const x = test::random_tetrahedron(random, trial);
    ReferenceElement const e(x.data());
    if (e.condition() > 1000) continue;
    auto const u = test::random_values<12>(random, -20, 20), old = test::random_values<12>(random, -20, 20);
    auto const rho = test::random_values<4>(random, 0.2, 1.2), mu = test::random_values<4>(random, 0, 2000);
    auto const tensor = test::random_values<36>(random, 0, 2000);
    bool const full = trial % 2 == 1;
    float128 mean = 0;
    for (int k = 0; k < 4; ++k) mean += float128(rho[k]) / 4;
    auto K = test::mean_tensor(full, tensor, mu);
    for (auto& row : K)
      for (auto& value : row) value /= mean;
    auto const rule = rules[trial / 2 % 3];
    Upwinding<double> const how{Stabilisation::streamline_upwind, rule, 0.5};
    ReferenceUpwinding const upwinding(e, how, u, K);
    MomentumOptions options;
    options.lumped = true, options.viscosity_tensor = full;
    MomentumInput<Fp64> in;
    in.velocity = u.data(), in.old_velocity = old.data(), in.density = rho.data();
    in.viscosity = full ? tensor.data() : mu.data();
    auto const* const mesh = x.data();
    MomentumStep<double> const step{1.25, 0, {0, 0, -10}, {}};
    auto const got = entries_and_sums(UpwindSharedMomentum<Fp64>{mesh, in, step, options, how});
    auto const plain = entries_and_sums(SharedMomentum<Fp64>{mesh, in, step, options});
    double const V = static_cast<double>(e.volume), g = e.steepest();
    double const error =
        (27 * e.condition() + 64 + 3 * (9 * e.condition() + 28) * 2 * e.condition()) * 0x1p-53;
    double const bound = error * V * (1.2 + 1.25 * (1.2 * 2 * 3 * 35 * g + 9 * 2000 * g * g));
    for (int i = 0; i < 4; ++i) {
      std::array<float128, 3> right{};
      for (int j = 0; j < 4; ++j) {
        auto const a = upwinding.tested[i] * e.integrate([&](Local const& L) {
          return at(L, rho) * test::dot(at(L, u), e.gradient[j]);
        });
        EXPECT_NEAR(got[0][4 * i + j] - plain[0][4 * i + j], static_cast<double>(1.25 * a), bound) << trial;
        for (int d = 0; d < 3; ++d) right[d] -= a * old[3 * j + d];
      }
      for (int d = 0; d < 3; ++d) {
        EXPECT_NEAR(got[1][3 * i + d] - plain[1][3 * i + d], static_cast<double>(right[d]), bound * 4 * 20);
      }
    }
  }
}

/// A wind along a row of cubes, theta solved for as the model does.
class RowOfCubes {
 public:
  static constexpr std::int32_t cells = 40;

  /// Largest value above 1 and lowest below 0 of a step that a wind of 1 m s-1 carried over 10 cells of 1 m
  /// in so many steps.
  double outside_of_the_step(Stabilisation scheme, int steps) {
    for (std::int32_t n = 0; n < nodes_; ++n) value_[size(n)] = x(n) < 10.5 ? 1 : 0;
    auto most = 0.0;
    for (int k = 0; k < steps; ++k) {
      step(scheme, 10.0 / steps);
      auto const [low, high] = std::minmax_element(value_.begin(), value_.end());
      most = std::max({most, -*low, *high - 1});
    }
    return most;
  }
  /// Mean over nodes of the distance to the exact step.
  double distance() const {
    auto sum = 0.0;
    for (std::int32_t n = 0; n < nodes_; ++n) sum += std::abs(value_[size(n)] - (x(n) < 20.5 ? 1 : 0));
    return sum / nodes_;
  }

 private:
  static std::size_t size(std::int32_t n) { return static_cast<std::size_t>(n); }
  double x(std::int32_t n) const { return mesh_.position[3 * size(n)]; }

  void step(Stabilisation scheme, double dt) {
    Host const host{1};
    auto const view = connections_.view();
    std::vector<double> matrix(static_cast<std::size_t>(view.pattern.entries())), right(size(nodes_)),
        rate(size(nodes_));
    std::vector<std::uint8_t> fixed(size(nodes_));
    for (std::int32_t n = 0; n < nodes_; ++n) fixed[size(n)] = x(n) < 0.5;
    using Form = UpwindScalarForm<Fp64>;
    Form const form{mesh_.position.data(),
                    {wind_.data(), value_.data()},
                    {dt / 2, 0},
                    {},
                    {scheme, UpwindRule::optimal, 0.5}};
    assemble(host, Plan<Host>(host, view, Way::elements), view, form,
             Target<Form>{matrix.data(), right.data(), nullptr});
    auto const old = value_;
    std::vector<double> const given(size(nodes_), 1.0);
    for_each(host, std::int64_t{nodes_},
             FixedRates<double, 1>{view.pattern, fixed.data(), given.data(), old.data(), 1 / dt,
                                   matrix.data(), right.data()});
    CsrView<double const> const rows{view.pattern, matrix.data()};
    linalg::MatrixOperator<double, double, Host> product(host, rows);
    linalg::Jacobi<double, double, Host> jacobi(host, rows);
    linalg::BiCgStab<double, Host> solver(host, nodes_, {1e-12, 0, 2000, 4});
    EXPECT_EQ(solver.solve(product, &jacobi, right.data(), rate.data()).outcome, linalg::Outcome::converged);
    for_each(host, std::int64_t{nodes_},
             Advanced<double, 1>{fixed.data(), given.data(), old.data(), rate.data(), dt, value_.data()});
  }

  static TetraMesh cubes() {
    auto mesh = box_mesh({cells, 1, 1, {cells, 1, 1}, 1, 0, 0});
    settle(mesh, "the cubes");
    return mesh;
  }
  TetraMesh mesh_ = cubes();
  std::int32_t nodes_ = mesh_.nodes();
  decltype(build_connectivity(Host{}, View<std::int32_t const>{}, 0)) connections_ = build_connectivity(
      Host{1},
      View<std::int32_t const>{mesh_.element.data(), static_cast<std::int64_t>(mesh_.element.size())},
      nodes_);
  std::vector<double> wind_ = [this] {
    std::vector<double> u(3 * size(nodes_));
    for (std::size_t n = 0; n < u.size(); n += 3) u[n] = 1;
    return u;
  }();
  std::vector<double> value_ = std::vector<double>(size(nodes_));
};

TEST(AStepInTheWind, OvershootsLessWithUpwindingAndIsSmearedLessBySupg) {
  double outside[3], distance[3];
  for (int k = 0; k < 3; ++k) {
    RowOfCubes row;
    outside[k] = row.outside_of_the_step(schemes[k], 40);
    distance[k] = row.distance();
  }
  EXPECT_GT(outside[0], 0.2);
  EXPECT_LT(outside[1], outside[0] / 4);
  EXPECT_LT(outside[2], outside[0] / 2);
  EXPECT_LT(distance[2], distance[1]);
}

TEST(CasesOfElements, ChooseTheirUpwinding) {
  auto const read = [](std::string const& text) {
    return read_case(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml")).parameters;
  };
  auto const plain = read("");
  EXPECT_EQ(plain.upwind.stabilisation, Stabilisation::none);
  EXPECT_EQ(plain.upwind_wind.stabilisation, Stabilisation::none);
  auto const supg = read("[upwind]\nscheme = 'supg'\nrule = 'critical'\nscale = 0.25\n");
  EXPECT_EQ(supg.upwind.stabilisation, Stabilisation::supg);
  EXPECT_EQ(supg.upwind.rule, UpwindRule::critical);
  EXPECT_EQ(supg.upwind.scale, 0.25);
  EXPECT_EQ(supg.upwind.limit, 5);
  EXPECT_EQ(supg.upwind_wind.stabilisation, Stabilisation::none);
  auto const wind =
      read("[upwind]\nscheme = 'streamline'\nwind = 'streamline'\nrule = 'doubly_asymptotic'\n");
  EXPECT_EQ(wind.upwind.stabilisation, Stabilisation::streamline_upwind);
  EXPECT_EQ(wind.upwind_wind.stabilisation, Stabilisation::streamline_upwind);
  EXPECT_EQ(wind.upwind_wind.rule, UpwindRule::doubly_asymptotic);
  EXPECT_EQ(read("[upwind]\nscheme = 'supg'\nlimit = 0.0\n").upwind.limit, 0);
  EXPECT_EQ(read("[upwind]\nscheme = 'supg'\nrule = 'unity'\n").upwind.rule, UpwindRule::unity);
  EXPECT_THROW(read("[upwind]\nwind = 'supg'\n"), InputError);
}

/// Air between walls with a bubble so small that its edges are steep.
std::string bubble(std::string const& more) {
  return "[mesh]\nnx = 6\nny = 3\nnz = 6\nlength = [600.0, 300.0, 600.0]\n[air]\nbuoyancy_frequency = 0.0\n"
         "[time]\nstep = '5 s'\n[start.bubble]\namplitude = 5.0\ncentre = [300.0, 150.0, 200.0]\n"
         "radius = [150.0, 150.0, 150.0]\n" +
         more;
}

TEST(AirOfElements, IsUpwindedAsItsCaseSays) {
  struct Run {
    char const* keys;
    double warmest = 0, fastest = 0;
  };
  Run runs[] = {{""},
                {"[upwind]\nscheme = 'streamline'\nrule = 'unity'\nlimit = 0.0\n"},
                {"[upwind]\nscheme = 'supg'\n"},
                {"[upwind]\nwind = 'streamline'\nrule = 'unity'\nlimit = 0.0\n"}};
  for (auto& run : runs) {
    test::ElementAir air(bubble(run.keys));
    air.steps(12);
    run.warmest = test::largest(air.values("theta"));
    run.fastest = test::largest(air.values("w"));
  }
  auto const& [plain, streamline, supg, wind] = runs;
  EXPECT_LT(streamline.warmest, plain.warmest - 0.1);
  EXPECT_NE(supg.warmest, plain.warmest);
  EXPECT_NE(supg.warmest, streamline.warmest);
  EXPECT_LT(wind.fastest, plain.fastest);
}

TEST(StartOfElements, IsColdByTemperatureWhereTheCaseSaysSo) {
  auto const text = bubble("of = 'temperature'\n");
  auto const air = read_case(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"));
  auto const theta = read_case(io::CaseFile::parse("core = 'fem'\n" + bubble(""), "case.toml"));
  auto differ = 0;
  for (std::int32_t n = 0; n < air.nodes(); ++n) {
    auto const k = static_cast<std::size_t>(n);
    auto const p = air.pressure[k];
    // T = theta (p / p0)^(R / cp), at the pressure of the reference.
    auto const exner = std::pow(p / 1e5, (1004.64 - 717.6) / 1004.64);
    EXPECT_NEAR((air.start_theta[k] - air.theta[k]) * exner, theta.start_theta[k] - theta.theta[k], 1e-11);
    differ += air.start_theta[k] != theta.start_theta[k];
  }
  EXPECT_GT(differ, 3);
}

}  // namespace
}  // namespace ulpine::fem
