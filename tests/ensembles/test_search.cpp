// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "ensembles/search/cheapest.hpp"
#include "ensembles/search/delta_debugging.hpp"

namespace {

using namespace ulpine::ensembles::search;
using ulpine::verification::Answer;

Subset numbers(std::size_t count) {
  Subset all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// A test of subsets that counts what it is asked.
struct Oracle {
  std::function<bool(Subset const&)> passes;
  std::size_t asked = 0;

  FirstPassing first_passing() {
    return [this](std::vector<Subset> const& candidates) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        ++asked;
        if (passes(candidates[i])) return i;
      }
      return {};
    };
  }
};

bool holds(Subset const& set, Subset const& needed) {
  return std::all_of(needed.begin(), needed.end(),
                     [&](std::size_t item) { return std::find(set.begin(), set.end(), item) != set.end(); });
}

void expect_minimal(Subset const& found, std::function<bool(Subset const&)> const& passes) {
  EXPECT_TRUE(passes(found));
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto without = found;
    without.erase(without.begin() + std::ptrdiff_t(i));
    EXPECT_FALSE(passes(without)) << "without item " << found[i];
  }
}

TEST(DeltaDebugging, FindsTheOnlyMinimalSet) {
  for (std::size_t count : {1u, 2u, 3u, 7u, 14u, 31u}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      std::mt19937 random(seed);
      auto needed = numbers(count);
      std::shuffle(needed.begin(), needed.end(), random);
      needed.resize(random() % (count + 1));
      Oracle oracle{[&](Subset const& set) { return holds(set, needed); }};
      auto found = minimal_passing(numbers(count), oracle.first_passing());
      std::sort(needed.begin(), needed.end());
      EXPECT_EQ(found, needed) << count << " items, seed " << seed;
      EXPECT_LE(oracle.asked, count * count + 3 * count + 1);
    }
  }
}

// Zeller and Hildebrandt, proposition 12: one item alone to blame is found as by bisection.
TEST(DeltaDebugging, FindsOneItemInLogarithmicallyManyTests) {
  for (std::size_t blamed = 0; blamed < 64; ++blamed) {
    Oracle oracle{[&](Subset const& set) { return holds(set, {blamed}); }};
    EXPECT_EQ(minimal_passing(numbers(64), oracle.first_passing()), Subset{blamed});
    EXPECT_LE(oracle.asked, 2 * 6 + 1);
  }
}

// Whether a subset passes is drawn for each by itself.
TEST(DeltaDebugging, IsMinimalWhereTheTestIsNotMonotone) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<bool> table(1u << 8);
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = random() % 4 == 0;
    table.back() = true;
    auto const passes = [&](Subset const& set) {
      std::size_t bits = 0;
      for (auto const item : set) bits |= std::size_t{1} << item;
      return bool(table[bits]);
    };
    Oracle oracle{passes};
    auto const found = minimal_passing(numbers(8), oracle.first_passing());
    expect_minimal(found, passes);
    EXPECT_LE(oracle.asked, 8u * 8 + 3 * 8 + 1);
  }
}

TEST(DeltaDebugging, IsMinimalWhicheverOrderTheItemsHave) {
  auto const passes = [](Subset const& set) {
    return holds(set, {3, 11}) || holds(set, {5}) || set.size() > 12;
  };
  for (unsigned seed = 0; seed < 50; ++seed) {
    auto items = numbers(14);
    std::shuffle(items.begin(), items.end(), std::mt19937(seed));
    Oracle oracle{passes};
    expect_minimal(minimal_passing(items, oracle.first_passing()), passes);
  }
}

TEST(DeltaDebugging, KeepsTheOrderOfItsItems) {
  Oracle oracle{[](Subset const& set) { return holds(set, {1, 4, 2}); }};
  EXPECT_EQ(minimal_passing({4, 0, 2, 3, 1}, oracle.first_passing()), (Subset{4, 2, 1}));
}

/// Stages of which each adds an error, by precision, to the run; widths 64, 32, 16, 16.
struct MadeUp {
  std::vector<std::vector<double>> errors;  ///< by stage and precision
  std::vector<double> shares;
  std::function<double(Assignment const&)> extra = [](Assignment const&) { return 0.0; };
  std::size_t judged = 0;
  std::multiset<Assignment> asked = {};

