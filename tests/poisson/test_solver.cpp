// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/poisson/solver.hpp"
#include "io/error.hpp"
#include "poisson/discrete.hpp"

namespace {

using namespace ulpine;
using namespace poisson_test;

Cells<double> solved(PoissonSolver&& solver, Cells<double> const& d) {
  Cells<double> p(d.size(), -3);
  solver.solve(d.data(), p.data());
  return p;
}

TEST(PoissonSolver, SolvesInBothPrecisions) {
  for (auto const& [name, g] : grids()) {
    auto const d = converted<double>(right_hand_side(g, 1));
    auto const exact_d = converted<float128>(d);
    auto const exact = solve(g, exact_d);
    if (norm(exact) == 0) continue;
    auto const bound = [&](double u) { return rounding_bound(g, exact_d, exact, u); };
    EXPECT_LT(relative_error(solved(PoissonSolver(g), d), exact), bound(0x1p-53)) << name;
    auto const error = relative_error(solved(PoissonSolver(g, "cpu", "fp32"), d), exact);
    EXPECT_LT(error, bound(0x1p-24)) << name;
    EXPECT_GT(error, 0x1p-30) << name << ": that was no float";
  }
}

TEST(PoissonSolver, TakesTheSameArrayForBoth) {
  auto const g = stretched(12, 10, 21, false);
  auto d = converted<double>(right_hand_side(g, 2));
  auto const p = solved(PoissonSolver(g), d);
  PoissonSolver solver(g);
  solver.solve(d.data(), d.data());
  EXPECT_EQ(d, p);
}

/// Whatever the method, and by the name that a user gives it.
TEST(PoissonSolver, SolvesByEveryMethod) {
  auto const g = stretched(12, 10, 21, false);
  auto const d = converted<double>(right_hand_side(g, 7));
  auto const exact_d = converted<float128>(d);
  auto const exact = solve(g, exact_d);
  auto const bound = rounding_bound(g, exact_d, exact, 0x1p-53);
  for (char const* method : {"portable", "vendor"}) {
    auto const p = solved(PoissonSolver(g, "cpu", "fp64", poisson_method(method), 2), d);
    EXPECT_LT(relative_error(p, exact), bound) << method;
  }
}

TEST(PoissonSolver, TellsTheMeanThatItRemoved) {
  auto const g = stretched(12, 10, 21, false);
  auto d = converted<double>(right_hand_side(g, 3));
  for (auto& value : d) value += 2;
  PoissonSolver solver(g);
  solver.solve(d.data(), d.data());
  EXPECT_NEAR(solver.removed_mean(), 2, 0x1p-52 * static_cast<double>(d.size()));
  EXPECT_NEAR(mean(g, d), 0, 1e-11);

  PoissonSolver open(stretched(12, 10, 21, true));
  open.solve(d.data(), d.data());
  EXPECT_EQ(open.removed_mean(), 0);
}

TEST(PoissonSolver, GivesTheSameBitsForAnyNumberOfThreadsAndAnyCall) {
  auto const g = stretched(12, 10, 21, false);
  auto const d = converted<double>(noise<float128>(g, 4));
  for (char const* precision : {"fp64", "fp32"}) {
    PoissonSolver one(g, "cpu", precision);
    Cells<double> p(d.size()), again(d.size());
    one.solve(d.data(), p.data());
    one.solve(d.data(), again.data());
    EXPECT_EQ(again, p);
    for (int const threads : {2, 3}) {
      PoissonSolver more(g, "cpu", precision, PoissonMethod::vendor, threads);
      more.solve(d.data(), again.data());
      EXPECT_EQ(again, p) << threads;
      EXPECT_EQ(more.removed_mean(), one.removed_mean());
    }
  }
}

TEST(PoissonSolver, TimesItsPhases) {
  auto const g = uniform_poisson_grid(64, 64, 16, 1, 1, 1);
  auto d = converted<double>(right_hand_side(g, 5));
  PoissonSolver solver(g);
  EXPECT_EQ(solver.seconds().total, 0);
  solver.solve(d.data(), d.data());
  auto const seconds = solver.seconds();
  for (double const part : {seconds.forward, seconds.tridiagonal, seconds.inverse}) {
    EXPECT_GT(part, 0);
    EXPECT_LT(part, seconds.total);
  }
  EXPECT_NEAR(seconds.forward + seconds.tridiagonal + seconds.inverse, seconds.total, 1e-9);
}

TEST(PoissonSolver, CountsItsMemory) {
  auto const g = uniform_poisson_grid(64, 64, 16, 1, 1, 1);
  auto const planes = std::int64_t{16} * 64 * 66;
  EXPECT_GT(PoissonSolver(g).work_bytes(), 8 * planes);
  EXPECT_LT(PoissonSolver(g).work_bytes(), 9 * planes);
  EXPECT_LT(PoissonSolver(g, "cpu", "fp32").work_bytes(), 5 * planes);
}

template <class Error = InputError, class Action>
std::string refusal(Action const& action) {
  try {
    action();
    return "";
  } catch (Error const& error) {
    return error.what();
  }
}

TEST(PoissonSolver, RefusesWhatIsNotFiniteAndSaysWhere) {
  auto const g = stretched(12, 10, 21, false);
  auto const good = converted<double>(right_hand_side(g, 6));
  for (char const* precision : {"fp64", "fp32"}) {
    PoissonSolver solver(g, "cpu", precision, PoissonMethod::vendor, 2);
    for (double const bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(), 1e39}) {
      if (bad == 1e39 && precision == std::string("fp64")) continue;
      auto d = good;
      d[at(g, 17, 8, 11)] = bad;
      Cells<double> p(d.size(), -3);
      auto const message = refusal([&] { solver.solve(d.data(), p.data()); });
      EXPECT_NE(message.find("k = 17, j = 8, i = 11"), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos);
      EXPECT_EQ(p, Cells<double>(d.size(), -3));
    }
    Cells<double> p(good.size());
    solver.solve(good.data(), p.data());  // and it is usable afterwards
    EXPECT_LT(norm(p), 1e9);
  }
}

TEST(PoissonSolver, RefusesWhatItIsNotMadeFor) {
  auto const g = uniform_poisson_grid(4, 4, 4, 1, 1, 1);
  EXPECT_NE(refusal([&] { PoissonSolver(g, "gpu"); }), "");
  EXPECT_NE(refusal([&] { PoissonSolver(g, "cpu", "fp16"); }), "");
  EXPECT_NE(refusal([&] { PoissonSolver(g, "cpu", "fp64", PoissonMethod::vendor, 0); }), "");
  EXPECT_NE(refusal([&] { PoissonSolver(uniform_poisson_grid(4, 0, 4, 1, 1, 1)); }), "");
  EXPECT_NE(refusal([&] { PoissonSolver(PoissonGrid{}); }), "");
  EXPECT_NE(refusal<EnvironmentError>([&] { PoissonSolver(g, "cuda:97"); }), "");
}

}  // namespace
