// SPDX-License-Identifier: Apache-2.0
#include "verification/results/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <span>
#include <utility>

#include "precision/format_name.hpp"
#include "verification/results/markdown.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::verification {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t most_configurations = 16;  ///< in the table
constexpr std::size_t most_untested = 4;         ///< reasons for which something was not tested
constexpr std::size_t most_gates = 4;            ///< that failed of runs that have no verdict
constexpr std::size_t most_notes = 4;
constexpr std::size_t most_broken = 4;  ///< pairs whose order is broken

std::string counted(std::size_t count, std::string const& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// The first of `names`, and how many more there are.
std::string some_of(std::vector<std::string> const& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + cell(names[i]);
  }
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

/// Cuts `lines` to `most`, and says how many were left out.
void cut(Lines& lines, std::size_t most, std::string const& noun) {
  if (lines.size() <= most) return;
  auto const left_out = lines.size() - most;
  lines.resize(most);
  lines.push_back("- and " + counted(left_out, noun) + " more");
}

void append(Lines& lines, Lines const& others) {
  if (others.empty()) return;
  if (!lines.empty()) lines.emplace_back();
  lines.insert(lines.end(), others.begin(), others.end());
}

/// Largest value of `metric` over the fields of a run, with its field.
std::string worst(RunResult const& run, char const* metric) {
  std::optional<double> largest;
  std::string where;
  for (auto const& [field, values] : run.metrics) {
    auto const found = values.find(metric);
    if (found != values.end() && found->second.defined() && (!largest || found->second.number() > *largest)) {
      largest = found->second.number();
      where = field;
    }
  }
  return largest && std::isfinite(*largest) ? fmt::format("{:.2g} ({})", *largest, cell(where)) : "-";
}

struct Tally {
  std::size_t passed = 0, failed = 0, skipped = 0;

  void count(GateResult const& gate) { ++(!gate.skipped.empty() ? skipped : gate.passed ? passed : failed); }
  std::string text() const {
    if (passed + failed + skipped == 0) {
      return "none";
    }
    auto result = fmt::format("{} passed", passed);
    if (failed > 0) {
      result += fmt::format(", **{} failed**", failed);
    }
    if (skipped > 0) {
      result += fmt::format(", {} not judged", skipped);
    }
    return result;
  }
};

Tally tally(StudyResults const& results, std::string const* run = nullptr) {
  Tally result;
  for (auto const& gate : results.gates) {
    if (run == nullptr || gate.run == *run) {
      result.count(gate);
    }
  }
  return result;
}

Lines headline(StudyResults const& results) {
  Lines lines{
      fmt::format("**{}**: {}; gates {}", name_of(results.answer), tally_of(results), tally(results).text())};
  if (!results.would_decide.empty()) {
    append(lines, {"What would decide: " + cell(results.would_decide)});
  }
  Lines broken;
  for (auto const& pair : results.broken_order) broken.push_back("- " + cell(words_of(pair)));
  cut(broken, most_broken, "pair");
  append(lines, broken);
  std::size_t lost = 0;
  for (auto const& run : results.runs) {
    lost += run.failed ? 1 : 0;
  }
  if (lost > 0) {
    auto const* reference = results.find_run(results.reference);
    auto const groundless = reference != nullptr && reference->failed;
    append(lines,
           {fmt::format("**{} of {} runs failed{}**", lost, results.runs.size(),
                        groundless ? ", the reference among them: nothing can be held against it" : "")});
  }
  return lines;
}

/// How far a piece of evidence is from saying equivalent: the answer first, then the value in margins.
double badness(Evidence const& evidence) {
  auto const answer = evidence.answer ? 1e6 * static_cast<double>(*evidence.answer) : 0;
  if (!evidence.value || !evidence.margin || !(*evidence.margin > 0)) {
    return answer;
  }
  auto const ratio = evidence.part == "spread"
                         ? std::abs(std::log(*evidence.value)) / std::log(*evidence.margin)
                         : std::abs(*evidence.value) / *evidence.margin;
  return answer + std::min(ratio, 1e5);
}

/// Verdicts, the worst answer first, those of one answer in the order of the study.
std::vector<Verdict const*> worst_first(StudyResults const& results) {
  std::vector<Verdict const*> verdicts;
  for (auto const& verdict : results.verdicts) verdicts.push_back(&verdict);
  std::ranges::stable_sort(verdicts, [](auto const* a, auto const* b) {
    return static_cast<int>(a->answer) > static_cast<int>(b->answer);
  });
  return verdicts;
}

/// The piece of evidence that gave the answer, in words.
std::string why(Verdict const& verdict) {
  Evidence const* found = nullptr;
  for (auto const& evidence : verdict.evidence) {
    if (evidence.answer == verdict.answer && (found == nullptr || badness(evidence) > badness(*found))) {
      found = &evidence;
    }
  }
  auto text = found == nullptr ? std::string() : words_of(*found);
  if (!verdict.would_decide.empty()) {
    text += (text.empty() ? "would decide: " : "; would decide: ") + verdict.would_decide;
  }
  return text.empty() ? "-" : cell(text);
}

/// Whether the run's format is computed by other operations on its device, so that its time tells nothing of
/// hardware that has the format.
bool is_emulated(RunResult const& run) {
  auto const named = format_of_policy(run.policy);
  auto const rounds_operands = named && named->multiplicand && !run.device.starts_with("cuda");
  return parse_format(run.policy).has_value() || rounds_operands;
}

/// How many times as fast as the reference a run was, and its share of the reference's memory.
std::string cost(RunResult const& run, RunResult const* reference) {
  if (reference == nullptr || reference == &run || run.failed || reference->failed) return "- | -";
  auto const speed = run.wall_s > 0 && reference->wall_s > 0
                         ? fmt::format("{:.2f} x", reference->wall_s / run.wall_s)
                         : std::string("-");
  auto const memory = run.memory_bytes > 0 && reference->memory_bytes > 0
                          ? fmt::format("{:.0f} %", 100. * static_cast<double>(run.memory_bytes) /
                                                        static_cast<double>(reference->memory_bytes))
                          : std::string("-");
  return (is_emulated(run) ? "emulated" : speed) + " | " + memory;
}

std::string row(std::string const& name, std::string const& answer, RunResult const* run,
                StudyResults const& results, std::string const& reason) {
  auto const values =
      run == nullptr ? std::string("- | - | -")
                     : worst(*run, "l2_relative") + " | " + cost(*run, results.find_run(results.reference));
  return fmt::format("| {} | {} | {} | {} | {} |", name, answer, values,
                     run == nullptr ? "-" : tally(results, &run->id).text(), reason);
}

/// The configurations, the reference first and then the worst.
Lines table(StudyResults const& results) {
  Lines lines{"| configuration | answer | largest relative L2 | speed-up | memory | gates | because |",
              "| --- | --- | ---: | ---: | ---: | --- | --- |"};
  if (auto const* reference = results.find_run(results.reference); reference != nullptr) {
    lines.push_back(row(cell(reference->id), "reference", reference, results,
                        reference->failed ? "**failed: " + cell(*reference->failed) + "**" : "-"));
  }
  auto const verdicts = worst_first(results);
  auto const shown = std::span(verdicts).first(std::min(verdicts.size(), most_configurations));
  for (auto const* verdict : shown) {
    lines.push_back(row(cell(verdict->configuration) +
                            (verdict->control ? " (the reference with other noise; it does not count)" : ""),
                        fmt::format("**{}**", name_of(verdict->answer)),
                        results.find_run(verdict->configuration), results, why(*verdict)));
  }
  if (shown.size() < verdicts.size()) {
    lines.push_back(fmt::format("| {} more, none of them worse | {} | | | | | see the page |",
                                verdicts.size() - shown.size(),
                                name_of(verdicts[shown.size()]->answer) +
                                    (verdicts.back()->answer == verdicts[shown.size()]->answer
                                         ? std::string()
                                         : " to " + std::string(name_of(verdicts.back()->answer)))));
  }
  return lines.size() > 2 ? lines : Lines{};
}

/// Gates that did not pass, of runs that have no verdict where it would be told.
Lines list_of_other_gates(StudyResults const& results) {
  Lines lines;
  for (auto const& gate : results.gates) {
    auto const judged = std::ranges::any_of(
        results.verdicts, [&](Verdict const& verdict) { return verdict.configuration == gate.run; });
    if (judged || (gate.passed && gate.skipped.empty())) continue;
    auto const reason = !gate.skipped.empty() ? "not judged: " + gate.skipped
                        : gate.reason.empty() ? "failed"
                                              : gate.reason;
    lines.push_back(fmt::format("- {} {}: {}", cell(gate.run), cell(gate.name), cell(reason)));
  }
  cut(lines, most_gates, "gate");
  return lines;
}

/// What a policy rounds less than its name says; empty where fields are stored as they are computed.
std::string stored_in_double(std::string const& policy) {
  if (policy == "mixed") return "computation is in float";
  std::map<std::string, char const*> const operands = {
      {"tf32", "TF32"}, {"bf16", "bfloat16"}, {"fp16", "binary16"}};
  auto const found = operands.find(policy);
  if (found == operands.end()) return {};
  return fmt::format("computation is in float, operands of products alone are rounded to {}", found->second);
}

/// A line for each policy that keeps fields in double, of which trust in its name would say too much.
Lines list_of_stored(StudyResults const& results) {
  Lines lines;
  for (auto const& verdict : results.verdicts) {
    auto const words = stored_in_double(verdict.policy);
    if (words.empty() || verdict.control) continue;
    auto line = fmt::format("- {}: fields stay in double; {}", verdict.policy, words);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

/// Lines on the tolerated perturbation and on how far the reference itself can be trusted.
Lines list_of_rules(StudyResults const& results) {
  Lines lines;
  auto const& rules = results.rules;
  if (!rules.tolerated.empty()) {
    lines.push_back(fmt::format("- tolerated perturbation: {}{}", cell(rules.tolerated),
                                rules.reason.empty() ? "" : ", " + cell(rules.reason)));
  } else if (!results.ensembles.empty()) {
    lines.emplace_back(
        "- tolerated perturbation: none is said (`verify.tolerated`); the largest of the study stands in");
  }
  if (results.reference_error) {
    auto const& error = *results.reference_error;
    std::string digits;
    for (auto const& [field, errors] : error.fields) {
      if (!errors.l2_relative.empty() && errors.l2_relative.back() > 0) {
        digits += fmt::format("{}{} {:.1f}", digits.empty() ? "" : ", ", cell(field),
                              -std::log10(errors.l2_relative.back()));
      }
    }
    if (!digits.empty()) {
      lines.push_back(fmt::format("- digits that the reference itself shares with {} after {:g} s: {}",
                                  cell(error.configuration), error.time_s.back(), digits));
    }
  }
  return lines;
}

/// What kind of test a piece of evidence belongs to.
std::string kind_of(Evidence const& evidence) {
  if (evidence.kind == "statistic")
    return evidence.part == "spread" ? "spreads of statistics" : "means of statistics";
  return evidence.kind + "s";
}

/// What could not be tested, by reason, and what nobody asked for.
Lines list_of_untested(StudyResults const& results) {
  struct Group {
    std::string reason;
    std::vector<std::string> kinds, configurations;
  };
  // Reasons that differ in their numbers alone are one.
  static std::regex const numbers("[0-9][0-9.]*(e[-+]?[0-9]+)?");
  std::vector<std::pair<std::string, Group>> groups;
  auto const add = [](std::vector<std::string>& names, std::string const& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (auto const& verdict : results.verdicts) {
    for (auto const& evidence : verdict.evidence) {
      if (evidence.answer || evidence.value) continue;
      auto const key = std::regex_replace(evidence.reason, numbers, "#");
      auto found = std::ranges::find(groups, key, [](auto const& group) { return group.first; });
      if (found == groups.end()) {
        groups.push_back({key, {evidence.reason, {}, {}}});
        found = groups.end() - 1;
      }
      add(found->second.kinds, kind_of(evidence));
      add(found->second.configurations, verdict.configuration);
    }
  }
  Lines lines;
  if (results.missing.runs > 0) lines.push_back("- " + cell(words_of(results.missing)));
  for (auto const& [key, group] : groups) {
    lines.push_back(fmt::format("- {} of {}: {}", some_of(group.kinds, 4), some_of(group.configurations, 3),
                                cell(group.reason)));
  }
  cut(lines, most_untested, "reason");
  if (results.ensembles.empty()) {
    lines.emplace_back("- statistics over members: there are none (`--members`)");
  } else if (std::ranges::none_of(results.verdicts, &Verdict::control)) {
    lines.emplace_back("- whether the tests find the reference equal to itself (`--control`)");
  }
  lines.emplace_back("- other cases, longer runs, other meshes and machines");
  lines.insert(lines.begin(), {"Not tested:", ""});
  return lines;
}

Lines list_of_notes(StudyResults const& results) {
  Lines lines;
  for (auto const& note : results.notes) {
    auto const tells_evaluation = std::ranges::any_of(results.evaluations, [&](auto const& evaluation) {
      return note.starts_with(evaluation.name + ": ");
    });
    if (!tells_evaluation) lines.push_back("- " + cell(note));
  }
  cut(lines, most_notes, "note");
  if (!lines.empty()) lines.insert(lines.begin(), {"To know when reading:", ""});
  return lines;
}

/// Of each verdict the pieces that decided it, and the worst of each kind that said something.
Lines list_of_evidence(StudyResults const& results) {
  Lines lines;
  for (auto const* verdict : worst_first(results)) {
    std::map<std::string, Evidence const*> worst;
    for (auto const& evidence : verdict->evidence) {
      if (!evidence.answer && !evidence.value) continue;
      auto*& of_kind = worst[evidence.part.empty() ? evidence.kind : evidence.kind + " " + evidence.part];
      if (of_kind == nullptr || badness(evidence) > badness(*of_kind)) of_kind = &evidence;
    }
    lines.push_back(fmt::format("- {}: **{}**", cell(verdict->configuration), name_of(verdict->answer)));
    for (auto const& evidence : verdict->evidence) {
      auto const decided = verdict->answer >= Answer::undecided && evidence.answer == verdict->answer;
      auto const is_worst =
          std::ranges::any_of(worst, [&](auto const& item) { return item.second == &evidence; });
      if (decided || is_worst) lines.push_back("  - " + cell(words_of(evidence)));
    }
  }
  return lines;
}

}  // namespace

std::string to_summary(StudyResults const& results) {
  Lines lines{fmt::format("## {} / {}", cell(results.study_case.core), cell(results.study_case.name))};
  append(lines, headline(results));
  append(lines, table(results));
  append(lines, list_of_other_gates(results));
  append(lines, list_of_rules(results));
  append(lines, list_of_stored(results));
  append(lines, list_of_untested(results));
  append(lines, list_of_notes(results));
  append(lines, {"Figures and all else: `report.html` of the study; numbers: `results.json`. Times are "
                 "single measurements."});
  auto evidence = list_of_evidence(results);
  // A line of the file says who wrote it; a fold takes five more.
  auto const left = summary_lines - 1 - std::min(lines.size() + 6, summary_lines - 1);
  if (evidence.size() > left && left > 0) {
    auto const left_out = evidence.size() - (left - 1);
    evidence.resize(left - 1);
    evidence.push_back("- and " + counted(left_out, "line") +
                       " more, none of them worse: `report.html` has all");
  }
  if (!evidence.empty() && left > 0) {
    append(lines, {"<details><summary>What the answers rest on</summary>"});
    append(lines, evidence);
    append(lines, {"</details>"});
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace ulpine::verification
