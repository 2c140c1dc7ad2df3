// SPDX-License-Identifier: Apache-2.0
// How answers are counted (benchmarks/calibration), on verdicts made by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "calibration/rates.hpp"
#include "calibration/report.hpp"

namespace ulpine::calibration {
namespace {

using verification::Answer;
using verification::Evidence;
using verification::Verdict;

Evidence piece(std::string const& kind, std::string const& part, std::optional<Answer> answer) {
  Evidence evidence;
  evidence.kind = kind;
  evidence.part = part;
  evidence.answer = answer;
  return evidence;
}

Evidence measured(std::string const& kind, std::string const& part, double low, double high, double margin) {
  auto evidence = piece(kind, part, Answer::undecided);
  evidence.value = (low + high) / 2;
  evidence.interval = {low, high};
  evidence.margin = margin;
  return evidence;
}

Truth truth(Evidence const& evidence) {
  Verdict verdict;
  verdict.evidence = {evidence};
  return truths_of(verdict, false).at("verdict");
}

/// P(X <= count) of the binomial distribution, summed up.
double at_most(std::int64_t count, std::int64_t of, double p) {
  double sum = 0;
  for (std::int64_t k = 0; k <= count; ++k) {
    sum +=
        std::exp(std::lgamma(double(of) + 1) - std::lgamma(double(k) + 1) - std::lgamma(double(of - k) + 1) +
                 double(k) * std::log(p) + double(of - k) * std::log1p(-p));
  }
  return sum;
}

TEST(Rates, IntervalsAreThoseOfClopperAndPearson) {
  // At the ends the count, or a more extreme one, has a chance of 2.5 %.
  for (auto const& [count, of] : {std::pair<std::int64_t, std::int64_t>{3, 60}, {1, 300}, {59, 60}}) {
    Rate const rate{count, of};
    EXPECT_NEAR(1 - at_most(count - 1, of, rate.interval()[0]), 0.025, 1e-9) << count;
    EXPECT_NEAR(at_most(count, of, rate.interval()[1]), 0.025, 1e-9) << count;
  }
  EXPECT_EQ(Rate({0, 300}).interval()[0], 0);
  EXPECT_NEAR(Rate({0, 300}).interval()[1], 1 - std::pow(0.025, 1 / 300.0), 1e-12);
  EXPECT_NEAR(Rate({60, 60}).interval()[0], std::pow(0.025, 1 / 60.0), 1e-12);
  EXPECT_EQ(Rate({60, 60}).interval()[1], 1);
  EXPECT_EQ(Rate().interval()[1], 1);
  EXPECT_TRUE(std::isnan(Rate().share()));
}

TEST(Answers, OfOneKindAreTheWorstOfItsPieces) {
  Verdict verdict;
  verdict.answer = Answer::different;
  verdict.evidence = {piece("statistic", "mean", Answer::equivalent),
                      piece("statistic", "mean", Answer::undecided),
                      piece("statistic", "mean", Answer::equivalent),
                      piece("statistic", "spread", Answer::different),
                      piece("error", "", std::nullopt),
                      piece("gate", "", Answer::different)};
  auto const answers = answers_of(verdict);
  EXPECT_EQ(answers.at("statistic mean"), Answer::undecided);
  EXPECT_EQ(answers.at("statistic spread"), Answer::different);
  EXPECT_FALSE(answers.at("error")) << "silent";
  EXPECT_EQ(answers.at("verdict"), Answer::different);
  EXPECT_EQ(answers.size(), kinds_of_evidence().size());
}

TEST(Truths, FollowFromWholeIntervals) {
  EXPECT_EQ(truth(measured("statistic", "mean", -0.1, 0.3, 0.5)), Truth::inside);
  EXPECT_EQ(truth(measured("statistic", "mean", -0.9, -0.6, 0.5)), Truth::beyond);
  EXPECT_EQ(truth(measured("statistic", "mean", -0.6, -0.4, 0.5)), Truth::near);
  EXPECT_EQ(truth(measured("statistic", "spread", 0.9, 1.2, 1.5)), Truth::inside);
  EXPECT_EQ(truth(measured("statistic", "spread", 0.5, 0.6, 1.5)), Truth::beyond);
  EXPECT_EQ(truth(measured("error", "", 1.1, 1.3, 1)), Truth::beyond);
}

TEST(Truths, OfAVerdictAreBeyondWhereOnePieceIs) {
  Verdict verdict;
  verdict.evidence = {measured("error", "", 0.1, 0.2, 1), measured("curve", "", 2, 3, 1)};
  auto const truths = truths_of(verdict, false);
  EXPECT_EQ(truths.at("error"), Truth::inside);
  EXPECT_EQ(truths.at("curve"), Truth::beyond);
  EXPECT_EQ(truths.at("verdict"), Truth::beyond);
  EXPECT_EQ(truths.at("distribution"), Truth::near) << "nothing was said of it";
  EXPECT_EQ(truths_of(verdict, true).at("verdict"), Truth::inside) << "by construction";

  verdict.evidence = {measured("error", "", 0.1, 0.2, 1), measured("curve", "", 0.9, 1.1, 1)};
  EXPECT_EQ(truths_of(verdict, false).at("verdict"), Truth::near);
  auto silent = piece("distribution", "", std::nullopt);
  silent.value = 0.2;
  silent.margin = 0.2;
  silent.pairs = 100;
  verdict.evidence = {measured("error", "", 0.1, 0.2, 1), silent};
  EXPECT_EQ(truths_of(verdict, false).at("verdict"), Truth::inside) << "distributions show differences only";
  verdict.evidence = {piece("gate", "", Answer::different)};
  EXPECT_EQ(truths_of(verdict, false).at("verdict"), Truth::beyond) << "a run that failed";
}

TEST(Truths, OfDistributionsAllowForTwoSamples) {
  Evidence evidence;
  evidence.kind = "distribution";
  evidence.pairs = 512;
  evidence.margin = 0.2;
  for (auto const& [value, expected] :
       {std::pair{0.05, Truth::inside}, {0.25, Truth::near}, {0.4, Truth::beyond}}) {
    evidence.value = value;
    EXPECT_EQ(truth(evidence), expected) << value;
  }
}

TEST(Rows, CountFalseAlarmsInsideAndMissesBeyond) {
  Row row;
  row.add(Truth::inside, Answer::equivalent);
  row.add(Truth::inside, Answer::different);
  row.add(Truth::beyond, Answer::different);
  row.add(Truth::beyond, Answer::equivalent);
  row.add(Truth::beyond, Answer::equal);
  row.add(Truth::beyond, std::nullopt);
  row.add(Truth::near, Answer::undecided);
  EXPECT_EQ(row.studies, 7);
  EXPECT_EQ(row.false_alarms.count, 1);
  EXPECT_EQ(row.false_alarms.of, 2);
  EXPECT_EQ(row.misses.count, 2);
  EXPECT_EQ(row.misses.of, 4);
  EXPECT_EQ(row.undecided, 1);
  EXPECT_EQ(row.silent, 1);
  EXPECT_EQ(row.equivalent, 3);
  EXPECT_EQ(row.different, 2);
}

TEST(Turnings, AreCountedOncePerStudy) {
  Turning turning;
  turning.add({Answer::equivalent, Answer::undecided, Answer::different, Answer::different});
  EXPECT_EQ(turning.turned_back.count, 0);
  turning.add({Answer::undecided, Answer::equivalent, Answer::different});
  EXPECT_EQ(turning.turned_back.count, 1);
  EXPECT_EQ(turning.turned_across.count, 0);
  turning.add({Answer::different, Answer::undecided, Answer::equivalent});
  EXPECT_EQ(turning.turned_back.count, 2);
  EXPECT_EQ(turning.turned_across.count, 1);
  EXPECT_EQ(turning.turned_back.of, 3);
}

TEST(Inversions, AreEquivalentConfigurationsFartherThanDifferentOnes) {
  verification::StudyResults study;
  for (auto const& [id, error] : {std::pair{"near", 1e-6}, {"far", 1e-3}}) {
    verification::RunResult run;
    run.id = id;
    for (auto const* metric : {"l2_relative", "linf"}) {
      run.metrics["u"][metric] = verification::Value::of(error);
    }
    study.runs.push_back(run);
    Verdict verdict;
    verdict.configuration = id;
    study.verdicts.push_back(verdict);
  }
  auto const inversions = [&](Answer of_near, Answer of_far) {
    study.verdicts[0].answer = of_near;
    study.verdicts[1].answer = of_far;
    return inversions_of(study);
  };
  EXPECT_EQ(inversions(Answer::different, Answer::equivalent), 1);
  EXPECT_EQ(inversions(Answer::equivalent, Answer::different), 0);
  EXPECT_EQ(inversions(Answer::different, Answer::undecided), 0);
  study.runs[1].metrics["u"]["linf"] = verification::Value::of(1e-7);
  EXPECT_EQ(inversions(Answer::different, Answer::equivalent), 0) << "closer in one of the errors";
}

TEST(Report, HasSharesUpperBoundsAndNullWhereNothingCanBeSaid) {
  Calibration calibration;
  calibration.model = "m";
  Row row;
  row.model = "m";
  row.evidence = "verdict";
  row.fault = "f";
  row.members = 24;
  row.add(Truth::beyond, Answer::different);
  row.add(Truth::beyond, Answer::undecided);
  calibration.rows.push_back(row);
  Row silent;
  silent.add(Truth::near, std::nullopt);
  calibration.rows.push_back(silent);
  auto const json = nlohmann::json::parse(to_json({calibration}, "1.0 abc", "2026-01-02"));
  EXPECT_EQ(json["version"], "1.0 abc");
  EXPECT_EQ(json["date"], "2026-01-02");
  ASSERT_EQ(json["rows"].size(), 1u) << "without the kind that never spoke";
  auto const& written = json["rows"][0];
  EXPECT_EQ(written["fault"], "f");
  EXPECT_EQ(written["studies"], 2);
  EXPECT_TRUE(written["false_alarms"].is_null());
  EXPECT_TRUE(written["false_alarms_upper"].is_null());
  EXPECT_EQ(written["misses"], 0.0);
  EXPECT_NEAR(written["misses_upper"].get<double>(), 1 - std::sqrt(0.025), 0.5e-4);
  EXPECT_EQ(written["undecided"], 0.5);
  auto const text = to_markdown(calibration);
  EXPECT_NE(text.find("| f | beyond | 2 | 0 | 1 | 1 |"), std::string::npos) << text;
  EXPECT_NE(text.find("| verdict | 0 |  |  |  | 0 |  | 2 | 0.0 % (0.0 to 84.2) |"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace ulpine::calibration