  static constexpr double width(int precision) { return precision == 0 ? 1 : precision == 1 ? 0.5 : 0.25; }

  double ratio(Assignment const& assignment) const {
    auto sum = extra(assignment);
    for (std::size_t i = 0; i < assignment.size(); ++i) sum += errors[i][std::size_t(assignment[i])];
    return sum;
  }
  Space space() const {
    Space space;
    space.stages = shares.size();
    space.bits = {64, 32, 16, 16};
    space.possible = [](std::size_t, int) { return true; };
    space.cost = [this](Assignment const& assignment) {
      double sum = 0;
      for (std::size_t i = 0; i < assignment.size(); ++i) sum += shares[i] * width(assignment[i]);
      return sum;
    };
    return space;
  }
  Judge judge() {
    return [this](std::span<Assignment const> assignments) {
      std::vector<Outcome> outcomes;
      for (auto const& assignment : assignments) {
        ++judged;
        asked.insert(assignment);
        Outcome outcome;
        outcome.ratio = ratio(assignment);
        outcome.answer = *outcome.ratio <= 1 ? Answer::equivalent : Answer::different;
        outcomes.push_back(outcome);
      }
      return outcomes;
    };
  }
};

MadeUp random_stages(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> digits(-4, 1), share(0, 1);
  MadeUp made;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto const wide = std::pow(10, digits(random) - 1);
    made.errors.push_back({0, wide, wide * 30, wide * 200});
    made.shares.push_back(share(random));
    sum += made.shares.back();
  }
  for (auto& part : made.shares) part /= sum;
  return made;
}

Trial const& cheapest_of(Found const& found) { return found.tried[found.accepted.front()]; }

TEST(Search, LowersEverythingWhereNothingErrs) {
  MadeUp made{std::vector<std::vector<double>>(6, {0, 0, 0, 0}), std::vector<double>(6, 1.0 / 6)};
  auto const found = find_cheapest(made.space(), made.judge(), {});
  EXPECT_TRUE(found.complete);
  EXPECT_NEAR(cheapest_of(found).cost, 0.25, 1e-12);
}

TEST(Search, StaysWithTheReferenceWhereEverythingErrs) {
  MadeUp made{std::vector<std::vector<double>>(4, {0, 2, 3, 4}), std::vector<double>(4, 0.25)};
  auto const found = find_cheapest(made.space(), made.judge(), {});
  EXPECT_EQ(cheapest_of(found).assignment, Assignment(4, 0));
  EXPECT_EQ(found.accepted.size(), 1u);
}

TEST(Search, FindsTheAssignmentThatEachStageAloneAllows) {
  // Errors of stages do not add here: the largest counts.
  MadeUp made;
  made.errors = {{0, 0.1, 0.5, 0.7}, {0, 0.1, 3, 0.9}, {0, 5, 6, 7}, {0, 0.2, 2, 2}};
  made.shares = {0.1, 0.2, 0.3, 0.4};
  made.extra = [&made](Assignment const& assignment) {
    double sum = 0, largest = 0;
    for (std::size_t i = 0; i < assignment.size(); ++i) {
      auto const error = made.errors[i][std::size_t(assignment[i])];
      sum += error;
      largest = std::max(largest, error);
    }
    return largest - sum;
  };
  auto const found = find_cheapest(made.space(), made.judge(), {});
  EXPECT_EQ(cheapest_of(found).assignment, (Assignment{2, 3, 0, 1}));
}

TEST(Search, TakesNoSingleStageTooHigh) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    auto made = random_stages(seed, 9);
    if (seed % 2 == 1) {  // an interacting pair, and one where less precision helps
      made.extra = [](Assignment const& assignment) {
        return (assignment[1] != 0 && assignment[4] != 0 ? 2.0 : 0.0) - (assignment[6] == 2 ? 0.3 : 0.0);
      };
    }
    auto const space = made.space();
    auto const found = find_cheapest(space, made.judge(), {});
    auto const& best = cheapest_of(found);
    EXPECT_LE(made.ratio(best.assignment), 1);
    for (std::size_t stage = 0; stage < 9; ++stage) {
      for (int precision = 1; precision < 4; ++precision) {
        auto lower = best.assignment;
        lower[stage] = precision;
        if (space.cost(lower) >= best.cost) continue;
        EXPECT_GT(made.ratio(lower), 1) << "seed " << seed;
      }
    }
  }
}

