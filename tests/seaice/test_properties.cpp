// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <tuple>

#include "core/exec/host.hpp"
#include "core/seaice/constants.hpp"
#include "core/seaice/dynamics.hpp"
#include "seaice/plain_ice.hpp"
#include "seaice/rough_case.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::seaice;
using test::bounds_of;
using test::compared;
using test::disturbed;
using test::FieldId;
using test::give_random_ice;
using test::IceSolver;
using test::length;
using test::make;
using test::read;
using test::relative_difference;
using test::Rough;
using test::roundoff_of;
using test::state;

Wind<double> uniform_wind(double u, double v) {
  Wind<double> wind;
  wind.kind = Wind<double>::Kind::uniform;
  wind.u = u;
  wind.v = v;
  return wind;
}

class EveryPolicy : public ::testing::TestWithParam<std::tuple<char const*, double, test::Order>> {};

TEST_P(EveryPolicy, GivesTheSameBitsForEveryNumberOfThreadsAndWithStagesFused) {
  auto const& [policy, distortion, order] = GetParam();
  Rough const rough(distortion, order);
  struct Silent : StageObserver {
    void stage_done(StagePosition const&, char const*, char const*, RawField const&) override {}
  } watched;

  auto const fused = rough.run(policy, Assembly::deterministic, 1, 3);
  auto const threaded = rough.run(policy, Assembly::deterministic, 3, 3);
  auto const staged = rough.run(policy, Assembly::deterministic, 2, 3, &watched);

  for (auto const field : state) {
    EXPECT_EQ(fused->bits(field), threaded->bits(field)) << name_of(field);
    EXPECT_EQ(fused->bits(field), staged->bits(field)) << name_of(field);
  }
  EXPECT_EQ(fused->state_hash(), threaded->state_hash());
}

TEST_P(EveryPolicy, IsAsFarFromFp64AsItsRoundoffAndNoFarther) {
  auto const& [policy, distortion, order] = GetParam();
  Rough const rough(distortion, order);
  auto const bounds = bounds_of(rough, policy, 3);
  auto const roundoff = roundoff_of(policy, on_tensor_cores(rough, policy));

  auto const reference = rough.run("fp64", Assembly::deterministic, 1, 3);
  auto const solver = rough.run(policy, Assembly::deterministic, 1, 3);

  for (std::size_t f = 0; f < std::size(compared); ++f) {
    auto const name = name_of(compared[f]);
    double const distance = relative_difference(read(*solver, compared[f]), read(*reference, compared[f]));
    EXPECT_LE(distance, bounds[f]) << name;
    if (f < 4 || roundoff.underflow == 0) {
      EXPECT_LT(bounds[f], 0.5) << name << ": a bound that a field of zeros would nearly pass";
    }
  }
  // The stress carries the roundings of its operands: less than an eighth of one would be a finer policy's.
  for (auto const field : {FieldId::stress_xx, FieldId::stress_yy, FieldId::stress_xy}) {
    double const distance = relative_difference(read(*solver, field), read(*reference, field));
    if (std::string(policy) == "fp64") {
      EXPECT_EQ(distance, 0);
    } else {
      EXPECT_GT(distance, roundoff.operands / 8) << name_of(field);
    }
  }
}

TEST(DisturbedRun, OfNoDisturbanceIsTheRunItself) {
  for (auto const order : test::orders) {
    Rough const rough(0.05, order);
    auto const undisturbed = disturbed(rough, {0, 0, 0}, 100, 3);
    auto const plain = rough.run("fp64", Assembly::deterministic, 1, 3);
    for (auto const field : compared) {
      EXPECT_EQ(read(*undisturbed, field), read(*plain, field)) << name_of(field);
    }
  }
}

