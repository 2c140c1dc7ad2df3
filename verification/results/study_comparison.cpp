// SPDX-License-Identifier: Apache-2.0
#include "verification/results/study_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine::verification {
namespace {

bool is_unperturbed(RunResult const& run) { return !run.member && !run.epsilon; }

double ratio_of(double now, double last) {
  auto const ratio = now / last;
  return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::quiet_NaN();
}

std::string text_of(StudyResults const& results, std::string const& key) {
  for (auto const& [name, text] : results.provenance) {
    if (name == key) {
      return text;
    }
  }
  return {};
}

StudyComparison::Side side_of(StudyResults const& results) {
  return {results.study_case,          results.reference,          text_of(results, "created"),
          text_of(results, "version"), text_of(results, "commit"), results.answer};
}

/// The ensemble that says how much scatter is to be expected, as StudyComparison::yardstick has it.
EnsembleResult const* yardstick_of(StudyResults const& results) {
  std::set<std::string> controls;
  for (auto const& verdict : results.verdicts) {
    if (verdict.control) {
      controls.insert(verdict.configuration);
    }
  }
  // The order of preference, best last: the control, the tolerated amplitude, the largest amplitude.
  auto const rank = [&](EnsembleResult const& ensemble) {
    return std::tuple(controls.contains(ensemble.configuration),
                      ensemble.epsilon_text == results.rules.tolerated, ensemble.epsilon);
  };
  EnsembleResult const* best = nullptr;
  for (auto const& ensemble : results.ensembles) {
    auto const counts =
        controls.contains(ensemble.configuration) || ensemble.configuration == results.reference;
    if (counts && (best == nullptr || rank(ensemble) > rank(*best))) {
      best = &ensemble;
    }
  }
  return best;
}

template <class T>
std::optional<T> found_in(std::map<std::string, T> const& values, std::string const& name) {
  auto const found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional<T>(found->second);
}

Verdict const* find_verdict(StudyResults const& results, std::string const& configuration) {
  auto const found = std::ranges::find(results.verdicts, configuration, &Verdict::configuration);
  return found == results.verdicts.end() ? nullptr : &*found;
}

void compare_answers(StudyResults const& last, StudyResults const& now, StudyComparison& comparison) {
  for (auto const& verdict : now.verdicts) {
    if (auto const* const before = find_verdict(last, verdict.configuration)) {
      comparison.answers.push_back(
          {verdict.configuration, before->answer, verdict.answer, verdict.control || before->control});
    }
  }
  std::ranges::stable_sort(comparison.answers, {}, [](ChangedAnswer const& answer) {
    return std::tuple(!answer.worse() || answer.control, answer.last == answer.now);
  });
}

std::string state_of(GateResult const& gate) {
  return gate.passed ? "passed" : gate.skipped.empty() ? "failed" : "not judged";
}

GateResult const* find_gate(StudyResults const& results, GateResult const& wanted) {
  auto const same = [&](GateResult const& gate) {
    return gate.name == wanted.name && gate.run == wanted.run;
  };
  auto const found = std::ranges::find_if(results.gates, same);
  return found == results.gates.end() ? nullptr : &*found;
}

void compare_gates(StudyResults const& last, StudyResults const& now, StudyComparison& comparison) {
  for (auto const& gate : now.gates) {
    if (auto const* const before = find_gate(last, gate)) {
      comparison.gates.push_back(
          {gate.name, gate.run, gate.limit, before->value, gate.value, state_of(*before), state_of(gate)});
    } else if (auto const* const run = last.find_run(gate.run);
               gate.subject.kind.empty() && run != nullptr && !run->failed) {
      // Only runs that fail have the gate of their end.
      comparison.gates.push_back(
          {gate.name, gate.run, gate.limit, std::nullopt, gate.value, "passed", state_of(gate)});
    } else {
      comparison.only_now.push_back("gate " + gate.name + " of " + gate.run);
    }
  }
  for (auto const& gate : last.gates) {
    if (find_gate(now, gate) == nullptr && !gate.subject.kind.empty()) {
      comparison.only_last.push_back("gate " + gate.name + " of " + gate.run);
    }
  }
  std::ranges::stable_sort(comparison.gates, {}, [](ChangedGate const& gate) {
    return std::tuple(!gate.worse(), gate.was == gate.is);
  });
}

void compare_metrics(RunResult const& last, RunResult const& now, EnsembleResult const* yardstick,
                     StudyComparison& comparison) {
  for (auto const& [field, values] : now.metrics) {
    auto const before = found_in(last.metrics, field);
    for (auto const* const metric : {"l2_relative", "linf", "rmse"}) {
      auto const value = found_in(values, metric);
      auto const old = before ? found_in(*before, metric) : std::nullopt;
      if (!value || !old || (!value->defined() && !old->defined())) {
        continue;
      }
      ChangedMetric changed{now.id, field, metric, old->number(), value->number(), 0, std::nullopt};
      changed.ratio = ratio_of(changed.now, changed.last);
      if (yardstick != nullptr && changed.metric == "l2_relative") {
        changed.spread = found_in(yardstick->spread, field);
      }
      comparison.metrics.push_back(std::move(changed));
    }
  }
}

void compare_statistics(RunResult const& last, RunResult const& now, EnsembleResult const* yardstick,
                        StudyComparison& comparison) {
  for (auto const& [name, value] : now.statistics) {
    auto const before = found_in(last.statistics, name);
    if (!before) {
      continue;
    }
    ChangedStatistic changed{now.id, name, *before, value, value - *before, std::nullopt};
    if (auto const scatter = yardstick == nullptr ? std::nullopt : found_in(yardstick->statistics, name)) {
      changed.sd = scatter->sd;
    }
    comparison.statistics.push_back(std::move(changed));
  }
}

void compare_runs(StudyResults const& last, StudyResults const& now, StudyComparison& comparison) {
  auto const same_case = last.study_case.hash == now.study_case.hash && comparison.comparable();
  auto const* const yardstick = yardstick_of(now);
  for (auto const& run : now.runs) {
    auto const* const before = last.find_run(run.id);
    if (before == nullptr) {
      if (is_unperturbed(run)) {
        comparison.only_now.push_back("run " + run.id);
      }
      continue;
    }
    // Members of another seed have other noise, and other bits for that.
    auto const comparable = same_case && (is_unperturbed(run) || last.seed == now.seed);
    if (comparable && !run.hash.empty() && !before->hash.empty()) {
      comparison.hashes.push_back({run.id, before->hash, run.hash});
    }
    if (!is_unperturbed(run) || !comparison.comparable()) {
      continue;
    }
    if (run.id != now.reference) {
      compare_metrics(*before, run, yardstick, comparison);
    }
    compare_statistics(*before, run, yardstick, comparison);
    if (!run.failed && !before->failed && run.wall_s > 0 && before->wall_s > 0) {
      comparison.times.push_back({run.id, before->wall_s, run.wall_s, run.wall_s / before->wall_s});
    }
  }
  for (auto const& run : last.runs) {
    if (is_unperturbed(run) && now.find_run(run.id) == nullptr) {
      comparison.only_last.push_back("run " + run.id);
    }
  }
  std::ranges::stable_sort(comparison.hashes, {}, &ChangedHash::same);
  if (yardstick != nullptr) {
    comparison.yardstick = yardstick->configuration + " at " + yardstick->epsilon_text;
  }
}

std::string time_text(std::optional<double> seconds) {
  return seconds ? io::number_text(*seconds) + " s" : "not known";
}

std::string interval_text(std::optional<double> seconds) {
  return seconds == 0.0 ? "none (the first and the last output alone)" : time_text(seconds);
}

std::string cells_text(StudyResults const& results) {
  auto const* const reference = results.find_run(results.reference);
  return reference == nullptr || reference->cells == 0 ? "not known" : std::to_string(reference->cells);
}

/// Identifies a study beyond the case's hash, which leaves out the end, the output and the judging.
struct Quantity {
  char const* key;
  std::string (*text)(StudyResults const&);
  char const* consequence;  ///< where it differs; empty: the two cannot be compared in numbers
};
constexpr std::array quantities = {
    Quantity{"cells", cells_text, ""},
    Quantity{"start", [](StudyResults const& study) { return time_text(study.study_case.start_s); }, ""},
    Quantity{"end", [](StudyResults const& study) { return time_text(study.study_case.end_s); }, ""},
    Quantity{"output interval",
             [](StudyResults const& study) { return interval_text(study.study_case.interval_s); },
             "means over time, and what is the worst of all times, are of other outputs; where steps vary, "
             "outputs "
             "shorten some"}};

/// Finds the differences that say what may be compared at all, so it comes first.
void find_what_differs_in_kind(StudyResults const& last, StudyResults const& now,
                               StudyComparison& comparison) {
  if (last.study_case.core != now.study_case.core) {
    comparison.incomparable.push_back(
        fmt::format("the core was {} and is {}", last.study_case.core, now.study_case.core));
  }
  for (auto const& [key, text, consequence] : quantities) {
    auto const before = text(last), after = text(now);
    if (before == after || before == "not known" || after == "not known") continue;
    auto const words =
        fmt::format("the {} {} {} and {} {}", key, key == std::string("cells") ? "were" : "was", before,
                    key == std::string("cells") ? "are" : "is", after);
    if (*consequence == '\0') {
      comparison.incomparable.push_back(words);
    } else {
      comparison.notes.push_back(words + ": " + consequence);
    }
  }
  for (auto const& line : comparison.incomparable) {
    comparison.notes.push_back(
        line +
        ": errors, statistics, final states and times are not compared, and answers and "
        "gates speak of different runs");
  }
  for (auto const& [side, when] : {std::pair{&last, "last"}, std::pair{&now, "this"}}) {
    if (!side->study_case.end_s) {
      comparison.notes.push_back(
          fmt::format("when the runs of {} study began, ended and wrote output is not known (an older "
                      "version evaluated it): "
                      "evaluate it again with `report` to have that compared",
                      when));
    }
  }
}

std::string margin_text(Margin const& margin, std::string const& name, StudyResults const& results) {
  for (auto const& statistic : results.statistics) {
    if (statistic.name == name) return words_of(margin, statistic.units);
  }
  for (auto const& curve : results.curves) {
    if (curve.name == name) return words_of(margin, curve.y.units);
  }
  return words_of(margin, "");
}

/// Margins, tolerance and limits that were edited between the two: answers are held against others.
void note_edited_rules(StudyResults const& last, StudyResults const& now, StudyComparison& comparison) {
  auto const note = [&](std::string const& what, std::string const& before, std::string const& after) {
    if (before == after) return;
    comparison.notes.push_back(fmt::format("{} was {} and is {}: answers are held against another", what,
                                           before.empty() ? "none" : before, after.empty() ? "none" : after));
    comparison.provenance.push_back({what, before, after});
  };
  note("the tolerated amplitude", last.rules.tolerated, now.rules.tolerated);
  note("the usual margin of statistics", words_of(last.rules.statistics, ""),
       words_of(now.rules.statistics, ""));
  note("the usual margin of curves", words_of(last.rules.curves, ""), words_of(now.rules.curves, ""));
  note("the margin of spreads", fmt::format("a factor of {:g}", last.rules.spread_ratio),
       fmt::format("a factor of {:g}", now.rules.spread_ratio));
  auto const levels = [](Levels const& judged) {
    return judged.all() ? std::string("all") : fmt::format("{:g} to {:g}", judged.from, judged.to);
  };
  note("the range of judged levels", levels(last.rules.levels), levels(now.rules.levels));
  std::set<std::string> names;
  for (auto const* const rules : {&last.rules, &now.rules}) {
    for (auto const& [name, margin] : rules->margins) names.insert(name);
  }
  for (auto const& name : names) {
    auto const text = [&](StudyResults const& results) {
      auto const own = results.rules.margins.find(name);
      return own == results.rules.margins.end() ? std::string("the usual")
                                                : margin_text(own->second, name, results);
    };
    note("the margin of " + name, text(last), text(now));
  }
  std::set<std::string> told;
  for (auto const& gate : now.gates) {
    auto const* const before = find_gate(last, gate);
    if (before == nullptr || before->limit == gate.limit || !told.insert(gate.name).second) continue;
    note("the limit of gate " + gate.name, fmt::format("{:g}", before->limit),
         fmt::format("{:g}", gate.limit));
  }
}

void compare_provenance(StudyResults const& last, StudyResults const& now, StudyComparison& comparison) {
  std::vector<std::string> keys;
  for (auto const* const side : {&now, &last}) {
    for (auto const& [key, text] : side->provenance) {
      if (std::ranges::find(keys, key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  auto const add = [&](std::string const& key, std::string const& before, std::string const& after) {
    if (before != after) {
      comparison.provenance.push_back({key, before, after});
    }
  };
  add("core", last.study_case.core, now.study_case.core);
  add("case", last.study_case.name, now.study_case.name);
  add("case hash", last.study_case.hash, now.study_case.hash);
  for (auto const& quantity : quantities) add(quantity.key, quantity.text(last), quantity.text(now));
  for (auto const& key : keys) {
    add(key, text_of(last, key), text_of(now, key));
  }
  add("seed", std::to_string(last.seed), std::to_string(now.seed));
}

void note_what_differs(StudyResults const& last, StudyResults const& now, StudyComparison& comparison) {
  auto const name = [](StudyResults const& results) {
    return results.study_case.core + "/" + results.study_case.name;
  };
  if (name(last) != name(now)) {
    comparison.notes.push_back(fmt::format("the cases differ: {}, now {}", name(last), name(now)));
  } else if (last.study_case.hash != now.study_case.hash) {
    comparison.notes.push_back(
        "the case was changed (case.toml of both studies says how): final states are not compared, and "
        "errors "
        "and statistics are of another model than before");
  }
  if (last.reference != now.reference) {
    comparison.notes.push_back(fmt::format("the reference was {} and is {}: errors are against another run",
                                           last.reference, now.reference));
  }
  if (last.seed != now.seed) {
    comparison.notes.push_back(fmt::format(
        "the seed was {} and is {}: members have other noise, and their final states are not compared",
        last.seed, now.seed));
  }
  auto const members = [](StudyResults const& results) {
    std::int64_t most = 0;
    for (auto const& ensemble : results.ensembles) most = std::max(most, ensemble.members);
    return most;
  };
  if (members(last) != members(now)) {
    comparison.notes.push_back(fmt::format(
        "an ensemble had {} members and has {}: its tests find smaller differences the more there are",
        members(last), members(now)));
  }
  for (auto const& verdict : now.verdicts) {
    if (!verdict.control && find_verdict(last, verdict.configuration) == nullptr) {
      comparison.notes.push_back(
          fmt::format("{} is new: {}", verdict.configuration, name_of(verdict.answer)));
    }
  }
  for (auto const& verdict : last.verdicts) {
    if (!verdict.control && find_verdict(now, verdict.configuration) == nullptr) {
      comparison.notes.push_back(
          fmt::format("{} is gone: it was {}", verdict.configuration, name_of(verdict.answer)));
    }
  }
  for (auto const& [side, when] : {std::pair{&last, "last"}, std::pair{&now, "this"}}) {
    if (side->missing.runs > 0) {
      comparison.notes.push_back(
          fmt::format("of {} study {} of {} runs are missing", when, side->missing.runs, side->missing.of));
    }
  }
}

void list_what_got_worse(StudyComparison& comparison) {
  if (!comparison.comparable()) return;
  for (auto const& answer : comparison.answers) {
    if (answer.worse() && !answer.control) {
      comparison.worse.push_back(
          fmt::format("{}: was {}, is {}", answer.configuration, name_of(answer.last), name_of(answer.now)));
    }
  }
  for (auto const& gate : comparison.gates) {
    if (gate.worse()) {
      comparison.worse.push_back(fmt::format("gate {} of {}: passed, now failed", gate.name, gate.run));
    }
  }
}

}  // namespace

StudyComparison compare_studies(StudyResults const& last, StudyResults const& now,
                                std::string const& last_name, std::string const& now_name) {
  auto const shared = [&](RunResult const& run) {
    return is_unperturbed(run) && last.find_run(run.id) != nullptr;
  };
  if (std::ranges::none_of(now.runs, shared)) {
    throw InputError(now_name + ": nothing to compare (no configuration of " + last_name +
                     " is in it) name two studies of one plan");
  }
  StudyComparison comparison;
  comparison.last = side_of(last);
  comparison.now = side_of(now);
  find_what_differs_in_kind(last, now, comparison);
  compare_runs(last, now, comparison);
  compare_answers(last, now, comparison);
  compare_gates(last, now, comparison);
  compare_provenance(last, now, comparison);
  note_edited_rules(last, now, comparison);
  note_what_differs(last, now, comparison);
  list_what_got_worse(comparison);
  return comparison;
}

std::string words_of(StudyComparison const& comparison) {
  std::string text;
  auto const changed = std::ranges::count(comparison.hashes, false, &ChangedHash::same);
  for (auto const& note : comparison.notes) {
    text += note + "\n";
  }
  constexpr std::ptrdiff_t most = 10;
  for (std::ptrdiff_t i = 0; i < std::min(changed, most); ++i) {
    auto const& hash = comparison.hashes[std::size_t(i)];
    text += fmt::format("{}: other bits ({}, now {})\n", hash.run, hash.last, hash.now);
  }
  if (!comparison.hashes.empty()) {
    text += fmt::format("{} of {} final states have other bits\n", changed, comparison.hashes.size());
  }
  for (auto const& answer : comparison.answers) {
    if (answer.last != answer.now) {
      text += fmt::format("{}: was {}, is {}{}\n", answer.configuration, name_of(answer.last),
                          name_of(answer.now), answer.control ? " (control: it fails nothing)" : "");
    }
  }
  for (auto const& gate : comparison.gates) {
    if (gate.was != gate.is) {
      text += fmt::format("gate {} of {}: was {}, is {}\n", gate.name, gate.run, gate.was, gate.is);
    }
  }
  auto const* const nothing =
      comparison.comparable() ? "nothing got worse\n" : "nothing that can be compared got worse\n";
  return text + (comparison.passed() ? nothing : fmt::format("{} got worse\n", comparison.worse.size()));
}

}  // namespace ulpine::verification
