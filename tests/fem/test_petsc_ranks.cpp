// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/fem/petsc.hpp"
#include "core/fem/register.hpp"
#include "core/linalg/petsc.hpp"
#include "core/linalg/shared_rows.hpp"
#include "core/model/not_solved.hpp"
#include "core/model/ranked_model.hpp"
#include "fem/model_systems.hpp"
#include "fem/petsc_support.hpp"
#include "io/error.hpp"
#include "support/mpi_world.hpp"

/// PETSc on several ranks. All ranks run every test, and each solves on one rank, too, what it compares with.
namespace {

using namespace ulpine;
using namespace test::petsc;
using linalg::OwnedRows;
using linalg::PetscReport;
using linalg::PetscSolver;
using test::expect_same_history;
using test::ModelSystems;

/// On two of the ranks, and on all.
void on_ranks(std::function<void(std::shared_ptr<Ranks> const&)> const& body) {
  for (int const count : {2, test::mpi_ranks}) {
    SCOPED_TRACE(std::to_string(count) + " ranks");
    test::on_mpi_ranks(count, body);
  }
}

/// That all ranks say the same.
void expect_alike(Ranks& ranks, std::string const& words) {
  std::vector<char> first(2000, 0);
  std::copy_n(words.begin(), std::min(words.size(), first.size() - 1), first.begin());
  ranks.broadcast(std::as_writable_bytes(std::span(first)));
  EXPECT_EQ(words, first.data());
}

/// Values of a rank's points, with the ghosts that their owners have.
void expect_right_ghosts(Share& share, std::vector<double> const& x) {
  auto expected = x;
  for (std::int32_t place = 0; place < share.points().held(); ++place) {
    if (!share.points().owns(share.points().number(place))) expected[static_cast<std::size_t>(place)] = -7;
  }
  share.ghosts()(expected.data());
  EXPECT_EQ(x, expected);
}

/// Two solutions of a system of this condition to the tolerance, one of them shared.
void expect_same_solution(Share& share, std::vector<double> const& x, std::vector<double> const& alone,
                          double tolerance, double condition) {
  auto const bound = 2 * condition * tolerance * norm(alone);
  auto const wanted = share.nodes(alone.data());
  EXPECT_GT(bound, 0);
  for (std::size_t n = 0; n < x.size(); ++n) ASSERT_NEAR(x[n], wanted[n], bound) << "place " << n;
}

std::string by(char const* method) {
  return std::string("-pc_type jacobi -ksp_rtol 1e-11 -ksp_type ") + method;
}

/// Conditions as in test_petsc.cpp.
void expect_history_of_one(test::System const& system, char const* method) {
  SCOPED_TRACE(method);
  std::vector<double> alone(system.right.size(), 0);
  auto const expected = PetscSolver(system.view(), by(method)).solve(system.right.data(), alone.data());
  EXPECT_EQ(expected.reason, "CONVERGED_RTOL");
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    Share share(system.pattern, ranks);
    OwnedRows const rows(share.pattern(), share.points());
    auto value = share.entries(system.value.data());
    auto const right = share.nodes(system.right.data());
    std::vector<double> x(right.size(), 0);
    PetscSolver petsc(rows.of(value.data()), by(method), {}, share.sharing());

    auto const report = petsc.solve(right.data(), x.data());

    EXPECT_EQ(report.reason, expected.reason);
    expect_same_history(expected.history, report.history, 100);
    expect_same_solution(share, x, alone, 1e-11, 100);
    expect_right_ghosts(share, x);
    // Its own solution is a guess that leaves nothing to do; of twice the matrix it is twice too large.
    EXPECT_LE(petsc.solve(right.data(), x.data()).iterations, 1);
    for (auto& entry : value) entry *= 2;
    petsc.update();
    EXPECT_EQ(petsc.solve(right.data(), x.data()).reason, expected.reason);
    for (auto& number : x) number *= 2;
    expect_same_solution(share, x, alone, 1e-11, 100);
  });
}

