// SPDX-License-Identifier: Apache-2.0
#include "verification/verdict/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "made_study.hpp"
#include "support/random_values.hpp"
#include "verification/gates/gates.hpp"
#include "verification/results/summary.hpp"
#include "verification/statistics/equivalence.hpp"

namespace ulpine::verification {
namespace {

using test::base;
using test::evidence;
using test::Study;
using ulpine::test::RandomValues;

// ---- the cases that the first version judged wrongly ----

TEST(Verdict, IdenticalFeaturesAreNoLimitAndAFourHundredfoldErrorIsNoBetter) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  study.add("tf32/deterministic", 4e-4);
  study.add_members("fp64", 24, 0.1, base);
  study.add_members("fp32", 24, 0.1, base);
  study.add_members("tf32", 24, 0.1, [](int e, int m) { return base(e, m) + 0.3 * std::cos(5 * m); });

  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
  auto const& count = evidence(study.verdict("fp32/deterministic"), "lkf_count");
  EXPECT_EQ(*count.value, 0);
  EXPECT_EQ(*count.answer, Answer::equivalent);
  EXPECT_LT((*count.interval)[0], 0);
  EXPECT_EQ(study.verdict("tf32/deterministic").answer, Answer::equivalent);
  EXPECT_EQ(study.results.answer, Answer::equivalent);
  EXPECT_TRUE(study.results.passed());
}

TEST(Verdict, WithoutATestIsUndecidedWhateverTheGatesSay) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  study.add_members("fp64", 4, 0.1, base);
  study.add_members("fp32", 4, 0.1, base);
  study.results.gates = judge({{"sivol", "l2_relative", 1e-3}}, study.results);
  ASSERT_TRUE(study.results.gates.at(0).passed);

  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::undecided);
  EXPECT_EQ(verdict.would_decide, "at least 8 members");
  EXPECT_FALSE(evidence(verdict, "lkf_count").answer);
  EXPECT_EQ(evidence(verdict, "lkf_count").reason, "4 pairs of members, 8 needed");
  EXPECT_EQ(*evidence(verdict, "sivol.l2_relative").answer, Answer::equivalent);
  EXPECT_FALSE(study.results.passed());
  EXPECT_EQ(study.results.answer, Answer::undecided);
  EXPECT_EQ(study.results.would_decide, "fp32/deterministic: at least 8 members");
}

TEST(Verdict, SpeaksFromEightPairsOn) {
  for (int const n : {7, 8}) {
    Study study;
    study.add("fp32/deterministic", 1e-6);
    study.add_members("fp64", n, 0.1, base);
    study.add_members("fp32", n, 0.1, base);
    EXPECT_EQ(study.verdict("fp32/deterministic").answer, n < 8 ? Answer::undecided : Answer::equivalent)
        << n;
  }
}

TEST(Verdict, IsSilentWhereTheReferenceHasNoSpread) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  for (auto const* policy : {"fp64", "fp32"}) {
    study.add_members(policy, 24, 0.1, [](int, int) { return 11.0; });
  }
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::undecided);
  EXPECT_EQ(verdict.would_decide, "a longer run, or a larger perturbation tolerated");
  EXPECT_FALSE(evidence(verdict, "lkf_count").answer);
  EXPECT_EQ(evidence(verdict, "lkf_count").reason, "the reference's members have no spread in it");
}

// The length says equivalent, the count is always 11 in the reference and always 14 in the policy: without a
// spread there is no margin for it, but that is no reason to pass it over.
TEST(Verdict, ADifferenceWithoutAMarginIsNotPassedOver) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  for (auto const* policy : {"fp64", "fp32"}) {
    study.add_members(policy, 24, 0.1, base);
  }
  for (auto& run : study.results.runs) {
    if (run.member) run.statistics["lkf_count"] = run.policy == "fp32" ? 14 : 11;
  }
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(*evidence(verdict, "lkf_total_length_km").answer, Answer::equivalent);
  EXPECT_EQ(evidence(verdict, "lkf_count").answer, Answer::undecided);
  EXPECT_EQ(*evidence(verdict, "lkf_count").value, 3);
  EXPECT_EQ(*evidence(verdict, "lkf_count").margin, 0);
  EXPECT_EQ(verdict.answer, Answer::undecided);
  EXPECT_EQ(verdict.would_decide, "a longer run, or a larger perturbation tolerated");
  EXPECT_FALSE(study.results.passed());
}

