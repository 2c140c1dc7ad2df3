// SPDX-License-Identifier: Apache-2.0
#include "verification/verdict/judgement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "made_study.hpp"
#include "support/random_values.hpp"
#include "verification/results/summary.hpp"
#include "verification/statistics/equivalence.hpp"
#include "verification/statistics/error_ratios.hpp"

namespace ulpine::verification {
namespace {

using test::base;
using test::evidence;
using test::Study;
using ulpine::test::RandomValues;

/// A study whose runs have errors at three times; the reference's members are at the distances `spread`, each
/// a few per cent off.
Study study_in_time(std::vector<double> const& error, std::vector<double> const& spread, int members = 8,
                    std::vector<std::string> epsilons = {"2^-10"}) {
  Study study(epsilons);
  study.results.statistics.clear();
  Study::set_series(study.results.runs[0], {0, 0, 0});
  Study::set_series(study.add("fp32/deterministic", 0), error);
  study.add_members("fp64", members, 0, base);
  for (auto& run : study.results.runs) {
    if (!run.member) continue;
    auto distances = spread;
    for (auto& distance : distances) distance *= 1 + 0.02 * std::sin(2.0 * *run.member);
    Study::set_series(run, distances);
  }
  return study;
}

Evidence const* find(Verdict const& verdict, std::string const& kind, std::string const& subject,
                     std::string const& part = "") {
  for (auto const& item : verdict.evidence) {
    if (item.kind == kind && item.subject == subject && item.part == part) return &item;
  }
  return nullptr;
}

// ---- errors against the tolerated perturbation ----

TEST(ErrorEvidence, DecidesWithoutAStatistic) {
  auto inside = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3});
  auto const verdict = inside.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::equivalent);
  auto const& worst = *find(verdict, "error", "siu");
  EXPECT_NEAR(*worst.value, 1e-5 / 4e-3, 1e-5) << "the worst is the last";
  EXPECT_EQ(*worst.time_s, 7200);
  EXPECT_EQ(*worst.margin, 1);
  EXPECT_EQ(worst.pairs, 8);
  EXPECT_EQ(worst.epsilon_text, "2^-10");
  ASSERT_EQ(verdict.errors.at("sivol").ratio.size(), 3u);
  EXPECT_NEAR(verdict.errors.at("sivol").ratio[0], 1e-4, 1e-6);
  EXPECT_EQ(verdict.time_s, (std::vector<double>{0, 3600, 7200}));

  auto outside = study_in_time({1e-7, 3e-3, 1e-5}, {1e-3, 2e-3, 4e-3});
  EXPECT_EQ(outside.verdict("fp32/deterministic").answer, Answer::different)
      << "at one time of three is enough";
  EXPECT_EQ(*find(outside.verdict("fp32/deterministic"), "error", "siu")->time_s, 3600);

  auto between = study_in_time({1e-7, 2.001e-3, 1e-5}, {1e-3, 2e-3, 4e-3});
  auto const undecided = between.verdict("fp32/deterministic");
  EXPECT_EQ(undecided.answer, Answer::undecided);
  EXPECT_FALSE(undecided.would_decide.empty());
}

TEST(ErrorEvidence, IsTheWorstOfAllFieldsAndLevels) {
  auto study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3});
  study.results.runs[1].series->fields["siu"].l2_relative[1] = 1;
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::different);
  EXPECT_EQ(*find(study.verdict("fp32/deterministic"), "error", "sivol")->answer, Answer::equivalent);

  // Over all levels the error is small; level 2 is far off.
  study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3});
  for (auto& run : study.results.runs) {
    auto& errors = run.series->fields["sivol"];
    for (auto const error : errors.l2_relative) errors.levels.push_back({error, error, error});
  }
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
  study.results.runs[1].series->fields["sivol"].levels[1][2] = 1;
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::different);
  EXPECT_EQ(*find(verdict, "error", "sivol")->level, 2);
  EXPECT_EQ(*find(verdict, "error", "sivol")->time_s, 3600);
  EXPECT_EQ(verdict.errors.at("sivol").level[1], 2);
}