// One stage alone errs ten times the limit and more, or fails; the other errs less than that, and the first
// one's error makes up for it.
TEST(Search, LowersNothingInCompanyThatErrsTenTimesTheLimitAlone) {
  constexpr auto failed = std::numeric_limits<double>::infinity();
  for (auto const alone : {10.5, 500.0, failed}) {
    auto made = random_stages(5, 8);
    made.errors[2] = {0, 0.01, alone, alone};
    made.errors[6] = {0, 0.01, 9.5, 9.5};
    auto const found = find_cheapest(made.space(), made.judge(), {});
    EXPECT_TRUE(found.complete);
    auto lowered = 0, borderline = 0;
    for (auto const& assignment : made.asked) {
      auto const company =
          std::count_if(assignment.begin(), assignment.end(), [](int p) { return p != 0; }) > 1;
      lowered += company && assignment[2] > 1 ? 1 : 0;
      borderline += company && assignment[6] > 1 ? 1 : 0;
    }
    EXPECT_EQ(lowered, 0) << alone;
    EXPECT_GT(borderline, 0);
  }
}

TEST(Search, RaisesNoStageForOneThatIsRefusedAlone) {
  MadeUp made{std::vector<std::vector<double>>(10, {0, 0.01, 0.05, 0.05}), std::vector<double>(10, 0.1)};
  for (auto const stage : {3u, 7u}) made.errors[stage] = {0, 0.01, 1.2, 1.2};
  auto const found = find_cheapest(made.space(), made.judge(), {});
  EXPECT_NEAR(cheapest_of(found).cost, 0.25 + 0.2 * 0.25, 1e-12);
  // The reference, ten stages in three precisions, all at 32 bits, all but two at 16, and these two lowered
  // in either precision of 16 bits.
  EXPECT_EQ(made.judged, 1u + 3 * 10 + 1 + 1 + 2 * 2);
}

TEST(Search, LowersInCompanyWhatWasRefusedAlone) {
  MadeUp made{std::vector<std::vector<double>>(4, {0, 0.01, 0.1, 0.1}), std::vector<double>(4, 0.25)};
  made.errors[1] = {0, 0.01, 1.5, 1.5};
  made.extra = [](Assignment const& assignment) {
    return assignment[1] > 1 && assignment[3] > 1 ? -1.2 : 0.0;
  };
  auto const found = find_cheapest(made.space(), made.judge(), {});
  EXPECT_NEAR(cheapest_of(found).cost, 0.25, 1e-12);
}

// Stages of which one errs too much alone need no bisection: it is known.
TEST(Search, KeepsWhatWasRefusedAloneWithoutLookingForIt) {
  MadeUp made{std::vector<std::vector<double>>(16, {0, 0, 0.01, 0.01}), std::vector<double>(16, 1.0 / 16)};
  made.errors[11] = {0, 0, 20, 20};
  auto const found = find_cheapest(made.space(), made.judge(), {});
  EXPECT_NEAR(cheapest_of(found).cost, 0.25 + 0.25 / 16, 1e-12);
  // The reference, 16 stages in three precisions, all at 32 bits, all but one at 16.
  EXPECT_EQ(made.judged, 1u + 3 * 16 + 1 + 1);
}

// What is refused at one width alone is no part of the sets of narrower ones.
TEST(Search, LowersNarrowerWhatTheWiderWidthLowered) {
  MadeUp made{std::vector<std::vector<double>>(3, {0, 0.01, 0.1, 0.1}), {0.3, 0.3, 0.4}};
  made.errors[1] = {0, 2, 0.1, 0.1};
  auto const found = find_cheapest(made.space(), made.judge(), {});
  std::vector<Assignment> together;
  for (auto const& trial : found.tried) {
    if (std::ranges::count_if(trial.assignment, [](int precision) { return precision > 1; }) > 1)
      together.push_back(trial.assignment);
  }
  ASSERT_FALSE(together.empty());
  EXPECT_EQ(together.front(), (Assignment{2, 0, 2}));
  EXPECT_EQ(cheapest_of(found).assignment, (Assignment{2, 2, 2})) << "its turn comes in the end";
}