// Another initial state, an offset of the features that is the same for all members, eps far below: the first
// version called all of them different.
TEST(Verdict, IsSilentWhereMembersAreOneTrajectory) {
  Study study;
  study.add("fp32/deterministic", 0.02);
  for (auto const* policy : {"fp64", "fp32"}) {
    study.add_members(policy, 24, 0.0599,
                      [&](int e, int m) { return base(e, m) + (policy == std::string("fp32") ? 20 : 0); });
  }
  auto const silent = study.verdict("fp32/deterministic");
  EXPECT_EQ(silent.answer, Answer::undecided);
  EXPECT_FALSE(evidence(silent, "lkf_count").answer);
  EXPECT_NE(evidence(silent, "lkf_count").reason.find("one trajectory"), std::string::npos);
  EXPECT_EQ(silent.would_decide, "a longer run, or a larger perturbation tolerated");
  // With a larger spread the members have diverged.
  for (auto& run : study.results.runs) {
    if (run.member) Study::set_error(run, 0.0601);
  }
  auto const speaking = study.verdict("fp32/deterministic");
  EXPECT_EQ(speaking.answer, Answer::different);
  EXPECT_EQ(*evidence(speaking, "lkf_count").answer, Answer::different);
}

TEST(Verdict, IsSilentByTheFieldThatIsFarthest) {
  Study study;
  study.add("fp32/deterministic", 1e-6).metrics["siu"]["l2_relative"] = Value::of(0.05);
  study.add_members("fp64", 24, 0.1, base);
  study.add_members("fp32", 24, 0.1, base);
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::undecided);
  EXPECT_NE(evidence(verdict, "lkf_count").reason.find("in siu"), std::string::npos);
}