TEST(ErrorEvidence, IsSilentWhereThePerturbationDoesNotReach) {
  auto study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3});
  for (auto& run : study.results.runs) {
    if (run.member) run.series->fields["siu"].l2_relative = {0, 0, 0};
  }
  auto& errors = study.results.runs[1].series->fields["siu"].l2_relative;
  // Four roundings of 2^-24 are 2.4e-7.
  errors = {0, 2.3e-7, 1e-7};
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::equivalent);
  EXPECT_FALSE(find(verdict, "error", "siu")->answer);
  EXPECT_NE(find(verdict, "error", "siu")->reason.find("does not reach"), std::string::npos);
  // More than rounding, and nothing to hold it against: that is not passed over, unless a gate judges it.
  errors[1] = 2.5e-7;
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::undecided);
  EXPECT_EQ(study.verdict("fp32/deterministic").would_decide, "a gate on siu");
  study.results.gates = {
      {"siu.l2_relative", "fp32/deterministic", 1e-7, 1e-6, true, "", "", {"field", "siu"}}};
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
  // From the second time on it reaches it.
  study.results.gates.clear();
  errors = {1e-7, 1e-5, 1e-5};
  for (auto& run : study.results.runs) {
    if (run.member) run.series->fields["siu"].l2_relative = {0, 1e-3 * (1 + 0.01 * *run.member), 1e-3};
  }
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
}

// Three times are three chances of being far away, and two fields two tests: at the second time alone siu is
// off.
TEST(ErrorEvidence, CountsItsTimes) {
  int between = 0;
  for (double error = 2e-3; error < 2.4e-3; error += 2e-6) {
    auto study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3});
    study.results.runs[1].series->fields["siu"].l2_relative[1] = error;
    std::vector<double> distances;
    for (auto const& run : study.results.runs) {
      if (run.member) distances.push_back(run.series->fields.at("siu").l2_relative[1]);
    }
    auto const outside = error_ratio(error, distances).outside;
    EXPECT_EQ(study.verdict("fp32/deterministic").answer == Answer::different, 3 * outside <= 0.05 / 2)
        << error;
    between += outside <= 0.05 / 2 && 3 * outside > 0.05 / 2 ? 1 : 0;
  }
  EXPECT_GT(between, 0);
}

TEST(ErrorEvidence, NeedsThreeMembers) {
  for (int const members : {2, 3}) {
    auto study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3}, members);
    auto const verdict = study.verdict("fp32/deterministic");
    EXPECT_EQ(verdict.answer, members < 3 ? Answer::undecided : Answer::equivalent) << members;
    EXPECT_EQ(verdict.would_decide, members < 3 ? "at least 8 members; at least 8 perturbed members" : "");
  }
}

TEST(ErrorEvidence, HoldsForTheReferencesOwnPolicy) {
  auto study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3});
  Study::set_series(study.add("fp64/atomic", 0), {1e-17, 1e-16, 1e-15});
  EXPECT_EQ(study.verdict("fp64/atomic").answer, Answer::equivalent);
  Study::set_series(study.results.runs.back(), {1e-17, 1, 1e-15});
  EXPECT_EQ(study.verdict("fp64/atomic").answer, Answer::different);
}

// Trajectories that have diverged: the error is a spread, no offset. As long as the configuration's members
// share it (their mean square distance to the reference is G^2 + e^2) it counts; where they do not (G^2) it
// says nothing.
TEST(ErrorEvidence, IsSilentWhereTrajectoriesHaveDiverged) {
  for (bool const diverged : {false, true}) {
    auto study = study_in_time({1e-7, 1e-6, 1.5}, {1e-3, 2e-3, 1});
    study.add_members("fp32", 8, 0, base);
    for (auto& run : study.results.runs) {
      if (run.member && run.policy == "fp32") {
        Study::set_series(run, {1e-3, 2e-3, diverged ? 1 : std::sqrt(1 + 1.5 * 1.5)});
      }
    }
    EnsembleResult ensemble;
    ensemble.configuration = "fp32";
    ensemble.epsilon_text = "2^-10";
    ensemble.members = 8;
    auto& growth = ensemble.growth.emplace();
    for (auto const* field : {"sivol", "siu"}) growth.fields[field] = {{1e-3, 2e-3, 1}, {0, 0, 0}};
    study.results.ensembles.push_back(ensemble);
    auto const verdict = study.verdict("fp32/deterministic");
    EXPECT_EQ(verdict.answer, diverged ? Answer::equivalent : Answer::different);
    EXPECT_EQ(std::isnan(verdict.errors.at("siu").ratio[2]), diverged);
    // Members that have diverged are an ensemble whose statistics can be compared, though the error is as
    // large as the spread.
    study.results.statistics = {{"lkf_count", "1", 1}};
    auto const with_statistics = study.verdict("fp32/deterministic");
    EXPECT_EQ(evidence(with_statistics, "lkf_count").answer.has_value(), diverged);
  }
}

