// SPDX-License-Identifier: Apache-2.0
#include "verification/results/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/case_file.hpp"
#include "io/error.hpp"
#include "precision/bits.hpp"
#include "support/random_values.hpp"
#include "support/temporary_folder.hpp"
#include "verification/gates/gates.hpp"
#include "verification/results/junit.hpp"
#include "verification/results/summary.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::verification {
namespace {

using ulpine::test::message_of;
using ulpine::test::RandomValues;
using ulpine::test::TemporaryFolder;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

RunResult run(std::string const& policy, std::string const& assembly) {
  RunResult result;
  result.id = policy + "/" + assembly;
  result.policy = policy;
  result.assembly = assembly;
  result.device = "cpu";
  result.path = "runs/" + policy + "-" + assembly;
  result.wall_s = 1.25;
  result.steps = 30;
  result.cells = 4096;
  result.memory_bytes = 1 << 20;
  result.hash = (policy == "fp64" ? "00112233aabbccdd" : "ffeeddcc44556677");
  return result;
}

/// A study with something in every key, undefined values and a failed run among them.
StudyResults study() {
  StudyResults results;
  results.study_case = {"seaice", "cyclone", "0123456789abcdef"};
  results.provenance = {{"version", "0.1.0"}, {"compiler", "g++ 12"}, {"flags", "-O3 \"quoted\""}};
  results.seed = 18446744073709551615u;
  std::vector<double> const y = {1, 2, 3}, x = {1, 2.001, 3}, zero(3, 0.0);
  auto reference = run("fp64", "deterministic");
  reference.set_metrics("sivol", compute_metrics(y, y));
  reference.statistics = {{"lkf_count", 40}, {"lkf_total_length_km", 1200.5}};
  reference.integrals["sea ice volume"] = {1e13, 1e13 * (1 + 1e-15)};
  reference.series = RunSeries{{0, 3600}, {{"sivol", {{0, 0}, {0, 2}}}}, {{"lkf_count", {0, 40}}}};
  reference.curves["roughness"] = {{0, 1e-6}, {12.5, 0.1}};
  auto single = run("fp32", "atomic");
  single.set_metrics("sivol", compute_metrics(x, y));
  single.set_metrics("siu", compute_metrics(x, zero));
  single.statistics = {{"lkf_count", 44}, {"lkf_total_length_km", nan}};
  single.curves["roughness"] = {{0, 1e-6}, {12.5, 0.2}};
  single.integrals["sea ice volume"] = {1e13, 1.01e13};
  single.series = RunSeries{{0, 3600}, {{"sivol", {{nan, 1e-7}, {0, 1e-6}}}}, {{"lkf_count", {3, 44}}}};
  auto lost = run("fp16", "atomic");
  lost.failed = "NaN in sivol at step 3 <cell [4, 5]> & more";
  lost.set_metrics("sivol", compute_metrics(std::vector<double>{1, nan, 3}, y));
  auto member = run("fp32", "deterministic");
  member.id = "fp32/deterministic/eps=2^-23/m07";
  member.epsilon = 0x1p-23;
  member.epsilon_text = "2^-23";
  member.member = 7;
  results.runs = {reference, single, lost, member};
  EnsembleResult ensemble;
  ensemble.policy = "fp32";
  ensemble.assembly = "deterministic";
  ensemble.epsilon = 0x1p-23;
  ensemble.epsilon_text = "2^-23";
  ensemble.members = 24;
  ensemble.statistics["lkf_count"] = {41.5, 2.25};
  ensemble.spread["sivol"] = {1e-6, 1e-7};
  ensemble.curves["roughness"] = {{0, 1e-6}, {3, 2}, {0.5, nan}};
  ensemble.growth.emplace();
  ensemble.growth->time_s = {0, 3600};
  ensemble.growth->fields["sivol"] = {{1e-8, 1e-7}, {1e-9, 1e-8}};
  ensemble.controls = {{"lkf_count", {40, 0.5}}, {"lkf_total_length_km", {1200, 3}}};
  results.ensembles = {ensemble};
  results.bitwise = {{"00112233aabbccdd", {"fp64/deterministic", "fp64/atomic"}}};
  results.controls = {{"tf32", 4.9e-4, 24, {{"lkf_count", {40, 1}}}}};
  results.evaluations = {{"lkf", "lkf", {"shear"}, {{"rules", "repaired"}}},
                         {"roughness", "spectrum", {"sivol"}, {{"floor", 1e-10}}},
                         {"mixing", "own", {"u", "v"}, {}}};
  results.statistics = {
      {"lkf_count", "1", 1, "lkf", "count", "number of LKFs"},
      {"lkf_total_length_km", "km", 4, "lkf", "total_length_km", "total length of LKFs", 37.5}};
  results.curves = {
      {"roughness", "roughness", "power", {"wavenumber", "m-1", "log"}, {"roughness", "m2", "log"}}};
  results.figures = {{"ice", "section", "field", "sivol", "diverging", "m", "y", 3, 1}};
  results.notes = {"tolerance of sivol raised"};
  results.gates = judge({{"sivol", "l2_relative", 1e-3}, {"siu", "l2_relative", 1e-3}}, results);
  judge_study(results);
  return results;
}

TEST(Results, KeepTheTimesOfTheRunsAndTheJudgedLevels) {
  auto results = study();
  results.study_case.end_s = 21600;
  results.study_case.interval_s = 0;
  results.rules.levels.to = 12.5;
  auto const read = from_json(to_json(results), "text");
  EXPECT_EQ(read.study_case.start_s, std::nullopt);
  EXPECT_EQ(read.study_case.end_s, 21600);
  EXPECT_EQ(read.study_case.interval_s, 0);
  EXPECT_TRUE(std::isinf(read.rules.levels.from));
  EXPECT_EQ(read.rules.levels.to, 12.5);
}

TEST(Results, ReadBackToTheSameText) {
  auto const text = to_json(study());
  auto const read = from_json(text, "text");
  EXPECT_EQ(to_json(read), text);
  EXPECT_EQ(read.seed, 18446744073709551615u);
  ASSERT_EQ(read.runs.size(), 4u);
  EXPECT_EQ(*read.runs[3].member, 7);
  EXPECT_FALSE(read.runs[0].member);
  EXPECT_FALSE(read.runs[1].metrics.at("siu").at("l2_relative").defined());
  EXPECT_FALSE(read.runs[1].metrics.at("siu").at("l2_relative").failed());
  EXPECT_TRUE(read.runs[2].metrics.at("sivol").at("rmse").failed());
  EXPECT_TRUE(std::isnan(read.runs[1].series->fields.at("sivol").l2_relative[0]));
  EXPECT_EQ(read.statistics[1].resolution, 4);
  EXPECT_EQ(read.statistics[1].orientation_spread, 37.5);
  ASSERT_EQ(read.verdicts.size(), 2u);
  EXPECT_EQ(read.verdicts[0].answer, Answer::undecided);
  EXPECT_EQ(read.verdicts[0].would_decide, study().verdicts[0].would_decide);
  EXPECT_EQ(read.verdicts[1].answer, Answer::different);
  EXPECT_EQ(read.answer, Answer::different);
}

TEST(Results, HoldTheKeysThatScriptsRelyOn) {
  auto const json = nlohmann::json::parse(to_json(study()));
  EXPECT_EQ(json["schema"], "ulpine.results/1");
  for (char const* key : {"case", "provenance", "reference", "runs", "ensembles", "bitwise", "controls",
                          "evaluations", "statistics", "curves", "figures", "gates", "verdicts", "answer",
                          "would_decide", "passed", "notes"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  auto const& single = json["runs"][1];
  for (char const* key :
       {"id", "policy", "assembly", "device", "epsilon", "member", "wall_s", "steps", "hash", "metrics",
        "lkf", "path", "cells", "memory_bytes", "failed", "integrals", "series", "undefined"}) {
    EXPECT_TRUE(single.contains(key)) << key;
  }
  for (char const* key : {"l2_relative", "linf", "rmse", "bias", "nmse", "fb", "r", "fac2",
                          "log10_l2_relative", "one_minus_r", "mae", "max_ulp", "significant_bits"}) {
    EXPECT_TRUE(single["metrics"]["sivol"][key].is_number()) << key;
  }
  EXPECT_TRUE(single["metrics"]["siu"]["l2_relative"].is_null());
  EXPECT_EQ(single["undefined"]["siu.l2_relative"], "the reference is zero everywhere");
  EXPECT_EQ(single["lkf"]["count"].dump(), "44") << "an integer";
  EXPECT_TRUE(single["lkf"]["total_length_km"].is_null());
  EXPECT_EQ(single["statistics"]["lkf_count"], 44);
  EXPECT_EQ(single["curves"]["roughness"]["y"][1], 0.2);
  EXPECT_EQ(json["runs"][0]["series"]["statistics"]["lkf_count"][1], 40);
  EXPECT_EQ(json["ensembles"][0]["lkf_count"]["mean"], 41.5);
  EXPECT_EQ(json["ensembles"][0]["statistics"]["lkf_count"]["sd"], 2.25);
  EXPECT_EQ(json["ensembles"][0]["controls"]["lkf_total_length_km"]["mean"], 1200);
  EXPECT_EQ(json["ensembles"][0]["curves"]["roughness"]["mean"][1], 2);
  EXPECT_EQ(json["controls"][0]["statistics"]["lkf_count"]["mean"], 40);
  EXPECT_EQ(json["evaluations"][0]["field"], "shear");
  EXPECT_EQ(json["evaluations"][0]["rules"], "repaired");
  EXPECT_EQ(json["evaluations"][1]["floor"], 1e-10);
  EXPECT_EQ(json["evaluations"][2]["fields"][1], "v");
  EXPECT_EQ(json["curves"][0]["x"]["scale"], "log");
  EXPECT_EQ(json["figures"][0]["field"], "sivol");
  EXPECT_EQ(json["figures"][0]["index"], 3);
  EXPECT_EQ(json["gates"][0]["subject"]["kind"], "field");
  EXPECT_EQ(json["gates"][0]["time"], "last");
  EXPECT_EQ(json["provenance"]["seed"], 18446744073709551615u);
  for (char const* key :
       {"configuration", "policy", "assembly", "device", "answer", "would_decide", "evidence"}) {
    EXPECT_TRUE(json["verdicts"][0].contains(key)) << key;
  }
  for (char const* key :
       {"kind", "subject", "value", "interval", "margin", "detectable", "answer", "reason"}) {
    EXPECT_TRUE(json["verdicts"][0]["evidence"][0].contains(key)) << key;
  }
  EXPECT_EQ(json["verdicts"][0]["answer"], "undecided");
  EXPECT_FALSE(json["passed"]);
}

TEST(Results, KeepEveryBitOfDoubles) {
  RandomValues random(61);
  for (int i = 0; i < 2000; ++i) {
    StudyResults results;
    results.runs = {run("fp64", "deterministic")};
    double const value = random.ugly(-1070, 1020);
    results.runs[0].wall_s = value;
    EXPECT_EQ(to_bits(from_json(to_json(results), "text").runs[0].wall_s), to_bits(value));
  }
}

TEST(Results, NeverContainNan) {
  auto results = study();
  results.runs[0].wall_s = nan;
  results.runs[0].integrals["x"] = {nan, infinity};
  results.gates[0].value = nan;
  results.ensembles[0].epsilon = -infinity;
  auto const text = to_json(results);
  auto const json = nlohmann::json::parse(text);  // accepts neither NaN nor infinity
  EXPECT_TRUE(json["runs"][0]["wall_s"].is_null());
  EXPECT_TRUE(json["runs"][0]["integrals"]["x"]["final"].is_null());
  EXPECT_TRUE(json["gates"][0]["value"].is_null());
  EXPECT_TRUE(json["ensembles"][0]["epsilon"].is_null());
  EXPECT_TRUE(std::isnan(from_json(text, "text").runs[0].wall_s));
}

TEST(Results, RefuseOtherSchemasAndBrokenText) {
  auto other = to_json(study());
  other.replace(other.find("results/1"), 9, "results/2");
  EXPECT_NE(message_of<InputError>([&] { from_json(other, "results.json"); }).find("ulpine.results/1"),
            std::string::npos);
  for (char const* text : {"", "{}", "[]", "null", "{\"schema\": 1}", "{\"schema\": \"ulpine.results/1\"}",
                           "{\"schema\": \"ulpine.results/1\", \"case\": 3}"}) {
    auto const message = message_of<InputError>([&] { from_json(text, "results.json"); });
    EXPECT_EQ(message.find("results.json: "), 0u) << text << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  auto const whole = to_json(study());
  for (std::size_t length : {whole.size() / 4, whole.size() / 2, whole.size() - 4}) {
    EXPECT_THROW(from_json(whole.substr(0, length), "cut"), InputError);
  }
}

TEST(Results, AreWrittenWholeOrNotAtAll) {
  TemporaryFolder folder;
  write_results(folder / "results.json", study());
  EXPECT_EQ(to_json(read_results(folder / "results.json")), to_json(study()));
  EXPECT_FALSE(std::filesystem::exists(folder / "results.json.part"));
  EXPECT_THROW(write_results(folder / "absent/results.json", study()), EnvironmentError);
  EXPECT_THROW(read_results(folder / "absent.json"), InputError);
}

TEST(Gates, KnowTheGoodSideOfEachMetric) {
  auto const passes = [](char const* metric, double limit, double value) {
    return judge(Gate{"f", metric, limit}, "run", Value::of(value)).passed;
  };
  EXPECT_TRUE(passes("l2_relative", 1e-3, 1e-3));
  EXPECT_FALSE(passes("l2_relative", 1e-3, std::nextafter(1e-3, 1)));
  EXPECT_TRUE(passes("r", 0.9, 0.95));
  EXPECT_FALSE(passes("r", 0.9, -1));
  EXPECT_TRUE(passes("fac2", 0.5, 0.5));
  EXPECT_FALSE(passes("significant_bits", 20, 19.9));
  EXPECT_TRUE(passes("bias", 0.1, -0.1));
  EXPECT_FALSE(passes("bias", 0.1, -0.2));
  EXPECT_FALSE(passes("fb", 0.1, 0.2));
  EXPECT_TRUE(passes("mg", 1.25, 0.8));
  EXPECT_FALSE(passes("mg", 1.25, 0.79));
  EXPECT_FALSE(passes("mg", 1.25, -1));
}

TEST(Gates, DoNotPassWithoutANumberAndALimit) {
  for (auto const& info : metric_list()) {
    Gate const gate{"f", info.name, infinity};
    for (auto const& value :
         {Value::of(nan), Value::of(infinity), Value::failure("x"), Value::undefined("y"), Value()}) {
      auto const result = judge(gate, "run", value);
      EXPECT_FALSE(result.passed) << info.name;
      EXPECT_FALSE(result.value);
      EXPECT_NE(result.skipped.empty(), result.reason.empty());
    }
    for (double const limit : {nan, infinity, -infinity}) {
      EXPECT_FALSE(judge(Gate{"f", info.name, limit}, "run", Value::of(0.5)).passed) << info.name << limit;
    }
  }
  EXPECT_FALSE(judge(Gate{"f", "log10_linf", 5}, "run", Value::of(-3)).passed);
  EXPECT_FALSE(judge(Gate{"f", "unheard_of", 5}, "run", Value::of(1)).passed);
}

TEST(Gates, JudgeUnperturbedRunsAgainstTheReference) {
  auto const results = study();
  auto const gates = judge({{"sivol", "l2_relative", 1e-3},
                            {"siu", "l2_relative", 1},
                            {"lkf", "count_relative", 0.1},
                            {"lkf", "total_length_relative", 0.1},
                            {"sivol", "significant_bits", 30}},
                           results);
  ASSERT_EQ(gates.size(), 10u);  // two runs: neither the reference nor the member
  auto const& passed = gates[0];
  EXPECT_EQ(passed.run, "fp32/atomic");
  EXPECT_EQ(passed.name, "sivol.l2_relative");
  EXPECT_TRUE(passed.passed);
  EXPECT_EQ(passed.limit, 1e-3);
  EXPECT_EQ(gates[1].skipped, "the reference is zero everywhere");
  EXPECT_NEAR(*gates[2].value, 0.1, 1e-15);  // 44 against 40
  EXPECT_TRUE(gates[2].passed);
  EXPECT_FALSE(gates[3].skipped.empty());
  EXPECT_FALSE(gates[4].passed);
  EXPECT_TRUE(gates[4].skipped.empty());
  for (std::size_t i = 5; i < 10; ++i) {
    EXPECT_EQ(gates[i].run, "fp16/atomic");
    EXPECT_FALSE(gates[i].passed);
    EXPECT_NE(gates[i].reason.find("the run failed"), std::string::npos);
  }
}

TEST(Gates, HoldForFieldsStatisticsIntegralsAndCurves) {
  auto const results = study();
  auto const value = [&](Gate const& gate) {
    for (auto const& judged : judge({gate}, results)) {
      if (judged.run == "fp32/atomic") return judged;
    }
    throw std::out_of_range(gate.name());
  };
  auto const at = [](Gate gate, char const* time) {
    gate.time = time;
    return gate;
  };
  auto const count = value({"lkf_count", "difference", 3});
  EXPECT_EQ(*count.value, 4);
  EXPECT_FALSE(count.passed);
  EXPECT_EQ(count.subject.kind, "statistic");
  EXPECT_EQ(count.subject.name, "lkf_count");
  EXPECT_EQ(count.metric, "difference");
  EXPECT_EQ(*value({"lkf", "count_difference", 4}).value, 4);
  EXPECT_EQ(value({"lkf", "count_relative", 4}).subject.name, "lkf_count");
  EXPECT_EQ(*value(at({"lkf_count", "difference", 3}, "all")).value, 4);
  EXPECT_EQ(*value(at({"lkf_count", "difference", 3}, "0 s")).value, 3);
  EXPECT_EQ(value(at({"lkf_count", "difference", 3}, "2 h")).skipped, "there is no output at 2 h");

  // (1.01e13 - 1e13) / 1e13: the numerator is exact, 1e-3 of rounding in the numbers themselves.
  EXPECT_NEAR(*value({"sea ice volume", "drift", 0.1}).value, 0.01, 1e-15);
  EXPECT_EQ(value({"sea ice volume", "relative", 0.1}).subject.kind, "integral");
  EXPECT_NEAR(*value({"sea ice volume", "relative", 0.1}).value, 0.01, 2e-14);
  EXPECT_FALSE(value({"sea water volume", "relative", 0.1}).skipped.empty());

  auto stepped = results;
  for (auto& run : stepped.runs) run.steps = run.id == "fp32/atomic" ? 103 : 100;
  auto const steps = [&](char const* metric, double limit) {
    for (auto const& judged : judge({{"steps", metric, limit}}, stepped)) {
      if (judged.run == "fp32/atomic") return judged;
    }
    return GateResult{};
  };
  EXPECT_EQ(*steps("difference", 2).value, 3);
  EXPECT_FALSE(steps("difference", 2).passed);
  EXPECT_TRUE(steps("relative", 0.03).passed);
  EXPECT_FALSE(steps("drift", 1).skipped.empty());

  auto const curve = value({"roughness", "linf", 0.05});
  EXPECT_EQ(curve.subject.kind, "curve");
  EXPECT_EQ(*curve.value, 0.2 - 0.1);
  EXPECT_FALSE(curve.passed);

  EXPECT_EQ(*value(at({"sivol", "linf", 1}, "1 h")).value, 1e-6);
  EXPECT_EQ(*value(at({"sivol", "linf", 1}, "all")).value, 1e-6);
  EXPECT_FALSE(value(at({"sivol", "l2_relative", 1}, "all")).skipped.empty()) << "one of them is missing";
}

TEST(Gates, HoldForTheRunsThatTheyName) {
  auto const results = study();
  for (auto const& [name, wanted] : std::vector<std::pair<std::string, std::size_t>>{
           {"fp32/atomic", 1}, {"fp16", 1}, {"atomic", 2}, {"deterministic", 0}, {"cpu", 2}}) {
    Gate gate{"sivol", "l2_relative", 1};
    gate.runs = {name};
    EXPECT_EQ(judge({gate}, results).size(), wanted) << name;
  }
}

TEST(Gates, TakeTheirLimitFromTheReferencesOwnSpread) {
  auto results = study();
  Gate gate{"sivol", "l2_relative", nan};
  gate.spreads = 2.0;
  EXPECT_NE(judge({gate}, results)[0].skipped.find("no ensemble"), std::string::npos);
  results.ensembles[0].configuration = results.reference;
  auto judged = judge({gate}, results)[0];
  EXPECT_EQ(judged.limit, 2e-6);
  EXPECT_FALSE(judged.passed) << *judged.value;
  gate.spreads = 1e6;
  EXPECT_TRUE(judge({gate}, results)[0].passed);
  gate.time = "1 h";
  EXPECT_EQ(judge({gate}, results)[0].limit, 1e6 * 1e-7);
  Gate count{"lkf_count", "difference", nan};
  count.spreads = 2.0;
  judged = judge({count}, results)[0];
  EXPECT_EQ(judged.limit, 4.5);
  EXPECT_TRUE(judged.passed) << *judged.value;
  results.ensembles.push_back(results.ensembles[0]);
  results.ensembles[1].epsilon_text = "2^-7";
  results.ensembles[1].statistics["lkf_count"].sd = 1;
  EXPECT_NE(judge({count}, results)[0].skipped.find("several amplitudes"), std::string::npos);
  EXPECT_FALSE(judge({count}, results)[0].passed);
  count.epsilon = "2^-7";
  EXPECT_EQ(judge({count}, results)[0].limit, 2);
}

TEST(Gates, OnFeaturesAreNoTighterThanTheirSpreadOverOrientations) {
  auto results = study();  // 40 features of the reference, 44 of the run
  auto const limit = [&](char const* metric, double asked) {
    auto const judged = judge({{"lkf", metric, asked}}, results)[0];
    EXPECT_EQ(judged.passed, judged.value && *judged.value <= judged.limit);
    return judged.limit;
  };
  EXPECT_EQ(limit("count_relative", 0.05), 0.05);
  EXPECT_EQ(limit("count_difference", 2), 2);
  results.statistics[0].orientation_spread = 6;
  EXPECT_EQ(limit("count_relative", 0.05), 6.0 / 40);
  EXPECT_EQ(limit("count_relative", 0.5), 0.5);
  EXPECT_EQ(limit("count_difference", 2), 6);
  EXPECT_EQ(limit("count_difference", 7), 7);
  EXPECT_EQ(limit("count_magnitude", 2), 2) << "a limit of the number itself";
  EXPECT_EQ(limit("total_length_difference", 2), 37.5) << "another statistic has its own";
}

TEST(Gates, OfTheCaseReplaceThoseOfTheCore) {
  auto const gates =
      read_gates(io::CaseFile::parse("core = \"toy\"\n[verify.h.l2_relative]\nlimit = 1e-2\ntime = \"6 h\"\n"
                                     "runs = [\"fp32\"]\n[verify.u]\nlinf = 1\n",
                                     "case.toml"),
                 "[verify.h]\nl2_relative = 1e-3\nrmse = 2\n");
  ASSERT_EQ(gates.size(), 3u);
  EXPECT_EQ(gates[0].limit, 1e-2);
  EXPECT_EQ(gates[0].time, "6 h");
  EXPECT_EQ(gates[0].runs, (std::vector<std::string>{"fp32"}));
  EXPECT_EQ(gates[1].name(), "h.rmse");
  EXPECT_EQ(gates[2].name(), "u.linf");
}

TEST(Gates, AreReadFromTheCase) {
  auto const read = [](std::string const& text) {
    return read_gates(io::CaseFile::parse("core = \"seaice\"\n" + text, "case.toml"));
  };
  auto const gates =
      read("[verify.sivol]\nl2_relative = 1e-3\nr = 0.999\n[verify.lkf]\ncount_relative = 1\n");
  ASSERT_EQ(gates.size(), 3u);
  EXPECT_EQ(gates[0].name(), "sivol.l2_relative");
  EXPECT_EQ(gates[0].limit, 1e-3);
  EXPECT_EQ(gates[1].name(), "sivol.r");
  EXPECT_EQ(gates[2].limit, 1);
  EXPECT_TRUE(read("").empty());
  for (auto const& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"[verify.sivol]\nl2_relativ = 1\n", "did you mean 'l2_relative'"},
           {"[verify.sivol]\nlog10_linf = -3\n", "no gate on 'log10_linf'"},
           {"[verify.sivol]\ncount_relative = 1\n", "unknown metric"},
           {"[verify.lkf]\nl2_relative = 1\n", "unknown metric"},
           {"[verify.sivol]\nrmse = -1\n", "rmse"},
           {"[verify.sivol]\nrmse = nan\n", "rmse"},
           {"[verify.sivol]\nrmse = inf\n", "rmse"},
           {"[verify.sivol]\nrmse = \"small\"\n", "rmse"},
           {"[verify.lkf]\ncuont_relative = 1\n", "did you mean 'count_relative'"},
           {"[verify.sivol.l2_relative]\ntime = \"all\"\n", "a limit or a spread"},
           {"[verify.sivol.l2_relative]\nlimit = 1\nspread = 2\n", "a limit or a spread"},
           {"[verify.sivol.l2_relative]\nlimit = 1\ntme = 2\n", "did you mean 'time'"},
           {"[verify.sivol.l2_relative]\nlimit = 1\ntime = \"late\"\n", "late"},
           {"[verify.sivol.rmse]\nlimit = 1\ntime = \"all\"\n", "but at the last time"},
           {"[verify.sivol.rmse]\nspread = 1\n", "no spread"},
           {"[verify]\nsivol = 1\n", "table of limits"}}) {
    EXPECT_NE(message_of<InputError>([&] { read(text); }).find(says), std::string::npos)
        << text << message_of<InputError>([&] { read(text); });
  }
}

TEST(Junit, IsXmlWithASuitePerRun) {
  if (std::system("python3 -c ''") != 0) {
    GTEST_SKIP() << "no python3 to parse with";
  }
  auto results = study();
  results.gates[0].name = "a<b> & \"c\" 'd' \x01 \xff ü";
  TemporaryFolder folder;
  ulpine::test::write_file(folder / "junit.xml", to_junit(results));
  ulpine::test::write_file(folder / "check.py", R"(import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suites = {s.get("name"): s for s in root}
assert list(suites) == ["fp64/deterministic", "fp32/atomic", "fp16/atomic"], list(suites)
for s in list(root) + [root]:
    cases = list(s.iter("testcase"))
    assert int(s.get("tests")) == len(cases), s.attrib
    assert int(s.get("failures")) == sum(c.find("failure") is not None for c in cases), s.attrib
    assert int(s.get("skipped")) == sum(c.find("skipped") is not None for c in cases), s.attrib
single = list(suites["fp32/atomic"])
assert [c.get("name") for c in single] == ["completed", "a<b> & \"c\" 'd' ? \ufffd \u00fc", "siu.l2_relative", "verdict"], [c.get("name") for c in single]
assert single[0].find("*") is None and single[1].find("*") is None
assert "zero everywhere" in single[2].find("skipped").get("message")
assert single[3].find("skipped").get("message").startswith("undecided: siu.l2_relative"), single[3].find("skipped").attrib
assert "would decide: a value for gate siu.l2_relative" in single[3].find("skipped").get("message")
lost = list(suites["fp16/atomic"])
assert len(lost) == 4 and all(c.find("failure") is not None for c in lost)
assert lost[3].find("failure").get("message").startswith("different: completed: different (the run failed")
assert "<cell [4, 5]> & more" in lost[0].find("failure").get("message")
)");
  auto const command =
      "python3 '" + (folder / "check.py").string() + "' '" + (folder / "junit.xml").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << to_junit(results);
}

TEST(Junit, HasRunsThatAreNotJudgedWhereTheyFailed) {
  auto results = study();
  auto const before = to_junit(results);
  GateResult gate;
  gate.name = "completed";
  gate.run = "quad/deterministic";
  gate.limit = 1;
  gate.reason = "it was not solved";
  results.gates.push_back(gate);
  auto const text = to_junit(results);
  EXPECT_EQ(before.find("quad/"), before.npos);
  EXPECT_NE(text.find("<testcase classname=\"quad/deterministic\" name=\"completed\" time=\"0.000\">\n      "
                      "<failure message=\"it was not solved"),
            text.npos)
      << text;
}

TEST(Summary, SaysTheVerdictFirst) {
  auto results = study();
  auto const holds = [&](std::string const& text) {
    EXPECT_NE(to_summary(results).find(text), std::string::npos) << text << "\n" << to_summary(results);
  };
  holds("\n\n**different**: 1 undecided, 1 different; gates 1 passed, **2 failed**, 1 not judged\n\n");
  holds("| fp64/deterministic | reference | ");
  holds("\n| fp16/atomic | **different** | ");
  holds("completed: different (the run failed");
  holds("\n| fp32/atomic | **undecided** | ");
  holds("; would decide: a value for gate siu.l2_relative");
  holds("\n- other cases, longer runs, other meshes and machines\n");
  holds("`report.html`");
  EXPECT_LT(to_summary(results).find("fp16/atomic | **"), to_summary(results).find("fp32/atomic | **"))
      << "the worst comes first";

  results.runs.erase(results.runs.begin() + 2);
  results.gates = judge({{"sivol", "l2_relative", 1e-3}}, results);
  judge_study(results);
  holds("**undecided**: 1 undecided; gates 1 passed\n\nWhat would decide: fp32/atomic: at least 8 members");
  results.runs[1].hash = results.runs[0].hash;
  judge_study(results);
  holds("**equal**: 1 equal; gates 1 passed\n");
  EXPECT_EQ(to_summary(results).find("would decide"), std::string::npos);
}

/// The cells of the row of the table that begins with `name`.
std::vector<std::string> cells_of(std::string const& summary, std::string const& name) {
  std::vector<std::string> cells;
  auto const begin = summary.find("\n| " + name + " | ");
  if (begin == std::string::npos) return cells;
  std::istringstream line(summary.substr(begin + 1, summary.find('\n', begin + 1) - begin - 1));
  for (std::string text; std::getline(line, text, '|');) cells.push_back(text);
  return cells;
}

TEST(Summary, ClaimsNoSpeedOfFormatsThatTheDeviceLacks) {
  auto results = study();
  results.runs.resize(2);
  auto& run = results.runs[1];
  auto const cost = [&](std::string const& policy, std::string const& device, double wall_s) {
    run.policy = policy, run.device = device, run.wall_s = wall_s;
    results.runs[0].wall_s = 30, results.runs[0].memory_bytes = 4000, run.memory_bytes = 2000;
    auto const cells = cells_of(to_summary(results), run.id);
    return cells.size() > 5 ? cells[4] + "|" + cells[5] : "no row";
  };
  judge_study(results);
  EXPECT_EQ(cost("fp32", "cpu", 12), " 2.50 x | 50 % ");
  EXPECT_EQ(cost("fp32", "cpu", 0), " - | 50 % ");
  EXPECT_EQ(cost("tf32", "cpu", 12), " emulated | 50 % ");
  EXPECT_EQ(cost("fp16", "mpi:3", 12), " emulated | 50 % ");
  EXPECT_EQ(cost("tf32", "cuda:1", 12), " 2.50 x | 50 % ");
  EXPECT_EQ(cost("e8m7-sr1", "cpu", 12), " emulated | 50 % ");
}

// The limit is that of a comment which people read: sixty lines, whatever the study.
TEST(Summary, IsNoLongerWhateverTheSizeOfTheStudy) {
  auto results = study();
  results.reference_error = ReferenceError{"quad/deterministic", {600}, {{"siu", {{1e-15}, {1e-15}, {}}}}};
  results.rules.tolerated = "2^-10";
  results.missing = {7, 300, "ulpine ensemble --resume"};
  results.would_decide = "more members";
  auto const pattern = results.runs[1];
  for (int i = 0; i < 120; ++i) {
    auto run = pattern;
    run.id = "e8m" + std::to_string(i) + "/deterministic", run.policy = "e8m" + std::to_string(i);
    if (i % 3 == 0) run.failed = "step " + std::to_string(i) + ": siu is not finite";
    results.runs.push_back(run);
    Verdict verdict;
    verdict.configuration = run.id;
    verdict.answer = i % 3 == 0 ? Answer::different : i % 3 == 1 ? Answer::equivalent : Answer::undecided;
    for (int piece = 0; piece < 40; ++piece) {
      Evidence evidence;
      evidence.kind = "statistic", evidence.part = piece % 2 == 0 ? "mean" : "spread";
      evidence.subject = "s" + std::to_string(piece);
      evidence.reason = std::string("because of ") + static_cast<char>('a' + piece % 26);
      if (piece % 4 != 0) evidence.answer = verdict.answer, evidence.value = 1, evidence.margin = 2;
      verdict.evidence.push_back(evidence);
    }
    results.verdicts.push_back(verdict);
    GateResult gate;
    gate.name = "completed", gate.run = "quad/" + std::to_string(i), gate.limit = 1, gate.reason = "lost";
    results.gates.push_back(gate);
    results.notes.push_back("note " + std::to_string(i));
  }
  auto const text = to_summary(results);
  auto const lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  EXPECT_LT(lines, summary_lines) << text;
  EXPECT_EQ(summary_lines, 60u);
  EXPECT_LT(text.size(), 65536u) << "GitHub takes no longer comments";
  for (auto const* words : {"| e8m0/deterministic | **different** |", "of them worse", "7 of 300 runs",
                            "and 116 gates more", "`report.html`"}) {
    EXPECT_NE(text.find(words), text.npos) << words << text;
  }
  EXPECT_EQ(text.find("| e8m1/deterministic |"), text.npos)
      << "an equivalent one, while others are different";
  // With few configurations there is room for what they rest on, and that is cut where the room ends.
  results.verdicts.resize(4), results.notes.clear(), results.gates.clear();
  auto const folded = to_summary(results);
  EXPECT_NE(folded.find("<details>"), folded.npos);
  EXPECT_NE(folded.find("</details>\n"), folded.npos);
  EXPECT_NE(folded.find(" more, none of them worse"), folded.npos);
  EXPECT_LT(static_cast<std::size_t>(std::ranges::count(folded, '\n')), summary_lines);
}

TEST(Summary, KeepsTablesWholeWhateverTheTextSays) {
  auto results = study();
  results.runs[2].failed = "a | b\nc <script>";
  results.gates = judge({{"sivol", "l2_relative", 1e-3}}, results);
  judge_study(results);
  for (std::istringstream lines(to_summary(results)); !lines.eof();) {
    std::string line;
    std::getline(lines, line);
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    EXPECT_TRUE(bars == 0 || bars == 8) << line;
  }
}

}  // namespace
}  // namespace ulpine::verification
