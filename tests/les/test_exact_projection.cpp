// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "les/air_support.hpp"
#include "les/eddies_support.hpp"

namespace {

using namespace ulpine;
using test::Air;
using test::Eddies;
using test::RandomValues;
using test::Sizes;

constexpr Sizes even{13, 8, 9, 3, 2, 2.5, 1}, stretched{10, 9, 11, 2, 3, 2, 1.1};

template <class S>
S size_of(S x) {
  return x < S(0) ? -x : x;
}
template <class S>
S largest_of(std::vector<S> const& values) {
  S most = 0;
  for (auto const& value : values) most = size_of(value) > most ? size_of(value) : most;
  return most;
}
template <class S>
double roundoff() {
  return sizeof(S) == 4 ? 0x1p-24 : sizeof(S) == 8 ? 0x1p-53 : 0x1p-113;
}

/// Values of a field after each iteration, from 1.
template <class S>
class Iterates : public StageObserver {
 public:
  explicit Iterates(char const* field) : field_{field} {}
  void stage_done(StagePosition const& position, char const*, char const* field,
                  RawField const& values) override {
    if (field != std::string(field_) || position.depth() < 2) return;
    auto const n = static_cast<std::size_t>(position[1].index);
    if (all.size() < n) all.resize(n);
    all[n - 1] = Air<S, S>::dense(values);
  }
  std::vector<std::vector<S>> all;