// Ever larger errors, each with an offset of the statistic in proportion: the answer goes from equivalent to
// not, once. At 0.2 of the spread statistics speak and see the offset; at 0.5 they are silent, and errors
// alone would be inside.
TEST(Verdicts, TurnOnceAsErrorsGrow) {
  auto last = Answer::equivalent;
  auto turns = 0, silent = 0;
  for (double error = 1e-4; error < 4; error *= 1.3) {
    auto study = study_in_time({error, error, error}, {1, 1, 1}, 24);
    study.results.statistics = {{"s", "m", 0}};
    study.add_members("fp32", 24, 0, base);
    for (auto& run : study.results.runs) {
      if (!run.member) continue;
      if (run.policy == "fp32") Study::set_series(run, {1, 1, std::sqrt(1 + error * error)});
      run.statistics["s"] = std::sin(1.7 * *run.member) + (run.policy == "fp32" ? 4 * error : 0);
    }
    auto const verdict = study.verdict("fp32/deterministic");
    turns += (verdict.answer == Answer::equivalent) != (last == Answer::equivalent) ? 1 : 0;
    silent += error < 0.9 && !evidence(verdict, "s").answer ? 1 : 0;
    last = verdict.answer;
  }
  EXPECT_EQ(turns, 1);
  EXPECT_EQ(last, Answer::different);
  EXPECT_GT(silent, 1);
}

// ---- the judged amplitude ----

TEST(JudgedAmplitude, IsTheToleratedOrTheLargestBelow) {
  auto const text_at = [](std::vector<std::string> const& epsilons, std::string const& tolerated) {
    auto study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3}, 8, epsilons);
    study.results.rules.tolerated = tolerated;
    return judged_amplitude(study.results, study.results.runs[0]).text;
  };
  EXPECT_EQ(text_at({"2^-23", "2^-10", "2^-7"}, "2^-10"), "2^-10");
  EXPECT_EQ(text_at({"2^-23", "2^-7"}, "2^-10"), "2^-23");
  EXPECT_EQ(text_at({"2^-7"}, "2^-10"), "");
  EXPECT_EQ(text_at({"2^-23", "2^-7", "2^-10"}, ""), "2^-7");
  EXPECT_EQ(text_at({"2^-10"}, "0.0009765625"), "2^-10") << "as numbers";
}

TEST(JudgedAmplitude, BelowTheToleratedShowsWhatIsInsideOnly) {
  for (double const error : {1e-5, 1.0}) {
    auto study = study_in_time({error, error, error}, {1e-3, 2e-3, 4e-3}, 8, {"2^-23"});
    study.results.rules.tolerated = "2^-10";
    auto const verdict = study.verdict("fp32/deterministic");
    EXPECT_EQ(verdict.answer, error < 1 ? Answer::equivalent : Answer::undecided);
    EXPECT_EQ(verdict.would_decide,
              error < 1 ? "" : "at least 8 members at the tolerated perturbation 2^-10");
  }
  auto study = study_in_time({1e-5, 1e-5, 1e-5}, {1e-3, 2e-3, 4e-3}, 8, {"2^-7"});
  study.results.rules.tolerated = "2^-10";
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::undecided) << "a larger perturbation than the tolerated shows nothing";
  EXPECT_EQ(verdict.would_decide, "at least 8 members at the tolerated perturbation 2^-10");
}

