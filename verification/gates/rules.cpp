// SPDX-License-Identifier: Apache-2.0
#include "verification/gates/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "io/error.hpp"
#include "verification/evaluators/case_keys.hpp"

namespace ulpine::verification {
namespace {

constexpr char const* forms =
    "(\"0.5 sd\" of the reference's members, \"2 %\" of their mean, or a number in its units)";

/// "0.5 sd" or "2 %"; empty for anything else.
std::optional<Margin> parse_margin(std::string const& text) {
  Margin margin;
  auto const* const end = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data(), end, margin.value);
  std::string unit(rest, end);
  std::erase(unit, ' ');
  if (error != std::errc{} || !(margin.value > 0) || !std::isfinite(margin.value) ||
      (unit != "sd" && unit != "%")) {
    return std::nullopt;
  }
  margin.kind = unit == "sd" ? Margin::Kind::spread : Margin::Kind::relative;
  margin.value = unit == "sd" ? margin.value : margin.value / 100;
  return margin;
}

class RulesReader {
 public:
  RulesReader(io::CaseFile const& file, Rules& rules)
      : file_{file}, keys_{file, case_keys()}, rules_{rules} {}

  void read() {
    if (keys_.has("verify.tolerated")) {
      rules_.tolerated = keys_.text("verify.tolerated", "");
      auto amplitude = 0.0;
      try {
        amplitude = io::parse_power(rules_.tolerated);
      } catch (InputError const&) {
        // Said below, with the key.
      }
      if (!(amplitude > 0) || !std::isfinite(amplitude)) {
        throw file_.error("verify.tolerated",
                          "is no amplitude of a perturbation (a positive number or power as text) "
                          "write e.g. \"2^-10\"");
      }
      rules_.reason.clear();
    }
    if (keys_.has("verify.reason")) rules_.reason = keys_.text("verify.reason", "");
    read_table("statistics", rules_.statistics);
    read_table("curves", rules_.curves);
    read_levels();
  }

 private:
  /// `[verify.TABLE]` and the tables of single names in it.
  void read_table(std::string const& table, Margin& usual) {
    auto const path = "verify." + table;
    if (file_.has(path) && file_.keys_under(path).empty()) {
      throw file_.error(path,
                        std::string("expected a table with a margin ") + forms + " write [" + path + "]");
    }
    for (auto const& name : file_.keys_under(path)) {
      auto const key = path + "." + name;
      auto const inner = file_.keys_under(key);
      if (!inner.empty()) {
        for (auto const& other : inner) require(key + "." + other, other, {"margin", "reason"});
        rules_.margins[name] = read_margin(key);
      } else if (name == "spread_ratio" && table == "statistics") {
        rules_.spread_ratio = keys_.number("verify.statistics.spread_ratio");
      } else {
        require(key, name, {"margin", "reason", "[NAME]"});
      }
    }
    if (file_.has(path + ".margin")) usual = read_margin(path);
  }

  void read_levels() {
    auto const names = file_.keys_under("verify.levels");
    if (names.empty()) {
      if (!file_.has("verify.levels")) return;
      throw file_.error("verify.levels", "expected a table of heights write [verify.levels] to = 1000.0");
    }
    for (auto const& name : names) {
      std::vector<std::string> const known = {"from", "to", "reason"};
      if (std::ranges::find(known, name) == known.end()) {
        throw file_.error("verify.levels." + name, "unknown key of levels" + choices_hint(name, known));
      }
    }
    auto& levels = rules_.levels = {};
    if (keys_.has("verify.levels.from")) levels.from = keys_.number("verify.levels.from", 0);
    if (keys_.has("verify.levels.to")) levels.to = keys_.number("verify.levels.to", 0);
    if (keys_.has("verify.levels.reason")) levels.reason = keys_.text("verify.levels.reason");
    if (!(levels.from <= levels.to)) {
      throw file_.error("verify.levels.to",
                        "lies below verify.levels.from (no level would be judged) exchange them");
    }
  }

  Margin read_margin(std::string const& path) const {
    auto const key = path + ".margin";
    if (!file_.has(key)) {
      throw file_.error(path, std::string("has no margin ") + forms + " give one");
    }
    Margin margin;
    if (file_.is_number(key)) {
      margin.kind = Margin::Kind::absolute;
      margin.value = file_.number(key, 0, 0, std::numeric_limits<double>::max());
    } else if (auto const parsed = parse_margin(file_.text(key, ""))) {
      margin = *parsed;
    } else {
      margin.value = 0;
    }
    if (!(margin.value > 0)) {
      throw file_.error(key, std::string("is no margin above zero ") + forms + " write e.g. \"0.5 sd\"");
    }
    if (file_.has(path + ".reason")) margin.reason = file_.text(path + ".reason", "");
    return margin;
  }

  void require(std::string const& key, std::string const& name, std::vector<std::string> const& known) const {
    if (std::ranges::find(known, name) == known.end()) {
      throw file_.error(key, "unknown key of a margin" + choices_hint(name, known));
    }
  }

  io::CaseFile const& file_;
  io::KeyReader keys_;
  Rules& rules_;
};

}  // namespace

std::string words_of(Margin const& margin, std::string const& units) {
  switch (margin.kind) {
    case Margin::Kind::spread:
      return fmt::format("{:g} sd", margin.value);
    case Margin::Kind::relative:
      return fmt::format("{:g} %", 100 * margin.value);
    case Margin::Kind::absolute:
      break;
  }
  return fmt::format("{:g}{}", margin.value, units.empty() || units == "1" ? "" : " " + units);
}

Margin const& Rules::of_statistic(std::string const& name) const {
  auto const found = margins.find(name);
  return found == margins.end() ? statistics : found->second;
}

Margin const& Rules::of_curve(std::string const& name) const {
  auto const found = margins.find(name);
  return found == margins.end() ? curves : found->second;
}

std::vector<std::string> const& names_of_rules() {
  static std::vector<std::string> const names = {"tolerated", "reason", "statistics", "curves", "levels"};
  return names;
}

Rules read_rules(io::CaseFile const& case_file, std::string const& declared) {
  Rules rules;
  if (!declared.empty()) {
    auto const core = io::CaseFile::parse(declared, "core " + case_file.core());
    RulesReader(core, rules).read();
  }
  RulesReader(case_file, rules).read();
  return rules;
}

void require_margins(io::CaseFile const& case_file, std::vector<std::string> const& statistics,
                     std::vector<std::string> const& curves) {
  auto const require = [&](char const* table, std::vector<std::string> const& names) {
    auto const path = std::string("verify.") + table;
    for (auto const& name : case_file.keys_under(path)) {
      if (!case_file.keys_under(path + "." + name).empty() && std::ranges::find(names, name) == names.end()) {
        throw case_file.error(path + "." + name,
                              "there is nothing of this name to judge" + choices_hint(name, names));
      }
    }
  };
  require("statistics", statistics);
  require("curves", curves);
}

}  // namespace ulpine::verification