TEST(SystemsByPetscOnRanks, HaveTheHistoriesOfOneRank) {
  ModelSystems const windy(hill, 2), calm(still, 1);
  for (auto const* method : {"gmres", "bcgs"}) {
    expect_history_of_one(windy.scalar(), method);
    expect_history_of_one(windy.wind(), method);
  }
  expect_history_of_one(calm.scalar(), "cg");
}

TEST(PressureByPetscOnRanks, HasTheHistoriesOfOneRank) {
  ModelSystems const model(hill, 2);
  auto const& right = model.pressure_right();
  fem::PressureOperator<double, Host> whole(Host{}, model.pressure());
  for (auto const* method : {"gmres", "bcgs"}) {
    SCOPED_TRACE(method);
    std::vector<double> alone(right.size(), 0);
    auto const expected = PetscSolver(whole, model.helmholtz(), by(method)).solve(right.data(), alone.data());
    on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
      Share share(model.pattern(), ranks);
      SharedPressureSystem const system(model.pressure(), share);
      fem::PressureOperator<double, Host> matrix(Host{}, system.view, &share.ghosts());
      OwnedRows const rows(share.pattern(), share.points());
      auto const near = share.entries(model.helmholtz().value);
      auto const own = share.nodes(right.data());
      std::vector<double> x(own.size(), 0);
      PetscSolver petsc(matrix, rows.of(near.data()), by(method), {}, share.sharing());
      auto const report = petsc.solve(own.data(), x.data());
      EXPECT_EQ(report.reason, "CONVERGED_RTOL");
      expect_same_history(expected.history, report.history, 1000);
      expect_same_solution(share, x, alone, 1e-11, 1000);
      expect_right_ghosts(share, x);
    });
  }
}

/// That all ranks have the whole formed matrix between them an exact factorisation of it tells.
TEST(PressureByPetscOnRanks, IsFormedWhole) {
  ModelSystems const model(hill, 2);
  fem::SolverOptions options;
  options.tolerance = 1e-9;
  options.petsc = "-ksp_type gmres -pc_type redundant";
  options.formed = true;
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    Share share(model.pattern(), ranks);
    SharedPressureSystem const system(model.pressure(), share);
    fem::PressureOperator<double, Host> matrix(Host{}, system.view, &share.ghosts());
    auto const near = share.entries(model.helmholtz().value);
    auto const right = share.nodes(model.pressure_right().data());
    std::vector<double> x(right.size());
    auto const petsc = fem::make_petsc_pressure(matrix, system.view, near.data(), options, share.sharing());
    petsc->update();
    auto const report = petsc->solve(right.data(), x.data());
    EXPECT_EQ(report.outcome, linalg::Outcome::converged);
    EXPECT_EQ(report.iterations, 1);
  });
}

TEST(ComponentsByPetscOnRanks, AreSolvedEachByItselfAndKeepWhatIsNotANumber) {
  ModelSystems const model(hill, 2);
  auto const& system = model.wind();
  fem::SolverOptions options;
  options.petsc = "-ksp_type gmres -pc_type jacobi -ksp_rtol 1e-11";
  std::vector<double> alone(system.right.size(), 0);
  fem::make_petsc(system.view(), 1, options, "wind")->solve(system.right.data(), alone.data());
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    Share share(system.pattern, ranks);
    auto const value = share.entries(system.value.data());
    std::vector<double> right, x;
    for (auto const number : share.nodes(system.right.data())) {
      for (auto const factor : {1.0, -2.0, 0.5}) right.push_back(factor * number);
    }
    x.resize(right.size());
    auto const petsc = fem::make_petsc({share.pattern(), value.data()}, 3, options, "wind", share.sharing());
    EXPECT_EQ(petsc->solve(right.data(), x.data()).outcome, linalg::Outcome::converged);
    for (std::size_t c = 0; c < 3; ++c) {
      std::vector<double> one;
      for (auto n = c; n < x.size(); n += 3) one.push_back(x[n] / std::array{1.0, -2.0, 0.5}[c]);
      expect_same_solution(share, one, alone, 1e-11, 100);
    }
    // Of the last rank alone, in its last own number. Where nothing but a preconditioner is applied, PETSc
    // itself does not look.
    auto const last = static_cast<std::size_t>(3 * (share.points().first() + share.points().owned()) - 1);
    if (ranks->rank() + 1 == ranks->size()) right[last] = std::numeric_limits<double>::infinity();
    auto direct = options;
    direct.petsc = "-ksp_type preonly -pc_type jacobi";
    auto const applied = fem::make_petsc({share.pattern(), value.data()}, 3, direct, "wind", share.sharing());
    for (auto* const solver : {petsc.get(), applied.get()}) {
      std::ranges::fill(x, 0.0);
      EXPECT_EQ(solver->solve(right.data(), x.data()).outcome, linalg::Outcome::not_finite);
      EXPECT_TRUE(std::ranges::all_of(x, [](double number) { return std::isnan(number); }));
    }
  });
}