TEST(JudgedAmplitude, LeavesOthersUnjudged) {
  Study study({"2^-23", "2^-10"});
  study.add("fp32/deterministic", 1e-6);
  study.add_members("fp64", 24, 0.1, base);
  // Far off at the smaller amplitude only.
  study.add_members("fp32", 24, 0.1, [](int e, int m) { return base(e, m) + (e == 0 ? 50 : 0); });
  auto const verdict = study.verdict("fp32/deterministic");
  EXPECT_EQ(verdict.answer, Answer::equivalent);
  auto const& note = verdict.evidence.back();
  EXPECT_FALSE(note.answer);
  EXPECT_EQ(note.reason, "members at 2^-23 are shown and not judged: the judged amplitude is 2^-10");
}

// ---- the least margin ----

// A shift of 6 features where members scatter by 2 and the margin is half of that: other features, unless the
// same field has as different numbers of them as its grid is numbered otherwise.
TEST(LeastMargin, IsTheSpreadOverOrientations) {
  for (auto const& [asked, spread] : {std::pair{Margin{}, 0.0},
                                      {Margin{}, 0.5},
                                      {Margin{}, 12.0},
                                      {Margin{Margin::Kind::absolute, 2, "asked"}, 12.0},
                                      {Margin{Margin::Kind::relative, 0.01, "asked"}, 12.0},
                                      {Margin{Margin::Kind::absolute, 15, "asked"}, 12.0}}) {
    Study study;
    study.results.statistics = {{"lkf_count", "1", 1}};
    study.results.statistics[0].orientation_spread = spread;
    study.results.rules.margins["lkf_count"] = asked;
    study.add("fp32/deterministic", 1e-6);
    auto const count = [](int, int m) { return 100 + 3 * std::sin(1.7 * m); };
    study.add_members("fp64", 24, 0.1, count);
    study.add_members("fp32", 24, 0.1, [&](int e, int m) { return count(e, m) + 6; });
    auto const verdict = study.verdict("fp32/deterministic");
    auto const& mean = evidence(verdict, "lkf_count");
    EXPECT_EQ(mean.part, "mean");
    EXPECT_EQ(mean.answer, spread > 6 ? Answer::equivalent : Answer::different) << spread;
    auto const raised = spread == 12 && asked.value < 12;
    ASSERT_TRUE(mean.margin);
    EXPECT_EQ(*mean.margin == 12, raised) << *mean.margin;
    EXPECT_EQ(mean.margin_text,
              raised ? "12, the spread over the grid's orientations" : words_of(asked, "1"));
  }
}

// Where the reference's members have no spread there was no margin, and now is.
TEST(LeastMargin, HoldsWhereMembersDoNotScatter) {
  for (auto const& [spread, wanted] : {std::pair{0.0, Answer::undecided}, {3.0, Answer::equivalent}}) {
    Study study;
    study.results.statistics = {{"lkf_count", "1", 1}};
    study.results.statistics[0].orientation_spread = spread;
    study.add("fp32/deterministic", 1e-6);
    study.add_members("fp64", 24, 0.1, [](int, int) { return 100; });
    study.add_members("fp32", 24, 0.1, [](int, int m) { return m % 2 == 0 ? 100 : 101; });
    EXPECT_EQ(evidence(study.verdict("fp32/deterministic"), "lkf_count").answer, wanted);
  }
}

// Standard deviations of 1.4 and 5.7 features differ by more than 5 and by less than 6.
TEST(LeastMargin, SilencesTheScatterOfMembersThatIsLess) {
  for (auto const& [spread, judged] : {std::pair{0.0, true}, {5.0, true}, {6.0, false}}) {
    Study study;
    study.results.statistics = {{"lkf_count", "1", 1}};
    study.results.statistics[0].orientation_spread = spread;
    study.add("fp32/deterministic", 1e-6);
    study.add_members("fp64", 24, 0.1, [](int, int m) { return 100 + 2 * std::sin(1.7 * m); });
    study.add_members("fp32", 24, 0.1, [](int, int m) { return 100 + 8 * std::sin(1.7 * m); });
    auto const verdict = study.verdict("fp32/deterministic");
    auto const found =
        std::ranges::find_if(verdict.evidence, [](Evidence const& e) { return e.part == "spread"; });
    ASSERT_NE(found, verdict.evidence.end());
    EXPECT_EQ(found->answer, judged ? std::optional(Answer::different) : std::nullopt) << spread;
    EXPECT_EQ(found->reason.find("less than the spread over the grid's orientations") == std::string::npos,
              judged);
    EXPECT_EQ(verdict.answer, judged ? Answer::different : Answer::equivalent);
  }
}