TEST(Fp16, LosesStrainRatesBelowItsRange) {
  // binary16 ends at 2^-24: strain rates below half of that, a usual size in ice (s-1), become zero, and with
  // them the shear stress. Other formats of 16 and 19 bits have the range of float.
  Rough const rough(0.05);
  for (char const* const policy : {"fp16", "bf16", "tf32"}) {
    auto const solver = rough.run(policy, Assembly::deterministic, 1, 1);
    auto const strain = read(*solver, FieldId::strain_xy), stress = read(*solver, FieldId::stress_xy);
    double most = 0;
    for (double const value : strain) {
      most = std::max(most, std::abs(value));
    }
    ASSERT_GT(most, 0);
    ASSERT_LT(most, 0x1p-25) << "strain rates of another size than this test is about";
    bool const all_zero = std::all_of(stress.begin(), stress.end(), [](double value) { return value == 0; });
    EXPECT_EQ(all_zero, std::string(policy) == "fp16") << policy;
  }
}

TEST_P(EveryPolicy, AtomicAssemblyDiffersByRoundoffOnly) {
  auto const& [policy, distortion, order] = GetParam();
  if (std::string(policy) == "quad") {
    EXPECT_EQ(make(policy, Assembly::atomic, {rectangle_mesh(4, 4, 1, 1)}), nullptr);
    return;
  }
  Rough const rough(distortion, order);
  auto const bounds = bounds_of(rough, policy, 3);

  auto const gathered = rough.run(policy, Assembly::deterministic, 1, 3);
  auto const scattered = rough.run(policy, Assembly::atomic, 2, 3);

  for (std::size_t f = 0; f < std::size(compared); ++f) {
    EXPECT_LT(relative_difference(read(*scattered, compared[f]), read(*gathered, compared[f])), bounds[f])
        << name_of(compared[f]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Host, EveryPolicy,
    ::testing::Combine(::testing::Values("fp64", "fp32", "mixed", "tf32", "bf16", "fp16", "quad"),
                       ::testing::Values(0.0, 0.05), ::testing::Values(test::Order{1, 1}, test::Order{1, 3})),
    [](auto const& info) { return test::name_of_case(info.param); });
INSTANTIATE_TEST_SUITE_P(OtherOrders, EveryPolicy,
                         ::testing::Combine(::testing::Values("fp64", "fp32", "mixed", "tf32"),
                                            ::testing::Values(0.0, 0.05),
                                            ::testing::ValuesIn(test::other_orders)),
                         [](auto const& info) { return test::name_of_case(info.param); });

/// Error of the cell means (relative L2) after a smooth hill has turned about the centre by 0.3 rad.
double rotation_error(int n, int dg) {
  auto const mesh = rectangle_mesh(n, n, 1, 1);
  Parameters parameters;
  parameters.dg = dg;
  int const steps = 4 * n;
  double const turn = 0.3;
  parameters.dt = 1.0 / steps;
  auto const solver = make("fp64", Assembly::deterministic, {mesh, parameters});
  test::give_velocity(*solver, mesh, 1, [&](double x, double y) {
    return std::pair{-turn * (y - 0.5), turn * (x - 0.5)};
  });
  auto const hill = [](double x, double y) {
    double const r = std::hypot(x, y) / 0.3;
    return r < 1 ? std::pow(std::cos(r * std::numbers::pi / 2), 4) : 0.0;
  };
  // Projection by a fine midpoint rule: its error is far below that of the scheme.
  auto const mean = [&](int i, int j, double cx, double cy, int mode) {
    double sum = 0;
    int const fine = 8;
    for (int a = 0; a < fine; ++a) {
      for (int b = 0; b < fine; ++b) {
        double const s = (a + 0.5) / fine, t = (b + 0.5) / fine;
        sum += hill((i + s) / n - cx, (j + t) / n - cy) *
               (mode == 0 ? 1 : 12 * test::PlainIce<double>::psi(mode, s, t));
      }
    }
    return sum / (fine * fine);
  };
  auto const cells = static_cast<std::size_t>(mesh.cells());
  std::vector<double> start(dg * cells), end(cells);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      auto const cell = static_cast<std::size_t>(j * n + i);
      for (int m = 0; m < dg; ++m) {
        start[m * cells + cell] = mean(i, j, 0.65, 0.5, m);
      }
      end[cell] = mean(i, j, 0.5 + 0.15 * std::cos(turn), 0.5 + 0.15 * std::sin(turn), 0);
    }
  }
  solver->write(FieldId::h, start.data());
  for (int step = 0; step < steps; ++step) {
    solver->run_stage("seaice.advect.update");
  }
  auto result = read(*solver, FieldId::h);
  result.resize(cells);
  return relative_difference(result, end);
}

