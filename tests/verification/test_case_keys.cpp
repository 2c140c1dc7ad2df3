// SPDX-License-Identifier: Apache-2.0
// The table of the keys that say how runs are judged: the readers of evaluations, gates and figures, whose
// names a case chooses, take what it declares, with its defaults, choices and limits.
#include "verification/evaluators/case_keys.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "io/error.hpp"
#include "support/temporary_folder.hpp"
#include "verification/evaluators/evaluation.hpp"
#include "verification/gates/gates.hpp"
#include "verification/gates/rules.hpp"
#include "verification/metrics/spectrum.hpp"

namespace {

using namespace ulpine;
using namespace ulpine::verification;

/// The last part of a key's name.
std::string last_part(io::CaseKey const& key) { return key.name.substr(key.name.rfind('.') + 1); }

std::vector<io::CaseKey> keys_under(std::string const& family) {
  std::vector<io::CaseKey> found;
  for (auto const& key : case_keys()) {
    if (key.name.starts_with(family) && key.name.find('.', family.size()) == std::string::npos) {
      found.push_back(key);
    }
  }
  return found;
}

/// A case with one evaluation of that kind, with the keys that it cannot do without and `key`.
std::string evaluation(std::string const& kind, std::string const& key, std::string const& value) {
  static std::map<std::string, std::map<std::string, std::string>> const needed = {
      {"extent", {{"threshold", "1"}}},
      {"profile", {{"axis", "'z'"}}},
      {"slope", {{"shortest", "1e3"}, {"longest", "1e4"}}},
      {"distance", {{"from", "'g'"}}}};
  std::map<std::string, std::string> keys = {{"kind", "'" + kind + "'"}, {"field", "'f'"}};
  if (needed.contains(kind)) keys.insert(needed.at(kind).begin(), needed.at(kind).end());
  if (key == "floor") keys["transform"] = "'log10'";
  if (key == "mean_of") keys["mean_over"] = "'1 h'";
  if (!key.empty() && !value.empty()) keys[key] = value;
  std::string lines = "core = 'x'\n[evaluate.it]\n";
  for (auto const& [name, text] : keys) lines += name + " = " + text + "\n";
  return lines;
}

std::vector<Evaluation> read(std::string const& lines) {
  return read_evaluations(io::CaseFile::parse(lines, "case.toml"), "");
}
std::string refusal(std::string const& lines) {
  return test::message_of<InputError>([&] { read(lines); });
}

/// Every kind that takes the key.
std::vector<std::string> kinds_with(std::string const& key, std::string const& value) {
  std::vector<std::string> kinds;
  for (auto const& kind : evaluator_kinds()) {
    if (refusal(evaluation(kind.name, key, value)).find("unknown key") == std::string::npos) {
      kinds.push_back(kind.name);
    }
  }
  return kinds;
}

TEST(JudgingKeys, NameEveryKindOfEvaluation) {
  std::vector<std::string> declared, known;
  for (auto const& key : keys_under("evaluate.*.")) {
    if (last_part(key) == "kind") {
      for (auto const& choice : key.choices) declared.push_back(choice.name);
    }
  }
  for (auto const& kind : evaluator_kinds()) known.push_back(kind.name);
  EXPECT_EQ(declared, known);
}

TEST(JudgingKeys, OfAnEvaluationAreTakenByTheKindsThatTheyNeed) {
  for (auto const& key : keys_under("evaluate.*.")) {
    auto const needs = key.needs.starts_with("kind = ") ? key.needs : "";
    auto const taken = kinds_with(last_part(key), "nan");  // a value that no reader takes
    EXPECT_FALSE(taken.empty()) << key.name;
    if (needs.empty()) continue;
    for (auto const& kind : evaluator_kinds()) {
      auto const words = needs + ",";
      auto const said = words.find(" " + kind.name + ",") != std::string::npos ||
                        words.find(" " + kind.name + " or") != std::string::npos;
      EXPECT_EQ(said, std::ranges::find(taken, kind.name) != taken.end()) << key.name << " of " << kind.name;
    }
  }
}

TEST(JudgingKeys, OfAnEvaluationHaveTheChoicesAndLimitsThatAreDeclared) {
  int choices = 0, limits = 0;
  for (auto const& key : keys_under("evaluate.*.")) {
    auto const name = last_part(key);
    if (name == "kind" || name == "use") continue;
    for (auto const& kind : kinds_with(name, "nan")) {
      if (key.kind == io::KeyKind::choice) {
        std::string list;
        for (auto const& choice : key.choices) list += (list.empty() ? "" : ", ") + choice.name;
        auto const message = refusal(evaluation(kind, name, "'no such choice'"));
        EXPECT_NE(message.find("choose one of " + list), std::string::npos) << key.name << ": " << message;
        ++choices;
      }
      if (key.kind != io::KeyKind::number) continue;
      for (auto const limit : {key.least, key.most}) {
        if (std::isinf(limit)) continue;
        auto const beyond = limit == key.least ? limit - 1 : limit + 1;
        auto const message = refusal(evaluation(kind, name, io::number_text(beyond)));
        EXPECT_NE(message.find("out of range"), std::string::npos) << key.name << ": " << message;
        EXPECT_NE(message.find(io::number_text(limit)), std::string::npos) << key.name << ": " << message;
        ++limits;
      }
    }
  }
  EXPECT_GT(choices, 20);
  EXPECT_GT(limits, 10);
}

TEST(JudgingKeys, OfAnEvaluationHaveTheDefaultsThatAreDeclared) {
  int checked = 0;
  for (auto const& kind : evaluator_kinds()) {
    auto const made = read(evaluation(kind.name, "", ""));
    ASSERT_EQ(made.size(), 1u);
    for (auto const& [name, value] : made.front().info.parameters) {
      for (auto const& key : keys_under("evaluate.*.")) {
        auto const is_text = key.fallback.starts_with('"');
        if (last_part(key) != name || (!is_text && !key.value)) continue;
        ++checked;
        auto const said = is_text ? key.fallback : io::number_text(*key.value);
        auto const* const text = std::get_if<std::string>(&value);
        EXPECT_EQ(text ? "\"" + *text + "\"" : io::number_text(std::get<double>(value)), said) << key.name;
      }
    }
  }
  EXPECT_GT(checked, 15);
}

TEST(JudgingKeys, OfASpectrumNameItsVariants) {
  for (auto const& key : keys_under("evaluate.*.")) {
    if (last_part(key) != "variant") continue;
    std::size_t n = 0;
    for (auto const* name = spectrum_variants(); *name != nullptr; ++name, ++n) {
      EXPECT_EQ(key.choices.at(n).name, *name);
    }
    EXPECT_EQ(key.choices.size(), n);
  }
}

/// What is said of a key with a value that no reader takes.
std::string refusal_of_judging(std::string name) {
  for (auto const* const chosen : {"some", "rmse"}) {
    if (auto const at = name.find('*'); at != std::string::npos) name.replace(at, 1, chosen);
  }
  std::string lines = "core = 'x'\n" + name + " = [nan]\n";
  if (name.starts_with("figure.")) {
    if (!name.ends_with(".kind")) lines += "figure.some.kind = 'map'\n";
    if (!name.ends_with(".field")) lines += "figure.some.field = 'f'\n";
  }
  auto const case_file = io::CaseFile::parse(lines, "case.toml");
  return test::message_of<InputError>([&] {
    read_gates(case_file);
    read_rules(case_file);
    read_figures(case_file, "");
  });
}

TEST(JudgingKeys, OfGatesMarginsAndFiguresAreKnown) {
  for (auto const& key : case_keys()) {
    if (!key.name.starts_with("verify.") && !key.name.starts_with("figure.")) continue;
    EXPECT_EQ(refusal_of_judging(key.name).find("unknown key"), std::string::npos)
        << refusal_of_judging(key.name);
  }
  for (auto const* other : {"verify.*.*.least", "verify.levels.least", "verify.curves.some.least",
                            "verify.statistics.some.least", "figure.*.least"}) {
    EXPECT_NE(refusal_of_judging(other).find("unknown key"), std::string::npos) << other;
  }
}

}  // namespace