class ModelByPetscOnRanks : public testing::Test {
 protected:
  ModelByPetscOnRanks() { fem::register_core(); }

  static std::unique_ptr<Model> model(std::string const& text, std::shared_ptr<Ranks> const& ranks = {},
                                      std::string const& policy = "fp64") {
    ModelOptions options;
    options.policy = policy;
    options.ranks = ranks ? ranks->size() : 1;
    options.team = ranks;
    return make_model(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"), options);
  }
  static std::vector<double> values(Model const& of, std::string const& field) {
    auto const infos = of.fields();
    auto const info = std::ranges::find(infos, field, &io::FieldInfo::name);
    std::vector<double> all(static_cast<std::size_t>(info->size()));
    of.read(field, all);
    return all;
  }
  /// As solved_by(), to a tolerance.
  static std::string solved_to(char const* tolerance, std::string const& wind = "",
                               std::string const& pressure = "", std::string const& more = "") {
    auto const table = [&](char const* name, std::string const& options) {
      return std::string("[") + name + "]\ntolerance = " + tolerance + "\n" +
             (options.empty() ? "" : "petsc = '" + options + "'\n");
    };
    return std::string(hill) + table("solver", wind) + table("pressure", pressure) + more;
  }
};

/// With the bound of ModelByPetsc (test_petsc.cpp), and the same bits in every run and after a restart.
TEST_F(ModelByPetscOnRanks, TakesTheStepsOfOneRankWithinTheTolerances) {
  struct Choice {
    char const *wind, *pressure, *more;
  };
  for (auto const& [wind, pressure, more] :
       {Choice{"-ksp_type gmres -pc_type jacobi", "-ksp_type bcgs -pc_type jacobi", ""},
        Choice{"-ksp_type bcgs -pc_type bjacobi -sub_pc_type ilu", "-ksp_type gmres -pc_type asm", ""},
        Choice{"-ksp_type gmres -pc_type gamg", "-ksp_type gmres -pc_type gamg", "formed = true\n"},
        Choice{"", "-ksp_type gmres -pc_type redundant", "formed = true\n"}}) {
    SCOPED_TRACE(pressure);
    auto const alone = model(solved_to("1e-9"));
    std::vector<std::vector<double>> before, after;
    for (auto const* field : {"u", "v", "w", "p", "theta"}) before.push_back(values(*alone, field));
    alone->advance(1);
    for (auto const* field : {"u", "v", "w", "p", "theta"}) after.push_back(values(*alone, field));
    on_ranks([&, wind = wind, pressure = pressure, more = more](std::shared_ptr<Ranks> const& ranks) {
      auto const text = solved_to("1e-9", wind, pressure, more);
      auto const shared = model(text, ranks), again = model(text, ranks);
      shared->advance(1);
      for (std::size_t n = 0; auto const* field : {"u", "v", "w", "p", "theta"}) {
        auto const found = values(*shared, field);  // rank 0 has them
        auto const change = norm(difference(after[n], before[n]));
        EXPECT_GT(change, 0);
        if (ranks->rank() == 0) {
          EXPECT_LE(norm(difference(found, after[n])), 4 * 1000 * 1e-9 * change) << field;
        }
        ++n;
      }
      again->advance(1);
      auto const hash = shared->state_hash(), other = again->state_hash();
      auto const stages = shared->stages();
      auto const promised = [](StageDescription const& stage) {
        return stage.guarantee <= Guarantee::run_to_run;
      };
      EXPECT_TRUE(hash == other || !std::ranges::all_of(stages, promised));
    });
  }
}

/// The errors against the exact solution, root mean squares, are one rank's: they differ by no more than the
/// solutions do.
TEST_F(ModelByPetscOnRanks, IsAsNearToAManufacturedSolution) {
  std::string const box =
      "[mesh]\nnx = 6\nny = 6\nnz = 6\nlength = [600.0, 600.0, 600.0]\n[air]\nbuoyancy_frequency = 0.0\n"
      "viscosity = 100.0\n[time]\nstep = '2 s'\n[manufactured]\nperiod = '64 s'\n";
  std::string const petsc =
      "[solver]\npetsc = '-ksp_type bcgs -pc_type jacobi'\n[pressure]\npetsc = '-ksp_type gmres -pc_type "
      "bjacobi'\ntolerance = 1e-9\n";
  auto const errors = [&](std::string const& text, std::shared_ptr<Ranks> const& ranks) {
    auto const air = model(text, ranks);
    air->advance(4);
    std::vector<double> all;
    for (auto const& integral : air->integrals()) {
      if (integral.name.ends_with("_error_squared")) all.push_back(std::sqrt(integral.value));
    }
    return all;
  };
  auto const alone = errors(box + "[pressure]\ntolerance = 1e-9\n", {});
  ASSERT_EQ(alone.size(), 3u);
  // Amplitudes of the solution: 5 m s-1, 100 Pa, 2 K; four steps, as above.
  double const amplitude[] = {5, 100, 2};
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    auto const shared = errors(box + petsc, ranks);
    for (std::size_t n = 0; n < alone.size(); ++n) {
      EXPECT_GT(alone[n], 1e-4 * amplitude[n]);
      EXPECT_LT(alone[n], 0.2 * amplitude[n]);
      EXPECT_NEAR(shared[n], alone[n], 4 * 4 * 1000 * 1e-9 * amplitude[n]) << n;
    }
  });
}

