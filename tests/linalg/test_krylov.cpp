// SPDX-License-Identifier: Apache-2.0
#include "precision/quad.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/linalg/failure.hpp"
#include "core/linalg/refinement.hpp"
#include "linalg/solving.hpp"

namespace {

using namespace linalg_test;

constexpr double eps = 0x1p-53;

/// ||b - A x|| in quad.
template <class T>
double true_residual(Matrix<T> const& a, std::vector<T> const& b, std::vector<T> const& x) {
  return distance(b, product(a, converted<float128>(x)));
}

/// Runs each solver that may be used for a matrix without symmetry.
template <class T, class Use>
void with_general_solvers(std::int64_t n, Tolerance const& tolerance, Use const& use, Host host = {}) {
  for (auto const side : {Side::left, Side::right}) {
    BiCgStab<T, Host> bicgstab(host, n, tolerance, side);
    use(bicgstab, side == Side::left ? "bicgstab left" : "bicgstab right");
    Gmres<T, Host> gmres(host, n, tolerance, 20, side);
    use(gmres, side == Side::left ? "gmres left" : "gmres right");
  }
  ConjugateResiduals<T, Host> residuals(host, n, tolerance, Norm::unpreconditioned);
  use(residuals, "conjugate residuals");
}

TEST(ConjugateGradients, SolveRandomDefiniteSystemsAsGaussInQuad) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto const a = random_definite(120, seed);
    auto const b = random_vector(120, seed + 50);
    auto const exact = dense_solution(a, converted<float128>(b));
    for (auto const norm_used : {Norm::preconditioned, Norm::unpreconditioned}) {
      ConjugateGradients<double, Host> cg(Host{}, 120, {.relative = 1e-12, .iterations = 200}, norm_used);
      auto const solved = solve(cg, Host{}, a, b);
      ASSERT_EQ(solved.report.outcome, Outcome::converged);
      // ||A^-1|| <= 4, ||A|| <= 64 twice over (Gershgorin); Jacobi changes norms by less than 64 / 1/4.
      EXPECT_LT(distance(solved.x, exact), 4 * 256 * 1e-12 * norm(b));
    }
  }
}

TEST(GeneralSolvers, SolveSystemsWithoutSymmetryAsGaussInQuad) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto const a = random_dominant(150, seed);
    auto const b = random_vector(150, seed + 50);
    auto const exact = dense_solution(a, converted<float128>(b));
    with_general_solvers<double>(
        150, {.relative = 1e-12, .iterations = 300}, [&](auto& solver, char const* name) {
          auto const solved = solve(solver, Host{}, a, b);
          ASSERT_EQ(solved.report.outcome, Outcome::converged) << name;
          // Rows exceed dominance by 1: ||A^-1||_inf <= 1; diagonals are below 64.
          EXPECT_LT(distance(solved.x, exact), std::sqrt(150.) * 64 * 1e-12 * norm(b)) << name;
        });
  }
}

TEST(GeneralSolvers, SolveConvectionAndDiffusion) {
  auto const a = poisson(20, 15, 1, 0.01, 3);
  auto const b = random_vector(a.size(), 3);
  with_general_solvers<double>(a.rows(), {.relative = 1e-10, .iterations = 600},
                               [&](auto& solver, char const* name) {
                                 auto const solved = solve(solver, Host{}, a, b);
                                 ASSERT_EQ(solved.report.outcome, Outcome::converged) << name;
                                 // The diagonal is the same in all rows: both norms are relative alike.
                                 EXPECT_LT(true_residual(a, b, solved.x), 1.01e-10 * norm(b)) << name;
                               });
}

TEST(ConjugateGradients, ReportedResidualsAreTheTrueOnes) {
  auto const a = poisson(31, 17);
  auto const b = random_vector(a.size(), 3);
  for (std::int32_t iterations : {0, 1, 7, 30}) {
    ConjugateGradients<double, Host> cg(Host{}, a.rows(), {.relative = 0, .iterations = iterations},
                                        Norm::unpreconditioned);
    auto const solved = solve(cg, Host{}, a, b);
    EXPECT_EQ(solved.report.iterations, iterations);
    EXPECT_EQ(solved.report.outcome, Outcome::running);
    auto const expected = true_residual(a, b, solved.x);
    // The recurrence drifts by a few roundoffs of ||A|| ||x|| an iteration (Greenbaum 1997); ||A|| < 8.
    auto const drift = (iterations + 1) * 16 * eps * 8 * norm(solved.x);
    EXPECT_NEAR(solved.report.residual, expected, drift + 4 * eps * expected);
    EXPECT_EQ(solved.history.back(), solved.report.residual);
    EXPECT_NEAR(solved.report.reference, norm(b), 4 * eps * norm(b));
  }
}