// ---- spreads, curves, distributions ----

TEST(EnsembleEvidence, JudgesSpreads) {
  for (double const factor : {1.0, 3.0}) {
    Study study;
    study.results.statistics = {{"s", "m", 0}};
    study.add("fp32/deterministic", 1e-6);
    for (auto const* policy : {"fp64", "fp32"}) study.add_members(policy, 24, 0.1, base);
    for (auto& run : study.results.runs) {
      if (run.member)
        run.statistics["s"] = std::sin(1.7 * *run.member) * (run.policy == "fp32" ? factor : 1) +
                              1e-3 * std::cos(9.0 * *run.member);
    }
    auto const verdict = study.verdict("fp32/deterministic");
    EXPECT_EQ(*find(verdict, "statistic", "s", "spread")->answer,
              factor == 1 ? Answer::equivalent : Answer::different);
    EXPECT_EQ(verdict.answer, factor == 1 ? Answer::equivalent : Answer::different);
    EXPECT_EQ(*find(verdict, "statistic", "s", "spread")->margin, 1.5);
  }
}

Study study_of_curves(double shift, std::string const& scale) {
  Study study;
  study.results.statistics.clear();
  CurveInfo info{
      "spectrum", "e", "power spectral density", {"wavenumber", "m-1", "log"}, {"spectrum", "m3", scale}};
  study.results.curves = {info};
  study.add("fp32/deterministic", 1e-6);
  for (auto const* policy : {"fp64", "fp32"}) study.add_members(policy, 24, 0.1, base);
  for (auto& run : study.results.runs) {
    if (!run.member) continue;
    auto& curve = run.curves["spectrum"];
    for (int i = 0; i < 5; ++i) {
      auto const noise = std::sin(1.7 * *run.member + i) + 0.01 * std::cos(31.0 * *run.member);
      auto const moved = run.policy == "fp32" && i == 3 ? shift : 0;
      curve.x.push_back(0.1 * (i + 1));
      curve.y.push_back(scale == "log" ? std::exp(noise + moved) : noise + moved);
    }
  }
  return study;
}

TEST(EnsembleEvidence, JudgesEveryPointOfACurve) {
  for (auto const* scale : {"linear", "log"}) {
    auto same = study_of_curves(0, scale);
    EXPECT_EQ(same.verdict("fp32/deterministic").answer, Answer::equivalent) << scale;
    auto moved = study_of_curves(2, scale);
    auto const verdict = moved.verdict("fp32/deterministic");
    auto const& curve = *find(verdict, "curve", "spectrum");
    EXPECT_EQ(*curve.answer, Answer::different) << scale;
    EXPECT_DOUBLE_EQ(*curve.x, 0.4);
    // The noise has a standard deviation of about 0.7: 2 are 2.8 of them.
    EXPECT_NEAR(*curve.value, 2 / 0.72, 0.1) << scale;
    EXPECT_DOUBLE_EQ(*curve.margin, 1);
    EXPECT_EQ(curve.margin_text, "1 sd");
  }
  // 10 % of a curve in logarithms is ln 1.1 = 0.0953.
  for (auto const& [shift, answer] : {std::pair{0.05, Answer::equivalent}, {0.15, Answer::different}}) {
    auto study = study_of_curves(shift, "log");
    study.results.rules.margins["spectrum"] = {Margin::Kind::relative, 0.1, {}};
    EXPECT_EQ(study.verdict("fp32/deterministic").answer, answer) << shift;
    EXPECT_NEAR(*find(study.verdict("fp32/deterministic"), "curve", "spectrum")->margin, std::log(1.1),
                1e-12);
  }
}

// Five points are five chances: a difference just significant at one of them is not at a fifth of the level.
TEST(EnsembleEvidence, CountsThePointsOfACurve) {
  int between = 0;
  for (double shift = 0.72; shift < 1.1; shift += 0.002) {
    auto study = study_of_curves(shift, "linear");
    auto const verdict = study.verdict("fp32/deterministic");
    std::vector<double> tests, references;
    for (auto const& run : study.results.runs) {
      if (run.member) (run.policy == "fp32" ? tests : references).push_back(run.curves.at("spectrum").y[3]);
    }
    auto const inside = test_means(tests, references, 0, {Margin::Kind::spread, 1, {}}).inside;
    EXPECT_EQ(verdict.answer == Answer::different, 5 * inside <= 0.05) << shift;
    between += inside <= 0.05 && 5 * inside > 0.05 ? 1 : 0;
  }
  EXPECT_GT(between, 0);
}