/// Rank 0 runs the program and the others serve it, as under the command.
TEST_F(ModelByPetscOnRanks, HasTheSameBitsAfterARestartAndTellsErrorsOnce) {
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    if (ranks->rank() != 0) return serve(*ranks);
    set_team(ranks);
    auto const served = [&](std::string const& text) {
      return make_model(io::CaseFile::parse("core = 'fem'\n" + text, "case.toml"), {.ranks = ranks->size()});
    };
    auto const text =
        solved_by("-ksp_type gmres -pc_type sor", "-ksp_type gmres -pc_type bjacobi", "formed = true\n");
    {
      auto const whole = served(text), first = served(text), second = served(text);
      whole->advance(3);
      first->advance(1);
      second->restore(io::StoredState(*first->state()));
      second->advance(2);
      EXPECT_EQ(second->state_hash(), whole->state_hash());
      EXPECT_NE(first->state_hash(), whole->state_hash());
    }
    EXPECT_THROW(served(solved_by("-pc_type ilu", "")), InputError);
    EXPECT_THROW(served(solved_by("", "-ksp_max_it 1"))->advance(1), NotSolved);
    served(text)->advance(1);
    set_team(nullptr);
    dismiss(*ranks);
  });
}

TEST_F(ModelByPetscOnRanks, IsRefusedAlikeOnAllRanks) {
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    auto const refusal = [&](std::string const& text, std::string const& policy = "fp64") {
      std::string words;
      try {
        model(text, ranks, policy);
      } catch (InputError const& error) {
        words = error.what();
      }
      expect_alike(*ranks, words);
      EXPECT_EQ(words.find('\n'), words.npos) << words;
      return words;
    };
    auto const expect = [&](std::string const& options, char const* why) {
      for (auto const pressure : {false, true}) {
        auto const words = refusal(pressure ? solved_by("", options) : solved_by(options, ""));
        EXPECT_NE(words.find("case.toml:"), words.npos) << words;
        EXPECT_NE(words.find(pressure ? ": pressure.petsc: " : ": solver.petsc: "), words.npos) << words;
        EXPECT_NE(words.find(why), words.npos) << words;
      }
    };
    // PETSc's own words, and what to take instead.
    expect("-pc_type ilu",
           "Could not locate a solver type for factorization type ILU and matrix type mpiaij");
    expect("-pc_type icc", "bjacobi, asm and gamg go on several ranks");
    expect("-pc_type nonsense", "Unable to find requested PC type nonsense");
    expect("-pc_type bjacobi -sub_pc_type nonsense", "Unable to find requested PC type nonsense");
    expect("-redundant_pc_type lu", "-redundant_pc_type is not used");
    expect("-pc_type bjacobi -sub_redundant_pc_type lu", "-sub_redundant_pc_type is not used");
    EXPECT_NE(refusal(solved_by("", ""), "fp32").find("with policy fp32"), std::string::npos);
    // Ranks go on after that.
    EXPECT_EQ(refusal(solved_by("-pc_type asm", "-pc_type bjacobi -sub_pc_type icc")), "");
  });
}