TEST(GeneralSolvers, ReportedResidualsAreTheTrueOnes) {
  auto const a = poisson(21, 13, 1, 0.1, 0.5);
  auto const b = random_vector(a.size(), 3);
  for (std::int32_t iterations : {1, 7, 25, 40}) {
    with_general_solvers<double>(
        a.rows(), {.relative = 0, .iterations = iterations}, [&](auto& solver, char const* name) {
          auto const solved = solve(solver, Host{}, a, b, false);
          ASSERT_EQ(solved.report.iterations, iterations);
          auto const expected = true_residual(a, b, solved.x);
          // Left without a preconditioner is right; ||A|| <= 12.1, and the largest
          // iterate stays below the first residual times ||A^-1|| <= 10.
          EXPECT_NEAR(solved.report.residual, expected, (iterations + 1) * 16 * eps * 12.1 * 10 * norm(b))
              << name << iterations;
        });
  }
}

/// With n distinct eigenvalues CG ends after n steps: the right-hand side holds three modes of a line.
TEST(ConjugateGradients, EndAfterAsManyStepsAsThereAreEigenvalues) {
  constexpr std::int32_t n = 63;
  auto const a = poisson(n);
  std::vector<double> b(n, 0), exact(n, 0);
  for (std::int32_t const mode : {3, 20, 55}) {
    for (std::int32_t i = 0; i < n; ++i) {
      auto const value = std::sin(std::numbers::pi * mode * (i + 1) / (n + 1));
      b[std::size_t(i)] += value;
      exact[std::size_t(i)] += value / eigenvalue(n, mode);
    }
  }
  ConjugateGradients<double, Host> cg(Host{}, n, {.relative = 1e-10, .iterations = 20});
  auto const solved = solve(cg, Host{}, a, b);
  EXPECT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_EQ(solved.report.iterations, 3);
  EXPECT_LT(distance(solved.x, exact), 1e-10 * norm(b) / eigenvalue(n, 1));
}

/// BiCGStab minimises over the same space, multiplied by a polynomial.
TEST(BiCgStab, EndsAfterAsManyStepsAsThereAreEigenvalues) {
  constexpr std::int32_t n = 63;
  std::vector<double> b(n, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t const mode : {20, 33, 55})
      b[std::size_t(i)] += std::sin(std::numbers::pi * mode * (i + 1) / 64);
  }
  BiCgStab<double, Host> bicgstab(Host{}, n, {.relative = 1e-9, .iterations = 20});
  auto const solved = solve(bicgstab, Host{}, poisson(n), b);
  EXPECT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_LE(solved.report.iterations, 3);
}

/// Powers of two change no digit: a tolerance that is relative ends at the same iteration.
TEST(Solvers, RelativeTolerancesDoNotDependOnUnits) {
  auto const a = random_dominant(80, 40);
  auto const b = random_vector(80, 41);
  auto large = b;
  for (auto& value : large) value *= 0x1p40;
  auto const check = [&](auto& solver, Matrix<> const& matrix) {
    auto const first = solve(solver, Host{}, matrix, b), second = solve(solver, Host{}, matrix, large);
    EXPECT_EQ(first.report.iterations, second.report.iterations);
    for (std::size_t i = 0; i < first.x.size(); ++i) EXPECT_EQ(first.x[i] * 0x1p40, second.x[i]);
  };
  ConjugateGradients<double, Host> cg(Host{}, 80, {.relative = 1e-6});
  check(cg, random_definite(80, 40));
  with_general_solvers<double>(80, {.relative = 1e-6}, [&](auto& solver, char const*) { check(solver, a); });
}