TEST(Search, JudgesNothingTwiceAndAsksTheSameWhateverGoesSideBySide) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    auto one = random_stages(seed, 8), many = one;
    Limits limits;
    auto const first = find_cheapest(one.space(), one.judge(), limits);
    limits.together = 2 + seed % 7;
    auto const second = find_cheapest(many.space(), many.judge(), limits);
    ASSERT_EQ(first.tried.size(), second.tried.size());
    for (std::size_t i = 0; i < first.tried.size(); ++i) {
      EXPECT_EQ(first.tried[i].assignment, second.tried[i].assignment);
    }
    EXPECT_EQ(first.tried.size(), one.judged);
    for (auto const& made : {one, many}) {
      EXPECT_EQ(std::set<Assignment>(made.asked.begin(), made.asked.end()).size(), made.judged);
    }
  }
}

TEST(Search, EndsAtItsBudgetWithTheBestSoFar) {
  auto made = random_stages(3, 8);
  auto const whole = find_cheapest(made.space(), made.judge(), {});
  for (std::size_t runs : {1u, 10u, 25u, 30u}) {
    auto again = random_stages(3, 8);
    Limits limits;
    limits.runs = std::int64_t(runs);
    auto const found = find_cheapest(again.space(), again.judge(), limits);
    EXPECT_EQ(found.complete, runs >= whole.tried.size());
    ASSERT_EQ(found.tried.size(), std::min(runs, whole.tried.size()));
    for (std::size_t i = 0; i < found.tried.size(); ++i) {
      EXPECT_EQ(found.tried[i].assignment, whole.tried[i].assignment);
    }
  }
}

TEST(Search, AcceptsNothingAboveItsLimitOrUndecided) {
  Limits limits;
  limits.ratio = 0.25;
  EXPECT_TRUE(is_accepted({.answer = Answer::equivalent, .ratio = 0.25}, limits));
  EXPECT_TRUE(is_accepted({.answer = Answer::equal, .ratio = 0.0}, limits));
  EXPECT_FALSE(is_accepted({.answer = Answer::equivalent, .ratio = 0.26}, limits));
  EXPECT_FALSE(is_accepted({.answer = Answer::undecided, .ratio = 0.1}, limits));
  EXPECT_FALSE(is_accepted({.answer = Answer::different, .ratio = 0.1}, limits));
  EXPECT_FALSE(is_accepted({.answer = Answer::equivalent, .ratio = {}}, limits));
}

TEST(ParetoFront, HoldsWhatNothingBeatsAndNothingElse) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::vector<Trial> trials(40);
    for (auto& trial : trials) {
      trial.cost = double(random() % 12);  // ties are wanted
      if (random() % 8 != 0) trial.outcome.ratio = double(random() % 12);
    }
    auto const front = pareto_front(trials);
    auto const beats = [](Trial const& a, Trial const& b) {
      return a.outcome.ratio && a.cost <= b.cost && *a.outcome.ratio <= *b.outcome.ratio &&
             (a.cost < b.cost || *a.outcome.ratio < *b.outcome.ratio);
    };
    std::set<std::pair<double, double>> expected, found;
    for (auto const& trial : trials) {
      if (trial.outcome.ratio && std::none_of(trials.begin(), trials.end(),
                                              [&](Trial const& other) { return beats(other, trial); })) {
        expected.emplace(trial.cost, *trial.outcome.ratio);
      }
    }
    for (auto const place : front) {
      ASSERT_TRUE(trials[place].outcome.ratio);
      EXPECT_TRUE(found.emplace(trials[place].cost, *trials[place].outcome.ratio).second) << "twice";
    }
    EXPECT_EQ(found, expected);
    EXPECT_TRUE(std::is_sorted(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
      return trials[a].cost < trials[b].cost;
    }));
  }
}

}  // namespace
