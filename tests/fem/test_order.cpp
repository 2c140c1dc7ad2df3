// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/exec/host.hpp"
#include "core/fem/assembly.hpp"
#include "core/fem/instances.hpp"
#include "core/fem/step_kernels.hpp"
#include "core/linalg/krylov.hpp"
#include "core/mesh/tetra_box.hpp"
#include "core/mesh/tetra_connections.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::fem;

constexpr double pi = std::numbers::pi, kappa = 0.05;
using Point = std::array<double, 3>;

double exact(Point const& x) { return std::sin(pi * x[0]) * std::cos(2 * x[1]) * std::exp(x[2] / 2); }
/// Free of divergence.
Point wind(Point const& x) { return {1 + x[1] * x[1], 0.5 - x[0], 0.25 * x[0] * x[1]}; }
/// u.grad c - kappa div grad c.
double source(Point const& x) {
  auto const rise = std::exp(x[2] / 2), s = std::sin(pi * x[0]), c = std::cos(2 * x[1]);
  Point const gradient{pi * std::cos(pi * x[0]) * c * rise, -2 * s * std::sin(2 * x[1]) * rise,
                       s * c * rise / 2};
  auto const u = wind(x);
  return u[0] * gradient[0] + u[1] * gradient[1] + u[2] * gradient[2] -
         kappa * (-pi * pi - 4 + 0.25) * exact(x);
}

/// Error in L2 of the steady solution on a cube of n^3 cells, given on its boundary.
template <class Form = ScalarForm<Fp64>>
double error_of(std::int32_t n, decltype(Form::upwinding) const& upwinding = {}) {
  Host const host{2};
  auto mesh = box_mesh({n, n, n, {1, 1, 1}, 1, 0.1, 3});
  settle(mesh, "the cube");
  renumber(mesh);
  auto const nodes = mesh.nodes();
  auto const size = static_cast<std::size_t>(nodes);
  auto const connections = build_connectivity(
      host, View<std::int32_t const>{mesh.element.data(), static_cast<std::int64_t>(mesh.element.size())},
      nodes);
  auto const view = connections.view();
  auto const point = [&](std::int32_t node) {
    auto const at = 3 * static_cast<std::size_t>(node);
    return Point{mesh.position[at], mesh.position[at + 1], mesh.position[at + 2]};
  };
  std::vector<double> u, c, s, given, none(size), diffusivity(size, kappa), right(size), rate(size);
  for (std::int32_t k = 0; k < nodes; ++k) {
    for (auto const component : wind(point(k))) u.push_back(component);
    s.push_back(source(point(k)));
    given.push_back(exact(point(k)));
  }
  std::vector<std::uint8_t> fixed(size);
  for (auto const node : mesh.face) fixed[static_cast<std::size_t>(node)] = 1;
  std::vector<double> matrix(static_cast<std::size_t>(view.pattern.entries()));

  // One step so long that nothing is left of its start.
  auto const step = 1e12;
  Form const form{mesh.position.data(),
                  {u.data(), none.data(), diffusivity.data(), nullptr, nullptr, s.data()},
                  {step, 0},
                  {},
                  upwinding};
  assemble(host, Plan<Host>(host, view, Way::elements), view, form,
           Target<Form>{matrix.data(), right.data(), nullptr});
  for_each(host, std::int64_t{nodes},
           FixedRates<double, 1>{view.pattern, fixed.data(), given.data(), none.data(), 1 / step,
                                 matrix.data(), right.data()});
  CsrView<double const> const rows{view.pattern, matrix.data()};
  linalg::MatrixOperator<double, double, Host> product(host, rows);
  linalg::Jacobi<double, double, Host> jacobi(host, rows);
  linalg::BiCgStab<double, Host> solver(host, nodes, {1e-12, 0, 2000, 4});
  EXPECT_EQ(solver.solve(product, &jacobi, right.data(), rate.data()).outcome, linalg::Outcome::converged);
  std::vector<double> solution(size);
  for_each(host, std::int64_t{nodes},
           Advanced<double, 1>{fixed.data(), given.data(), none.data(), rate.data(), step, solution.data()});

  // Four points of degree 2 an element.
  auto const far = (5 + 3 * std::sqrt(5.0)) / 20, near = (5 - std::sqrt(5.0)) / 20;
  auto sum = 0.0;
  for (std::int32_t e = 0; e < mesh.elements(); ++e) {
    for (int q = 0; q < 4; ++q) {
      Point x{};
      auto value = 0.0;
      for (int k = 0; k < 4; ++k) {
        auto const node = mesh.element[static_cast<std::size_t>(4 * e + k)];
        auto const weight = k == q ? far : near;
        for (std::size_t d = 0; d < 3; ++d) x[d] += weight * point(node)[d];
        value += weight * solution[static_cast<std::size_t>(node)];
      }
      sum += six_volumes(mesh, e) / 24 * std::pow(value - exact(x), 2);
    }
  }
  return std::sqrt(sum);
}

TEST(AdvectionDiffusionOnTetrahedra, IsOfSecondOrder) {
  double error[3];
  for (int n = 0; n < 3; ++n) error[n] = error_of(6 << n);
  for (int n = 0; n < 2; ++n) {
    EXPECT_NEAR(std::log2(error[n] / error[n + 1]), 2, 0.1) << error[n] << ' ' << error[n + 1];
  }
}

TEST(UpwindingOnTetrahedra, KeepsTheSecondOrderWithSupgAndIsOfTheFirstWithoutHeedOfDiffusion) {
  using Form = UpwindScalarForm<Fp64>;
  auto const order = [](Stabilisation how, UpwindRule rule) {
    return std::log2(error_of<Form>(8, {how, rule, 0.5}) / error_of<Form>(16, {how, rule, 0.5}));
  };
  EXPECT_NEAR(order(Stabilisation::supg, UpwindRule::optimal), 2, 0.1);
  EXPECT_NEAR(order(Stabilisation::streamline_upwind, UpwindRule::unity), 1, 0.1);
}

}  // namespace
