// SPDX-License-Identifier: Apache-2.0
// The sphere against closed forms and a second implementation (plain_sphere.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/mesh/sphere.hpp"
#include "core/seaice/geometry.hpp"
#include "seaice/plain_basis.hpp"
#include "seaice/plain_sphere.hpp"
#include "seaice/solver_support.hpp"
#include "support/random_values.hpp"
#include "support/reference_data.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::FieldId;
using test::IceSolver;
using test::Order;
using test::PlainSphere;
using test::RandomValues;
using test::relative_difference;

constexpr double degree = std::numbers::pi / 180;

/// Cells of all shapes around 65 N, with an island and land in a corner.
QuadMesh rough_mesh(std::uint64_t seed = 5) {
  auto mesh = sphere_patch(9, 7, 0, 9, 0, 7);
  RandomValues random(seed);
  for (std::size_t k = 0; k < mesh.x.size(); ++k) {
    double const i = mesh.x[k] + 0.2 * random.between(-1, 1), j = mesh.y[k] + 0.2 * random.between(-1, 1);
    mesh.x[k] = (150 + 5 * i - 1 * j) * degree;
    mesh.y[k] = (60 + 0.4 * i + 1.8 * j) * degree;
  }
  for (auto const cell : {9 * 3 + 4, 9 * 3 + 5, 9 * 4 + 4, 0}) mesh.mask[static_cast<std::size_t>(cell)] = 0;
  return mesh;
}

seaice::Setup setup_of(QuadMesh const& mesh, Order order) {
  seaice::Setup setup{.mesh = mesh};
  setup.parameters.cg = order.cg;
  setup.parameters.dg = order.dg;
  return setup;
}
std::unique_ptr<IceSolver> make_solver(QuadMesh const& mesh, Order order = {1, 3}, double dt = 120) {
  auto setup = setup_of(mesh, order);
  setup.parameters.dt = dt;
  return test::make("fp64", Assembly::deterministic, setup);
}

std::vector<long double> wide(std::vector<double> const& data) { return {data.begin(), data.end()}; }
std::vector<double> narrow(std::vector<long double> const& data) { return {data.begin(), data.end()}; }

std::vector<double> random_modes(IceSolver const& solver, QuadMesh const& mesh, FieldId field,
                                 std::uint64_t seed, double mean, double size) {
  auto values = RandomValues(seed).uniform(solver.size(field), -size, size);
  auto const cells = mesh.mask.size();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k < cells) values[k] += mean;
    if (mesh.mask[k % cells] == 0) values[k] = 0;
  }
  return values;
}

/// Velocity (m s-1) of a turn of the sphere about `axis` at a place, along east and north.
std::array<double, 2> turning(sphere::Vector const& axis, sphere::LonLat place) {
  auto const r = sphere::to_vector(place);
  sphere::Vector const v = {axis[1] * r[2] - axis[2] * r[1], axis[2] * r[0] - axis[0] * r[2],
                            axis[0] * r[1] - axis[1] * r[0]};
  return {sphere::radius * sphere::dot(v, sphere::east(place)),
          sphere::radius * sphere::dot(v, sphere::north(place))};
}

/// Places of the nodes of a mesh in its coordinates.
std::vector<sphere::LonLat> nodes_of(QuadMesh const& mesh, int cg) {
  PlainSphere const plain(mesh, cg, 1);
  std::vector<sphere::LonLat> places(plain.nodes());
  for (int j = 0; j < mesh.ny; ++j) {
    for (int i = 0; i < mesh.nx; ++i) {
      for (int c = 0; c < (cg + 1) * (cg + 1); ++c) {
        auto const p = plain.at(i, j, (c % (cg + 1)) / static_cast<long double>(cg),
                                (c / (cg + 1)) / static_cast<long double>(cg));
        places[plain.node(i, j, c)] = {static_cast<double>(p.longitude), static_cast<double>(p.latitude)};
      }
    }
  }
  return places;
}

void give_turning(IceSolver& solver, std::vector<sphere::LonLat> const& places, sphere::Vector const& axis) {
  std::vector<double> u, v;
  for (auto const& place : places) {
    auto const [east, north] = turning(axis, place);
    u.push_back(east);
    v.push_back(north);
  }
  solver.write(FieldId::u, u.data());
  solver.write(FieldId::v, v.data());
}