TEST(Gmres, ResidualsOfACycleFallAndAreTheLeast) {
  auto const a = random_dominant(90, 8);
  auto const b = random_vector(90, 9);
  Gmres<double, Host> gmres(Host{}, 90, {.relative = 1e-13, .iterations = 60}, 60, Side::right);
  auto const solved = solve(gmres, Host{}, a, b);
  BiCgStab<double, Host> other(Host{}, 90, {.relative = 1e-13, .iterations = 30}, Side::right);
  auto const bicgstab = solve(other, Host{}, a, b);
  for (std::size_t i = 1; i < solved.history.size(); ++i) EXPECT_LE(solved.history[i], solved.history[i - 1]);
  // An iteration of BiCGStab multiplies twice: it cannot be better than GMRES after twice as many.
  for (std::size_t i = 1; i < bicgstab.history.size() && 2 * i < solved.history.size(); ++i) {
    EXPECT_LE(solved.history[2 * i], bicgstab.history[i] * (1 + 1e-9) + 1e-13 * norm(b));
  }
}

/// Matrices near the identity, or near a diagonal, of which products keep little that is new: a single pass
/// of Gram and Schmidt loses what the basis has of orthogonality in some columns. Down to the roundoff the
/// norms are those of 113 bits to half the digits.
TEST(Gmres, HistoriesAreThoseOfAnOrthogonalBasisToHalfTheDigits) {
  constexpr std::int32_t n = 300;
  for (double const part : {0.3, 0.1, 0.03, 0.01}) {
    for (double const spread : {0.0, 0.5}) {
      SCOPED_TRACE(testing::Message() << part << " beside a diagonal spread by " << spread);
      auto a = random_dominant(n, 8);
      auto const pattern = a.pattern.view();
      for (std::int32_t row = 0; row < n; ++row) {
        auto const diagonal = a.value[static_cast<std::size_t>(entry_of(pattern, row, row))];
        for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
          auto& value = a.value[static_cast<std::size_t>(e)];
          value = pattern.column[e] == row ? 1 + spread * std::sin(row) : 3 * part / diagonal * value;
        }
      }
      auto const b = random_vector(n, 9);
      Tolerance const tolerance{.relative = 1e-14, .iterations = 30, .check_every = 1};
      Gmres<double, Host> gmres(Host{}, n, tolerance, 30);
      Gmres<float128, Host> wide(Host{}, n, tolerance, 30);
      auto const found = solve(gmres, Host{}, a, b, false);
      auto const expected = solve(wide, Host{}, converted<float128>(a), converted<float128>(b), false);
      ASSERT_EQ(found.report.iterations, expected.report.iterations);
      for (std::size_t i = 0; i < found.history.size(); ++i) {
        EXPECT_NEAR(found.history[i] / static_cast<double>(expected.history[i]), 1, 0x1p-26) << i;
      }
    }
  }
}

TEST(Solvers, ZeroRightHandSideGivesZeroAtOnce) {
  auto const a = random_definite(30, 2);
  std::vector<double> const b(30, 0);
  ConjugateGradients<double, Host> cg(Host{}, 30, {});
  auto const solved = solve(cg, Host{}, a, b);
  EXPECT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_EQ(solved.report.iterations, 0);
  EXPECT_EQ(solved.x, b);
  with_general_solvers<double>(30, {}, [&](auto& solver, char const* name) {
    auto const general = solve(solver, Host{}, a, b);
    EXPECT_EQ(general.report.outcome, Outcome::converged) << name;
    EXPECT_EQ(general.report.iterations, 0) << name;
    EXPECT_EQ(general.x, b) << name;
  });
}

TEST(Solvers, GoOnFromTheGuess) {
  auto const a = random_definite(60, 2);
  auto const b = random_vector(60, 3);
  auto const exact = dense_solution(a, converted<float128>(b));
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  auto const check = [&](auto& solver) {
    auto x = random_vector(60, 4);
    for (auto& value : x) value *= 100;
    EXPECT_EQ(solver.solve(multiply, nullptr, b.data(), x.data()).outcome, Outcome::converged);
    EXPECT_LT(distance(x, exact), 4 * 1e-11 * norm(b));
    auto const before = x;
    auto const again = solver.solve(multiply, nullptr, b.data(), x.data());
    EXPECT_LE(again.iterations, 1);
    if (again.iterations == 0) {
      EXPECT_EQ(x, before);
    }
  };
  ConjugateGradients<double, Host> cg(Host{}, 60, {.relative = 1e-11});
  check(cg);
  with_general_solvers<double>(60, {.relative = 1e-11}, [&](auto& solver, char const*) { check(solver); });
}

