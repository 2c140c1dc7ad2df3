// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "io/error.hpp"
#include "io/seal.hpp"
#include "verification/results/study_comparison.hpp"

namespace {

namespace fs = std::filesystem;
using namespace ulpine;
using namespace ulpine::verification;

/// A reference, fp32 and tf32 with one field, one statistic and one gate each, and the reference's members.
StudyResults week() {
  StudyResults study;
  study.study_case = {"toy", "wave", "abc", 0, 3600, 600};
  study.seed = 1;
  study.provenance = {{"version", "1.0"}, {"compiler", "GNU 12"}};
  study.rules.tolerated = "2^-10";
  for (auto const* const policy : {"fp64", "fp32", "tf32"}) {
    RunResult run;
    run.policy = policy;
    run.assembly = "deterministic";
    run.id = run.policy + "/deterministic";
    run.wall_s = 2;
    run.hash = "hash of " + run.policy;
    run.metrics["height"] = {{"l2_relative", Value::of(4e-3)}, {"linf", Value::of(8e-3)}};
    run.statistics["energy"] = 10;
    study.runs.push_back(run);
    if (run.policy != "fp64") {
      Verdict verdict;
      verdict.configuration = run.id;
      verdict.answer = Answer::equivalent;
      study.verdicts.push_back(verdict);
      GateResult gate;
      gate.name = "height.l2_relative";
      gate.run = run.id;
      gate.value = 4e-3;
      gate.limit = 1e-2;
      gate.passed = true;
      gate.subject = {"field", "height"};
      study.gates.push_back(gate);
    }
  }
  for (auto const& [text, epsilon, sd] :
       {std::tuple{"2^-10", 0.0009765625, 0.5}, std::tuple{"2^-7", 0.0078125, 4.0}}) {
    EnsembleResult ensemble;
    ensemble.configuration = "fp64/deterministic";
    ensemble.policy = "fp64";
    ensemble.epsilon = epsilon;
    ensemble.epsilon_text = text;
    ensemble.statistics["energy"] = {10, sd};
    ensemble.spread["height"] = {sd / 100, sd / 1000};
    study.ensembles.push_back(ensemble);
  }
  return study;
}

RunResult& run_of(StudyResults& study, std::string const& id) {
  return *std::ranges::find(study.runs, id, &RunResult::id);
}

StudyComparison compared(StudyResults const& last, StudyResults const& now) {
  return compare_studies(last, now, "last", "now");
}

TEST(StudyComparison, OfAStudyWithItselfFindsNothing) {
  auto const comparison = compared(week(), week());
  EXPECT_TRUE(comparison.passed());
  EXPECT_TRUE(comparison.notes.empty());
  EXPECT_TRUE(comparison.provenance.empty());
  EXPECT_TRUE(comparison.only_last.empty());
  EXPECT_TRUE(comparison.only_now.empty());
  ASSERT_EQ(comparison.hashes.size(), 3u);
  EXPECT_TRUE(std::ranges::all_of(comparison.hashes, &ChangedHash::same));
  ASSERT_EQ(comparison.metrics.size(), 4u);  // two metrics of two runs; the reference has no error
  EXPECT_EQ(comparison.metrics[0].ratio, 1);
  EXPECT_EQ(comparison.statistics.at(0).difference, 0);
  EXPECT_EQ(comparison.times.at(0).ratio, 1);
}

TEST(StudyComparison, FailsForAWorseAnswerAndForNoBetterOne) {
  for (int before = 0; before < 4; ++before) {
    for (int after = 0; after < 4; ++after) {
      auto last = week(), now = week();
      last.verdicts[1].answer = Answer(before);
      now.verdicts[1].answer = Answer(after);
      auto const comparison = compared(last, now);
      EXPECT_EQ(comparison.passed(), after <= before) << before << " " << after;
      EXPECT_EQ(comparison.worse.size(), after > before ? 1u : 0u);
    }
  }
}

TEST(StudyComparison, PutsWhatGotWorseFirst) {
  auto last = week(), now = week();
  now.verdicts[0].answer = Answer::equal;
  now.verdicts[1].answer = Answer::different;
  now.gates[1].passed = false;
  run_of(now, "tf32/deterministic").hash = "other";
  auto const comparison = compared(last, now);
  EXPECT_EQ(comparison.answers[0].configuration, "tf32/deterministic");
  EXPECT_EQ(comparison.gates[0].run, "tf32/deterministic");
  EXPECT_EQ(comparison.hashes[0].run, "tf32/deterministic");
  EXPECT_EQ(comparison.worse.size(), 2u);
  EXPECT_EQ(comparison.worse[0], "tf32/deterministic: was equivalent, is different");
}

TEST(StudyComparison, FailsForAGateThatPassedBeforeOnly) {
  auto last = week(), now = week();
  now.gates[0].passed = false;
  EXPECT_FALSE(compared(last, now).passed());
  last.gates[0].passed = false;
  EXPECT_TRUE(compared(last, now).passed());
  last.gates[0].passed = true;
  now.gates[0].skipped = "no record";
  EXPECT_TRUE(compared(last, now).passed());
}

TEST(StudyComparison, FailsForARunThatNowFailsAndOnlyThen) {
  auto last = week(), now = week();
  GateResult gate;
  gate.name = "completed";
  gate.run = "fp32/deterministic";
  now.gates.push_back(gate);
  EXPECT_FALSE(compared(last, now).passed());
  run_of(last, "fp32/deterministic").failed = "blew up";
  EXPECT_TRUE(compared(last, now).passed());
  gate.run = "bf16/deterministic";
  now.gates = {gate};
  EXPECT_TRUE(compared(last, now).passed());
}

TEST(StudyComparison, OfBitsFailsNothing) {
  auto last = week(), now = week();
  run_of(now, "fp32/deterministic").hash = "other";
  auto const comparison = compared(last, now);
  EXPECT_TRUE(comparison.passed());
  EXPECT_EQ(std::ranges::count(comparison.hashes, false, &ChangedHash::same), 1);
}

TEST(StudyComparison, ComparesBitsOfMembersOfOneSeedOnly) {
  auto last = week(), now = week();
  for (auto* const study : {&last, &now}) {
    auto member = run_of(*study, "fp64/deterministic");
    member.id += "/eps=2^-10/m00";
    member.member = 0;
    study->runs.push_back(member);
  }
  EXPECT_EQ(compared(last, now).hashes.size(), 4u);
  now.seed = 2;
  auto const comparison = compared(last, now);
  EXPECT_EQ(comparison.hashes.size(), 3u);
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_EQ(comparison.notes[0],
            "the seed was 1 and is 2: members have other noise, and their final states are not compared");
}

TEST(StudyComparison, TellsThatMembersAreMoreOrFewer) {
  auto last = week(), now = week();
  for (auto& ensemble : last.ensembles) ensemble.members = 2;
  for (auto& ensemble : now.ensembles) ensemble.members = 4;
  auto const comparison = compared(last, now);
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_TRUE(comparison.notes[0].starts_with("an ensemble had 2 members and has 4:")) << comparison.notes[0];
}

TEST(StudyComparison, TellsConfigurationsThatAreNewOrGone) {
  auto last = week(), now = week();
  last.verdicts[0].configuration = "mixed/deterministic";
  now.verdicts[0].answer = Answer::different;
  Verdict control;
  control.configuration = "control";
  control.control = true;
  now.verdicts.push_back(control);
  control.configuration = "another control";
  last.verdicts.push_back(control);
  auto const comparison = compared(last, now);
  EXPECT_TRUE(comparison.passed());
  EXPECT_EQ(comparison.notes, (std::vector<std::string>{"fp32/deterministic is new: different",
                                                        "mixed/deterministic is gone: it was equivalent"}));
  EXPECT_NE(words_of(comparison).find("fp32/deterministic is new: different\n"), std::string::npos);
}

TEST(StudyComparison, ComparesNoBitsOfAnotherCase) {
  auto last = week(), now = week();
  now.study_case.hash = "def";
  auto const comparison = compared(last, now);
  EXPECT_TRUE(comparison.hashes.empty());
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_NE(comparison.notes[0].find("the case was changed"), std::string::npos);
}

TEST(StudyComparison, OfAnotherCoreGridStartOrEndComparesNoNumbers) {
  struct {
    char const* words;
    void (*change)(StudyResults&);
  } const changes[] = {
      {"the end was 3600 s and is 21600 s", [](StudyResults& study) { study.study_case.end_s = 21600; }},
      {"the start was 0 s and is 60 s", [](StudyResults& study) { study.study_case.start_s = 60; }},
      {"the core was toy and is fdm", [](StudyResults& study) { study.study_case.core = "fdm"; }},
      {"the cells were 64 and are 128",
       [](StudyResults& study) {
         for (auto& run : study.runs) run.cells = 128;
       }},
  };
  for (auto const& [words, change] : changes) {
    auto last = week(), now = week();
    for (auto* const study : {&last, &now}) {
      for (auto& run : study->runs) run.cells = 64;
    }
    now.verdicts[0].answer = Answer::different;
    change(now);
    auto const comparison = compared(last, now);
    EXPECT_EQ(comparison.incomparable, std::vector<std::string>{words});
    ASSERT_FALSE(comparison.notes.empty());
    EXPECT_TRUE(comparison.notes[0].starts_with(words)) << comparison.notes[0];
    EXPECT_TRUE(comparison.metrics.empty() && comparison.statistics.empty() && comparison.hashes.empty() &&
                comparison.times.empty());
    EXPECT_EQ(comparison.answers.size(), 2u) << "they stand side by side";
    EXPECT_TRUE(comparison.passed()) << "no answer of another run got worse";
    EXPECT_TRUE(words_of(comparison).ends_with("nothing that can be compared got worse\n"));
    EXPECT_EQ(nlohmann::json::parse(to_json(comparison)).at("incomparable")[0], words);
  }
  EXPECT_TRUE(compared(week(), week()).comparable());
}

TEST(StudyComparison, NamesAnotherOutputInterval) {
  auto last = week(), now = week();
  now.study_case.interval_s = 0;
  auto const comparison = compared(last, now);
  EXPECT_TRUE(comparison.comparable());
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_TRUE(comparison.notes[0].starts_with(
      "the output interval was 600 s and is none (the first and the last output alone): "))
      << comparison.notes[0];
  EXPECT_FALSE(comparison.statistics.empty());
  auto const named = std::ranges::find(comparison.provenance, "output interval", &ChangedText::key);
  ASSERT_NE(named, comparison.provenance.end());
  EXPECT_EQ(named->last, "600 s");
}

TEST(StudyComparison, SaysWhereTheEndIsNotKnown) {
  auto last = week(), now = week();
  last.study_case.start_s = last.study_case.end_s = last.study_case.interval_s = std::nullopt;
  auto const comparison = compared(last, now);
  EXPECT_TRUE(comparison.comparable());
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_NE(comparison.notes[0].find("runs of last study began, ended"), std::string::npos);
}

TEST(StudyComparison, NamesMarginsThatWereEdited) {
  struct {
    char const* words;
    void (*change)(StudyResults&);
  } const changes[] = {
      {"the tolerated amplitude was 2^-10 and is 2^-7: ",
       [](StudyResults& study) { study.rules.tolerated = "2^-7"; }},
      {"the usual margin of statistics was 0.5 sd and is 2 %: ",
       [](StudyResults& study) {
         study.rules.statistics = {Margin::Kind::relative, 0.02, {}};
       }},
      {"the usual margin of curves was 1 sd and is 3 sd: ",
       [](StudyResults& study) { study.rules.curves.value = 3; }},
      {"the margin of spreads was a factor of 1.5 and is a factor of 2: ",
       [](StudyResults& study) { study.rules.spread_ratio = 2; }},
      {"the range of judged levels was all and is 0 to 12: ",
       [](StudyResults& study) {
         study.rules.levels = {0, 12, {}};
       }},
      {"the margin of energy was the usual and is 7 J: ",
       [](StudyResults& study) {
         study.rules.margins["energy"] = {Margin::Kind::absolute, 7, {}};
       }},
      {"the limit of gate height.l2_relative was 0.01 and is 0.1: ",
       [](StudyResults& study) {
         for (auto& gate : study.gates) gate.limit = 0.1;
       }},
  };
  for (auto const& [words, change] : changes) {
    auto last = week(), now = week();
    for (auto* const study : {&last, &now}) study->statistics = {{"energy", "J", 0}};
    change(now);
    auto const comparison = compared(last, now);
    ASSERT_EQ(comparison.notes.size(), 1u) << words;
    EXPECT_TRUE(comparison.notes[0].starts_with(words)) << comparison.notes[0];
    EXPECT_NE(words_of(comparison).find(words), std::string::npos);
    EXPECT_EQ(comparison.provenance.size(), 1u);
  }
}

TEST(StudyComparison, OfTheControlFailsNothing) {
  auto last = week(), now = week();
  for (auto* const study : {&last, &now}) {
    Verdict verdict;
    verdict.configuration = "control";
    verdict.control = true;
    verdict.answer = study == &now ? Answer::different : Answer::equivalent;
    study->verdicts.push_back(verdict);
  }
  EXPECT_TRUE(compared(last, now).passed());
}

TEST(StudyComparison, GivesRatiosAndDifferencesOfLaterToEarlier) {
  auto last = week(), now = week();
  auto& run = run_of(now, "fp32/deterministic");
  run.metrics["height"]["l2_relative"] = Value::of(6e-3);
  run.statistics["energy"] = 12.5;
  run.wall_s = 1;
  auto const comparison = compared(last, now);
  EXPECT_EQ(comparison.metrics[0].ratio, 6e-3 / 4e-3);
  EXPECT_EQ(comparison.statistics[1].difference, 2.5);
  EXPECT_EQ(comparison.times[1].ratio, 0.5);
}

TEST(StudyComparison, HasNoRatioToAnErrorOfNothing) {
  auto last = week(), now = week();
  run_of(last, "fp32/deterministic").metrics["height"]["l2_relative"] = Value::of(0);
  EXPECT_TRUE(std::isnan(compared(last, now).metrics[0].ratio));
}

TEST(StudyComparison, TakesItsYardstickFromTheControlThenTheToleratedAmplitude) {
  auto now = week();
  EXPECT_EQ(compared(week(), now).yardstick, "fp64/deterministic at 2^-10");
  EXPECT_EQ(compared(week(), now).statistics[0].sd, 0.5);
  EXPECT_EQ(compared(week(), now).metrics[0].spread->l2_relative_mean, 0.005);
  now.rules.tolerated = "";
  EXPECT_EQ(compared(week(), now).statistics[0].sd, 4.0);
  Verdict verdict;
  verdict.configuration = "control";
  verdict.control = true;
  now.verdicts.push_back(verdict);
  auto control = now.ensembles[0];
  control.configuration = "control";
  control.statistics["energy"].sd = 0.75;
  now.ensembles.push_back(control);
  EXPECT_EQ(compared(week(), now).statistics[0].sd, 0.75);
}

TEST(StudyComparison, ListsWhatOnlyOneHas) {
  auto last = week(), now = week();
  now.runs.pop_back();
  now.gates.pop_back();
  now.provenance[1].second = "GNU 13";
  auto const comparison = compared(last, now);
  EXPECT_EQ(
      comparison.only_last,
      (std::vector<std::string>{"run tf32/deterministic", "gate height.l2_relative of tf32/deterministic"}));
  ASSERT_EQ(comparison.provenance.size(), 1u);
  EXPECT_EQ(comparison.provenance[0].last, "GNU 12");
  EXPECT_EQ(comparison.provenance[0].now, "GNU 13");
}

TEST(StudyComparison, IsRefusedInOneLineWhereNothingMatches) {
  auto now = week();
  for (auto& run : now.runs) {
    run.id = "cuda/" + run.id;
  }
  try {
    compared(week(), now);
    FAIL();
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("nothing to compare"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(StudyComparison, IsWrittenSealedWithNullForWhatIsNone) {
  auto last = week(), now = week();
  run_of(last, "fp32/deterministic").metrics["height"]["l2_relative"] = Value::of(0);
  now.verdicts[0].answer = Answer::undecided;
  auto const path = fs::temp_directory_path() / ("ulpine-comparison-" + std::to_string(::getpid()) + ".json");
  write_comparison(path, compared(last, now));
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  fs::remove(path);
  EXPECT_NO_THROW(io::require_json_seal(text.str(), "comparison", "again"));
  auto const json = nlohmann::json::parse(text.str());
  EXPECT_EQ(json.at("schema"), "ulpine.comparison/1");
  EXPECT_EQ(json.at("passed"), false);
  EXPECT_TRUE(json.at("metrics").at(0).at("ratio").is_null());
  EXPECT_EQ(json.at("metrics").at(0).at("spread").at("mean"), 0.005);
  EXPECT_EQ(json.at("answers").at(0).at("this"), "undecided");
  EXPECT_EQ(json.at("worse").at(0), "fp32/deterministic: was equivalent, is undecided");
}

}  // namespace