TEST(Sphere, RotationBringsThePoleToGreenland) {
  sphere::Rotation const rotation(40 * degree, 15 * degree);
  auto const pole = rotation.to_globe(sphere::LonLat{0.3, std::numbers::pi / 2});
  EXPECT_NEAR(pole.longitude, -40 * degree, 1e-14);
  EXPECT_NEAR(pole.latitude, 75 * degree, 1e-14);
  // The text of the rotation: about z by +40 degrees, then in the x-z plane by 15.
  auto const at = rotation.to_mesh(sphere::to_vector({0, 0}));
  EXPECT_NEAR(at[0], std::cos(15 * degree) * std::cos(40 * degree), 1e-15);
  EXPECT_NEAR(at[1], std::sin(40 * degree), 1e-15);
  EXPECT_NEAR(at[2], std::sin(15 * degree) * std::cos(40 * degree), 1e-15);
}

TEST(Sphere, RotationIsUndoneAndTurnsVectorsAsItTurnsPlaces) {
  sphere::Rotation const rotation(0.7, -0.4);
  RandomValues random(3);
  for (int k = 0; k < 100; ++k) {
    sphere::LonLat const place{random.between(-3, 3), random.between(-1.4, 1.4)};
    auto const back = rotation.to_globe(rotation.to_mesh(place));
    EXPECT_NEAR(back.longitude, place.longitude, 1e-14 / std::cos(place.latitude));
    EXPECT_NEAR(back.latitude, place.latitude, 1e-14);
    // A small way to the east, seen in the mesh's coordinates.
    auto const of_mesh = rotation.to_mesh(place);
    constexpr double small = 1e-6;
    auto const moved = rotation.to_mesh(sphere::LonLat{place.longitude + small, place.latitude});
    double const dx = std::remainder(moved.longitude - of_mesh.longitude, 2 * std::numbers::pi) *
                      std::cos(of_mesh.latitude),
                 dy = moved.latitude - of_mesh.latitude;
    double const angle = rotation.angle_of_east(of_mesh);
    double const length = std::hypot(dx, dy);
    EXPECT_NEAR(dx / length, std::cos(angle), 1e-5 / std::cos(of_mesh.latitude));
    EXPECT_NEAR(dy / length, std::sin(angle), 1e-5 / std::cos(of_mesh.latitude));
  }
}

TEST(Sphere, PatchesHaveTheAreaOfTheirBand) {
  auto const mesh = sphere_patch(8, 6, 10 * degree, 70 * degree, -20 * degree, 65 * degree);
  double sum = 0;
  for (auto const area : mesh.areas()) sum += area;
  double const exact =
      sphere::radius * sphere::radius * 60 * degree * (std::sin(65 * degree) + std::sin(20 * degree));
  EXPECT_NEAR(sum / exact, 1, 1e-14);
  // A refined mesh covers the same cells; those of the core are by quadrature, off by the fourth power of the
  // size of a cell (2 points a direction: h^4 / 4320 of the integrand's fourth derivative).
  auto const rough = rough_mesh();
  double coarse = 0, fine = 0;
  for (auto const area : rough.areas()) coarse += area;
  for (auto const area : refined(rough, 3).areas()) fine += area;
  EXPECT_NEAR(fine / coarse, 1, 1e-14);
}

TEST(Sphere, CellsLieAcrossTheJumpOfLongitude) {
  auto const mesh = rough_mesh();
  auto jumped = mesh;
  bool jumps = false;
  for (auto& longitude : jumped.x) {
    if (longitude > std::numbers::pi) {
      longitude -= 2 * std::numbers::pi;
      jumps = true;
    }
  }
  ASSERT_TRUE(jumps);
  EXPECT_FALSE(find_bad_cells(jumped));
  auto const steps = [](QuadMesh const& of) {
    auto solver = make_solver(of);
    solver->write(FieldId::u, RandomValues(1).uniform(solver->size(FieldId::u), -0.3, 0.3).data());
    solver->write(FieldId::v, RandomValues(2).uniform(solver->size(FieldId::v), -0.3, 0.3).data());
    solver->write(FieldId::h, random_modes(*solver, of, FieldId::h, 3, 1.5, 0.2).data());
    solver->run_stage("seaice.strain");
    solver->run_stage("seaice.advect.update");
    auto result = test::read(*solver, FieldId::h);
    for (auto const value : test::read(*solver, FieldId::strain_xy)) result.push_back(1e6 * value);
    return result;
  };
  // Longitudes are rounded a little differently on both sides of the jump: 1e-16 of 0.1 rad.
  EXPECT_LT(relative_difference(steps(jumped), steps(mesh)), 1e-13);
}