TEST(EnsembleEvidence, DistributionsOfFewMembersSayThatTheyHaveNoPower) {
  for (int const members : {8, 13, 14}) {
    Study study;
    study.results.statistics = {{"s", "m", 0}};
    study.add("fp32/deterministic", 1e-6);
    for (auto const* policy : {"fp64", "fp32"}) study.add_members(policy, members, 0.1, base);
    RandomValues random(5);
    for (auto& run : study.results.runs) {
      if (run.member) run.statistics["s"] = random.normal() + (run.policy == "fp32" ? 100 : 0);
    }
    auto const verdict = study.verdict("fp32/deterministic");
    auto const& found = *find(verdict, "distribution", "s");
    EXPECT_EQ(*find(verdict, "statistic", "s", "mean")->answer, Answer::different);
    if (members < 14) {
      EXPECT_FALSE(found.answer || found.value || found.margin || found.detectable) << members;
      EXPECT_EQ(found.reason,
                "no power: with " + std::to_string(members) +
                    " members not even distributions apart in every value are called different, 14 "
                    "are needed");
    } else {
      EXPECT_EQ(*found.value, 1);
      EXPECT_LE(*found.detectable, 1);
    }
  }
}

TEST(EnsembleEvidence, DistributionsShowDifferencesOnly) {
  Study study;
  study.results.statistics = {{"s", "m", 0}};
  study.add("fp32/deterministic", 1e-6);
  for (auto const* policy : {"fp64", "fp32"}) study.add_members(policy, 200, 0.1, base);
  auto const set = [&](bool peaks) {
    RandomValues random(97);
    for (auto& run : study.results.runs) {
      if (!run.member) continue;
      auto const normal = random.normal();
      // Two peaks of the same mean and standard deviation.
      run.statistics["s"] = run.policy == "fp32" && peaks
                                ? (random.uniform() < 0.1 ? 3 : -1.0 / 3) * (1 + 1e-3 * normal)
                                : normal;
    }
  };
  set(true);
  auto const seen = study.verdict("fp32/deterministic");
  EXPECT_EQ(*find(seen, "distribution", "s")->answer, Answer::different);
  // A wide margin of the mean is one of the distribution, too.
  study.results.rules.margins["s"] = {Margin::Kind::absolute, 5, {}};
  EXPECT_FALSE(find(study.verdict("fp32/deterministic"), "distribution", "s")->answer);
  study.results.rules.margins.clear();
  set(false);
  auto const equal = study.verdict("fp32/deterministic");
  EXPECT_FALSE(find(equal, "distribution", "s")->answer) << "it shows no equivalence";
}

TEST(EnsembleEvidence, TakesTheMarginThatIsAskedFor) {
  Study study;
  study.results.statistics.resize(1);
  study.add("fp32/deterministic", 1e-6);
  study.add_members("fp64", 24, 0.1, base);
  study.add_members("fp32", 24, 0.1, [](int e, int m) { return base(e, m) + 5; });
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::different);
  study.results.rules.margins["lkf_count"] = {Margin::Kind::absolute, 6, "six features"};
  auto const wide = study.verdict("fp32/deterministic");
  EXPECT_EQ(*evidence(wide, "lkf_count").answer, Answer::equivalent);
  EXPECT_EQ(evidence(wide, "lkf_count").margin_text, "6");
  EXPECT_EQ(evidence(wide, "lkf_count").reason, "a difference is measurable, within the margin");
  // A margin in units holds at an amplitude below the tolerated, too; one in spreads does not.
  study.results.rules.tolerated = "2^-7";
  study.results.rules.margins["lkf_count"].value = 4;
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::different);
  study.results.rules.margins.clear();
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::undecided);
}

// ---- the summary ----