 private:
  char const* field_;
};

class TownsAtRandom : public testing::TestWithParam<int> {
 protected:
  Sizes sizes() const { return GetParam() % 2 == 0 ? even : stretched; }
  std::vector<std::int32_t> tops() const {
    RandomValues random(static_cast<std::uint64_t>(100 + GetParam()));
    return test::random_tops(random, sizes().nx, sizes().ny, 4, 0.15 * (1 + GetParam()));
  }
};

TEST_P(TownsAtRandom, OperatorIsWhatFacesOfAirLetThrough) {
  Air<double, double> air(sizes(), tops());
  auto const x = air.random(1);
  std::vector<float128> expected, terms;
  air.plain_outflow(x, expected, terms);

  auto const found = air.outflow(x);

  // 6 differences, 2 products, 5 sums and the lengths' own roundings on each way.
  for (std::size_t n = 0; n < found.size(); ++n) {
    EXPECT_LE(std::abs(static_cast<double>(found[n] - expected[n])),
              12 * 0x1p-53 * static_cast<double>(terms[n]))
        << n;
  }
}

TEST_P(TownsAtRandom, OperatorIsSymmetricAndPositiveButForConstants) {
  Air<float128, float128> air(sizes(), tops());
  auto const x = air.random(1), y = air.random(2);
  std::vector<float128> flow, terms;
  air.plain_outflow(y, flow, terms);
  float128 bound = 0;
  for (std::size_t n = 0; n < x.size(); ++n) bound += size_of(x[n]) * terms[n];

  auto const ax = air.outflow(x), ay = air.outflow(y);

  // Lengths come as doubles, and by products: the same for both sides of a face but for rounding.
  EXPECT_LE(static_cast<double>(size_of(test::dot(x, ay) - test::dot(y, ax))),
            12 * 0x1p-113 * static_cast<double>(bound) * static_cast<double>(x.size()));
  // Half a square for each face: none is left out and none counted twice.
  float128 energy = 0;
  air.for_faces([&](std::size_t a, std::size_t b, double weight) {
    energy += (x[a] - x[b]) * (x[a] - x[b]) * float128(weight);
  });
  EXPECT_NEAR(static_cast<double>(test::dot(x, ax) / energy), 1, 64 * 0x1p-53);
  std::vector<float128> const one(air.size(), 1);
  for (auto const& value : air.outflow(one)) EXPECT_EQ(value, 0);
}

TEST_P(TownsAtRandom, PreconditionerIsSymmetricAndItsEigenvaluesAreAtMostOne) {
  Air<double, double> air(sizes(), tops());
  auto x = air.random(1), y = air.random(2);
  auto const px = air.preconditioned(x), py = air.preconditioned(y);
  auto const across = test::dot(x, py), size = std::sqrt(test::dot(x, px) * test::dot(y, py));

  // Solvers' roundings, 64 of them, of values whose energies are these.
  EXPECT_NEAR(across, test::dot(y, px), 64 * 0x1p-53 * size);

  // What continues into the buildings needs energy there: P's inverse is above A, so P r.A P r <= r.P r.
  for (auto const* r : {&x, &y}) {
    auto const z = r == &x ? px : py;
    EXPECT_GT(test::dot(*r, z), 0);
    EXPECT_LE(test::dot(z, air.outflow(z)), test::dot(*r, z));
  }
}

TEST_P(TownsAtRandom, EnergyOfTheErrorFallsWithEveryIteration) {
  Air<float128, float128> air(sizes(), tops());
  auto const wanted = air.random(4);
  Iterates<float128> solutions("pressure_solution");

  air.solve(air.divergence_of(air.outflow(wanted)), 30, &solutions);

  auto const energy = [&](std::vector<float128> const& values) {
    std::vector<float128> error(values.size());
    for (std::size_t n = 0; n < values.size(); ++n) error[n] = values[n] - wanted[n];
    return static_cast<double>(test::dot(error, air.outflow(error)));
  };
  auto before = energy(std::vector<float128>(air.size()));
  auto const start = before;
  ASSERT_EQ(solutions.all.size(), 30);
  for (auto const& solution : solutions.all) {
    auto const now = energy(solution);
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_LT(before, 1e-12 * start);
}

template <class S>
void expect_residual_of_rounding(Sizes const& sizes, std::vector<std::int32_t> const& tops, int iterations) {
  Air<S, S> air(sizes, tops);
  auto divergence = air.random(5);
  // The part that no pressure can take off: what leaves the air altogether.
  S sum = 0;
  air.for_cells(
      [&](int k, int j, int i) { sum += static_cast<S>(air.thickness(k)) * divergence[air.index(k, j, i)]; });
  auto const mean = sum / static_cast<S>(air.setup().air_thickness());
  Iterates<S> none("");

  auto const p = air.solve(divergence, iterations, &none);

  auto const q = air.outflow(p);
  std::vector<S> flow, terms;
  air.plain_outflow(p, flow, terms);
  auto total = S(0);
  air.for_cells([&](int k, int j, int i) {
    auto const n = air.index(k, j, i);
    if (!air.air(k, j, i)) {
      EXPECT_EQ(p[n], S(0));
      return;
    }
    auto const h = static_cast<S>(air.thickness(k));
    total += h * p[n];
    auto const left = size_of(q[n] / h + divergence[n] - mean);
    // As many roundings as the operator has, of the largest pressure, each iteration.
    auto const weight = 2 * (1 / (air.dx() * air.dx()) + 1 / (air.dy() * air.dy())) +
                        2 / (air.thickness(0) * air.thickness(0));
    EXPECT_LE(static_cast<double>(left),
              12 * roundoff<S>() * weight * static_cast<double>(largest_of(p)) * 16)
        << n;
  });
  EXPECT_LE(static_cast<double>(size_of(total)),
            64 * roundoff<S>() * static_cast<double>(largest_of(p)) * air.setup().air_thickness());
}

TEST_P(TownsAtRandom, SolutionLeavesRoundingAloneAndStaysThereForEver) {
  for (int const iterations : {80, 300}) {
    expect_residual_of_rounding<double>(sizes(), tops(), iterations);
    expect_residual_of_rounding<float>(sizes(), tops(), iterations);
  }
}

INSTANTIATE_TEST_SUITE_P(Air, TownsAtRandom, testing::Range(0, 6));

TEST(AirSolver, OfNothingIsNothing) {
  Air<double, double> air(even, std::vector<std::int32_t>(13 * 8, 1));
  for (auto const& value : air.solve(std::vector<double>(air.size()), 5)) EXPECT_EQ(value, 0);
}

TEST(AirSolver, HidesNoNaN) {
  RandomValues random(2);
  Air<double, double> air(even, test::random_tops(random, 13, 8, 4, 0.4));
  auto divergence = air.random(3);
  divergence.back() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(air.solve(divergence, 3).back()));
}

TEST(AirSolver, TakesNoNaNForTheEndOfTheIteration) {
  // In units of the first energy, of which 2^-100 is negligible.
  double const none = std::numeric_limits<double>::quiet_NaN(), one = 1, least = 0x1p-100, zero = 0;
  auto const length = [&](double const& energy, double const& curvature) {
    double found = 7;
    les::Length<double>{&energy, &least, &curvature, &found}(0);
    return found;
  };
  EXPECT_TRUE(std::isnan(length(none, one)));
  EXPECT_TRUE(std::isnan(length(one, none)));
  EXPECT_TRUE(std::isnan(length(none, none)));
  EXPECT_EQ(length(one, 4), 0.25);
  EXPECT_EQ(length(least, one), 0);
  EXPECT_EQ(length(one, zero), 0);
}

TEST(AirSolver, KeepsNothingOfWhatItSolvedBefore) {
  RandomValues random(7);
  auto const tops = test::random_tops(random, 13, 8, 4, 0.4);
  Air<double, double> fresh(even, tops), used(even, tops);
  auto const divergence = fresh.random(8);
  for (double const before : {1e6, std::numeric_limits<double>::quiet_NaN()}) {
    auto other = used.random(9);
    other.back() = before;
    used.solve(other, 3);
    EXPECT_EQ(used.solve(divergence, 3), fresh.solve(divergence, 3)) << before;
  }
}

TEST(AirSolver, NeedsFewIterationsThatDoNotGrowWithTheResolution) {
  // Blocks half as wide as their period and as high, resolved ever finer.
  std::vector<int> needed;
  for (int const n : {2, 4, 8}) {
    Sizes const sizes{4 * n, 4 * n, 3 * n, 8.0 / n, 8.0 / n, 8.0 / n, 1};
    std::vector<std::int32_t> tops;
    for (int j = 0; j < 4 * n; ++j) {
      for (int i = 0; i < 4 * n; ++i) tops.push_back(i / n % 2 == 0 && j / n % 2 == 0 ? n : 0);
    }
    Air<double, double> air(sizes, tops);
    Iterates<double> residuals("pressure_residual");
    air.solve(air.random(6), 40, &residuals);
    int count = 0;
    while (largest_of(residuals.all[static_cast<std::size_t>(count)]) > 1e-8 * 8 / n) ++count;
    needed.push_back(count);
  }
  // Without a preconditioner each doubling doubles them.
  EXPECT_LE(needed.back(), 24);
  EXPECT_LE(needed[2], needed[1] + 3);
}

constexpr int nx = 14, ny = 9, nz = 10;
std::string town_case(std::string const& pressure, std::string const& more = "") {
  return test::bare_case("nx = 14\nny = 9\nnz = 10\ndx = 20.0\ndy = 15.0\ndz = 10.0", "step = '0.5 s'",
                         std::string("[ground]\nroughness = 0.1\n[pressure]\n") + pressure +
                             "\n[profile.wind]\nu = [3.0]\n" + more);
}
std::vector<int> town() {
  RandomValues random(12);
  auto const tops = test::random_tops(random, nx, ny, 4, 0.35);
  return {tops.begin(), tops.end()};
}
constexpr char const* exact = "buildings = 'exact'\niterations = 60";
constexpr char const* noise = "[start]\nnoise_wind = 0.5\n";
constexpr char const* flow = "[start]\nnoise_wind = 0.5\n[force]\nmean_u = 3.0\n";

TEST(ExactProjection, LeavesDivergenceOfRoundingInATown) {
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    for (auto const* more : {noise, flow}) {
      Eddies eddies(town_case(exact, more), policy, Host{}, Assembly::deterministic, town()),
          masked(town_case("", more), policy, Host{}, Assembly::deterministic, town());
      for (int n = 0; n < 4; ++n) {
        auto const wind = std::max({test::largest(eddies.values("u")), test::largest(eddies.values("v")),
                                    test::largest(eddies.values("w"))});
        auto const divergence = test::largest(eddies.values("divergence"));
        auto const eps = test::roundoff_of(policy);
        // Of the wind at both faces, four times, and of the pressure, whose solver has 64 roundings.
        EXPECT_LE(divergence, (64 * eps.solved + 8 * eps.state) * wind * 2 * (1 / 20.0 + 1 / 15.0 + 1 / 10.0))
            << policy << more << n;
        EXPECT_GT(test::largest(masked.values("divergence")), 1e-4) << policy << more << n;
        eddies.step(), masked.step();
      }
    }
  }
}