/// A solve from 0 that is told so has the bits of one that finds it out, and applies matrix and
/// preconditioner once less.
TEST(Solvers, AGuessOfZeroNeedsNoResidual) {
  struct Counted final : LinearOperator<double, Host> {
    explicit Counted(LinearOperator<double, Host>& counted) : of{counted} {}
    std::int64_t size() const override { return of.size(); }
    void apply(double const* x, double* y) override {
      ++times;
      of.apply(x, y);
    }
    LinearOperator<double, Host>& of;
    int times = 0;
  };
  auto const a = random_definite(60, 2);
  auto const b = random_vector(60, 3);
  MatrixOperator<double, double, Host> product(Host{}, a.view());
  Jacobi<double, double, Host> jacobi(Host{}, a.view());
  auto const check = [&](auto& solver, bool preconditioned_norm) {
    struct {
      std::vector<double> x, history;
      int products, preconditioned;
    } found[2];
    for (auto const guess : {Guess::given, Guess::zero}) {
      auto& one = found[guess == Guess::zero ? 1 : 0];
      Counted multiply(product), precondition(jacobi);
      one.x.assign(60, 0);
      auto const report = solver.solve(multiply, &precondition, b.data(), one.x.data(), guess);
      EXPECT_EQ(report.outcome, Outcome::converged);
      EXPECT_GT(report.iterations, 4) << "more than a cycle of GMRES";
      one.history.resize(static_cast<std::size_t>(report.iterations) + 1);
      solver.history(one.history.data());
      one.products = multiply.times, one.preconditioned = precondition.times;
    }
    EXPECT_EQ(found[1].x, found[0].x);
    EXPECT_EQ(found[1].history, found[0].history);
    EXPECT_EQ(found[1].products, found[0].products - 1);
    EXPECT_EQ(found[1].preconditioned, found[0].preconditioned - (preconditioned_norm ? 1 : 0));
  };
  Tolerance const tolerance{.relative = 1e-11, .iterations = 200, .check_every = 1};
  for (auto const norm : {Norm::preconditioned, Norm::unpreconditioned}) {
    ConjugateGradients<double, Host> cg(Host{}, 60, tolerance, norm);
    check(cg, norm == Norm::preconditioned);
    ConjugateResiduals<double, Host> residuals(Host{}, 60, tolerance, norm);
    check(residuals, norm == Norm::preconditioned);
  }
  for (auto const side : {Side::left, Side::right}) {
    BiCgStab<double, Host> bicgstab(Host{}, 60, tolerance, side);
    check(bicgstab, side == Side::left);
    Gmres<double, Host> gmres(Host{}, 60, tolerance, 4, side);
    check(gmres, side == Side::left);
  }
}

/// Its own memory costs the host nothing to look at: it makes no iteration more than there are, however
/// seldom it may look at a device's.
TEST(Solvers, EndOnTheHostWithTheLastIteration) {
  struct Counted final : LinearOperator<double, Host> {
    explicit Counted(CsrView<double const> matrix) : of(Host{}, matrix) {}
    std::int64_t size() const override { return of.size(); }
    void apply(double const* x, double* y) override {
      ++times;
      of.apply(x, y);
    }
    MatrixOperator<double, double, Host> of;
    int times = 0;
  };
  auto const a = random_definite(60, 2);
  auto const b = random_vector(60, 3);
  for (std::int32_t const check_every : {1, 16}) {
    ConjugateGradients<double, Host> cg(Host{}, 60, {.relative = 1e-11, .check_every = check_every});
    Counted multiply(a.view());
    std::vector<double> x(60, 0);
    auto const report = cg.solve(multiply, nullptr, b.data(), x.data(), Guess::zero);
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_NE(report.iterations % 16, 0) << "it would look then";
    EXPECT_EQ(multiply.times, report.iterations);
  }
}

TEST(ConjugateGradients, SolveConsistentSystemsWithANullSpace) {
  auto const a = graph_laplacian(200, 31);
  auto const wanted = random_vector(200, 32);
  auto const b = product(a, wanted);
  ConjugateGradients<double, Host> cg(Host{}, 200, {.relative = 1e-10, .iterations = 400},
                                      Norm::unpreconditioned);
  auto const solved = solve(cg, Host{}, a, b);
  ASSERT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_LT(true_residual(a, b, solved.x), 1.01e-10 * norm(b));
}