TEST(Advection, ConvergesWithTheOrderOfTheSpace) {
  double const first = std::log2(rotation_error(96, 1) / rotation_error(192, 1));
  double const second = std::log2(rotation_error(24, 3) / rotation_error(48, 3));
  RecordProperty("order_dg1", std::to_string(first));
  RecordProperty("order_dg3", std::to_string(second));
  EXPECT_GE(first, 0.9);
  EXPECT_GE(second, 1.9);
}

TEST(Advection, ConservesVolumeToRoundingWhereNothingLeaves) {
  auto const mesh = rectangle_mesh(24, 24, length, length, 0.05);
  for (auto const assembly : {Assembly::deterministic, Assembly::atomic}) {
    auto const solver = make("fp64", assembly, {mesh});
    give_random_ice(*solver, mesh.cells(), 5);
    test::give_velocity(*solver, mesh, 1, [](double x, double y) {
      bool const inside = x > 0.15 * length && x < 0.85 * length && y > 0.15 * length && y < 0.85 * length;
      return inside ? std::pair{0.3 * std::sin(1e-5 * y), 0.2 * std::cos(2e-5 * x)} : std::pair{0.0, 0.0};
    });
    test::PlainCase basin;
    basin.nx = mesh.nx;
    basin.ny = mesh.ny;
    basin.x = mesh.x;
    basin.y = mesh.y;
    basin.sea = mesh.mask;
    test::PlainIce<long double> const plain(basin);
    auto const volume = [&] {
      auto const h = read(*solver, FieldId::h);
      long double sum = 0;
      for (auto const part : plain.integrals({h.begin(), h.end()})) {
        sum += part;
      }
      return sum;
    };

    auto const before = volume();
    for (int step = 0; step < 50; ++step) {
      solver->run_stage("seaice.advect.update");
    }

    EXPECT_LT(std::abs(static_cast<double>((volume() - before) / before)), 50 * 0x1p-52) << name_of(assembly);
  }
}

TEST(Limiter, KeepsBoundsAtTheCornersAndLeavesGoodCellsAlone) {
  auto const mesh = rectangle_mesh(40, 25, 1, 1);
  auto const solver = make("fp64", Assembly::deterministic, {mesh});
  auto const cells = static_cast<std::size_t>(mesh.cells());
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> uniform(-0.5, 1.5), slope(-1, 1);
  for (auto const& [field, most] : {std::pair{FieldId::a, 1.0}, {FieldId::h, INFINITY}}) {
    std::vector<double> given(3 * cells);
    for (std::size_t k = 0; k < cells; ++k) {
      given[k] = uniform(generator);
      given[cells + k] = slope(generator);
      given[2 * cells + k] = slope(generator);
    }
    solver->write(field, given.data());

    solver->run_stage("seaice.limit");

    auto const limited = read(*solver, field);
    int untouched = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      auto const corners = [&](std::vector<double> const& c) {
        double const slopes = (std::abs(c[cells + k]) + std::abs(c[2 * cells + k])) / 2;
        return std::pair{c[k] - slopes, c[k] + slopes};
      };
      auto const [lowest, highest] = corners(limited);
      EXPECT_LE(highest, most + 1e-15);
      EXPECT_GE(lowest, -1e-15);
      EXPECT_EQ(limited[k], std::min(std::max(given[k], 0.0), most));
      if (corners(given).first >= 0 && corners(given).second <= most) {
        EXPECT_EQ(limited[cells + k], given[cells + k]);
        EXPECT_EQ(limited[2 * cells + k], given[2 * cells + k]);
        ++untouched;
      }
    }
    EXPECT_GT(untouched, 50);
    EXPECT_LT(untouched, 950);
  }
}