TEST(Verdict, RejectedStatisticsAreDifferentEverywhere) {
  Study study({"2^-23", "2^-10", "2^-7"});
  study.add("tf32/deterministic", 4e-4);
  study.add_members("fp64", 24, 0.1, base);
  study.add_members("tf32", 24, 0.1, [](int e, int m) { return base(e, m) + 12; });
  study.results.gates = judge({{"sivol", "l2_relative", 1e-3}}, study.results);

  auto const verdict = study.verdict("tf32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::different);
  EXPECT_TRUE(verdict.would_decide.empty());
  EXPECT_EQ(*evidence(verdict, "lkf_count", "2^-7").answer, Answer::different);
  EXPECT_FALSE(study.results.passed());
  EXPECT_EQ(study.results.answer, Answer::different);
}

TEST(Verdict, DoesNotDependOnBadPoliciesBesideIt) {
  Study study;
  for (auto const* policy : {"fp32", "mixed"}) {
    study.add(std::string(policy) + "/deterministic", 1e-6);
  }
  study.add_members("fp64", 24, 0.1, base);
  for (auto const* policy : {"fp32", "mixed"}) {
    study.add_members(policy, 24, 0.1,
                      [](int e, int m) { return base(e, m) + 2.7 + 2.5 * std::sin(40 * m); });
  }
  auto const alone = study.verdict("fp32/deterministic");
  for (auto const* policy : {"tf32", "bf16", "fp16"}) {
    study.add(std::string(policy) + "/deterministic", 1e-3);
    study.add_members(policy, 24, 0.1, [](int e, int m) { return base(e, m) + 40; });
  }
  auto const beside = study.verdict("fp32/deterministic");
  EXPECT_EQ(study.verdict("tf32/deterministic").answer, Answer::different);
  EXPECT_NE(alone.answer, Answer::different);
  EXPECT_EQ(beside.answer, alone.answer);
  ASSERT_EQ(beside.evidence.size(), alone.evidence.size());
  for (std::size_t i = 0; i < alone.evidence.size(); ++i) {
    EXPECT_EQ(words_of(beside.evidence[i]), words_of(alone.evidence[i]));
  }
}

// ---- single rules ----

TEST(Verdict, SameBitsAreEqualWhateverElseUnlessTheRunFailed) {
  Study study;
  auto& same = study.add("fp32/atomic", 0);
  same.hash = study.results.runs[0].hash;
  study.results.gates.push_back({"sivol.r", "fp32/atomic", std::nullopt, 1, false, "a constant field", ""});
  EXPECT_EQ(study.verdict("fp32/atomic").answer, Answer::equal);
  EXPECT_EQ(*study.verdict("fp32/atomic").evidence.at(0).answer, Answer::equal);
  EXPECT_EQ(study.results.answer, Answer::undecided) << "the gate was not judged";
  EXPECT_NE(study.results.would_decide.find("sivol.r"), std::string::npos);
  study.results.gates.clear();
  judge_study(study.results);
  EXPECT_EQ(study.results.answer, Answer::equal);
  study.results.runs.back().failed = "NaN";
  EXPECT_EQ(study.verdict("fp32/atomic").answer, Answer::different);
  // No hash is no hash in common.
  study.results.runs.back().failed.reset();
  study.results.runs.front().hash = study.results.runs.back().hash = "";
  EXPECT_EQ(study.verdict("fp32/atomic").answer, Answer::undecided);
}

TEST(Verdict, FailedGatesRunsAndMembersAreDifferent) {
  auto const good = [] {
    Study study;
    study.add("fp32/deterministic", 1e-6);
    study.add_members("fp64", 24, 0.1, base);
    study.add_members("fp32", 24, 0.1, base);
    return study;
  };
  auto study = good();
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
  study.results.gates = judge({{"sivol", "l2_relative", 1e-7}}, study.results);
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::different);
  EXPECT_EQ(*evidence(verdict, "sivol.l2_relative").value, 1e-6);
  EXPECT_EQ(*evidence(verdict, "sivol.l2_relative").margin, 1e-7);

  study = good();
  study.results.gates.push_back({"sivol.r", "fp32/deterministic", std::nullopt, 1, false, "no field", ""});
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::undecided);
  EXPECT_EQ(study.verdict("fp32/deterministic").would_decide, "a value for gate sivol.r (no field)");

  study = good();
  study.results.runs[1].failed = "blew up";
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::different);

  study = good();
  study.results.runs.back().failed = "NaN at step 3";
  auto const lost = study.verdict("fp32/deterministic");
  EXPECT_EQ(lost.answer, Answer::different);
  EXPECT_NE(evidence(lost, "completed").reason.find("1 of its policy's 24 perturbed runs failed"),
            std::string::npos);

  // A field that has holes where the reference has none, whatever the others and the statistics say.
  study = good();
  study.results.runs[1].set_metrics("shear",
                                    compute_metrics(std::vector{1.0, std::nan("")}, std::vector{1.0, 2.0}));
  auto const torn = study.verdict("fp32/deterministic");
  EXPECT_EQ(torn.answer, Answer::different);
  EXPECT_NE(evidence(torn, "shear").reason.find("cannot be compared"), std::string::npos);

  // Holes at a time that is not the last, which leave no trace at the end.
  study = good();
  Study::set_series(study.results.runs[1], {0, 0, 0});
  study.results.runs[1].series->fields["siu"] = {{0, std::nan(""), 0}, {0, std::nan(""), 0}};
  auto const mended = study.verdict("fp32/deterministic");
  EXPECT_EQ(mended.answer, Answer::different);
  EXPECT_NE(evidence(mended, "siu").reason.find("at 3600 s"), std::string::npos);

  // A field that begins as 0 everywhere has no relative error there, and nothing is lost.
  study = good();
  Study::set_series(study.results.runs[1], {0, 0, 0});
  study.results.runs[1].series->fields["siu"] = {{std::nan(""), 0, 0}, {1e-9, 0, 0}};
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);

  // Without a member of the reference the rest of its ensemble is a choice.
  study = good();
  study.add("fp64/atomic", 1e-12);
  for (auto& run : study.results.runs) {
    if (run.policy == "fp64" && run.member == 5) run.failed = "NaN at step 3";
  }
  for (auto const* configuration : {"fp32/deterministic", "fp64/atomic"}) {
    auto const beside = study.verdict(configuration);
    EXPECT_EQ(beside.answer, Answer::undecided) << configuration;
    EXPECT_NE(
        evidence(beside, "completed").reason.find("1 of the reference policy's 24 perturbed runs failed"),
        std::string::npos);
    EXPECT_NE(beside.would_decide.find("all perturbed runs of fp64"), std::string::npos);
  }

  // A gate on a run without a verdict of its own counts for the study.
  study = good();
  study.results.gates.push_back(
      {"completed", "fp64/deterministic/eps=2^-10/m3", std::nullopt, 1, false, "", "NaN"});
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
  EXPECT_EQ(study.results.answer, Answer::different);
  EXPECT_NE(tally_of(study.results).find("a gate or a run failed"), std::string::npos);
}