/// However many iterations are given to a system that has converged or cannot go on.
TEST(Solvers, WhatIsOverStaysAsItIs) {
  auto const a = random_dominant(80, 40);
  auto const definite = random_definite(80, 40);
  auto const b = random_vector(80, 41);
  auto const check = [&](auto make, auto const& matrix) {
    auto looking = make(Tolerance{.relative = 1e-9, .iterations = 150, .check_every = 1});
    auto blind = make(Tolerance{.relative = 1e-9, .iterations = 150, .check_every = 0});
    auto const first = solve(looking, Host{}, matrix, b), second = solve(blind, Host{}, matrix, b);
    EXPECT_EQ(first.report.outcome, Outcome::converged);
    EXPECT_EQ(second.report.outcome, Outcome::converged);
    EXPECT_LT(first.report.iterations, 140);
    EXPECT_EQ(first.report.iterations, second.report.iterations);
    EXPECT_EQ(first.history, second.history);
    EXPECT_EQ(first.x, second.x);
  };
  check([](Tolerance const& t) { return ConjugateGradients<double, Host>(Host{}, 80, t); }, definite);
  check([](Tolerance const& t) { return ConjugateResiduals<double, Host>(Host{}, 80, t); }, a);
  for (auto const side : {Side::left, Side::right}) {
    check([&](Tolerance const& t) { return BiCgStab<double, Host>(Host{}, 80, t, side); }, a);
    check([&](Tolerance const& t) { return Gmres<double, Host>(Host{}, 80, t, 7, side); }, a);
  }
}

TEST(Solvers, HaveTheSameBitsForAnyNumberOfThreads) {
  auto const a = random_dominant(1500, 44);
  auto const definite = random_definite(1500, 44);
  auto const b = random_vector(1500, 45);
  auto const check = [&](auto make, auto const& matrix) {
    auto one = make(Host{1}), three = make(Host{3});
    auto const first = solve(one, Host{1}, matrix, b), second = solve(three, Host{3}, matrix, b);
    EXPECT_EQ(first.history, second.history);
    EXPECT_EQ(first.x, second.x);
  };
  Tolerance const tolerance{.relative = 1e-11, .iterations = 60};
  check([&](Host host) { return ConjugateGradients<double, Host>(host, 1500, tolerance); }, definite);
  check([&](Host host) { return BiCgStab<double, Host>(host, 1500, tolerance); }, a);
  check([&](Host host) { return ConjugateResiduals<double, Host>(host, 1500, tolerance); }, a);
  check([&](Host host) { return Gmres<double, Host>(host, 1500, tolerance, 13); }, a);
}

TEST(Solvers, ReachTheRoundoffOfTheirPrecision) {
  auto const check = [&]<class T>(T, double relative) {
    auto const a = converted<T>(random_definite(100, 50));
    auto const b = converted<T>(random_vector(100, 51));
    Tolerance const tolerance{.relative = relative, .iterations = 300};
    ConjugateGradients<T, Host> cg(Host{}, 100, tolerance, Norm::unpreconditioned);
    BiCgStab<T, Host> bicgstab(Host{}, 100, tolerance, Side::right);
    Gmres<T, Host> gmres(Host{}, 100, tolerance, 30, Side::right);
    ConjugateResiduals<T, Host> residuals(Host{}, 100, tolerance, Norm::unpreconditioned);
    auto const expect = [&](Solved<T> const& solved) {
      EXPECT_EQ(solved.report.outcome, Outcome::converged) << relative;
      EXPECT_LT(true_residual(a, b, solved.x), 2 * relative * norm(b));
    };
    expect(solve(cg, Host{}, a, b));
    expect(solve(bicgstab, Host{}, a, b));
    expect(solve(gmres, Host{}, a, b));
    expect(solve(residuals, Host{}, a, b));
  };
  check(float{}, 1e-5);
  check(double{}, 1e-13);
  check(float128{}, 1e-26);
}

TEST(ConjugateGradients, RefuseAMatrixThatIsNotDefinite) {
  auto a = random_definite(50, 60);
  for (auto& value : a.value) value = -value;
  ConjugateGradients<double, Host> cg(Host{}, 50, {});
  auto const b = random_vector(50, 61);
  auto const solved = solve(cg, Host{}, a, b, false);
  EXPECT_EQ(solved.report.outcome, Outcome::not_definite);
  for (auto const value : solved.x) EXPECT_EQ(value, 0);
  try {
    require_converged(solved.report, "pressure");
    FAIL() << "nothing thrown";
  } catch (SolveFailure const& failure) {
    std::string const text = failure.what();
    EXPECT_NE(text.find("pressure"), text.npos);
    EXPECT_NE(text.find("not positive definite"), text.npos) << text;
  }
  SolveReport const good{.outcome = Outcome::converged};
  EXPECT_NO_THROW(require_converged(good, "pressure"));
}