TEST(Sphere, SeaAtAPoleIsRefusedAndLandIsNot) {
  auto mesh = sphere_patch(4, 3, 0, 1, 1.2, std::numbers::pi / 2);
  auto const fault = find_bad_cells(mesh);
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->problem.find("cell 8 (row 2, column 0)"), std::string::npos) << fault->problem;
  for (std::size_t k = 8; k < 12; ++k) mesh.mask[k] = 0;
  EXPECT_FALSE(find_bad_cells(mesh));
  // A mesh around the pole: the land cell that holds it has no map, and makes no number of its neighbours
  // bad.
  QuadMesh around{3, 3, {}, {}, std::vector<std::uint8_t>(9, 1), true};
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) {
      double const x = i - 1.5, y = j - 1.5;
      around.x.push_back(std::atan2(y, x));
      around.y.push_back(std::numbers::pi / 2 - 0.01 * std::hypot(x, y));
    }
  }
  around.mask[4] = 0;
  auto solver = make_solver(around);
  solver->write(FieldId::h, random_modes(*solver, around, FieldId::h, 3, 1.5, 0.2).data());
  solver->advance(1);
  for (auto const field : {FieldId::u, FieldId::h, FieldId::force_x, FieldId::stress_xx}) {
    for (auto const value : test::read(*solver, field)) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(Sphere, CellsAreMappedWhereAllCornersTurnTheSameWay) {
  double const x[4] = {0, 1, 0, 1}, y[4] = {0, 0, 1, 1};
  EXPECT_TRUE(valid_cell(x, y));
  for (int c = 0; c < 4; ++c) {  // one corner pushed over the diagonal
    double fx[4] = {0, 1, 0, 1}, fy[4] = {0, 0, 1, 1};
    fx[c] = c % 2 == 0 ? 0.8 : 0.2;
    fy[c] = c / 2 == 0 ? 0.8 : 0.2;
    EXPECT_FALSE(valid_cell(fx, fy)) << c;
  }
}

/// From values at the Gauss points the stress takes the modes of the polynomial through them (iMJwPSI): of a
/// mode's own values 1 of that mode and none of another, whatever the cell's shape and latitude.
template <class S>
void expect_modes_of_their_own_values() {
  using Basis = test::PlainBasis<double>;
  auto const mesh = rough_mesh();
  for (int j = 0; j < mesh.ny; ++j) {
    for (int i = 0; i < mesh.nx; ++i) {
      auto const corners = mesh.corners(i, j);
      auto const element = element_matrices<double, S>(corners.x, corners.y);
      for (int of = 0; of < S::stress; ++of) {
        double found[S::stress] = {};
        int q = 0;
        Basis::for_each_point(S::gauss_1d, [&](double s, double t, double) {
          for (int k = 0; k < S::stress; ++k) {
            found[k] += element.stress[StressLayout<S>::project + k * S::gauss + q] * Basis::psi(of, s, t);
          }
          ++q;
        });
        // Mass matrices of condition 180 and some twenty roundings.
        for (int k = 0; k < S::stress; ++k) EXPECT_NEAR(found[k], k == of, 2e-13) << i << ' ' << j;
      }
    }
  }
}
TEST(Sphere, ModesOfTheirOwnValuesAreThemselves) {
  expect_modes_of_their_own_values<OnSphere<Space<1, 1>>>();
  expect_modes_of_their_own_values<OnSphere<Space<2, 3>>>();
}

class SphereOrders : public ::testing::TestWithParam<Order> {};

TEST_P(SphereOrders, OperatorsAgreeWithASecondImplementation) {
  auto const [cg, dg] = GetParam();
  auto const mesh = rough_mesh();
  PlainSphere const plain(mesh, cg, dg);
  auto solver = make_solver(mesh, GetParam());
  auto const u = RandomValues(1).uniform(solver->size(FieldId::u), -0.3, 0.3),
             v = RandomValues(2).uniform(solver->size(FieldId::v), -0.3, 0.3);
  solver->write(FieldId::u, u.data());
  solver->write(FieldId::v, v.data());
  solver->run_stage("seaice.strain");
  auto const strain = plain.strain(wide(u), wide(v));
  auto const of_sea = [&](std::vector<double> values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (mesh.mask[k % mesh.mask.size()] == 0) values[k] = 0;
    }
    return values;
  };
  // Mass matrices of condition 180 and some twenty roundings.
  constexpr double bound = 2e-13;
  EXPECT_LT(relative_difference(of_sea(test::read(*solver, FieldId::strain_xx)), narrow(strain.xx)), bound);
  EXPECT_LT(relative_difference(of_sea(test::read(*solver, FieldId::strain_yy)), narrow(strain.yy)), bound);
  EXPECT_LT(relative_difference(of_sea(test::read(*solver, FieldId::strain_xy)), narrow(strain.xy)), bound);

  auto const give = [&](FieldId field, std::uint64_t seed, double size) {
    auto const values = random_modes(*solver, mesh, field, seed, 0, size);
    solver->write(field, values.data());
    return wide(values);
  };
  PlainSphere::TensorModes const stress{give(FieldId::stress_xx, 3, 5e3), give(FieldId::stress_yy, 4, 5e3),
                                        give(FieldId::stress_xy, 5, 5e3)};
  PlainSphere::Field force_x, force_y;
  plain.divergence(stress, force_x, force_y);
  solver->run_stage("seaice.divergence");
  EXPECT_LT(relative_difference(test::read(*solver, FieldId::force_x), narrow(force_x)), bound);
  EXPECT_LT(relative_difference(test::read(*solver, FieldId::force_y), narrow(force_y)), bound);

  auto const h = random_modes(*solver, mesh, FieldId::h, 6, 1.5, 0.2);
  solver->write(FieldId::h, h.data());
  solver->run_stage("seaice.advect.update");
  auto const dg_u = plain.project_velocity(wide(u)), dg_v = plain.project_velocity(wide(v));
  auto const after = plain.advected(wide(h), dg_u, dg_v, 120);
  std::vector<long double> got = wide(test::read(*solver, FieldId::h)), change = after;
  // The increments, to the rounding of what they are added to.
  long double largest = 0;
  for (std::size_t k = 0; k < h.size(); ++k) {
    got[k] -= h[k];
    change[k] -= h[k];
    largest = std::max(largest, std::abs(change[k]));
  }
  for (std::size_t k = 0; k < h.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(got[k]), static_cast<double>(change[k]),
                static_cast<double>(1e-12L * largest) + 8 * 0x1p-52);
  }
}

