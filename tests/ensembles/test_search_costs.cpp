// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <tuple>

#include "ensembles/runs/files.hpp"
#include "ensembles/search/cost_model.hpp"
#include "ensembles/search/error_judge.hpp"
#include "ensembles/search/log.hpp"
#include "ensembles/search/probe.hpp"
#include "ensembles/study/stage_file.hpp"
#include "ensembles/toy_model.hpp"
#include "io/error.hpp"
#include "support/temporary_folder.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::ensembles;
using namespace ulpine::ensembles::search;
using verification::Answer;

/// That `action` is refused in one line that says `word`.
template <class Action>
void expect_refusal(Action action, std::string const& word) {
  auto const message = test::message_of<InputError>(action);
  EXPECT_NE(message.find(word), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(StorageBits, AreThoseOfTheFormatRoundedUpToWhatMemoryHas) {
  EXPECT_EQ(storage_bits("fp64"), 64);
  EXPECT_EQ(storage_bits("fp32"), 32);
  EXPECT_EQ(storage_bits("e8m23"), 32);
  EXPECT_EQ(storage_bits("e8m10"), 32);  // 19
  EXPECT_EQ(storage_bits("e8m7"), 16);
  EXPECT_EQ(storage_bits("e5m10"), 16);
  EXPECT_EQ(storage_bits("e5m11"), 32);
  EXPECT_EQ(storage_bits("e4m3"), 8);
  EXPECT_EQ(storage_bits("e2m1"), 8);
  EXPECT_EQ(storage_bits("e11m24"), 64);
  EXPECT_EQ(storage_bits("e5m10-sr3"), 16);
  EXPECT_FALSE(storage_bits("mixed"));
}

// Two stages: 10 launches of 300 bytes and 50 of 20, 3000 and 1000 of 4000 bytes.
CostModel two_stages() { return {{{"a", 10, 300}, {"b", 50, 20}}, {"fp32", "e8m7"}}; }

TEST(CostModel, IsLaunchesTimesBytesTimesWidth) {
  auto const costs = two_stages();
  EXPECT_DOUBLE_EQ(costs.share(0), 0.75);
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{0, 0}), 1);
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{1, 0}), 0.75 / 2 + 0.25);
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{2, 1}), 0.75 / 4 + 0.25 / 2);
  EXPECT_DOUBLE_EQ(costs.whole("fp32"), 0.5);
}

TEST(CostModel, TakesAPolicysOwnBytes) {
  auto costs = two_stages();
  costs.count_policy("mixed", {{"a", 150}, {"b", 20}});
  EXPECT_DOUBLE_EQ(costs.whole("mixed"), 0.75 * 0.5 + 0.25);
}

TEST(CostModel, TakesMeasuredSecondsInPlaceOfBytes) {
  auto costs = two_stages();
  costs.measure("fp64", {{"a", 2}, {"b", 6}}, "fp64.json");
  costs.measure("fp32", {{"a", 1.5}, {"b", 2}}, "fp32.json");
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{0, 0}), 1);
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{1, 0}), 0.25 * 0.75 + 0.75);
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{1, 1}), 3.5 / 8);
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{2, 0}), 0.25 / 4 + 0.75);  // by its width
}

TEST(CostModel, TakesPredictedSecondsAndSaysOfWhichCard) {
  auto costs = two_stages();
  EXPECT_NE(costs.words().find("bytes that stages move"), std::string::npos);
  costs.predict("fp64", {{"a", 3}, {"b", 1}}, "a made-up card");
  costs.predict("fp32", {{"a", 0.3}, {"b", 0.5}}, "a made-up card");
  EXPECT_DOUBLE_EQ(costs.whole("fp32"), 0.2);
  EXPECT_DOUBLE_EQ(costs.cost(Assignment{1, 0}), 1.3 / 4);
  EXPECT_NE(costs.words().find("predicted seconds of stages in fp32, fp64 on a made-up card"),
            std::string::npos)
      << costs.words();
}

TEST(CostModel, RefusesSecondsThatLackAStageOrABase) {
  auto costs = two_stages();
  expect_refusal([&] { costs.measure("fp32", {{"a", 1}, {"b", 1}}, "x.json"); }, "x.json");
  expect_refusal([&] { costs.measure("fp64", {{"a", 1}}, "x.json"); }, "stage b");
  expect_refusal([&] { costs.measure("fp64", {{"a", 1}, {"b", 0}}, "x.json"); }, "stage b");
}