/// Turns by a right angle: (x, A x) = 0, on which methods without a longer memory stop.
TEST(GeneralSolvers, NameABreakdown) {
  Entries entries(2, 2);
  entries.add(0, 0, 0), entries.add(0, 1, 1), entries.add(1, 0, -1), entries.add(1, 1, 0);
  auto const a = entries.matrix();
  std::vector<double> const b{1, 0};
  BiCgStab<double, Host> bicgstab(Host{}, 2, {});
  EXPECT_EQ(solve(bicgstab, Host{}, a, b, false).report.outcome, Outcome::breakdown);
  ConjugateResiduals<double, Host> residuals(Host{}, 2, {});
  EXPECT_EQ(solve(residuals, Host{}, a, b, false).report.outcome, Outcome::breakdown);
  Gmres<double, Host> gmres(Host{}, 2, {}, 5);
  auto const solved = solve(gmres, Host{}, a, b, false);
  EXPECT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_EQ(solved.report.iterations, 2);
  EXPECT_EQ(solved.x, (std::vector<double>{0, 1}));
  // After one step the residual is orthogonal to the first one.
  Entries chain(3, 3);
  chain.add(0, 0, 1), chain.add(1, 0, 1), chain.add(1, 1, 1), chain.add(2, 1, 1), chain.add(2, 2, 1);
  BiCgStab<double, Host> of_three(Host{}, 3, {});
  auto const orthogonal = solve(of_three, Host{}, chain.matrix(), std::vector<double>{1, 0, 0}, false);
  EXPECT_EQ(orthogonal.report.outcome, Outcome::breakdown);
  EXPECT_EQ(orthogonal.report.iterations, 1);
  Matrix<> zero = a;
  for (auto& value : zero.value) value = 0;
  EXPECT_EQ(solve(gmres, Host{}, zero, b, false).report.outcome, Outcome::breakdown);
  EXPECT_EQ(solve(residuals, Host{}, zero, b, false).report.outcome, Outcome::breakdown);
}

/// For symmetric matrices two directions are all that there is to be conjugate to: the residuals are those of
/// GMRES, the least of all.
TEST(ConjugateResiduals, OfASymmetricMatrixAreThoseOfGmres) {
  auto const a = random_definite(90, 8);
  auto const b = random_vector(90, 9);
  Tolerance const tolerance{.relative = 1e-10, .iterations = 60};
  Gmres<double, Host> gmres(Host{}, 90, tolerance, 60, Side::right);
  ConjugateResiduals<double, Host> residuals(Host{}, 90, tolerance, Norm::unpreconditioned);
  auto const least = solve(gmres, Host{}, a, b, false), found = solve(residuals, Host{}, a, b, false);
  ASSERT_EQ(found.report.outcome, Outcome::converged);
  ASSERT_EQ(found.history.size(), least.history.size());
  EXPECT_GT(found.history.size(), 10u);
  for (std::size_t i = 0; i < found.history.size(); ++i) {
    EXPECT_NEAR(found.history[i], least.history[i], 1e-4 * least.history[i] + 1e-12 * norm(b)) << i;
  }
}

/// Of any matrix: residuals do not grow, and a new image is conjugate to the two before it.
TEST(ConjugateResiduals, NeverGrow) {
  auto const a = poisson(21, 13, 1, 0.1, 0.5);
  auto const b = random_vector(a.size(), 3);
  ConjugateResiduals<double, Host> residuals(Host{}, a.rows(), {.relative = 1e-10, .iterations = 200},
                                             Norm::unpreconditioned);
  auto const solved = solve(residuals, Host{}, a, b, false);
  EXPECT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_GT(solved.history.size(), 10u);
  for (std::size_t i = 1; i < solved.history.size(); ++i) EXPECT_LE(solved.history[i], solved.history[i - 1]);
}

TEST(ConjugateResiduals, SolveConsistentSystemsWithANullSpace) {
  auto const a = graph_laplacian(200, 31);
  auto const b = product(a, random_vector(200, 32));
  ConjugateResiduals<double, Host> residuals(Host{}, 200, {.relative = 1e-10, .iterations = 400},
                                             Norm::unpreconditioned);
  auto const solved = solve(residuals, Host{}, a, b);
  ASSERT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_LT(true_residual(a, b, solved.x), 1.01e-10 * norm(b));
}

