// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "io/error.hpp"
#include "verification/metrics/nan.hpp"

namespace ulpine::verification {
namespace {

constexpr char const *default_table = "default", *skip_key = "skip", *count_key = "differing",
                     *one_sided_key = "one_sided", *compared = "compared";

/// Whether a name fits a pattern of `*` and `?`.
bool fits(std::string_view pattern, std::string_view name) {
  while (!pattern.empty() && pattern.front() != '*') {
    if (name.empty() || (pattern.front() != '?' && pattern.front() != name.front())) return false;
    pattern.remove_prefix(1);
    name.remove_prefix(1);
  }
  if (pattern.empty()) return name.empty();
  pattern.remove_prefix(1);
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (fits(pattern, name.substr(i))) return true;
  }
  return false;
}

bool is_pattern(std::string const& name) { return name.find_first_of("*?") != std::string::npos; }

/// How bad a value is: the larger, the worse.
double badness(Direction direction, double value) {
  switch (direction) {
    case Direction::higher:
      return -value;
    case Direction::zero:
      return std::abs(value);
    case Direction::one:
      return value > 0 ? std::max(value, 1 / value) : std::numeric_limits<double>::infinity();
    default:
      return value;
  }
}

/// Whether one result of a limit is worse than another: exceeded, then undecided, then the worse value.
bool is_worse(GateResult const& a, GateResult const& b) {
  auto const rank = [](GateResult const& result) {
    return result.passed ? 0 : !result.skipped.empty() ? 1 : result.value ? 2 : 3;
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  if (!a.value || !b.value) return false;
  auto const direction = find_metric(a.metric)->direction;
  return badness(direction, *a.value) > badness(direction, *b.value);
}

GateResult result_of(std::string const& subject, std::string const& name, double limit) {
  GateResult result;
  result.name = name;
  result.limit = limit;
  result.time.clear();
  result.subject = {"field", subject};
  return result;
}

GateResult failed(std::string const& subject, std::string const& reason) {
  auto result = result_of(subject, compared, nan);
  result.reason = reason;
  return result;
}

GateResult counted(std::string const& subject, char const* name, std::int64_t count, double limit) {
  auto result = result_of(subject, name, limit);
  result.value = double(count);
  result.passed = double(count) <= limit;
  return result;
}

Limits::Table read_table(io::CaseFile const& file, std::string const& name) {
  Limits::Table table{name};
  auto const keys = file.keys_under(name);
  if (keys.empty()) {
    throw file.error(name, "expected a table of limits, e.g. [" + name + "] l2_relative = 1e-6");
  }
  std::vector<std::string> known = {count_key, one_sided_key, skip_key};
  for (auto const& info : metric_list()) {
    if (info.of_fields != nullptr && info.direction != Direction::none) known.emplace_back(info.name);
  }
  constexpr auto most = std::numeric_limits<double>::max();
  for (auto const& metric : keys) {
    auto const key = name + "." + metric;
    if (std::ranges::find(known, metric) == known.end()) {
      auto const* const info = find_metric(metric);
      throw file.error(key, info != nullptr && info->of_fields != nullptr
                                ? "no limit on '" + metric + "', set it on the error itself"
                                : "unknown metric '" + metric + "'" + choices_hint(metric, known));
    }
    if (metric == skip_key) {
      table.skip = file.flag(key, false);
      if (table.skip && keys.size() > 1) {
        throw file.error(key, "is beside limits (which nothing would be held to) leave out one or the other");
      }
    } else if (metric == one_sided_key) {
      table.one_sided = file.number(key, 0, 0, most);
    } else {
      auto const* const info = find_metric(metric);
      table.gates.push_back(
          {name, metric, file.number(key, 0, info == nullptr ? 0 : least_limit(info->direction), most)});
    }
  }
  return table;
}

}  // namespace

Limits::Table const* Limits::of(std::string const& name, bool derived) const {
  Table const* found = nullptr;
  for (auto const& table : tables) {
    if (table.pattern == name) return &table;
    if (found == nullptr && !derived && is_pattern(table.pattern) && fits(table.pattern, name))
      found = &table;
  }
  if (found != nullptr || derived) return found;
  auto const usual = std::ranges::find(tables, default_table, &Table::pattern);
  return usual == tables.end() ? nullptr : &*usual;
}

Limits read_limits(io::CaseFile const& file) {
  Limits limits;
  for (auto const& name : file.keys_under("")) limits.tables.push_back(read_table(file, name));
  file.reject_unknown();
  return limits;
}

Limits limits_of_equality() { return {{{default_table, {{default_table, count_key, 0}}}}, true}; }

void require_names(io::CaseFile const& file, Limits const& limits, std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  for (auto const& table : limits.tables) {
    auto const& name = table.pattern;
    if (name == default_table || is_pattern(name) || std::ranges::find(names, name) != names.end()) continue;
    throw file.error(name, "neither file has a variable of this name (the limits would hold for nothing)" +
                               choices_hint(name, names));
  }
}

LimitsAnswer LimitsReport::answer() const {
  if (std::ranges::any_of(results, [](GateResult const& r) { return !r.passed && r.skipped.empty(); }))
    return LimitsAnswer::beyond;
  auto const decided = std::ranges::all_of(results, &GateResult::passed);
  return decided ? LimitsAnswer::within : LimitsAnswer::undecided;
}

void LimitsJudge::see(VariableComparison const& variable, TimeComparison const& time) {
  auto const* const table = limits_.of(variable.name, variable.derived);
  if (table == nullptr || variable.labels) return;
  auto& results = worst_[variable.name];
  std::size_t number = 0;
  for (auto const& gate : table->gates) {
    if (gate.metric == count_key) continue;
    auto result = judge(gate, "", time.metrics[gate.metric]);
    result.name = gate.metric;
    result.subject = {"field", variable.name};
    result.time = time.time_text();
    // Equal fields keep every limit, also one on a metric that they do not define.
    if (time.metrics.equal()) {
      result.passed = true;
      result.skipped.clear();
    }
    if (number == results.size()) {
      results.push_back(std::move(result));
    } else if (is_worse(result, results[number])) {
      results[number] = std::move(result);
    }
    ++number;
  }
}

LimitsReport LimitsJudge::report(Comparison const& comparison) const {
  LimitsReport report;
  /// The table of a name that is judged, else null, which is noted.
  auto const judged = [&](std::string const& name, bool derived) -> Limits::Table const* {
    auto const* const table = limits_.of(name, derived);
    if (table == nullptr && !derived) report.without_limit.push_back(name);
    if (table != nullptr && table->skip) report.skipped.push_back(name);
    return table != nullptr && !table->skip ? table : nullptr;
  };
  for (auto const& variable : comparison.variables) {
    auto const* const table = judged(variable.name, variable.derived);
    if (table == nullptr) continue;
    auto const& name = variable.name;
    if (auto const failure = variable.failure(); !failure.empty() && variable.same != Sameness::unknown) {
      report.results.push_back(failed(name, "cannot be compared, " + failure));
      continue;
    }
    if (variable.labels && variable.differing > 0) {
      report.results.push_back(
          failed(name, fmt::format("{} values without numbers differ", variable.differing)));
      continue;
    }
    if (variable.one_sided > 0) {
      report.results.push_back(counted(name, one_sided_key, variable.one_sided, table->one_sided));
    }
    for (auto const& gate : table->gates) {
      if (gate.metric == count_key)
        report.results.push_back(counted(name, count_key, variable.differing, gate.limit));
    }
    if (auto const found = worst_.find(name); found != worst_.end()) {
      report.results.insert(report.results.end(), found->second.begin(), found->second.end());
    }
  }
  for (auto const* names : {&comparison.only_in_reference, &comparison.only_in_test}) {
    auto const* const where = names == &comparison.only_in_test ? "test" : "reference";
    for (auto const& name : *names) {
      if (judged(name, false) != nullptr)
        report.results.push_back(failed(name, fmt::format("is only in the {}", where)));
    }
  }
  for (auto const& [name, agreement] : comparison.places) {
    auto const* const table = limits_.of(name, false);
    if (table != nullptr && table->skip) {
      report.skipped.push_back(name);
    } else if (agreement.same == Sameness::no) {
      report.results.push_back(failed(name, "is another coordinate: " + agreement.difference));
    }
  }
  if (limits_.same_times && comparison.other_times)
    report.results.push_back(failed("times", "are not the same in both files"));
  auto const judges = [&](std::string const& name) {
    auto const* const table = limits_.of(name, false);
    return name.empty() || (table != nullptr && !table->skip);
  };
  for (auto const& [subject, line, by_request] : comparison.not_compared) {
    if (by_request || !judges(subject)) continue;
    auto result = result_of(subject, compared, nan);
    result.skipped = line;
    report.results.push_back(std::move(result));
  }
  return report;
}

std::string to_text(LimitsReport const& report) {
  std::string text;
  std::size_t beyond = 0, undecided = 0;
  auto const say = [&](std::string const& line) { text += one_line(line) + "\n"; };
  for (auto const& result : report.results) {
    if (result.passed) continue;
    auto const& subject = result.subject.name;
    if (!result.skipped.empty()) {
      ++undecided;
      say(result.name == compared ? "undecided: " + result.skipped
                                  : fmt::format("undecided: {} {} has no value at {}, {}", subject,
                                                result.name, result.time, result.skipped));
      continue;
    }
    ++beyond;
    if (!result.value) {
      say(fmt::format("beyond: {} {}", subject, result.reason));
      continue;
    }
    auto const* const info = find_metric(result.name);
    auto const above = info == nullptr || info->direction != Direction::higher;
    say(fmt::format("beyond: {} {} is {:.6g}{}, {} {:.6g}", subject, result.name, *result.value,
                    result.time.empty() || result.time == "-" ? "" : " at " + result.time,
                    above ? "at most" : "at least", result.limit));
  }
  if (!report.without_limit.empty()) say(fmt::format("no limit: {}", fmt::join(report.without_limit, ", ")));
  if (!report.skipped.empty()) say(fmt::format("skipped: {}", fmt::join(report.skipped, ", ")));
  auto const all =
      fmt::format("{} {}", report.results.size(), report.results.size() == 1 ? "limit" : "limits");
  say(beyond > 0      ? fmt::format("{} of {} exceeded", beyond, all)
      : undecided > 0 ? fmt::format("{} of {} undecided", undecided, all)
                      : all + ": none exceeded");
  return text;
}

}  // namespace ulpine::verification