TEST(StageFile, IsReadAsItWasWritten) {
  test::TemporaryFolder const folder;
  auto const path = folder.path() / "stages.toml";
  StageFile const file{
      "a \"case\"", "0123456789abcdef", "fp64", 5400.5, {{"x.a", "fp32"}, {"x.a.b", "e8m7-sr3"}}};
  write_atomically(path, to_toml(file));
  auto const read = read_stage_file(path);
  EXPECT_EQ(read.case_name, file.case_name);
  EXPECT_EQ(read.case_hash, file.case_hash);
  EXPECT_EQ(read.policy, "fp64");
  EXPECT_EQ(read.until_s, 5400.5);
  EXPECT_EQ(read.stages, file.stages);
  write_atomically(path, to_toml({"c", "0", "fp64", 21600, {}}));
  EXPECT_EQ(read_stage_file(path).until_s, 21600);
  EXPECT_TRUE(read_stage_file(path).stages.empty());
  write_atomically(path, "stages = []");
  EXPECT_FALSE(read_stage_file(path).until_s);
}

TEST(StageFile, RefusesOtherKeysTypesAndPrecisions) {
  test::TemporaryFolder const folder;
  auto const path = folder.path() / "stages.toml";
  for (auto const* text :
       {"stage = \"fp32\"", "stages = [32]", "stages = \"x.a=fp32\"", "stages = [\"x.a=fp23\"]",
        "stages = [\"x.a=fp32\", \"x.a=e8m7\"]", "policy = \"fp23\"", "policy = 1", "until_s = 0",
        "until_s = \"1 h\"", "stages = ["}) {
    write_atomically(path, text);
    expect_refusal([&] { read_stage_file(path); }, "stages.toml");
  }
}

Outcome outcome(double ratio) {
  return {.answer = Answer::equivalent,
          .ratio = ratio,
          .interval = {{ratio / 2, ratio * 2}},
          .field = "h",
          .time_s = 60,
          .wall_s = 1.5};
}

TEST(SearchLog, KnowsWhatItWasTold) {
  test::TemporaryFolder const folder;
  auto const path = folder.path() / "tried.json";
  {
    Log log(path, "question", false);
    log.add("a", outcome(0.1));
    log.add("b", {.answer = Answer::different, .wall_s = 2});
  }
  Log const again(path, "question", true);
  ASSERT_NE(again.find("a"), nullptr);
  EXPECT_EQ(again.find("a")->ratio, 0.1);
  EXPECT_EQ(again.find("a")->answer, Answer::equivalent);
  EXPECT_EQ(again.find("a")->interval, outcome(0.1).interval);
  EXPECT_EQ(again.find("a")->field, "h");
  EXPECT_EQ(again.find("a")->time_s, 60);
  EXPECT_EQ(again.find("a")->wall_s, 1.5);
  EXPECT_EQ(again.find("b")->answer, Answer::different);
  EXPECT_FALSE(again.find("b")->ratio);
  EXPECT_EQ(again.find("c"), nullptr);
  EXPECT_EQ(Log(path, "question", false).find("a"), nullptr) << "a search that is not resumed begins anew";
}

TEST(SearchLog, RefusesAnotherQuestionAndAlteredBytes) {
  test::TemporaryFolder const folder;
  auto const path = folder.path() / "tried.json";
  Log(path, "question", false).add("a", outcome(0.1));
  expect_refusal([&] { Log(path, "another", true); }, "tried.json");
  auto text = read_text(path);
  text[text.find("0.1")] = '7';
  write_atomically(path, text);
  expect_refusal([&] { Log(path, "question", true); }, "tried.json");
}

TEST(Outcome, OfAVerdictIsItsLargestError) {
  verification::Verdict verdict;
  verdict.answer = Answer::equivalent;
  EXPECT_FALSE(outcome_of(verdict).ratio);
  for (auto const& [kind, subject, value] :
       {std::tuple{"error", "a", 0.25}, std::tuple{"error", "b", 0.5}, std::tuple{"statistic", "c", 0.75},
        std::tuple{"error", "d", 0.125}}) {
    auto& evidence = verdict.evidence.emplace_back();
    evidence.kind = kind;
    evidence.subject = subject;
    evidence.value = value;
  }
  verdict.evidence.emplace_back().kind = "error";  // without a value
  auto const outcome = outcome_of(verdict);
  EXPECT_EQ(outcome.ratio, 0.5);
  EXPECT_EQ(outcome.field, "b");
  verdict.answer = Answer::equal;
  EXPECT_EQ(outcome_of(verdict).ratio, 0);
}

TEST(Search, RefusesACoreWhoseStagesAllRunInOnePolicy) {
  test::register_toy_model();
  test::TemporaryFolder const folder;
  CaseSource const source{folder.write("case.toml", test::toy_case())};
  expect_refusal([&] { probe_stages(source, {}); }, "core 'toy' cannot run stage");
}

}  // namespace