/// The work of the forces on a velocity is minus the work of the stress on its strain rate: signs and factors
/// of the one follow from the other.
TEST_P(SphereOrders, DivergenceIsTheAdjointOfTheStrainRate) {
  auto const mesh = rough_mesh(8);
  PlainSphere const plain(mesh, GetParam().cg, 3);
  auto solver = make_solver(mesh, GetParam());
  auto const u = RandomValues(1).uniform(solver->size(FieldId::u), -0.3, 0.3),
             v = RandomValues(2).uniform(solver->size(FieldId::v), -0.3, 0.3);
  solver->write(FieldId::u, u.data());
  solver->write(FieldId::v, v.data());
  auto const stress = random_modes(*solver, mesh, FieldId::stress_xx, 3, 0, 5e3);
  std::vector<double> const none(stress.size(), 0);
  FieldId const components[] = {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy};
  solver->run_stage("seaice.strain");
  PlainSphere::TensorModes const strain{wide(test::read(*solver, FieldId::strain_xx)),
                                        wide(test::read(*solver, FieldId::strain_yy)),
                                        wide(test::read(*solver, FieldId::strain_xy))};
  for (auto const component : components) {
    for (auto const other : components) solver->write(other, (other == component ? stress : none).data());
    PlainSphere::TensorModes sigma{wide(none), wide(none), wide(none)};
    (component == FieldId::stress_xx   ? sigma.xx
     : component == FieldId::stress_yy ? sigma.yy
                                       : sigma.xy) = wide(stress);
    solver->run_stage("seaice.divergence");
    auto const force_x = test::read(*solver, FieldId::force_x),
               force_y = test::read(*solver, FieldId::force_y);
    long double of_forces = 0, size = 0;
    for (std::size_t k = 0; k < u.size(); ++k) {
      of_forces += static_cast<long double>(u[k]) * force_x[k] + static_cast<long double>(v[k]) * force_y[k];
      size += std::abs(static_cast<long double>(u[k]) * force_x[k]) +
              std::abs(static_cast<long double>(v[k]) * force_y[k]);
    }
    EXPECT_NEAR(static_cast<double>((of_forces + plain.work(sigma, strain)) / size), 0, 1e-13);
  }
}