TEST_F(ModelByPetscOnRanks, FailsToSolveOnAllRanksAlike) {
  auto const text = solved_by("-ksp_type gmres -pc_type sor", "-ksp_type gmres -ksp_max_it 1");
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    auto const air = model(text, ranks);
    std::string words;
    try {
      air->advance(1);
    } catch (NotSolved const& error) {
      words = error.what();
    }
    EXPECT_NE(words.find("was not solved by PETSc"), words.npos) << words;
    expect_alike(*ranks, words);
    auto careless = text;
    careless.insert(careless.find("[pressure]"), "failure = 'go_on'\n");
    auto const going = model(careless, ranks);
    going->advance(1);
    EXPECT_EQ(going->invalid_value(), "");
  });
}

TEST_F(ModelByPetscOnRanks, PromisesTheSameFromRunToRunWhereNothingIsAddedUp) {
  on_ranks([&](std::shared_ptr<Ranks> const& ranks) {
    int solves = 0;
    for (auto const& stage : model(solved_by("-pc_type gamg", "-pc_type asm"), ranks)->stages()) {
      bool const by_petsc = stage.doc.find("(by PETSc: ") != stage.doc.npos;
      solves += by_petsc ? 1 : 0;
      auto const wanted = !by_petsc                      ? Guarantee::bitwise
                          : stage.name == "fem.pressure" ? Guarantee::run_to_run
                                                         : Guarantee::none;
      EXPECT_EQ(stage.guarantee, wanted) << stage.name;
    }
    EXPECT_EQ(solves, 3);
  });
}

TEST(GuaranteeByPetsc, IsThatOfThePreconditioner) {
  for (auto const* same : {"", "-ksp_type cg", "-ksp_type gmres -pc_type jacobi",
                           "-pc_type bjacobi -sub_pc_type lu", "-pc_type sor -ksp_rtol 1e-9"}) {
    EXPECT_EQ(fem::guarantee_by_petsc(same, true), Guarantee::run_to_run) << same;
  }
  for (auto const* other : {"-pc_type gamg", "-ksp_type preonly -pc_type lu", "-pc_type",
                            "-pc_bjacobi_blocks 1 -pc_type bjacobi"}) {
    EXPECT_EQ(fem::guarantee_by_petsc(other, true), Guarantee::none) << other;
    EXPECT_EQ(fem::guarantee_by_petsc(other, false), Guarantee::run_to_run) << other;
  }
}

}  // namespace
