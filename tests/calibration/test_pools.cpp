// SPDX-License-Identifier: Apache-2.0
// Pools of members, studies drawn from them and what a calibration makes of them (benchmarks/calibration).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "calibration/calibrate.hpp"
#include "calibration/pool.hpp"
#include "calibration/power.hpp"
#include "core/model/model.hpp"
#include "io/error.hpp"
#include "io/state.hpp"
#include "lorenz96/lorenz.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::calibration {
namespace {

using verification::Answer;

std::unique_ptr<Model> lorenz(std::vector<std::string> const& overrides = {},
                              ModelOptions const& options = {},
                              std::string const& text = lorenz96::lorenz_case()) {
  lorenz96::register_lorenz();
  auto const case_file = io::CaseFile::parse(text, "test", ".", overrides);
  for (auto const* table : {"verify", "evaluate", "output"}) case_file.accept(table);
  (void)case_file.name();
  (void)case_file.duration("time.end", "3 s");
  return make_model(case_file, options);
}

std::vector<double> values(Model const& model) {
  std::vector<double> u(static_cast<std::size_t>(model.cells()));
  model.read("u", u);
  return u;
}

std::vector<double> after(std::int64_t steps, std::vector<std::string> const& overrides = {},
                          ModelOptions const& options = {},
                          std::string const& text = lorenz96::lorenz_case()) {
  auto const model = lorenz(overrides, options, text);
  model->advance(steps);
  return values(*model);
}

double distance(std::vector<double> const& a, std::vector<double> const& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Lorenz's model of 40 variables written down again, in long double.
std::vector<double> independent(std::vector<double> const& start, double step, int steps) {
  using State = std::vector<long double>;
  auto const tendency = [](State const& u) {
    State d(u.size());
    auto const n = u.size();
    for (std::size_t i = 0; i < n; ++i)
      d[i] = (u[(i + 1) % n] - u[(i + n - 2) % n]) * u[(i + n - 1) % n] - u[i] + 8;
    return d;
  };
  auto const plus = [](State u, State const& d, long double factor) {
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += factor * d[i];
    return u;
  };
  State u(start.begin(), start.end());
  long double const h = step;
  for (int k = 0; k < steps; ++k) {
    auto const a = tendency(u), b = tendency(plus(u, a, h / 2)), c = tendency(plus(u, b, h / 2)),
               d = tendency(plus(u, c, h));
    for (std::size_t i = 0; i < u.size(); ++i) u[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return {u.begin(), u.end()};
}

TEST(Lorenz, StepsAreThoseOfAnIndependentProgram) {
  auto const model = lorenz();
  auto const start = values(*model);
  model->advance(20);
  // A unit of time, in which errors grow by about five; roundings of 8 are 1e-15.
  EXPECT_LT(distance(values(*model), independent(start, 0.05, 20)), 1e-12);
}

TEST(Lorenz, TheOtherOrderIsTheSameModelInOtherBits) {
  for (auto const& text : {lorenz96::lorenz_case(), lorenz96::box_case()}) {
    auto const apart = distance(after(20, {}, {}, text), after(20, {}, {"fp64", Assembly::atomic}, text));
    EXPECT_GT(apart, 0);
    EXPECT_LT(apart, 1e-12);
  }
}

TEST(Lorenz, EveryFaultShowsAndNoneBeforeItCan) {
  auto const right = after(20);
  for (auto const& [fault, least, most] : {std::tuple{"lorenz.fault=contracted", 1e-17, 1e-12},
                                           {"lorenz.fault=tf32", 1e-4, 0.5},
                                           {"lorenz.coefficient=1.001", 1e-3, 0.5},
                                           {"lorenz.fault=flipped_sign", 0.1, 100.0},
                                           {"lorenz.fault=dropped_halo", 0.1, 100.0},
                                           {"lorenz.coarser=1", 1e-8, 1e-4}}) {
    auto const apart = distance(right, after(20, {fault}));
    EXPECT_GT(apart, least) << fault;
    EXPECT_LT(apart, most) << fault;
  }
  // A sign in one cell and a halo are wrong where they are, and reach the middle later.
  for (auto const* fault : {"lorenz.fault=flipped_sign", "lorenz.fault=dropped_halo"}) {
    EXPECT_LT(std::abs(after(1)[20] - after(1, {fault})[20]), 1e-6) << fault;
  }
}

TEST(Lorenz, ARestoredModelTakesUpItsHaloAnew) {
  for (auto const* fault : {"lorenz.fault=none", "lorenz.fault=dropped_halo"}) {
    auto const model = lorenz({fault});
    model->advance(10);
    io::StoredState const state(*model->state());
    model->advance(10);
    model->restore(state);
    model->advance(3);
    auto const fresh = lorenz({fault});
    fresh->restore(state);
    fresh->advance(3);
    EXPECT_EQ(model->state_hash(), fresh->state_hash()) << fault;
  }
}

TEST(Lorenz, CoarserRoundingsLeaveAsManyBitsAsTheySay) {
  for (auto const& [k, bits] : {std::pair{"lorenz.coarser=1", 24}, {"lorenz.coarser=1024", 14}}) {
    for (auto const value : after(3, {k})) {
      auto exponent = 0;
      auto const scaled = std::ldexp(std::frexp(value, &exponent), bits);
      EXPECT_EQ(scaled, std::nearbyint(scaled)) << k;
    }
  }
  EXPECT_THROW(lorenz({"lorenz.coarser=3"}), InputError);
  EXPECT_THROW(lorenz({"lorenz.coarser=2"}, {"fp32"}), InputError);
}

TEST(Lorenz, EnergyOfAdvectionIsKept) {
  // Sum of u A(u) is 0: without forcing energy falls by damping alone, exp(-2 t), at any level.
  auto const model = lorenz({"lorenz.forcing=0", "time.step=0.001"}, {}, lorenz96::box_case());
  auto const energy = [&] {
    double sum = 0;
    for (auto const value : values(*model)) sum += value * value;
    return sum;
  };
  EXPECT_GT(energy(), 0) << "the start has waves";
  auto const before = energy();
  model->advance(500);
  EXPECT_LT(energy(), before * std::exp(-1.0) * (1 + 1e-6)) << "levels that differ lose more";
}

PoolPlan small_plan() {
  lorenz96::register_lorenz();
  PoolPlan plan{"lorenz96", lorenz96::lorenz_case(), 200, 32, 7, 1, {}};
  plan.candidates = {{"other order", Role::equal, {"cpu", "fp64", Assembly::atomic}, {}},
                     {"forcing", Role::planted, {}, {"lorenz.coefficient=1.1"}},
                     {"2^0", Role::coarser, {}, {"lorenz.coarser=1"}},
                     {"2^20", Role::coarser, {}, {"lorenz.coarser=1048576"}}};
  return plan;
}

Pool const& small_pool() {
  static Pool const pool = [] {
    test::TemporaryFolder const folder;
    auto made = run_pool(small_plan(), folder.path(), {});
    add_unpaired(made);
    return made;
  }();
  return pool;
}

TEST(Pools, HoldRunsAsStudiesDo) {
  auto const& pool = small_pool();
  ASSERT_EQ(pool.size(), 32u);
  ASSERT_EQ(pool.tested.size(), 5u);
  EXPECT_EQ(pool.base.reference, "fp64/deterministic");
  EXPECT_EQ(pool.base.statistics.size(), 5u);
  EXPECT_EQ(pool.base.curves.size(), 1u);
  EXPECT_EQ(pool.reference.series->fields.at("u").l2_relative, std::vector<double>(4, 0.0));
  std::set<std::string> hashes;
  for (auto const& member : pool.members) {
    hashes.insert(member.hash);
    EXPECT_EQ(member.epsilon_text, "2^-6");
    auto const& errors = member.series->fields.at("u").l2_relative;
    ASSERT_EQ(errors.size(), 4u);
    EXPECT_GT(errors.front(), 0) << "perturbed at the start";
    EXPECT_LT(errors.front(), 0x1p-6);
    EXPECT_NEAR(errors.back(), member.metrics.at("u").at("l2_relative").number(), 1e-13);
  }
  EXPECT_EQ(hashes.size(), 32u);
  // The noise of a number is the same in all configurations; the model is what differs.
  auto const& forced = pool.at("forcing");
  EXPECT_EQ(forced.members[3].series->fields.at("u").l2_relative.front(),
            pool.members[3].series->fields.at("u").l2_relative.front());
  EXPECT_GT(forced.unperturbed.series->fields.at("u").l2_relative.back(),
            pool.at("other order").unperturbed.series->fields.at("u").l2_relative.back() * 1e6);
  // Growth is against the own unperturbed run, whose error it does not have.
  EXPECT_EQ(forced.growth[3].at("u").front(), forced.members[3].series->fields.at("u").l2_relative.front());
  EXPECT_NE(forced.growth[3].at("u").back(), forced.members[3].series->fields.at("u").l2_relative.back());
  EXPECT_THROW(pool.at("nothing"), std::out_of_range);
}

TEST(Pools, AreTheSameWhateverTheThreads) {
  test::TemporaryFolder const folder;
  auto plan = small_plan();
  plan.jobs = 3;
  auto const other = run_pool(plan, folder.path(), {});
  for (std::size_t i = 0; i < other.size(); ++i)
    EXPECT_EQ(other.members[i].hash, small_pool().members[i].hash);
}

TEST(Draws, RenumberMembersAndKeepPairs) {
  auto const& pool = small_pool();
  std::vector<std::size_t> numbers(12), others(12);
  std::iota(numbers.begin(), numbers.end(), std::size_t(5));
  std::iota(others.begin(), others.end(), std::size_t(17));
  auto const study = draw(pool, {"other order", "forcing"}, numbers, others);
  ASSERT_EQ(study.runs.size(), 3 * 13u);
  ASSERT_EQ(study.verdicts.size(), 2u);
  auto const& last = study.runs.back();
  EXPECT_EQ(*last.member, 11);
  EXPECT_EQ(last.hash, pool.at("forcing").members[16].hash);
  ASSERT_EQ(study.ensembles.size(), 2u);
  EXPECT_EQ(study.ensembles.front().members, 12);
  double squares = 0;
  for (auto const number : numbers) {
    auto const g = pool.at("forcing").growth[number].at("u").back();
    squares += g * g;
  }
  auto const& growth = study.ensembles.back().growth->fields.at("u");
  EXPECT_NEAR(growth.mean.back() * growth.mean.back() + growth.sd.back() * growth.sd.back() * 11 / 12,
              squares / 12, 1e-12);

  auto const apart = draw(pool, {"other order, other seeds"}, numbers, others);
  EXPECT_EQ(apart.runs.back().hash, pool.at("other order").members[28].hash);
}

TEST(Decks, GiveDisjointHandsUntilAllAreUsed) {
  Deck deck(26, 8, 3);
  std::set<std::size_t> used;
  std::vector<std::size_t> first;
  for (int i = 0; i < 3; ++i) {
    auto const [numbers, others] = deck.next();
    if (i == 0) first.assign(numbers.begin(), numbers.end());
    used.insert(numbers.begin(), numbers.end());
    for (auto const number : numbers) {
      EXPECT_LT(number, 26u);
      EXPECT_EQ(std::count(others.begin(), others.end(), number), 0);
    }
  }
  EXPECT_EQ(used.size(), 24u);
  auto const again = deck.next().numbers;
  EXPECT_FALSE(std::equal(again.begin(), again.end(), first.begin())) << "shuffled anew";
  Deck same(26, 8, 3);
  auto const repeated = same.next().numbers;
  EXPECT_TRUE(std::equal(repeated.begin(), repeated.end(), first.begin()));
  EXPECT_THROW(Deck(15, 8, 1), std::invalid_argument);
}

TEST(Calibrations, TellEqualFromBadConfigurations) {
  CalibrationOptions options;
  options.studies = 6;
  options.faulty = 4;
  options.members = 16;
  auto const found = calibrate({small_pool()}, options, {});
  auto const row = [&](std::string const& fault) {
    return *std::find_if(found.rows.begin(), found.rows.end(), [&](Row const& candidate) {
      return candidate.fault == fault && candidate.evidence == "verdict";
    });
  };
  auto const equal = row("other order");
  EXPECT_EQ(equal.studies, 6);
  EXPECT_EQ(equal.inside, 6);
  EXPECT_EQ(equal.different, 0);
  auto const forced = row("forcing");
  EXPECT_EQ(forced.studies, 4);
  EXPECT_EQ(forced.beyond, 4) << "a tenth more forcing";
  EXPECT_GE(forced.different, 1);
  EXPECT_EQ(forced.misses.count, 0);
  EXPECT_EQ(forced.misses.of, 4);
  EXPECT_EQ(row("other order, other seeds").different, 0);
  EXPECT_EQ(row("2^0").beyond, 0);
  EXPECT_EQ(row("2^20").beyond, 4);
  EXPECT_EQ(row("2^20").equivalent, 0);
  EXPECT_EQ(found.turning.turned_across.of, 4);
  EXPECT_EQ(found.inverted.count, 0);

  options.jobs = 2;
  auto const again = calibrate({small_pool()}, options, {});
  ASSERT_EQ(again.rows.size(), found.rows.size());
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    EXPECT_EQ(again.rows[i].undecided, found.rows[i].undecided);
    EXPECT_EQ(again.rows[i].equivalent, found.rows[i].equivalent);
  }
}

TEST(Power, OfAShiftIsThatOfTheShiftedStatisticAlone) {
  CalibrationOptions options;
  options.studies = 20;
  options.members = 12;
  auto const detected = detect(small_pool(), options);
  ASSERT_FALSE(detected.empty());
  for (auto const& item : detected) {
    EXPECT_GT(item.detectable, 0);
    EXPECT_EQ(item.shown.of, 20);
    EXPECT_GE(item.shown.count, 6) << item.subject << ": power is far from what is claimed";
  }
}

TEST(Power, AtTheMarginFewAreCalledEquivalent) {
  CalibrationOptions options;
  options.studies = 20;
  options.members = 16;
  auto const edges = at_margin(small_pool(), options);
  std::set<std::string> parts;
  for (auto const& edge : edges) {
    parts.insert(edge.part);
    EXPECT_EQ(edge.equivalent.of, 20);
    // 5 % are one of 20; six of 20 happen once in 3000 times.
    EXPECT_LE(edge.equivalent.count, 5) << edge.fault << ": " << edge.subject << " " << edge.part;
  }
  EXPECT_EQ(parts, (std::set<std::string>{"mean", "spread"}));
}

TEST(StudyPools, TakeMembersOfEachConfiguration) {
  verification::StudyResults study;
  study.reference = "fp64/deterministic";
  for (auto const* id : {"fp64/deterministic", "fp64/atomic", "fp64/deterministic/stage=tf32", "fp32/atomic",
                         "quad/deterministic"}) {
    std::string const text = id;
    verification::RunResult run;
    run.id = run.ensemble = text;
    run.policy = text.substr(0, text.find('/'));
    run.assembly = text.find("atomic") == std::string::npos ? "deterministic" : "atomic";
    study.runs.push_back(run);
    for (int member = 0; member < (run.policy == "quad" ? 0 : 3); ++member) {
      auto perturbed = run;
      perturbed.member = member;
      perturbed.epsilon = 0.5;
      study.runs.push_back(perturbed);
    }
  }
  auto pool = pool_of("m", study);
  EXPECT_EQ(pool.size(), 3u);
  ASSERT_EQ(pool.tested.size(), 3u) << "without what has no members";
  EXPECT_EQ(pool.at("fp64/atomic").role, Role::equal);
  EXPECT_EQ(pool.at("fp64/deterministic/stage=tf32").role, Role::planted);
  EXPECT_EQ(pool.at("fp32/atomic").role, Role::planted);
  add_unpaired(pool);
  ASSERT_EQ(pool.tested.size(), 4u);
  EXPECT_FALSE(pool.at("fp64/atomic, other seeds").paired);
}

}  // namespace
}  // namespace ulpine::calibration