/// A turn of the whole sphere strains nothing. Returns the root mean square of the strain rate over the rate
/// of the turn.
double strain_of_turning(Order order, int n) {
  auto const mesh = sphere_patch(n, n, -20 * degree, 20 * degree, 40 * degree, 70 * degree);
  auto solver = make_solver(mesh, order);
  PlainSphere const plain(mesh, order.cg, 3);
  sphere::Vector const axis = {0.3, -0.5, 0.4};
  double const rate = std::sqrt(sphere::dot(axis, axis));
  give_turning(*solver, nodes_of(mesh, order.cg), axis);
  solver->run_stage("seaice.strain");
  PlainSphere::TensorModes const strain{wide(test::read(*solver, FieldId::strain_xx)),
                                        wide(test::read(*solver, FieldId::strain_yy)),
                                        wide(test::read(*solver, FieldId::strain_xy))};
  double area = 0;
  for (auto const cell : mesh.areas()) area += cell;
  return std::sqrt(static_cast<double>(plain.work(strain, strain)) / area) / rate;
}
TEST_P(SphereOrders, ATurnOfTheSphereStrainsNothing) {
  int const cg = GetParam().cg;
  double const coarse = strain_of_turning(GetParam(), 16), fine = strain_of_turning(GetParam(), 32);
  EXPECT_LT(fine, cg == 1 ? 2e-2 : 2e-4);
  EXPECT_GE(std::log2(coarse / fine), cg == 1 ? 0.95 : 1.9);
}