/// A rheology of one's own: added without touching another file.
struct LinearViscous {
  double viscosity = 1e8;  ///< N s m-1 a metre of ice
  double coefficient(double h, double) const { return viscosity * h; }
  Tensor<double> stress(Tensor<double> const& e, double eta) const {
    return {2 * eta * e.xx, 2 * eta * e.yy, 2 * eta * e.xy};
  }
};

TEST(Rheology, ALinearViscousOneFitsTheStressStage) {
  using S = Space<1, 1>;
  using Matrices = SharedMatrices<double, StressLayout<S>::count>;
  CellLattice const cells{1, 1};
  double const x[4] = {0, 1000, 0, 1000}, y[4] = {0, 0, 1000, 1000};
  auto const element = element_matrices<double, S>(x, y);
  Matrices matrices;
  std::copy(std::begin(element.stress), std::end(element.stress), matrices.values);
  NodeLattice<1> const nodes{1, 1};
  auto const plane = cells.plane(), points = nodes.size();
  std::vector<double> u(static_cast<std::size_t>(points), 0), v(u),
      sigma(static_cast<std::size_t>(9 * plane), 0), eta(static_cast<std::size_t>(4 * plane), 2e8);
  for (int row = 0; row < 2; ++row) u[static_cast<std::size_t>(nodes.index(1, row))] = 0.1;
  BasisTable<double, S::stress, S::gauss> psi;
  auto const rule = gauss_rule<double, 2>();
  for (int q = 0; q < 4; ++q) {
    for (int k = 0; k < 3; ++k) {
      psi.value[k][q] = dg_basis(k, rule.point[q % 2], rule.point[q / 2]);
    }
  }

  for_each(Host{}, Extent2{1, 1},
           StrainStressUpdate<Fp64, S, Matrices, LinearViscous>{
               {cells, nodes, {u.data(), points}, {v.data(), points}, matrices},
               {cells,
                {eta.data(), 4 * plane},
                matrices,
                psi,
                LinearViscous{},
                1.0,
                {sigma.data(), sigma.data() + 3 * plane, sigma.data() + 6 * plane}}});

  auto const cell = cells.index(0, 0);
  EXPECT_NEAR(sigma[static_cast<std::size_t>(cell)], 2 * 2e8 * 1e-4, 1e-8);
  EXPECT_NEAR(sigma[static_cast<std::size_t>(3 * plane + cell)], 0, 1e-8);
}

TEST(Momentum, FreeDriftBalancesWindWaterAndCoriolis) {
  auto const mesh = rectangle_mesh(24, 24, length, length);
  Parameters parameters;
  parameters.wind = uniform_wind(6, -3);
  parameters.dt = 3600;
  parameters.substeps = 400;
  parameters.alpha = parameters.beta = 50;
  std::vector<double> const ocean_u(mesh.x.size(), 0.05), ocean_v(mesh.x.size(), -0.02);
  auto const solver = make("fp64", Assembly::deterministic, {mesh, parameters, ocean_u, ocean_v});

  for (int step = 1; step <= 200; ++step) {
    test::give_uniform_ice(*solver, mesh.cells(), 0.5,
                           0.02);  // P = P* H exp(-19.6): 4e-5 N/m, the walls are not felt
    solver->advance(step);
  }

  auto const centre = static_cast<std::size_t>(12 * 25 + 12);
  double const du = 0.05 - read(*solver, FieldId::u)[centre], dv = -0.02 - read(*solver, FieldId::v)[centre];
  double const speed = std::hypot(6.0, -3.0), a = 0.02;
  double const air = a * constants::air_density * constants::air_drag * speed;
  double const water = a * constants::water_density * constants::water_drag * std::hypot(du, dv);
  double const turn = constants::ice_density * 0.5 * constants::coriolis;
  double const scale = air * speed;
  EXPECT_LT(std::abs(air * 6 + water * du - turn * dv), 1e-5 * scale);
  EXPECT_LT(std::abs(air * -3 + water * dv + turn * du), 1e-5 * scale);
}