TEST(Verdict, WaitsForRunsThatHaveNotBeenDone) {
  Study study;
  study.add("fp64/atomic", 0).hash = "hash of fp64/deterministic";
  study.results.missing = {3, 5, "ulpine ensemble s/case.toml -o s --resume"};
  EXPECT_EQ(study.verdict("fp64/atomic").answer, Answer::equal) << "what is there is judged as ever";
  EXPECT_EQ(study.results.answer, Answer::undecided);
  EXPECT_FALSE(study.results.passed());
  EXPECT_EQ(study.results.would_decide,
            "3 of 5 runs have not been done, which `ulpine ensemble s/case.toml -o s --resume` does");
  EXPECT_NE(tally_of(study.results).find("1 equal; runs are missing"), std::string::npos);
  auto const read = from_json(to_json(study.results), "results.json");
  EXPECT_EQ(words_of(read.missing), study.results.would_decide);

  study.add("fp32/deterministic", 1).failed = "NaN";
  judge_study(study.results);
  EXPECT_EQ(study.results.answer, Answer::different) << "more runs cannot mend that";
}

TEST(Verdict, SaysHowManyMembersWouldDecide) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  study.results.statistics.resize(1);
  RandomValues random(81);
  std::vector<double> reference, test;
  for (int m = 0; m < 24; ++m) {
    reference.push_back(std::round(100 + 8 * random.normal()));
    test.push_back(std::round(100 + 8 * random.normal()));
  }
  study.add_members("fp64", 24, 0.1, [&](int, int m) { return reference[std::size_t(m)]; });
  study.add_members("fp32", 24, 0.1, [&](int, int m) { return test[std::size_t(m)]; });

  auto const verdict = study.verdict("fp32/deterministic");
  auto const found = test_means(test, reference, 1, {});
  EXPECT_EQ(verdict.answer, Answer::undecided);
  auto const& count = evidence(verdict, "lkf_count");
  EXPECT_EQ(*count.value, found.difference);
  EXPECT_EQ(*count.margin, found.margin);
  EXPECT_EQ(*count.interval, found.interval);
  EXPECT_EQ(*count.detectable, found.detectable);
  EXPECT_EQ(count.pairs, 24);
  EXPECT_EQ(*count.needed, pairs_to_decide(found, 0.05 / 3));
  EXPECT_EQ(verdict.would_decide, std::to_string(*count.needed) + " members");
}