/// Relative error in L2 of a smooth bell after a turn by 12 degrees (2 for one unknown: the first order
/// converges late on a long way). The bell stays where the patch's edge
/// cuts off less than 1e-6 of its height, for nothing flows in: a tail of 1e-3 there ends the convergence.
/// Runge-Kutta of the order that the tracers have, as on the plane (test_orders.cpp).
double error_of_advection(Order order, int n) {
  auto const [cg, dg] = order;
  auto const mesh = sphere_patch(n, n, -25 * degree, 25 * degree, 35 * degree, 75 * degree);
  sphere::Vector axis = {0.2, -0.15, 0.95};
  double const rate = 1e-6, size = std::sqrt(sphere::dot(axis, axis));
  for (auto& component : axis) component *= rate / size;
  int const steps = dg == 1 ? n / 4 : 3 * n;
  double const angle = (dg == 1 ? 2 : 12) * degree;
  auto setup = setup_of(mesh, order);
  setup.parameters.runge_kutta = dg == 1 ? 1 : dg == 3 ? 2 : 3;
  setup.parameters.dt = angle / rate / steps;
  auto const solver = test::make("fp64", Assembly::deterministic, setup);
  give_turning(*solver, nodes_of(mesh, cg), axis);
  PlainSphere const plain(mesh, cg, dg);
  auto const start = sphere::to_vector({-3 * degree, 54 * degree});
  /// The bell after a turn by `by`, its centre by Rodrigues' formula.
  auto const bell_at = [&](double by) {
    sphere::Vector k = axis, centre;
    for (auto& component : k) component /= rate;
    sphere::Vector const cross = {k[1] * start[2] - k[2] * start[1], k[2] * start[0] - k[0] * start[2],
                                  k[0] * start[1] - k[1] * start[0]};
    double const along = sphere::dot(k, start);
    for (std::size_t d = 0; d < 3; ++d) {
      centre[d] = start[d] * std::cos(by) + cross[d] * std::sin(by) + k[d] * along * (1 - std::cos(by));
    }
    return [centre](sphere::LonLat place) {
      auto const r = sphere::to_vector(place);
      double square = 0;
      for (std::size_t d = 0; d < 3; ++d) square += (r[d] - centre[d]) * (r[d] - centre[d]);
      return std::exp(-square / (0.05 * 0.05));
    };
  };
  auto const place_of = [](PlainSphere::Point const& p) {
    return sphere::LonLat{static_cast<double>(p.longitude), static_cast<double>(p.latitude)};
  };
  auto const at_start = bell_at(0), at_end = bell_at(angle);
  for (auto const& place : nodes_of(mesh, cg)) {
    bool const inside = std::abs(place.longitude) < 24.99 * degree && place.latitude > 35.01 * degree &&
                        place.latitude < 74.99 * degree;
    if (!inside) {
      EXPECT_LT(std::max(at_start(place), at_end(place)), 1e-6);
    }
  }
  auto const given = plain.project(
      [&](int, int, auto, auto, auto const& p) { return static_cast<long double>(at_start(place_of(p))); });
  solver->write(FieldId::h, narrow(given).data());
  for (int step = 0; step < steps; ++step) solver->run_stage("seaice.advect.update");

  auto const result = wide(test::read(*solver, FieldId::h));
  long double error = 0, norm = 0;
  plain.for_each_sea_cell([&](int i, int j) {
    // One point more than the tracers have: at theirs the error of their space vanishes to a higher order.
    test::PlainBasis<long double>::for_each_point(4, [&](auto s, auto t, auto weight) {
      auto const p = plain.at(i, j, s, t);
      long double const wanted = at_end(place_of(p)), off = plain.value(result, i, j, s, t) - wanted;
      error += weight * p.area() * off * off;
      norm += weight * p.area() * wanted * wanted;
    });
  });
  return std::sqrt(static_cast<double>(error / norm));
}
TEST_P(SphereOrders, AdvectionByATurnConvergesAtItsOrder) {
  int const dg = GetParam().dg, n = dg == 1 ? 96 : dg == 3 ? 36 : 24;
  double const coarse = error_of_advection(GetParam(), n), fine = error_of_advection(GetParam(), 2 * n);
  RecordProperty("order", std::to_string(std::log2(coarse / fine)));
  EXPECT_GE(std::log2(coarse / fine), dg == 1 ? 0.9 : dg == 3 ? 1.9 : 2.8) << coarse << " " << fine;
}

/// A turn has no divergence: an even tracer stays, but for the error of the velocity's projection, which
/// falls with the square of the cells' size.
double change_of_even_tracer(Order order, int n) {
  auto const mesh = sphere_patch(n, n, -25 * degree, 25 * degree, 40 * degree, 75 * degree);
  auto solver = make_solver(mesh, order, 60);
  give_turning(*solver, nodes_of(mesh, order.cg), {2e-7, 3e-7, 1e-7});
  std::vector<double> h(solver->size(FieldId::h), 0);
  auto const cells = mesh.mask.size();
  std::fill(h.begin(), h.begin() + static_cast<std::ptrdiff_t>(cells), 1);
  solver->write(FieldId::h, h.data());
  solver->run_stage("seaice.advect.update");
  auto const after = test::read(*solver, FieldId::h);
  double worst = 0;
  for (int j = 2; j < n - 2; ++j) {  // nothing flows in through the edge of the domain
    for (int i = 2; i < n - 2; ++i) {
      worst = std::max(worst, std::abs(after[static_cast<std::size_t>(j * n + i)] - 1));
    }
  }
  return worst / (60 * 3.7e-7);
}
TEST_P(SphereOrders, AnEvenTracerStaysEvenInATurn) {
  double const coarse = change_of_even_tracer(GetParam(), 24), fine = change_of_even_tracer(GetParam(), 48);
  EXPECT_LT(fine, 2e-2);
  EXPECT_GE(std::log2(coarse / fine), 1.8) << coarse << " " << fine;
}