TEST(Summary, ListsAllThatDecidedAndTheWorstOfEachKind) {
  Study study;
  study.results.statistics = {{"near", "m", 0}, {"far", "m", 0}, {"farther", "m", 0}};
  study.add("fp32/deterministic", 1e-6);
  for (auto const* policy : {"fp64", "fp32"}) study.add_members(policy, 24, 0.1, base);
  for (auto& run : study.results.runs) {
    if (!run.member) continue;
    auto const noise = std::sin(1.7 * *run.member), off = run.policy == "fp32" ? 1.0 : 0.0;
    run.statistics = {{"near", noise + 0.1 * off}, {"far", noise + 2 * off}, {"farther", noise + 3 * off}};
  }
  ASSERT_EQ(study.verdict("fp32/deterministic").answer, Answer::different);
  auto const text = to_summary(study.results);
  for (auto const* subject :
       {"  - far at eps=2^-10: difference 2 ", "  - farther at eps=2^-10: difference 3 "}) {
    EXPECT_NE(text.find(subject), std::string::npos) << subject << text;
  }
  EXPECT_EQ(text.find("  - near at"), std::string::npos) << "it is equivalent, and no worst of its kind";
}

// ---- the control ensemble ----

TEST(Control, IsJudgedAndDoesNotCount) {
  Study study;
  study.add("fp32/deterministic", 1e-6);
  for (auto const* policy : {"fp64", "fp32"}) study.add_members(policy, 24, 0.1, base);
  auto const add_control = [&](double shift) {
    std::erase_if(study.results.runs, [](RunResult const& run) { return run.control; });
    RandomValues random(98);
    auto const members = study.results.runs;
    for (auto run : members) {
      if (run.policy == "fp64" && run.member) {
        run.id = "control/m" + std::to_string(*run.member);
        run.ensemble = "control";
        run.control = true;
        auto const value = 100 + 6 * random.normal() + shift;
        run.statistics = {{"lkf_count", std::round(value)},
                          {"lkf_total_length_km", 4 * std::round(25 * value)}};
        study.results.runs.push_back(run);
      }
    }
  };
  judge_study(study.results);
  auto const without = study.results.verdicts.size();
  add_control(0);
  auto const control = study.verdict("control");
  EXPECT_EQ(study.results.verdicts.size(), without + 1);
  EXPECT_TRUE(control.control);
  EXPECT_EQ(control.answer, Answer::undecided) << "24 members in pairs that are not";
  EXPECT_GT(*find(control, "statistic", "lkf_count", "mean")->needed, 24);
  EXPECT_EQ(study.results.answer, Answer::equivalent) << "its answer is not the study's";
  EXPECT_EQ(study.verdict("fp32/deterministic").answer, Answer::equivalent);
  EXPECT_EQ(tally_of(study.results), "1 equivalent; control undecided");

  add_control(40);
  EXPECT_EQ(study.verdict("control").answer, Answer::different);
  EXPECT_EQ(study.results.answer, Answer::undecided)
      << "tests that tell the reference from itself are not to be believed";
  EXPECT_NE(study.results.would_decide.find("the reference is different from itself"), std::string::npos);
}

TEST(Control, IsWrittenAndRead) {
  auto study = study_in_time({1e-7, 1e-6, 1e-5}, {1e-3, 2e-3, 4e-3});
  study.results.rules.tolerated = "2^-10";
  study.results.rules.margins["s"] = {Margin::Kind::absolute, 2, "two"};
  study.results.reference_error =
      ReferenceError{"quad/deterministic", {0, 3600}, {{"siu", {{1e-17, 1e-15}, {1e-16, 1e-14}}}}};
  study.results.runs.back().control = true;
  judge_study(study.results);
  auto const text = to_json(study.results);
  auto const read = from_json(text, "results.json");
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.rules.of_statistic("s").reason, "two");
  EXPECT_EQ(read.rules.tolerated, "2^-10");
  EXPECT_EQ(read.reference_error->fields.at("siu").l2_relative[1], 1e-15);
  EXPECT_TRUE(read.runs.back().control);
  ASSERT_FALSE(read.verdicts.empty());
  EXPECT_EQ(read.verdicts[0].errors.at("siu").ratio, study.results.verdicts[0].errors.at("siu").ratio);
  EXPECT_EQ(words_of(read.verdicts[0].evidence[0]), words_of(study.results.verdicts[0].evidence[0]));
}

}  // namespace
}  // namespace ulpine::verification