/// The failure in one line.
std::string words(SolveReport const& report) {
  try {
    require_converged(report, "pressure equation");
  } catch (SolveFailure const& failure) {
    EXPECT_EQ(std::string(failure.what()).find('\n'), std::string::npos) << failure.what();
    return failure.what();
  }
  ADD_FAILURE() << "nothing thrown";
  return {};
}

/// Rows of the matrix sum to 0, and so do all its images: what the right-hand side has of a constant is left.
TEST(ConjugateResiduals, NameSystemsWithoutASolution) {
  auto const a = graph_laplacian(200, 31);
  auto b = product(a, random_vector(200, 32));
  for (auto& value : b) value += 0.1;
  ConjugateResiduals<double, Host> residuals(Host{}, 200, {.relative = 1e-10, .iterations = 400},
                                             Norm::unpreconditioned);
  auto const solved = solve(residuals, Host{}, a, b);
  EXPECT_EQ(solved.report.outcome, Outcome::running);
  EXPECT_EQ(solved.report.iterations, 400);
  EXPECT_GT(solved.report.residual, 0.999 * 0.1 * std::sqrt(200.));
  EXPECT_NE(words(solved.report).find("the iterations are used up"), std::string::npos);
}

/// A definite matrix beside its negative, of which (b, A b) is exactly 0 with the same numbers for both.
TEST(ConjugateResiduals, NameIndefiniteSystemsWithoutAWay) {
  auto const definite = random_definite(40, 60);
  auto const pattern = definite.pattern.view();
  Entries entries(80, 80);
  for (std::int32_t row = 0; row < 40; ++row) {
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const value = definite.value[static_cast<std::size_t>(e)];
      entries.add(row, pattern.column[e], value), entries.add(row + 40, pattern.column[e] + 40, -value);
    }
  }
  auto b = random_vector(40, 61);
  auto const half = b;
  b.insert(b.end(), half.begin(), half.end());
  ConjugateResiduals<double, Host> residuals(Host{}, 80, {});
  auto const solved = solve(residuals, Host{}, entries.matrix(), b, false);
  EXPECT_EQ(solved.report.outcome, Outcome::breakdown);
  EXPECT_EQ(solved.report.iterations, 0);
  for (auto const value : solved.x) EXPECT_EQ(value, 0);
  EXPECT_NE(words(solved.report).find("a divisor of the method became zero"), std::string::npos);
}

TEST(ConjugateResiduals, SolveOtherIndefiniteSystems) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto a = random_definite(60, seed);
    for (std::int32_t row = 0; row < 60; row += 3) {
      auto& diagonal = a.value[static_cast<std::size_t>(entry_of(a.pattern.view(), row, row))];
      diagonal = -diagonal;
    }
    auto const b = random_vector(60, seed + 5);
    ConjugateResiduals<double, Host> residuals(Host{}, 60, {.relative = 1e-10, .iterations = 120},
                                               Norm::unpreconditioned);
    auto const solved = solve(residuals, Host{}, a, b, false);
    ASSERT_EQ(solved.report.outcome, Outcome::converged) << seed;
    EXPECT_LT(true_residual(a, b, solved.x), 1.01e-10 * norm(b)) << seed;
  }
}

TEST(ConjugateResiduals, KeepWhatIsNotFiniteOutOfTheSolution) {
  auto a = random_definite(50, 60);
  a.value[40] = std::numeric_limits<double>::infinity();
  auto const b = random_vector(50, 61);
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  ConjugateResiduals<double, Host> residuals(Host{}, 50, {});
  std::vector<double> x(50, 0);
  // From 0 the first residual is b: the matrix is met in the first iteration.
  auto const report = residuals.solve(multiply, nullptr, b.data(), x.data(), Guess::zero);
  EXPECT_EQ(report.outcome, Outcome::not_finite);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, std::vector<double>(50, 0));
  EXPECT_NE(words(report).find("a value is infinite or not a number"), std::string::npos);
}