TEST(Verdict, PairsMembersOfOneNumber) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  study.add_members("fp64", 24, 0.1, base);
  study.add_members("fp32", 24, 0.1, base);
  std::reverse(study.results.runs.begin() + 26, study.results.runs.end());
  auto const& shuffled = evidence(study.verdict("fp32/deterministic"), "lkf_count");
  EXPECT_NEAR((*shuffled.interval)[1] - (*shuffled.interval)[0],
              2 * 2.0686576104190406 * std::sqrt(1.0 / 12 / 24),
              1e-12);  // t of 23 degrees of freedom at 0.975
}

// Holm over this configuration's own tests, three of each statistic: the smallest share against alpha over
// their number.
TEST(Verdict, CorrectsForItsOwnTestsOnly) {
  auto const answer_at = [](double shift, int statistics) {
    Study study;
    study.results.statistics.resize(1);
    for (int k = 1; k < statistics; ++k)
      study.results.statistics.push_back({"s" + std::to_string(k), "1", 1});
    study.add("fp32/deterministic", 1e-6);
    study.add_members("fp64", 24, 0.1, base);
    // Only the first statistic is shifted.
    study.add_members("fp32", 24, 0.1, [&](int e, int m) { return base(e, m) + shift; });
    for (auto& run : study.results.runs) {
      for (int k = 1; run.member && k < statistics; ++k) {
        run.statistics["s" + std::to_string(k)] = std::round(base(0, *run.member));
      }
    }
    auto const verdict = study.verdict("fp32/deterministic");
    std::vector<double> test, reference;
    for (int m = 0; m < 24; ++m) {
      test.push_back(std::round(base(0, m) + shift)), reference.push_back(std::round(base(0, m)));
    }
    return std::pair(*evidence(verdict, "lkf_count").answer, test_means(test, reference, 1, {}).inside);
  };
  int between = 0;
  for (double shift = 3; shift < 6; shift += 0.1) {
    auto const [alone, share] = answer_at(shift, 1);
    EXPECT_EQ(alone == Answer::different, share <= 0.05 / 3) << shift;
    auto const [of_five, same] = answer_at(shift, 5);
    EXPECT_EQ(same, share);
    EXPECT_EQ(of_five == Answer::different, share <= 0.05 / 15) << shift;
    between += share > 0.05 / 15 && share <= 0.05 / 3 ? 1 : 0;
  }
  EXPECT_GT(between, 0) << "no shift tells the two levels apart";
}

TEST(Verdict, ABrokenOrderIsTheStudysAndChangesNoAnswer) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  study.add("tf32/deterministic", 4e-4);
  study.add_members("fp64", 24, 0.1, base);
  study.add_members("fp32", 24, 0.1, [](int e, int m) { return base(e, m) + 12; });
  study.add_members("tf32", 24, 0.1, base);
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::different);
  EXPECT_EQ(study.verdict("tf32/deterministic").answer, Answer::equivalent);
  ASSERT_EQ(study.results.broken_order.size(), 1u);
  auto const& broken = study.results.broken_order.front();
  EXPECT_EQ(broken.closer, "fp32/deterministic");
  EXPECT_EQ(broken.closer_answer, Answer::different);
  EXPECT_EQ(broken.farther, "tf32/deterministic");
  EXPECT_EQ(broken.farther_answer, Answer::equivalent);
  EXPECT_FALSE(study.results.passed());
  EXPECT_NE(tally_of(study.results).find("order of errors broken"), std::string::npos);
  EXPECT_NE(to_summary(study.results).find(words_of(broken)), std::string::npos);
  auto const read = from_json(to_json(study.results), "results.json");
  ASSERT_EQ(read.broken_order.size(), 1u);
  EXPECT_EQ(words_of(read.broken_order.front()), words_of(broken));
  // One error that is larger, and they cannot be ordered.
  study.results.runs[1].metrics["siu"]["linf"] = Value::of(1);
  EXPECT_EQ(study.verdict("tf32/deterministic").answer, Answer::equivalent);
  EXPECT_TRUE(study.results.broken_order.empty());
}