TEST(ExactProjection, OfAnotherTransformDiffersByRounding) {
  for (auto const* policy : {"fp64", "fp32", "mixed"}) {
    Eddies portable(town_case("buildings = 'exact'", flow), policy, Host{}, Assembly::deterministic, town()),
        library(town_case("buildings = 'exact'", flow), policy, Host{}, Assembly::atomic, town());
    portable.step(), library.step();
    // As without iterations (test_gpu.cpp): each takes on what the one before has left.
    for (auto const* field : {"u", "v", "w"}) {
      EXPECT_LE(test::distance(portable.values(field), library.values(field)),
                3 * 128 * 4 * test::roundoff_of(policy).solved)
          << policy << ' ' << field;
    }
  }
}

TEST(ExactProjection, LeavesTheReferenceWhatItsLengthsRound) {
  Eddies eddies(town_case(exact, noise), "quad", Host{}, Assembly::deterministic, town());
  // Thicknesses and their inverses are doubles in every policy, their product is 1 but for two roundings.
  EXPECT_LE(test::largest(eddies.values("divergence")), 2 * 0x1p-53 * 4 * 2 / 10.0);
}

TEST(ExactProjection, WallsStandStillAndTheFlowIsHeld) {
  Eddies eddies(town_case(exact, flow), "fp64", Host{}, Assembly::deterministic, town());
  auto const tops = town();
  eddies.steps(3);
  auto const u = eddies.values("u"), v = eddies.values("v"), w = eddies.values("w"), p = eddies.values("p");
  auto const solid = [&](int k, int j, int i) {
    return k < tops[static_cast<std::size_t>((j + ny) % ny * nx + (i + nx) % nx)];
  };
  auto sum = 0.0, count = 0.0;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        auto const n = eddies.index(k, j, i);
        auto const wall_u = solid(k, j, i) || solid(k, j, i - 1),
                   wall_v = solid(k, j, i) || solid(k, j - 1, i);
        EXPECT_EQ(u[n] == 0, wall_u) << k << ' ' << j << ' ' << i;
        EXPECT_EQ(v[n] == 0, wall_v) << k << ' ' << j << ' ' << i;
        EXPECT_EQ(w[n] == 0, solid(k, j, i) || k == nz - 1) << k << ' ' << j << ' ' << i;
        EXPECT_EQ(p[n] == 0, solid(k, j, i)) << k << ' ' << j << ' ' << i;
        sum += u[n], count += wall_u ? 0 : 1;
      }
    }
  }
  EXPECT_NEAR(sum / count, 3, 3 * 16 * 0x1p-53 * std::sqrt(count));
}

