// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "core/exec/memory.hpp"
#include "io/error.hpp"
#include "poisson/discrete.hpp"

namespace {

using namespace ulpine;
using namespace poisson_test;

/// Everything else rests on this: 113 bits solve the equation as its definition states it.
TEST(PoissonPhases, SolveTheDiscreteEquation) {
  for (auto const& [name, g] : grids()) {
    auto const d = right_hand_side(g, 3);
    auto const p = solve(g, d);
    auto const lp = laplacian(g, p);
    float128 worst = 0, largest = 0;
    for (std::size_t c = 0; c < d.size(); ++c) {
      worst = std::max(worst, math::abs(lp[c] - d[c]));
      largest = std::max(largest, math::abs(p[c]));
    }
    // L itself is computed with some ten roundings of terms of 4 p / h^2.
    double least = std::min(g.dx, g.dy);
    for (auto const dz : g.dz) least = std::min(least, dz);
    auto const roundings = 10 + 3 * (2 + std::log2(double(g.nx) * g.ny)) + 3.0 * g.nz;
    auto const bound = 0x1p-113 * roundings * 12 * static_cast<double>(largest) / (least * least);
    EXPECT_LT(static_cast<double>(worst), bound + 0x1p-110) << name;
    if (g.singular()) {
      EXPECT_LT(static_cast<double>(math::abs(mean(g, p))), bound + 0x1p-110) << name;
    }
  }
}

TEST(PoissonPhases, LeaveOutAMeanThatNoPressureHas) {
  for (auto const& [name, g] : grids()) {
    if (!g.singular()) continue;
    auto d = right_hand_side(g, 4);
    auto const p = solve(g, d);
    for (auto& value : d) value += float128(5);
    auto const shifted = solve(g, d);
    if (norm(p) == 0) continue;
    EXPECT_LT(relative_error(shifted, p), 0x1p-113 * 1e5) << name;
  }
}

template <class T>
class PoissonPrecision : public testing::Test {};
using Precisions = testing::Types<double, float>;
TYPED_TEST_SUITE(PoissonPrecision, Precisions);

TYPED_TEST(PoissonPrecision, AgreesWithQuadToRounding) {
  using T = TypeParam;
  for (auto const& [name, g] : grids()) {
    auto const d = converted<T>(right_hand_side(g, 5));
    auto const exact_d = converted<float128>(d);
    auto const exact = solve(g, exact_d);
    auto const bound = rounding_bound(g, exact_d, exact, unit_roundoff<T>);
    for (auto const method : poisson_methods()) {
      EXPECT_LT(relative_error(solve(g, d, method), exact), bound) << name << ", " << name_of(method);
    }
  }
}

TYPED_TEST(PoissonPrecision, GivesBackTheFieldWhoseLaplacianItGot) {
  using T = TypeParam;
  auto const g = uniform_poisson_grid(64, 48, 40, 1, 1, 1);
  auto const p = without_mean(g, noise<float128>(g, 6));
  auto const error = relative_error(solve(g, converted<T>(laplacian(g, p))), p);
  EXPECT_LT(error, sizeof(T) == 8 ? 1e-13 : 5e-6);
}

/// On a grid of equal cells a product of cosines is an eigenfunction of L.
TYPED_TEST(PoissonPrecision, DividesAnEigenfunctionByItsEigenvalue) {
  using T = TypeParam;
  auto const g = uniform_poisson_grid(24, 20, 18, 2, 3, 5);
  for (auto const& [m, n, l] : {std::array{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {3, 7, 4}, {12, 10, 17}}) {
    float128 const pi = math::atan2(float128(0), float128(-1));
    auto const square = [&](float128 angle, double h) {
      float128 const s = 2 * math::sin(angle) / h;
      return s * s;
    };
    auto const eigenvalue =
        -square(pi * m / g.nx, g.dx) - square(pi * n / g.ny, g.dy) - square(pi * l / (2 * g.nz), 5);
    Cells<float128> p(static_cast<std::size_t>(g.cells()));
    for_cells(g, [&](int k, int j, int i) {
      p[at(g, k, j, i)] = math::cos(2 * pi * m * i / g.nx) * math::cos(2 * pi * n * j / g.ny) *
                          math::cos(pi * l * (2 * k + 1) / (2 * g.nz));
    });
    auto d = p;
    for (auto& value : d) value *= eigenvalue;
    EXPECT_LT(relative_error(solve(g, converted<T>(d)), p), rounding_bound(g, d, p, unit_roundoff<T>));
  }
}

/// p = cos(2 pi x) cos(4 pi y) cos(pi z) on a unit cube: the error is h^2 / 12 times fourth derivatives.
TEST(PoissonPhases, ConvergeWithSecondOrder) {
  constexpr double pi = std::numbers::pi;
  auto const error = [&](int n) {
    auto const g = uniform_poisson_grid(n, n, n, 1.0 / n, 1.0 / n, 1.0 / n);
    Cells<double> p(static_cast<std::size_t>(g.cells()));
    for_cells(g, [&](int k, int j, int i) {
      p[at(g, k, j, i)] = std::cos(2 * pi * i / n) * std::cos(4 * pi * j / n) * std::cos(pi * (k + 0.5) / n);
    });
    auto d = p;
    for (auto& value : d) value *= -21 * pi * pi;
    return relative_error(solve(g, d), converted<float128>(p));
  };
  // (4^2 + 16^2 + 1) pi^2 / (12 * 21) h^2, and what follows is smaller by (4 pi h)^2 / 30.
  for (int const n : {32, 64}) {
    double const h = 1.0 / n;
    EXPECT_NEAR(error(n) / (273 * pi * pi / 252 * h * h), 1, 16 * pi * pi * h * h / 10) << n;
  }
  EXPECT_NEAR(error(32) / error(64), 4, 16 * pi * pi / (32 * 32) / 10 * 4);
}

/// Powers of two change no rounding.
TYPED_TEST(PoissonPrecision, ScalesWithPowersOfTwoExactly) {
  using T = TypeParam;
  auto const g = stretched(12, 10, 21, false);
  auto d = converted<T>(right_hand_side(g, 8));
  auto p = solve(g, d);
  for (auto& value : d) value *= -T(1 << 20);
  for (auto& value : p) value *= -T(1 << 20);
  EXPECT_EQ(solve(g, d), p);
}

TYPED_TEST(PoissonPrecision, IsLinear) {
  using T = TypeParam;
  auto const g = stretched(12, 10, 21, true);
  auto const a = converted<T>(right_hand_side(g, 9)), b = converted<T>(right_hand_side(g, 10));
  Cells<T> sum;
  for (std::size_t c = 0; c < a.size(); ++c) sum.push_back(a[c] - b[c]);
  auto const pa = solve(g, a), pb = solve(g, b);
  Cells<float128> difference;
  for (std::size_t c = 0; c < a.size(); ++c) difference.push_back(float128(pa[c]) - pb[c]);
  auto const exact_sum = converted<float128>(sum);
  EXPECT_LT(relative_error(solve(g, sum), difference),
            4 * rounding_bound(g, exact_sum, difference, unit_roundoff<T>));
}

TYPED_TEST(PoissonPrecision, FollowsAShift) {
  using T = TypeParam;
  auto const g = stretched(12, 10, 21, false);
  auto const d = converted<T>(right_hand_side(g, 11));
  auto const shifted = [&]<class V>(Cells<V> const& from) {
    Cells<V> to(from.size());
    for_cells(
        g, [&](int k, int j, int i) { to[at(g, k, (j + 3) % g.ny, (i + 5) % g.nx)] = from[at(g, k, j, i)]; });
    return to;
  };
  auto const p = converted<float128>(solve(g, d));
  EXPECT_LT(relative_error(solve(g, shifted(d)), shifted(p)),
            2 * rounding_bound(g, converted<float128>(d), p, unit_roundoff<T>));
}

TYPED_TEST(PoissonPrecision, GivesTheSameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  for (auto const& [name, g] : grids()) {
    auto const d = converted<T>(right_hand_side(g, 12));
    for (auto const method : poisson_methods()) {
      auto const one = solve(g, d, method);
      for (int const threads : {2, 3}) EXPECT_EQ(solve(g, d, method, threads), one) << name;
    }
  }
}

TYPED_TEST(PoissonPrecision, AllocatesNothingInASolve) {
  using T = TypeParam;
  auto const g = stretched(12, 10, 21, false);
  auto planes = planes_of(g, converted<T>(right_hand_side(g, 13)));
  auto const phases = make_poisson_phases<T, Exact>(Host{2}, g, PoissonMethod::vendor);
  auto const before = allocations();
  phases->solve(planes.data());
  EXPECT_EQ(allocations(), before);
  // Two threads' losses of 64 columns of 21 levels, and the tables, one of which has the faces.
  auto const wide = std::int64_t{8} * 3 * 21, narrow = std::int64_t{sizeof(T)} * (12 + 10 + 3 * 21 + 1);
  EXPECT_EQ(phases->work_bytes(), std::int64_t{sizeof(T)} * 2 * 64 * 21 + wide + narrow);
}

TEST(PoissonPhases, CountTheBytesOfEachPass) {
  auto const g = uniform_poisson_grid(512, 512, 128, 1, 1, 1);
  auto const bytes = make_poisson_phases<float, Exact>(Host{1}, g, PoissonMethod::vendor)->minimal_bytes();
  EXPECT_EQ(bytes[0], 134.217728e6 + 134.742016e6);
  EXPECT_EQ(bytes[1], 2 * 134.742016e6);
  EXPECT_EQ(bytes[2], bytes[0]);
}

TEST(PoissonMethods, PromiseBitsWhereTheTransformsDo) {
  auto const g = uniform_poisson_grid(4, 4, 4, 1, 1, 1);
  auto const promise = [&](PoissonMethod method) {
    return make_poisson_phases<double, Exact>(Host{1}, g, method)->guarantee();
  };
  EXPECT_EQ(promise(PoissonMethod::portable), Guarantee::bitwise);
  EXPECT_EQ(promise(PoissonMethod::vendor), Guarantee::run_to_run);
}

template <class Format>
double format_error(PoissonGrid const& g, Cells<float> const& d, Cells<float128> const& exact) {
  return relative_error(solve<float, Format>(g, d), exact);
}

/// What rounding of operands costs: no more than their unit roundoff as often as there are products, and not
/// nothing. A product of a small loss counts little, hence no amplification.
TEST(PoissonFormats, CostTheirUnitRoundoff) {
  auto const g = stretched(12, 10, 21, false);
  auto const d = converted<float>(right_hand_side(g, 14));
  auto const exact = solve(g, converted<float128>(d));
  auto const plain = format_error<Exact>(g, d, exact);
  for (auto const& [error, u] : {std::pair{format_error<Tf32>(g, d, exact), 0x1p-11},
                                 {format_error<Binary16>(g, d, exact), 0x1p-11},
                                 {format_error<Bfloat16>(g, d, exact), 0x1p-8}}) {
    EXPECT_GT(error, 10 * plain);
    EXPECT_GT(error, u / 16);
    EXPECT_LT(error, 3 * 21 * u);
  }
}

template <class Change>
std::string refusal(Change const& change) {
  auto g = uniform_poisson_grid(4, 4, 4, 1, 1, 1);
  change(g);
  try {
    make_poisson_phases<float, Exact>(Host{1}, g, PoissonMethod::vendor);
    return "";
  } catch (InputError const& error) {
    return error.what();
  }
}

TEST(PoissonGrids, AreRefusedWhereTheyAreNone) {
  EXPECT_EQ(refusal([](PoissonGrid&) {}), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.nx = 0; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.ny = -1; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.nz = 0; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.nz = 5; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.dz_between.pop_back(); }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.nx = g.ny = 1 << 16; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.dx = 0; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.dy = -1; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.dx = std::numeric_limits<double>::infinity(); }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.dz[2] = std::numeric_limits<double>::quiet_NaN(); }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.dz_between[3] = 0; }), "");
  EXPECT_NE(refusal([](PoissonGrid& g) { g.dz[3] = 1e-19; }), "") << "its square is no normal float";
  auto const without_matter = [](PoissonGrid& g) { g.dz_between.front() = g.dz_between.back() = -1; };
  EXPECT_EQ(refusal(without_matter), "");
  EXPECT_NE(refusal([&](PoissonGrid& g) {
              without_matter(g);
              g.dirichlet_top = true;
            }),
            "");
  EXPECT_EQ(refusal([](PoissonGrid& g) { g.nx = 0; }).find('\n'), std::string::npos);
}

TEST(PoissonMethods, AreKnownByName) {
  for (auto const method : poisson_methods()) EXPECT_EQ(poisson_method(name_of(method)), method);
  EXPECT_THROW(poisson_method("vendr"), InputError);
}

}  // namespace
