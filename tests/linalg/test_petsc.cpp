// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/linalg/petsc.hpp"
#include "io/error.hpp"
#include "linalg/solving.hpp"
#include "support/same_history.hpp"

namespace {

using namespace linalg_test;
using test::expect_same_history;

Solved<double> solve_by_petsc(Matrix<> const& a, std::vector<double> const& b, std::string const& options,
                              PetscReport& report) {
  PetscSolver petsc(a.view(), options);
  Solved<double> solved;
  solved.x.assign(b.size(), 0);
  report = petsc.solve(b.data(), solved.x.data());
  solved.history = report.history;
  return solved;
}

class AgainstPetsc : public testing::TestWithParam<std::uint64_t> {
 protected:
  std::vector<double> const b = random_vector(300, GetParam() + 1);
};

TEST_P(AgainstPetsc, ConjugateGradientsHaveTheSameHistory) {
  auto const a = random_definite(300, GetParam());
  for (bool const preconditioned : {true, false}) {
    ConjugateGradients<double, Host> cg(Host{}, 300, {.relative = 1e-9},
                                        preconditioned ? Norm::preconditioned : Norm::unpreconditioned);
    auto const ours = solve(cg, Host{}, a, b);
    PetscReport report;
    auto const petsc =
        solve_by_petsc(a, b,
                       std::string("-ksp_type cg -pc_type jacobi -ksp_rtol 1e-9 -ksp_norm_type ") +
                           (preconditioned ? "preconditioned" : "unpreconditioned"),
                       report);
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.reason, "CONVERGED_RTOL");
    expect_same_history(ours.history, petsc.history, 256);
  }
}

TEST_P(AgainstPetsc, GmresHasTheSameHistory) {
  auto const a = random_dominant(300, GetParam());
  for (bool const left : {true, false}) {
    Gmres<double, Host> gmres(Host{}, 300, {.relative = 1e-10}, 8, left ? Side::left : Side::right);
    auto const ours = solve(gmres, Host{}, a, b);
    PetscReport report;
    auto const petsc =
        solve_by_petsc(a, b,
                       std::string("-ksp_type gmres -ksp_gmres_restart 8 -pc_type jacobi -ksp_rtol 1e-10 "
                                   "-ksp_pc_side ") +
                           (left ? "left" : "right"),
                       report);
    EXPECT_TRUE(report.converged);
    // ||A^-1||_inf <= 1, rows' sums are below twice the largest diagonal, 64; in the other norm sqrt(300).
    expect_same_history(ours.history, petsc.history, 128 * 17.4);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AgainstPetsc, testing::Values(70, 71, 72));

TEST(Petsc, SolvesByItsOptionsFromTheGuess) {
  auto a = random_definite(80, 5);
  auto const wanted = random_vector(80, 6);
  auto const b = product(a, wanted);
  PetscSolver petsc(a.view(), "-ksp_type gmres -pc_type sor -ksp_rtol 1e-12");
  std::vector<double> x(80, 3);
  EXPECT_TRUE(petsc.solve(b.data(), x.data()).converged);
  EXPECT_LT(distance(x, wanted), 4 * 256 * 1e-12 * norm(b));
  EXPECT_LE(petsc.solve(b.data(), x.data()).iterations, 1);
  for (auto& value : a.value) value *= 2;
  petsc.update();
  EXPECT_TRUE(petsc.solve(b.data(), x.data()).converged);
  for (auto& value : x) value *= 2;
  EXPECT_LT(distance(x, wanted), 4 * 256 * 1e-12 * norm(b));
}

TEST(Petsc, RefusesOptionsThatItDoesNotKnow) {
  auto const a = random_definite(20, 5);
  EXPECT_THROW(PetscSolver(a.view(), "-ksp_type nonsense"), InputError);
  EXPECT_THROW(PetscSolver(a.view(), "-pc_typo jacobi"), InputError);
}

TEST(Petsc, SaysWhenItDidNotConverge) {
  auto const a = poisson(30, 30);
  PetscReport report;
  solve_by_petsc(a, random_vector(900, 1), "-ksp_type cg -pc_type jacobi -ksp_rtol 1e-12 -ksp_max_it 3",
                 report);
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 3);
}

}  // namespace