TEST(ExactProjection, IsTheMaskedOneOverFlatGround) {
  for (auto const* policy : {"fp64", "mixed"}) {
    Eddies exactly(town_case(exact, flow), policy), masked(town_case("", flow), policy);
    exactly.steps(2), masked.steps(2);
    EXPECT_EQ(exactly.hash(), masked.hash()) << policy;
    test::expect_same_bits(exactly.values("p"), masked.values("p"), policy);
  }
}

TEST(ExactProjection, HasTheSameBitsForAnyNumberOfThreads) {
  for (auto const* policy : {"fp64", "fp32", "mixed", "bf16"}) {
    Eddies one(town_case("buildings = 'exact'\niterations = 3", flow), policy, Host{1},
               Assembly::deterministic, town());
    one.step();
    for (int const threads : {2, 3}) {
      Eddies several(town_case("buildings = 'exact'\niterations = 3", flow), policy, Host{threads},
                     Assembly::deterministic, town());
      several.step();
      EXPECT_EQ(several.hash(), one.hash()) << policy << ' ' << threads;
      test::expect_same_bits(several.values("p"), one.values("p"), policy);
    }
  }
}

TEST(ExactProjection, OfRoughFactorsStaysFinite) {
  // What a preconditioner's rounding spoils costs iterations, not the result.
  Eddies eddies(town_case("buildings = 'exact'\niterations = 40", flow), "bf16", Host{},
                Assembly::deterministic, town());
  eddies.steps(3);
  auto const wind = test::largest(eddies.values("u"));
  EXPECT_LT(wind, 20);
  EXPECT_LE(test::largest(eddies.values("divergence")), 0x1p-9 * wind * 2 * (1 / 20.0 + 1 / 15.0 + 1 / 10.0));
}

TEST(ExactProjection, ReportsTheStagesOfEachIteration) {
  Eddies eddies(town_case("buildings = 'exact'\niterations = 5", flow), "fp64", Host{},
                Assembly::deterministic, town());
  eddies.step();
  auto found = 0;
  for (auto const& stage : eddies.core().stages().times()) {
    if (stage.name.rfind("les.pressure.iterate.", 0) != 0) continue;
    auto const name = stage.name.substr(21);
    auto const once = name == "residual" || name == "weigh" || name == "mean" || name == "centre";
    EXPECT_EQ(stage.launches, once ? 3 : 15) << name;
    EXPECT_GT(stage.bytes, 0) << name;
    ++found;
  }
  EXPECT_EQ(found, 16);
}

TEST(ExactProjection, TakesItsKeysFromTheCase) {
  auto const read = [](char const* pressure) {
    return les::read_case(io::CaseFile::parse(town_case(pressure), "case.toml")).parameters;
  };
  EXPECT_FALSE(read("").exact_walls);
  EXPECT_FALSE(read("buildings = 'masked'").exact_walls);
  EXPECT_TRUE(read("buildings = 'exact'").exact_walls);
  EXPECT_EQ(read("buildings = 'exact'\niterations = 7").pressure_iterations, 7);
  for (auto const* bad : {"iterations = 7", "buildings = 'exact'\niterations = 0", "buildings = 'none'"}) {
    EXPECT_THROW(read(bad), InputError) << bad;
  }
}

TEST(Setup, KnowsHowMuchAirThereIs) {
  RandomValues random(7);
  auto const tops = test::random_tops(random, stretched.nx, stretched.ny, 4, 0.5);
  Air<double, double> air(stretched, tops);
  auto sum = 0.0;
  air.for_cells([&](int k, int j, int i) { sum += air.air(k, j, i) ? air.thickness(k) : 0; });
  EXPECT_NEAR(air.setup().air_thickness(), sum, 1e-12 * sum);
}

}  // namespace