/// Where nothing flows at coasts and edges, what the core calls volume (means times areas) is conserved.
TEST_P(SphereOrders, MassIsConservedToRounding) {
  auto const [cg, dg] = GetParam();
  auto const mesh = refined(rough_mesh(), 2);
  auto const setup = setup_of(mesh, GetParam());
  auto solver = seaice::make_solver(Host{}, "fp64", Assembly::deterministic, setup);
  auto const& fields = solver->fields();
  auto const get = [&](char const* name) {
    auto const& field = fields.at(name);
    field.update();
    std::vector<double> values(static_cast<std::size_t>(field.layout().count()));
    read_values(field.raw(), 0, field.layout().count(), ValueType::float64, values.data());
    return values;
  };
  PlainSphere const plain(mesh, cg, dg);
  auto const area = get("cell_area");
  double exact = 0, sum = 0;
  auto const areas = mesh.areas();
  for (std::size_t k = 0; k < area.size(); ++k) {
    exact += areas[k];
    sum += area[k];
  }
  EXPECT_NEAR(sum / exact, 1, dg == 1 ? 1e-4 : dg == 3 ? 1e-7 : 1e-11);
  auto const volume = [&] {
    auto const mean = get("sivol");
    long double total = 0;
    for (std::size_t k = 0; k < area.size(); ++k) {
      total += mesh.mask[k] != 0 ? static_cast<long double>(area[k]) * mean[k] : 0;
    }
    return total;
  };
  // Still at all nodes of land, of the edge and of the cells that touch them.
  std::vector<double> still(plain.nodes(), 1);
  for (int j = -1; j <= mesh.ny; ++j) {
    for (int i = -1; i <= mesh.nx; ++i) {
      if (plain.sea(i, j)) continue;
      for (int nj = std::max(j - 1, 0); nj <= std::min(j + 1, mesh.ny - 1); ++nj) {
        for (int ni = std::max(i - 1, 0); ni <= std::min(i + 1, mesh.nx - 1); ++ni) {
          for (int c = 0; c < (cg + 1) * (cg + 1); ++c) still[plain.node(ni, nj, c)] = 0;
        }
      }
    }
  }
  IceSolver ice(std::move(solver), setup.parameters);
  auto u = RandomValues(1).uniform(ice.size(FieldId::u), -3, 3), v = RandomValues(2).uniform(u.size(), -3, 3);
  for (std::size_t k = 0; k < u.size(); ++k) {
    u[k] *= still[k];
    v[k] *= still[k];
  }
  ASSERT_GT(std::count_if(u.begin(), u.end(), [](double value) { return value != 0; }), 50);
  ice.write(FieldId::u, u.data());
  ice.write(FieldId::v, v.data());
  auto const h = random_modes(ice, mesh, FieldId::h, 4, 1.5, 0.4);
  ice.write(FieldId::h, h.data());
  auto const before = volume();
  EXPECT_NEAR(static_cast<double>(before / plain.integral(wide(h))), 1, 1e-14);
  for (int step = 0; step < 20; ++step) ice.run_stage("seaice.advect.update");
  EXPECT_GT(relative_difference(test::read(ice, FieldId::h), h), 1e-4);
  // 20 steps of two stages, each of which rounds a cell's values some times.
  EXPECT_NEAR(static_cast<double>(volume() / before), 1, 40 * 4 * 0x1p-52);
}

INSTANTIATE_TEST_SUITE_P(Host, SphereOrders, ::testing::ValuesIn(test::orders),
                         [](auto const& info) { return test::name_of(info.param); });

/// The whole core on the sphere against the plane: on small cells at the equator they are nearly the same.
TEST(Sphere, SmallCellsAtTheEquatorAreThoseOfThePlane) {
  double const cell = 1e-5;  // rad: 64 m
  auto const patch = sphere_patch(6, 5, -3 * cell, 3 * cell, -2.5 * cell, 2.5 * cell);
  PlainSphere const plain(patch, 1, 3);
  auto const solver = make_solver(patch);
  auto const u = RandomValues(1).uniform(solver->size(FieldId::u), -0.3, 0.3);
  solver->write(FieldId::u, u.data());
  solver->run_stage("seaice.strain");
  auto const strain = test::read(*solver, FieldId::strain_xx);
  // Mean d u / d x of a bilinear function on a rectangle.
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 6; ++i) {
      auto const at = static_cast<std::size_t>(j * 7 + i);
      double const mean = (u[at + 1] - u[at] + u[at + 8] - u[at + 7]) / 2 / (sphere::radius * cell);
      EXPECT_NEAR(strain[static_cast<std::size_t>(j * 6 + i)], mean, 1e-8 * std::abs(mean) + 1e-12);
    }
  }
}

}  // namespace
