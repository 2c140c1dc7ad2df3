// SPDX-License-Identifier: Apache-2.0
// What whole matrices must be, whatever their elements: sums, adjoints, exactness for linear fields, orders.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <vector>

#include "core/exec/host.hpp"
#include "core/fem/assembly.hpp"
#include "fem/faces.hpp"
#include "tests/fem/flow.hpp"
#include "tests/fem/tetra_support.hpp"

namespace ulpine::fem {
namespace {

using test::Assembled;
using test::TetraBox;
using Values = std::vector<double>;

template <class F>
Assembled<F> assembled(TetraBox const& box, F const& form) {
  auto const mesh = box.view();
  Plan<Host> const plan(Host{}, mesh, Way::elements);
  Assembled<F> out(mesh.nodes, mesh.pattern.entries());
  assemble(Host{}, plan, mesh, form, out.target());
  return out;
}

/// y = A x, and the transpose's, and of absolute values.
Values product(TetraBox const& box, Values const& a, Values const& x, int width = 1, int component = 0) {
  Values y(x.size());
  for (std::int32_t r = 0; r < box.nodes(); ++r)
    for (auto k = box.row_start[r]; k < box.row_start[r + 1]; ++k)
      y[r] += a[width * k + component] * x[box.column[k]];
  return y;
}
Values transposed_product(TetraBox const& box, Values const& a, Values const& x, int width, int component) {
  Values y(x.size());
  for (std::int32_t r = 0; r < box.nodes(); ++r)
    for (auto k = box.row_start[r]; k < box.row_start[r + 1]; ++k)
      y[box.column[k]] += a[width * k + component] * x[r];
  return y;
}
double largest(Values const& values) {
  double most = 0;
  for (double const value : values) most = std::max(most, std::abs(value));
  return most;
}
Values nodal_values(TetraBox const& box, std::function<double(double const*)> const& f) {
  Values out;
  for (std::int32_t n = 0; n < box.nodes(); ++n) out.push_back(f(&box.position[3 * n]));
  return out;
}
std::set<std::int32_t> boundary_nodes(TetraBox const& box) {
  std::set<std::int32_t> out;
  for (auto const& face : box.boundary) out.insert(face.begin(), face.end());
  return out;
}

// Roundings of one entry: some 100 in the element, 42 in its sum, the same again in a row's product with 30
// entries; elements of the boxes here have L^3 / det < 12, that is an amplification of 27 * 12
// (test_elements).
constexpr double error = (27 * 12 + 200) * 0x1p-53;

class BoxOfTetrahedra : public testing::Test {
 protected:
  TetraBox const box = test::kuhn_box(5, 4, 4, {2.5, 2, 2}, 0.15);
  double const* const mesh = box.position.data();
  Values const ones = Values(static_cast<std::size_t>(box.nodes()), 1);
  test::Flow<Fp64> const flow{box.position};
};

TEST_F(BoxOfTetrahedra, HasItsVolumeAsTheSumOfTheMassMatrixLumpedOrNot) {
  Values const still(static_cast<std::size_t>(3 * box.nodes()));
  for (bool const lumped : {false, true}) {
    ScalarForm<Fp64> const form{mesh, {still.data(), ones.data()}, {0, 0}, {lumped}};
    double sum = 0;
    for (double const entry : assembled(box, form).value) sum += entry;
    EXPECT_NEAR(sum, 10, 10 * error);
  }
}

TEST_F(BoxOfTetrahedra, KeepsAConstantScalarConstantInAnyFlow) {
  auto in = flow.scalar_input(true);
  Values const same(ones.size(), 300.0);
  in.value = in.reference = same.data();
  in.source = nullptr;
  TensorScalarForm<Fp64> const form{mesh, in, {1, 0}, {}};

  auto const got = assembled(box, form);

  EXPECT_LT(largest(got.right), 300 * 100 * error);  // kappa grad N up to 60 * 0.25
}

TEST_F(BoxOfTetrahedra, AdvectsALinearScalarExactly) {
  Values velocity;
  for (std::int32_t n = 0; n < box.nodes(); ++n) velocity.insert(velocity.end(), {2.0, -1.0, 3.0});
  auto const linear = nodal_values(box, [](double const* x) { return 4 + 3 * x[0] - 2 * x[1] + 5 * x[2]; });
  double const change = 2 * 3 + 1 * 2 + 3 * 5;
  ScalarForm<Fp64> const form{mesh, {velocity.data(), linear.data()}, {0, 0}, {}};

  auto const got = assembled(box, form);

  auto const mass = product(box, got.value, ones);
  for (std::size_t n = 0; n < mass.size(); ++n)
    EXPECT_NEAR(got.right[n], -change * mass[n], 100 * error) << n;
}

TEST_F(BoxOfTetrahedra, DiffusesNothingFromALinearScalarInside) {
  Values const still(static_cast<std::size_t>(3 * box.nodes())), kappa(ones.size(), 7.0);
  auto const linear = nodal_values(box, [](double const* x) { return 4 + 3 * x[0] - 2 * x[1] + 5 * x[2]; });
  ScalarForm<Fp64> const form{mesh, {still.data(), linear.data(), kappa.data()}, {1, 0}, {}};

  auto const got = assembled(box, form);

  auto const edge = boundary_nodes(box);
  for (std::int32_t n = 0; n < box.nodes(); ++n) {
    if (edge.count(n) != 0) continue;
    EXPECT_NEAR(got.right[n], 0, 500 * error) << n;
  }
  EXPECT_GT(largest(got.right), 0.1);  // on the boundary there is its flux
}

TEST_F(BoxOfTetrahedra, MakesDiffusionAndMassSymmetricAndAdvectionAntisymmetricInside) {
  Values const still(static_cast<std::size_t>(3 * box.nodes()));
  std::vector<double> turning;  // without divergence
  for (std::int32_t n = 0; n < box.nodes(); ++n) {
    auto const* x = &box.position[3 * n];
    turning.insert(turning.end(), {-x[1] + 1, x[0] - 1, 0.5});
  }
  auto const skew = [&](Values const& a, double sign) {
    double most = 0;
    auto const edge = boundary_nodes(box);
    for (std::int32_t r = 0; r < box.nodes(); ++r)
      for (auto k = box.row_start[r]; k < box.row_start[r + 1]; ++k) {
        auto const c = box.column[k];
        if (sign < 0 && edge.count(r) + edge.count(c) > 1)
          continue;  // there it is the flow through the boundary
        for (auto l = box.row_start[c]; l < box.row_start[c + 1]; ++l) {
          if (box.column[l] == r) most = std::max(most, std::abs(a[k] - sign * a[l]));
        }
      }
    return most;
  };
  ScalarForm<Fp64> const mass{mesh, {still.data(), ones.data()}, {0, 0}, {}};
  ScalarForm<Fp64> const diffusion{mesh, {still.data(), ones.data(), flow.diffusivity.data()}, {1, 0}, {}};
  ScalarForm<Fp64> const advection{mesh, {turning.data(), ones.data()}, {1, 0}, {}};
  auto const m = assembled(box, mass).value;
  auto a = assembled(box, advection).value;
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= m[k];

  EXPECT_LT(skew(m, 1), error);
  EXPECT_LT(skew(assembled(box, diffusion).value, 1), 1000 * error);
  EXPECT_LT(skew(a, -1), 10 * error);
  EXPECT_GT(largest(a), 0.01);
}

TEST_F(BoxOfTetrahedra, HasAdvectionByPartsDifferFromDirectByTheFlowThroughTheBoundaryOnly) {
  auto in = flow.scalar_input(false);
  ScalarForm<Fp64> const direct{mesh, in, {1, 0.25}, {}};
  ScalarFormByParts<Fp64> const by_parts{mesh, in, {1, 0.25}, {}};

  auto a = assembled(box, direct);
  auto const b = assembled(box, by_parts);

  auto const edge = boundary_nodes(box);
  bool differs = false;
  for (std::int32_t r = 0; r < box.nodes(); ++r)
    for (auto k = box.row_start[r]; k < box.row_start[r + 1]; ++k) {
      if (edge.count(r) + edge.count(box.column[k]) < 2) {
        EXPECT_NEAR(a.value[k], b.value[k], 3000 * error);
      } else {
        differs = differs || std::abs(a.value[k] - b.value[k]) > 1e-3;
      }
    }
  EXPECT_TRUE(differs);
}

/// The boundary's triangles and who has them.
struct Boundary {
  std::vector<std::int32_t> triangle, start, visit;