TEST(Solvers, NameWhatIsNotFinite) {
  auto a = random_definite(50, 60);
  auto const b = random_vector(50, 61);
  auto bad = b;
  bad[17] = std::numeric_limits<double>::quiet_NaN();
  auto broken = a;
  broken.value[40] = std::numeric_limits<double>::infinity();
  ConjugateGradients<double, Host> cg(Host{}, 50, {});
  EXPECT_EQ(solve(cg, Host{}, a, bad).report.outcome, Outcome::not_finite);
  EXPECT_EQ(solve(cg, Host{}, broken, b, false).report.outcome, Outcome::not_finite);
  with_general_solvers<double>(50, {}, [&](auto& solver, char const* name) {
    EXPECT_EQ(solve(solver, Host{}, a, bad).report.outcome, Outcome::not_finite) << name;
    EXPECT_EQ(solve(solver, Host{}, broken, b, false).report.outcome, Outcome::not_finite) << name;
  });
}

TEST(Solvers, NameAGuessThatIsNotFinite) {
  auto const a = random_definite(50, 60);
  auto const b = random_vector(50, 61);
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  ConjugateGradients<double, Host> cg(Host{}, 50, {.iterations = 0});
  std::vector<double> x(50, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(cg.solve(multiply, nullptr, b.data(), x.data()).outcome, Outcome::not_finite);
}

TEST(Solvers, AbsoluteToleranceEndsThemToo) {
  auto const a = random_definite(50, 60);
  auto const b = random_vector(50, 61);
  ConjugateGradients<double, Host> cg(Host{}, 50, {.relative = 0, .absolute = 1e-3}, Norm::unpreconditioned);
  auto const solved = solve(cg, Host{}, a, b);
  EXPECT_EQ(solved.report.outcome, Outcome::converged);
  EXPECT_LE(solved.report.residual, 1e-3);
  EXPECT_GT(solved.history[solved.history.size() - 2], 1e-3);
}

TEST(Solvers, AllocateNothingWhileTheySolve) {
  auto const a = random_definite(50, 60);
  auto const b = random_vector(50, 61);
  std::vector<double> x(50, 0);
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  Gmres<double, Host> gmres(Host{}, 50, {});
  ConjugateGradients<double, Host> cg(Host{}, 50, {});
  auto const before = allocations();
  gmres.solve(multiply, nullptr, b.data(), x.data());
  cg.solve(multiply, nullptr, b.data(), x.data());
  EXPECT_EQ(allocations(), before);
}

/// Values of any size: what would be lost in float is scaled.
TEST(Refinement, OfFloatSolvesReachesDoublesRoundoff) {
  auto const a = random_definite(200, 80);
  auto const narrow = converted<float>(a);
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  MatrixOperator<float, float, Host> inner_multiply(Host{}, narrow.view());
  Jacobi<float, float, Host> jacobi(Host{}, narrow.view());
  for (double const scale : {1.0, 1e-60, 1e60}) {
    auto b = random_vector(200, 81);
    for (auto& value : b) value *= scale;
    auto const exact = dense_solution(a, converted<float128>(b));
    ConjugateGradients<float, Host> inner(Host{}, 200, {.relative = 1e-3, .iterations = 100});
    Refinement<Host> refinement(Host{}, 200);
    std::vector<double> x(200, 0);
    auto const report = refinement.solve(multiply, b.data(), x.data(), inner, inner_multiply, &jacobi,
                                         {.relative = 1e-14, .iterations = 20});
    EXPECT_EQ(report.outcome, Outcome::converged) << scale;
    EXPECT_LT(report.residual, 1e-14 * norm(b));
    EXPECT_GT(report.iterations, 10);
    EXPECT_LT(distance(x, exact), 4 * 2e-14 * norm(b));
    EXPECT_EQ(refinement
                  .solve(multiply, b.data(), x.data(), inner, inner_multiply, &jacobi,
                         {.relative = 0, .iterations = 1})
                  .outcome,
              Outcome::running);
  }
}

TEST(Refinement, NamesWhyItFails) {
  auto a = random_definite(50, 80);
  for (auto& value : a.value) value = -value;
  auto const narrow = converted<float>(a);
  auto b = random_vector(50, 81);
  MatrixOperator<double, double, Host> multiply(Host{}, a.view());
  MatrixOperator<float, float, Host> inner_multiply(Host{}, narrow.view());
  ConjugateGradients<float, Host> inner(Host{}, 50, {});
  Refinement<Host> refinement(Host{}, 50);
  std::vector<double> x(50, 0);
  auto const outcome = [&] {
    return refinement.solve(multiply, b.data(), x.data(), inner, inner_multiply, nullptr, {}).outcome;
  };
  EXPECT_EQ(outcome(), Outcome::not_definite);
  b[3] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outcome(), Outcome::not_finite);
}

}  // namespace