// Trajectories that have parted are as far from the reference as each other at the end, but for chance.
TEST(Verdict, OrderOfErrorsIsThatOfAllOutputTimes) {
  Study study;
  study.add("fp32/deterministic", 0);
  study.add("tf32/deterministic", 0);
  study.add_members("fp64", 24, 0.1, base);
  study.add_members("fp32", 24, 0.1, [](int e, int m) { return base(e, m) + 12; });
  study.add_members("tf32", 24, 0.1, base);
  auto const is_broken = [&](std::vector<double> const& fp32, std::vector<double> const& tf32) {
    study.set_series(study.results.runs[1], fp32);
    study.set_series(study.results.runs[2], tf32);
    EXPECT_EQ(study.verdict("tf32/deterministic").answer, Answer::equivalent);
    return !study.results.broken_order.empty();
  };
  EXPECT_TRUE(is_broken({0, 1e-6, 1e-6}, {0, 4e-4, 4e-4}));
  EXPECT_FALSE(is_broken({0, 8e-4, 1e-6}, {0, 4e-4, 4e-4}));
}

TEST(Verdict, MembersOfTheReferenceAreNobodyElses) {
  Study study;
  study.add("fp64/atomic", 1e-12);
  study.add_members("fp64", 24, 0.1, base);
  auto const alone = study.verdict("fp64/atomic");
  EXPECT_EQ(alone.answer, Answer::undecided);
  EXPECT_EQ(alone.evidence.back().reason, "it has no perturbed members");
  EXPECT_EQ(alone.would_decide, "at least 8 perturbed members");
  study.add("fp32/deterministic", 1e-6);
  study.add_members("fp32", 24, 0.1, base);
  auto const beside = study.verdict("fp64/atomic");
  EXPECT_EQ(beside.answer, alone.answer) << "what a farther one is says nothing of it";
  EXPECT_EQ(beside.would_decide, alone.would_decide);
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
  EXPECT_TRUE(study.results.broken_order.empty()) << "nothing has spoken against the closer one";
  study.results.runs[1].failed = "NaN";
  EXPECT_EQ(study.verdict("fp64/atomic").answer, Answer::different);
}

TEST(Verdict, LeavesTheReferenceOut) {
  Study study;
  judge_study(study.results);
  EXPECT_TRUE(study.results.verdicts.empty());
  EXPECT_TRUE(study.results.passed());
  EXPECT_EQ(tally_of(study.results), "nothing to judge beside the reference");
  study.results.runs.clear();
  judge_study(study.results);
  EXPECT_FALSE(study.results.passed()) << "no reference";
}

// ---- properties ----

/// A study of random errors, shifts, noise, gates and failures.
Study random_study(RandomValues& random) {
  std::vector<std::string> const epsilons = {"2^-23", "2^-10"};
  Study study(epsilons);
  auto const members = int(6 + random.below(20));
  std::vector<double> reference(std::size_t(members) * 2);
  for (auto& value : reference) value = 100 + 6 * random.normal();
  std::vector<std::string> ids = {"fp64/atomic"};
  for (auto const* policy : {"fp32", "mixed", "tf32", "bf16"}) {
    for (auto const* assembly : {"/deterministic", "/atomic"}) ids.push_back(std::string(policy) + assembly);
  }
  for (auto const& id : ids) {
    auto& run = study.add(id, std::pow(10, random.between(-8, -1.5)));
    if (random.uniform() < 0.3)
      run.metrics["siu"]["linf"] = Value::of(std::pow(10, random.between(-8, -1.5)));
    if (random.uniform() < 0.1) run.hash = study.results.runs.front().hash;
    if (random.uniform() < 0.05) run.failed = "NaN";
    if (random.uniform() < 0.2) {
      auto const skipped = random.uniform() < 0.5;
      study.results.gates.push_back(
          {"gate", id, 1.0, 1.0, !skipped && random.uniform() < 0.6, skipped ? "no value" : "", ""});
    }
  }
  auto const at = [&](int e, int m) { return reference[std::size_t(e * members + m)]; };
  study.add_members("fp64", members, 0.05, at);
  for (auto const* policy : {"fp32", "mixed", "tf32", "bf16"}) {
    auto const shift = random.uniform() < 0.5 ? 0 : random.between(0, 12), noise = random.between(0, 4);
    study.add_members(policy, members, 0.05,
                      [&](int e, int m) { return at(e, m) + shift + noise * random.normal(); });
  }
  return study;
}