/// One of the eight symmetries of a square: x and y swapped, then mirrored.
struct Symmetry {
  bool swaps, flips_x, flips_y;

  bool mirrors() const { return swaps != (flips_x != flips_y); }
  std::pair<double, double> of_vector(double u, double v) const {
    if (swaps) std::swap(u, v);
    return {flips_x ? -u : u, flips_y ? -v : v};
  }
  /// A plane of n x n values.
  std::vector<double> of_plane(std::vector<double> const& field, int n) const {
    std::vector<double> result(field.size());
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        int x = swaps ? j : i, y = swaps ? i : j;
        if (flips_x) x = n - 1 - x;
        if (flips_y) y = n - 1 - y;
        result[static_cast<std::size_t>(y * n + x)] = field[static_cast<std::size_t>(j * n + i)];
      }
    }
    return result;
  }
  /// Planes of a tracer's three modes: those of x and y are components.
  std::vector<double> of_tracer(std::vector<double> const& field, int n) const {
    auto const plane = static_cast<std::size_t>(n) * n;
    std::vector<double> modes[3], result;
    for (std::size_t m = 0; m < 3; ++m) {
      auto const start = field.begin() + static_cast<std::ptrdiff_t>(m * plane);
      modes[m] = of_plane({start, start + static_cast<std::ptrdiff_t>(plane)}, n);
    }
    for (std::size_t k = 0; k < plane; ++k) {
      std::tie(modes[1][k], modes[2][k]) = of_vector(modes[1][k], modes[2][k]);
    }
    for (auto const& mode : modes) result.insert(result.end(), mode.begin(), mode.end());
    return result;
  }
};

TEST(Step, SymmetriesOfACaseAreThoseOfItsAnswer) {
  // Not to the bit: the products over the nodes of a cell are summed in the order of memory, which a symmetry
  // changes.
  int const n = 16;
  auto const mesh = rectangle_mesh(n, n, length, length);
  auto const run = [&](Symmetry const& symmetry) {
    Parameters parameters;
    auto const [u, v] = symmetry.of_vector(9, -4);
    parameters.wind = uniform_wind(u, v);
    if (symmetry.mirrors()) parameters.coriolis = -parameters.coriolis;
    auto solver = make("fp64", Assembly::deterministic, {mesh, parameters});
    give_random_ice(*solver, mesh.cells(), 11);
    for (auto const field : {FieldId::h, FieldId::a}) {
      solver->write(field, symmetry.of_tracer(read(*solver, field), n).data());
    }
    for (int step = 1; step <= 5; ++step) {
      solver->advance(step);
    }
    return solver;
  };
  auto const plain = run({false, false, false});
  auto const u = read(*plain, FieldId::u), v = read(*plain, FieldId::v);
  for (int k = 1; k < 8; ++k) {
    SCOPED_TRACE(k);
    Symmetry const symmetry{(k & 4) != 0, (k & 2) != 0, (k & 1) != 0};
    std::vector<double> image_u(u.size()), image_v(v.size());
    for (std::size_t node = 0; node < u.size(); ++node) {
      std::tie(image_u[node], image_v[node]) = symmetry.of_vector(u[node], v[node]);
    }
    auto const image = run(symmetry);
    EXPECT_LT(relative_difference(read(*image, FieldId::u), symmetry.of_plane(image_u, n + 1)), 1e-11);
    EXPECT_LT(relative_difference(read(*image, FieldId::v), symmetry.of_plane(image_v, n + 1)), 1e-11);
    EXPECT_LT(relative_difference(read(*image, FieldId::h), symmetry.of_tracer(read(*plain, FieldId::h), n)),
              1e-12);
  }
}

}  // namespace