  explicit Boundary(TetraBox const& box) {
    std::vector<std::vector<std::int32_t>> at(static_cast<std::size_t>(box.nodes()));
    for (auto const& face : box.boundary) {
      for (auto const n : face) {
        at[n].push_back(static_cast<std::int32_t>(triangle.size()));
        triangle.push_back(n);
      }
    }
    start = {0};
    for (auto const& visits : at) {
      visit.insert(visit.end(), visits.begin(), visits.end());
      start.push_back(static_cast<std::int32_t>(visit.size()));
    }
  }
  BoundaryFaces view() const {
    return {static_cast<std::int32_t>(triangle.size() / 3), triangle.data(), start.data(), visit.data()};
  }
};

TEST_F(BoxOfTetrahedra, HasAdvectionByPartsEqualDirectOnceTheBoundarysFlowIsAdded) {
  Boundary const boundary(box);
  auto in = flow.scalar_input(false);
  ScalarForm<Fp64> const direct{mesh, in, {0.75, 0.25}, {}};
  ScalarFormByParts<Fp64> const by_parts{mesh, in, {0.75, 0.25}, {}};
  auto const want = assembled(box, direct);
  auto got = assembled(box, by_parts);

  ScalarFaces<Fp64> faces{boundary.triangle.data(), box.position.data(), in.velocity, in.value};
  faces.implicit = 0.75;
  for_each(Host{}, box.nodes(),
           ScalarFaceGather<Fp64>{
               faces, boundary.view(), {box.view().pattern, got.value.data()}, got.right.data()});

  for (std::size_t k = 0; k < want.value.size(); ++k)
    EXPECT_NEAR(got.value[k], want.value[k], 3000 * error) << k;
  for (std::size_t n = 0; n < want.right.size(); ++n) {
    EXPECT_NEAR(got.right[n], want.right[n], 3e6 * error)
        << n;  // 300 of the scalar times 30 of A times 30 entries
  }
}

TEST_F(BoxOfTetrahedra, HasDivergenceByPartsEqualPlainOnceTheBoundaryIsAdded) {
  Boundary const boundary(box);
  auto const want =
      assembled(box, CompressibleDivergence<Fp64>{mesh, false, flow.density.data(), flow.density.data(), 1});
  auto got =
      assembled(box, CompressibleDivergence<Fp64>{mesh, true, flow.density.data(), flow.density.data(), 1});

  for_each(Host{}, box.nodes(),
           DivergenceFaceGather<Fp64>{{boundary.triangle.data(), box.position.data(), flow.density.data()},
                                      boundary.view(),
                                      {box.view().pattern, got.value.data()}});

  for (std::size_t k = 0; k < want.value.size(); ++k)
    EXPECT_NEAR(got.value[k], want.value[k], 10 * error) << k;
}

TEST_F(BoxOfTetrahedra, TakesUpTheFluxThroughItsBoundary) {
  Boundary const boundary(box);
  Values matrix(box.column.size()), right(ones.size());
  Values const flux = nodal_values(box, [](double const* x) { return 2 + x[0]; });
  ScalarFaces<Fp64> faces{boundary.triangle.data(), box.position.data()};
  faces.flux = flux.data();
  faces.transfer = ones.data();
  faces.implicit = 1;

  for_each(Host{}, box.nodes(),
           ScalarFaceGather<Fp64>{faces, boundary.view(), {box.view().pattern, matrix.data()}, right.data()});

  double flow_in = 0, surface = 0;
  for (double const value : right) flow_in += value;
  for (double const value : matrix) surface += value;
  // 2.5 x 2 x 2: sides 2 (5 + 4 + 5); the mean of 2 + x is 3.25, on all of the sides' pairs
  EXPECT_NEAR(surface, 28, 100 * error);
  EXPECT_NEAR(flow_in, 28 * 3.25, 300 * error);
}

TEST_F(BoxOfTetrahedra, HasADivergenceMatrixThatObeysTheDivergenceTheorem) {
  auto const plain = assembled(box, PlainDivergence<Fp64>{mesh, false, nullptr, nullptr, 1});
  auto const by_parts = assembled(box, PlainDivergence<Fp64>{mesh, true, nullptr, nullptr, 1});
  auto const linear = nodal_values(box, [](double const* x) { return 4 + 3 * x[0] - 2 * x[1] + 5 * x[2]; });
  double const slope[3] = {3, -2, 5};
  ScalarForm<Fp64> const mass{mesh, {flow.velocity.data(), ones.data()}, {0, 0}, {}};
  auto const weights = product(box, assembled(box, mass).value, ones);
  auto const edge = boundary_nodes(box);
  for (int d = 0; d < 3; ++d) {
    auto const exact = product(box, plain.value, linear, 3, d),
               other = product(box, by_parts.value, linear, 3, d);
    auto const constant = product(box, plain.value, ones, 3, d);
    auto const adjoint =
        transposed_product(box, by_parts.value, ones, 3, d);  // sum_i - int (d_d N_i) N_j = 0
    for (std::int32_t n = 0; n < box.nodes(); ++n) {
      EXPECT_NEAR(exact[n], slope[d] * weights[n], 100 * error);
      EXPECT_NEAR(constant[n], 0, error);
      EXPECT_NEAR(adjoint[n], 0, error);
      if (edge.count(n) != 0) continue;
      EXPECT_NEAR(other[n], exact[n], 100 * error);
    }
  }
}

TEST_F(BoxOfTetrahedra, HasACompressibleDivergenceThatIsThePlainOneWithDensityOne) {
  for (bool const by_parts : {false, true}) {
    auto const plain = assembled(box, PlainDivergence<Fp64>{mesh, by_parts, nullptr, nullptr, 1});
    auto const same =
        assembled(box, CompressibleDivergence<Fp64>{mesh, by_parts, ones.data(), ones.data(), 0.5});
    for (std::size_t k = 0; k < plain.value.size(); ++k) EXPECT_NEAR(plain.value[k], same.value[k], error);
  }
}

TEST_F(BoxOfTetrahedra, HasAPressureDiffusionThatKnowsNoLinearPressureAndIsPositive) {
  auto const k = assembled(box, PressureDiffusion<Fp64>{mesh}).value;
  auto const of_constant = product(box, k, ones), of_noise = product(box, k, flow.scalar);
  double energy = 0;
  for (std::size_t n = 0; n < ones.size(); ++n) {
    EXPECT_NEAR(of_constant[n], 0, error);
    energy += flow.scalar[n] * of_noise[n];
  }
  EXPECT_GT(energy, 0.1);
}

TEST_F(BoxOfTetrahedra, BalancesAHydrostaticPressureByBuoyancy) {
  // p' = g z (unit density deficit): -grad p + b g k_down = 0 with b = -1, g = 10 downwards along -z.
  Values const still(static_cast<std::size_t>(3 * box.nodes()));
  auto const pressure = nodal_values(box, [](double const* x) { return -10 * x[2] + 3; });
  MomentumOptions options;
  options.pressure_by_parts = true;
  SharedMomentum<Fp64> const form{
      mesh,
      {still.data(), still.data(), ones.data(), nullptr, nullptr, nullptr, ones.data(), pressure.data()},
      {1, 0, {0, 0, -10}, {0, 0, 0}},
      options};

  auto const got = assembled(box, form);

  EXPECT_LT(largest(got.right), 100 * error);
  double sum = 0;
  for (double const m : got.mass) sum += m;
  EXPECT_NEAR(sum, 10, 10 * error);
}

TEST_F(BoxOfTetrahedra, HasThreeEqualBlocksOfMomentumWhereNothingTellsThemApart) {
  test::Flow<Fp64> same = flow;
  for (std::size_t n = 0; n < ones.size(); ++n) {
    for (int d = 0; d < 3; ++d) same.absorption3[3 * n + d] = same.absorption[n];
  }
  auto const shared = assembled(box, same.form<SharedMomentum<Fp64>>());
  auto full_form = same.form<FullMomentum<Fp64>>();
  full_form.step.coriolis[1] = full_form.step.coriolis[2] = 0;
  auto const diagonal = assembled(box, same.form<DiagonalMomentum<Fp64>>());
  auto const full = assembled(box, full_form);

  EXPECT_EQ(shared.right, diagonal.right);
  for (std::size_t k = 0; k < shared.value.size(); ++k) {
    for (int c = 0; c < 3; ++c) EXPECT_EQ(shared.value[k], diagonal.value[3 * k + c]);
    for (int c = 0; c < 9; ++c) {
      EXPECT_EQ(full.value[9 * k + c], c % 4 == 0 ? shared.value[k] : 0.0) << c;
    }
  }
}

/// Solves a system whose matrix is symmetric and positive by conjugate gradients, `fixed` nodes aside.
void solve(TetraBox const& box, Values const& a, Values& x, Values r, std::set<std::int32_t> const& fixed) {
  auto const zero = [&](Values& v) {
    for (auto const n : fixed) v[n] = 0;
  };
  auto const inner = [](Values const& u, Values const& v) {
    double sum = 0;
    for (std::size_t k = 0; k < u.size(); ++k) sum += u[k] * v[k];
    return sum;
  };
  auto const start = product(box, a, x);
  for (std::size_t k = 0; k < r.size(); ++k) r[k] -= start[k];
  zero(r);
  Values p = r;
  double square = inner(r, r), const_target = square * 1e-24;
  for (int step = 0; step < 2000 && square > const_target; ++step) {
    auto q = product(box, a, p);
    zero(q);
    double const length = square / inner(p, q);
    for (std::size_t k = 0; k < r.size(); ++k) x[k] += length * p[k], r[k] -= length * q[k];
    double const next = inner(r, r);
    for (std::size_t k = 0; k < r.size(); ++k) p[k] = r[k] + next / square * p[k];
    square = next;
  }
}

/// L2 error of c + (1/5) c - div(kappa grad c) = f on the unit cube with kappa = 1 + x / 2, c = sin pi x sin
/// pi y sin pi z, measured with the mass matrix at the nodes.
double manufactured_error(int n) {
  auto const box = test::kuhn_box(n, n, n, {1, 1, 1}, 0);
  double const* const mesh = box.position.data();
  constexpr double pi = std::numbers::pi;
  auto const exact = nodal_values(
      box, [](double const* x) { return std::sin(pi * x[0]) * std::sin(pi * x[1]) * std::sin(pi * x[2]); });
  auto const kappa = nodal_values(box, [](double const* x) { return 1 + x[0] / 2; });
  auto const sigma = nodal_values(box, [](double const*) { return 0.2; });
  auto const source = nodal_values(box, [](double const* x) {
    double const s = std::sin(pi * x[1]) * std::sin(pi * x[2]);
    return 1.2 * std::sin(pi * x[0]) * s + (1 + x[0] / 2) * 3 * pi * pi * std::sin(pi * x[0]) * s -
           pi / 2 * std::cos(pi * x[0]) * s;
  });
  Values const still(3 * exact.size()), zero(exact.size());
  ScalarForm<Fp64> const form{
      mesh, {still.data(), zero.data(), kappa.data(), sigma.data(), nullptr, source.data()}, {1, 0}, {}};
  auto const system = assembled(box, form);
  Values c(exact.size());
  solve(box, system.value, c, system.right, boundary_nodes(box));
  Values difference(c.size());
  for (std::size_t k = 0; k < c.size(); ++k) difference[k] = c[k] - exact[k];
  auto const mass = assembled(box, ScalarForm<Fp64>{mesh, {still.data(), zero.data()}, {0, 0}, {}}).value;
  auto const weighted = product(box, mass, difference);
  double square = 0;
  for (std::size_t k = 0; k < c.size(); ++k) square += weighted[k] * difference[k];
  return std::sqrt(square);
}

TEST(ManufacturedSolutions, ConvergeWithTheSecondOrder) {
  double const coarse = manufactured_error(12), fine = manufactured_error(24);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << coarse << ", " << fine;
}

}  // namespace
}  // namespace ulpine::fem