bool errors_no_larger(RunResult const& a, RunResult const& b) {
  for (auto const& [field, metrics] : a.metrics) {
    for (auto const& [metric, value] : metrics) {
      if (value.number() > b.metrics.at(field).at(metric).number()) return false;
    }
  }
  return true;
}

TEST(Verdicts, SayWhereTheyContradictTheOrderOfErrors) {
  RandomValues random(82);
  std::map<Answer, int> seen;
  std::size_t broken = 0, kept = 0;
  for (int trial = 0; trial < 80; ++trial) {
    auto study = random_study(random);
    judge_study(study.results);
    std::set<std::pair<std::string, std::string>> told;
    for (auto const& pair : study.results.broken_order) told.emplace(pair.closer, pair.farther);
    auto worst = Answer::equal;
    for (auto const& close : study.results.verdicts) {
      ++seen[close.answer];
      worst = std::max(worst, close.answer);
      EXPECT_EQ(close.would_decide.empty(), close.answer != Answer::undecided);
      if (close.answer == Answer::equivalent) {
        EXPECT_TRUE(std::any_of(close.evidence.begin(), close.evidence.end(), [](Evidence const& item) {
          return item.kind != "gate" && item.answer == Answer::equivalent;
        })) << "never without a test";
      }
      auto const& run = *study.results.find_run(close.configuration);
      auto const spoke =
          close.answer != Answer::undecided || std::ranges::any_of(close.evidence, [](Evidence const& item) {
            return item.answer == Answer::undecided;
          });
      for (auto const& far : study.results.verdicts) {
        auto const& other = *study.results.find_run(far.configuration);
        auto const is_broken = spoke && far.answer != Answer::equal && !run.failed && !other.failed &&
                               close.answer > far.answer && errors_no_larger(run, other);
        EXPECT_EQ(told.contains({close.configuration, far.configuration}), is_broken);
        ++(is_broken ? broken : kept);
      }
    }
    for (auto const& gate : study.results.gates) {
      if (!gate.passed) worst = std::max(worst, gate.skipped.empty() ? Answer::different : Answer::undecided);
    }
    EXPECT_EQ(study.results.answer, worst);
    EXPECT_EQ(study.results.passed(), worst <= Answer::equivalent);
    EXPECT_TRUE(study.results.broken_order.empty() || !study.results.passed());
  }
  EXPECT_EQ(seen.size(), 4u) << "the studies show every answer";
  EXPECT_GT(broken, 8u);
  EXPECT_GT(kept, 8u);
}

/// All that a verdict says.
std::vector<std::string> words_of_all(Verdict const& verdict) {
  std::vector<std::string> words = {name_of(verdict.answer), verdict.would_decide};
  for (auto const& item : verdict.evidence) words.push_back(words_of(item));
  return words;
}

TEST(Verdicts, AreTheSameWhoeverElseWasAsked) {
  RandomValues random(83);
  for (int trial = 0; trial < 40; ++trial) {
    auto study = random_study(random);
    judge_study(study.results);
    auto const verdicts = study.results.verdicts;
    for (auto const& among : verdicts) {
      auto alone = study;
      std::erase_if(alone.results.runs, [&](RunResult const& run) {
        return run.id != among.configuration && run.id != study.results.reference &&
               !(run.member && (run.policy == among.policy || run.policy == "fp64"));
      });
      std::erase_if(alone.results.gates,
                    [&](GateResult const& gate) { return gate.run != among.configuration; });
      EXPECT_EQ(words_of_all(among), words_of_all(alone.verdict(among.configuration)))
          << among.configuration << " of study " << trial;
    }
  }
}

}  // namespace
}  // namespace ulpine::verification
