// SPDX-License-Identifier: Apache-2.0
#include "core/linalg/petsc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/fem/formed_pressure.hpp"
#include "core/fem/petsc.hpp"
#include "core/linalg/shared_rows.hpp"
#include "fem/model_systems.hpp"
#include "fem/petsc_support.hpp"
#include "io/error.hpp"
#include "support/thread_ranks.hpp"

namespace {

using namespace ulpine;
using linalg::PetscSolver;
using namespace test::petsc;
using test::ElementAir;
using test::expect_same_history;
using test::ModelSystems;

struct Choice {
  char const *wind, *pressure, *more;
};

class ModelByPetsc : public testing::TestWithParam<Choice> {};

/// Jacobi-scaled mass matrices of tetrahedra have a condition of 5 (Wathen 1987), with these Courant numbers
/// below 10; the pressure's adds (c dt th)^2 / h^2, some hundred: 1000 for all. Two passes of two solves.
TEST_P(ModelByPetsc, TakesTheStepsOfOurSolversWithinTheTolerances) {
  auto const& [wind, pressure, more] = GetParam();
  for (auto const tolerance : {1e-6, 1e-11}) {
    char text[40];
    std::snprintf(text, sizeof text, "tolerance = %.0e\n", tolerance);
    ElementAir ours(std::string(hill) + "[solver]\n" + text + "[pressure]\n" + text);
    ElementAir petsc(std::string(hill) + "[solver]\n" + text + "petsc = '" + wind + "'\n[pressure]\n" + text +
                     "petsc = '" + pressure + "'\n" + more);
    for (auto const* field : prognostic) EXPECT_EQ(ours.values(field), petsc.values(field));
    std::vector<std::vector<double>> before;
    for (auto const* field : prognostic) before.push_back(ours.values(field));

    ours.steps(1);
    petsc.steps(1);

    for (std::size_t n = 0; n < before.size(); ++n) {
      auto const one = ours.values(prognostic[n]), other = petsc.values(prognostic[n]);
      auto const change = norm(difference(one, before[n]));
      EXPECT_GT(change, 0);
      EXPECT_LE(norm(difference(one, other)), 4 * 1000 * tolerance * change)
          << prognostic[n] << " at " << tolerance;
    }
  }
}

TEST_P(ModelByPetsc, HasTheSameBitsAfterARestart) {
  auto const& [wind, pressure, more] = GetParam();
  auto const text = solved_by(wind, pressure, more);
  ElementAir whole(text), first(text), second(text);
  whole.steps(4);
  first.steps(2);
  for (auto const* field : prognostic) second.set(field, first.values(field));

  second.steps(2);

  EXPECT_EQ(second.hash(), whole.hash());
  EXPECT_NE(second.hash(), first.hash());
}

INSTANTIATE_TEST_SUITE_P(
    Options, ModelByPetsc,
    testing::Values(
        Choice{"-ksp_type gmres -pc_type sor", "-ksp_type gmres -pc_type sor", ""},
        Choice{"-ksp_type bcgs -pc_type jacobi", "-ksp_type bcgs -pc_type gamg", ""},
        Choice{"-ksp_type gmres -pc_type gamg", "-ksp_type gmres -pc_type gamg", "formed = true\n"},
        Choice{"-ksp_type preonly -pc_type lu", "-ksp_type gmres -pc_type ilu", "formed = true\n"}));

TEST(FormedPressure, IsTheMatrixThatTheOperatorApplies) {
  ModelSystems const model(hill, 2);
  fem::PressureOperator<double, Host> matrix(Host{}, model.pressure());
  auto const second = second_order_pattern(Host{}, model.pattern());
  auto const pattern = second.view();
  std::vector<double> value(static_cast<std::size_t>(pattern.entries()), -1);
  for_each(Host{}, std::int64_t{pattern.rows},
           fem::FormedPressure<double>{model.pressure(), pattern, value.data()});
  linalg::MatrixOperator<double, double, Host> formed(Host{}, CsrView<double const>{pattern, value.data()});
  auto const nodes = static_cast<std::size_t>(model.nodes());
  // Column by column: unit vectors add nothing but one product to a row.
  std::vector<double> x(nodes, 0), by_parts(nodes), at_once(nodes);
  for (std::size_t n = 0; n < nodes; n += 7) {
    x[n] = 1;
    matrix.apply(x.data(), by_parts.data());
    formed.apply(x.data(), at_once.data());
    x[n] = 0;
    // Terms of an entry: 4 for each of up to 40 nodes between, each at most the norms' product.
    auto const bound = 160 * 4 * 0x1p-53 * test::largest(by_parts);
    EXPECT_GT(bound, 0);
    for (std::size_t row = 0; row < nodes; ++row) EXPECT_NEAR(by_parts[row], at_once[row], bound) << row;
  }
}

TEST(FormedPressure, HasTheBitsOfOneRankOnSeveral) {
  ModelSystems const model(hill, 2);
  auto const second = second_order_pattern(Host{}, model.pattern());
  auto const pattern = second.view();
  std::vector<double> expected(static_cast<std::size_t>(pattern.entries()));
  for_each(Host{}, std::int64_t{pattern.rows},
           fem::FormedPressure<double>{model.pressure(), pattern, expected.data()});
  for (int const size : {2, 3, 5}) {
    on_thread_ranks(size, [&](std::shared_ptr<Ranks> const& ranks) {
      Share const share(model.pattern(), ranks);
      SharedPressureSystem const system(model.pressure(), share);
      auto const& points = share.points();
      linalg::WholeRows const whole(*ranks, share.pattern(), points);
      auto const square = linalg::square_rows(share.pattern(), points, whole.pattern());
      auto const gradient = whole.values(system.gradient.data(), 3),
                 diffusion = whole.values(system.diffusion.data(), 1);
      std::vector<double> value(static_cast<std::size_t>(square.entries()), -1);
      for_each(Host{}, points.owned(),
               fem::FormedPressure<double>{system.view, square.view(), value.data(), whole.pattern(),
                                           gradient.data(), diffusion.data(), points.first(),
                                           points.numbers().data()});
      auto const *const from = expected.data() + pattern.start[points.begin()],
                        *const to = expected.data() + pattern.start[points.begin() + points.owned()];
      EXPECT_EQ(value, std::vector<double>(from, to)) << size;
    });
  }
}

TEST(FormedPressure, LeavesAnExactFactorisationNothingToIterate) {
  ModelSystems const model(hill, 2);
  fem::PressureOperator<double, Host> matrix(Host{}, model.pressure());
  fem::SolverOptions options;
  options.tolerance = 1e-9;
  options.petsc = "-ksp_type gmres -pc_type lu";
  std::vector<double> x(static_cast<std::size_t>(model.nodes()));
  for (auto const formed : {true, false}) {
    options.formed = formed;
    auto const petsc = fem::make_petsc_pressure(matrix, model.pressure(), model.helmholtz().value, options);
    petsc->update();
    auto const report = petsc->solve(model.pressure_right().data(), x.data());
    EXPECT_EQ(report.outcome, linalg::Outcome::converged);
    if (formed) {
      EXPECT_EQ(report.iterations, 1);
    } else {
      EXPECT_GT(report.iterations, 2);
    }
  }
}

template <class Solver>
std::vector<double> our_history(Solver&& solver, linalg::LinearOperator<double, Host>& a,
                                CsrView<double const> near, std::vector<double> const& right) {
  linalg::Jacobi<double, double, Host> jacobi(Host{}, near);
  std::vector<double> x(right.size(), 0);
  auto const report = solver.solve(a, &jacobi, right.data(), x.data());
  EXPECT_EQ(report.outcome, linalg::Outcome::converged);
  std::vector<double> history(static_cast<std::size_t>(report.iterations) + 1);
  solver.history(history.data());
  return history;
}

enum class Krylov { cg, bicgstab, gmres };

constexpr linalg::Tolerance tight{.relative = 1e-11, .check_every = 1};

std::vector<double> our_history(Krylov method, linalg::LinearOperator<double, Host>& a,
                                CsrView<double const> near, std::vector<double> const& right) {
  auto const size = a.size();
  switch (method) {
    case Krylov::cg:
      return our_history(linalg::ConjugateGradients<double, Host>(Host{}, size, tight), a, near, right);
    case Krylov::gmres:
      return our_history(linalg::Gmres<double, Host>(Host{}, size, tight, 30), a, near, right);
    default:
      return our_history(linalg::BiCgStab<double, Host>(Host{}, size, tight), a, near, right);
  }
}
std::vector<double> petsc_history(PetscSolver& petsc, std::vector<double> const& right) {
  std::vector<double> x(right.size(), 0);
  auto const report = petsc.solve(right.data(), x.data());
  EXPECT_EQ(report.reason, "CONVERGED_RTOL");
  return report.history;
}
std::string options_of(Krylov method) {
  return std::string("-pc_type jacobi -ksp_rtol 1e-11 -ksp_type ") + (method == Krylov::cg ? "cg"
                                                                      : method == Krylov::gmres
                                                                          ? "gmres -ksp_gmres_restart 30"
                                                                          : "bcgs");
}

void expect_same_histories(test::System const& system, Krylov method, double condition) {
  linalg::MatrixOperator<double, double, Host> product(Host{}, system.view());
  PetscSolver petsc(system.view(), options_of(method));
  expect_same_history(our_history(method, product, system.view(), system.right),
                      petsc_history(petsc, system.right), condition);
}

TEST(MatricesOfTheModel, GiveOurSolversAndPetscTheSameHistories) {
  ModelSystems const windy(hill, 2), calm(still, 1);
  for (auto const method : {Krylov::gmres, Krylov::bicgstab}) {
    SCOPED_TRACE(options_of(method));
    expect_same_histories(windy.scalar(), method, 100);
    expect_same_histories(windy.wind(), method, 100);
  }
  SCOPED_TRACE("cg");
  expect_same_histories(calm.scalar(), Krylov::cg, 100);
  expect_same_histories({calm.wind().pattern, calm.wind().value, calm.scalar().right}, Krylov::cg, 100);
}

TEST(PressureOfTheModel, GivesOurSolversAndPetscTheSameHistories) {
  ModelSystems const model(hill, 2);
  fem::PressureOperator<double, Host> matrix(Host{}, model.pressure());
  for (auto const method : {Krylov::gmres, Krylov::bicgstab}) {
    SCOPED_TRACE(options_of(method));
    PetscSolver petsc(matrix, model.helmholtz(), options_of(method));
    expect_same_history(our_history(method, matrix, model.helmholtz(), model.pressure_right()),
                        petsc_history(petsc, model.pressure_right()), 1000);
  }
}

std::string problem_of(std::string const& text, char const* policy = "fp64") {
  try {
    ElementAir const air(text, policy);
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

TEST(OptionsOfPetsc, AreRefusedWithTheirKey) {
  auto const with = [](std::string const& table, std::string const& lines) {
    return std::string(hill) + "[" + table + "]\n" + lines + "\n";
  };
  auto const expect = [](std::string const& text, char const* key, char const* why,
                         char const* policy = "fp64") {
    auto const problem = problem_of(text, policy);
    EXPECT_NE(problem.find("case.toml:"), problem.npos) << problem;
    EXPECT_NE(problem.find(key), problem.npos) << problem;
    EXPECT_NE(problem.find(why), problem.npos) << problem;
    EXPECT_EQ(problem.find('\n'), problem.npos) << problem;
  };
  for (std::string const table : {"solver", "pressure"}) {
    auto const key = table + ".petsc: ";
    expect(with(table, "petsc = '-redundant_pc_type lu'"), key.c_str(), "-redundant_pc_type is not used");
    expect(with(table, "petsc = '-ksp_type nonsense'"), key.c_str(), "PETSc refuses the options");
    expect(with(table, "petsc = 'gmres'"), key.c_str(), "begins with no option");
    expect(with(table, "petsc = '-pc_type sor'"), key.c_str(), "with policy fp32", "fp32");
    expect(with(table, "petsc = '-pc_type sor'"), key.c_str(), "with policy quad", "quad");
    expect(with(table, "petsc = '-pc_type sor'\nmethod = 'cg'"), (table + ".method").c_str(),
           key.substr(0, key.size() - 2).c_str());
    EXPECT_EQ(problem_of(with(table, "petsc = ''")), "");
    EXPECT_EQ(problem_of(with(table, "petsc = '-pc_type sor'"), "mixed"), "");
  }
  expect(with("pressure", "petsc = ''\npreconditioner = 'jacobi'"), "pressure.preconditioner",
         "pressure.petsc");
}

TEST(ToleranceOfTheCase, HoldsUnlessTheOptionsHaveOne) {
  ModelSystems const model(hill, 2);
  auto const left = [&](double tolerance, std::string const& options) {
    fem::SolverOptions all;
    all.tolerance = tolerance;
    all.petsc = options;
    auto const& system = model.scalar();
    std::vector<double> x(system.right.size());
    auto const report =
        fem::make_petsc(system.view(), 1, all, "scalar")->solve(system.right.data(), x.data());
    return report.residual / report.reference;
  };
  EXPECT_LE(left(1e-10, ""), 1e-10);
  EXPECT_GT(left(1e-3, ""), 1e-10);
  EXPECT_LE(left(1e-3, "-ksp_rtol 1e-10"), 1e-10);
}

TEST(ComponentsOfTheWind, AreSolvedEachByItself) {
  ModelSystems const model(hill, 2);
  auto const& system = model.wind();
  fem::SolverOptions options;
  options.petsc = "-ksp_type preonly -pc_type lu";
  std::vector<double> alone(system.right.size()), right, x(3 * alone.size());
  fem::make_petsc(system.view(), 1, options, "wind")->solve(system.right.data(), alone.data());
  for (auto const value : system.right) {
    for (auto const factor : {1.0, -2.0, 0.5}) right.push_back(factor * value);
  }

  fem::make_petsc(system.view(), 3, options, "wind")->solve(right.data(), x.data());

  for (std::size_t n = 0; n < alone.size(); ++n) {
    EXPECT_EQ(x[3 * n], alone[n]);
    EXPECT_EQ(x[3 * n + 1], -2 * alone[n]);
    EXPECT_EQ(x[3 * n + 2], 0.5 * alone[n]);
  }
}

TEST(SolvesByPetsc, FailWithALineUnlessToldToGoOn) {
  auto const text = solved_by("-ksp_type gmres -pc_type sor", "-ksp_type gmres -ksp_max_it 1");
  ElementAir air(text);
  EXPECT_THROW(air.steps(1), EnvironmentError);
  auto careless = text;
  careless.insert(careless.find("[pressure]"), "failure = 'go_on'\n");
  ElementAir going(careless);
  going.steps(1);
  EXPECT_GT(test::largest(going.values("w")), 0);
}

TEST(SolvesByPetsc, HandOnWhatIsNotANumber) {
  ElementAir air(solved_by("-ksp_type gmres -pc_type sor", "-ksp_type gmres -pc_type sor"));
  auto u = air.values("u");
  u[u.size() / 2] = std::numeric_limits<double>::quiet_NaN();
  air.set("u", u);
  air.steps(1);
  auto const w = air.values("w");
  EXPECT_TRUE(std::any_of(w.begin(), w.end(), [](double value) { return std::isnan(value); }));
}

TEST(StagesByPetsc, AreTheSameFromRunToRunAndSaySo) {
  ElementAir petsc(solved_by("-pc_type sor", "-pc_type jacobi")), ours(hill);
  int solves = 0;
  for (auto const& stage : petsc.core().stages().stages()) {
    bool const by_petsc = stage.doc.find("by PETSc: -pc_type") != stage.doc.npos;
    solves += by_petsc ? 1 : 0;
    EXPECT_EQ(stage.guarantee, by_petsc ? Guarantee::run_to_run : Guarantee::bitwise) << stage.name;
  }
  EXPECT_EQ(solves, 3);
  for (auto const& stage : ours.core().stages().stages()) EXPECT_EQ(stage.guarantee, Guarantee::bitwise);
}

}  // namespace
