// SPDX-License-Identifier: Apache-2.0
#include "verification/results/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "verification/results/markdown.hpp"
#include "verification/statistics/predictability.hpp"
#include "verification/verdict/verdict.hpp"

namespace ulpine::verification {
namespace {

std::string shown(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{:.4g}", *value) : "-";
}

std::string shown(std::optional<MeanSd> const& value) {
  return value ? fmt::format("{} ± {}", shown(value->mean), shown(value->sd)) : "-";
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
  return largest ? fmt::format("{} ({})", shown(*largest), cell(where)) : "-";
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

std::string headline(StudyResults const& results) {
  auto text = fmt::format("**{}**: {}; gates {}\n", name_of(results.answer), tally_of(results),
                          tally(results).text());
  if (!results.would_decide.empty()) {
    text += fmt::format("\nWhat would decide: {}\n", cell(results.would_decide));
  }
  return text;
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

/// The pieces of a verdict that decided it, else the worst of each kind; how many more there are.
std::string list_of_evidence(Verdict const& verdict) {
  std::map<std::string, Evidence const*> worst;
  std::string lines;
  std::size_t shown = 0;
  for (auto const& evidence : verdict.evidence) {
    auto*& of_kind = worst[evidence.part.empty() ? evidence.kind : evidence.kind + " " + evidence.part];
    if (of_kind == nullptr || badness(evidence) > badness(*of_kind)) of_kind = &evidence;
  }
  for (auto const& evidence : verdict.evidence) {
    auto const decided = verdict.answer >= Answer::undecided && evidence.answer == verdict.answer;
    auto const is_worst =
        std::any_of(worst.begin(), worst.end(), [&](auto const& item) { return item.second == &evidence; });
    if (decided || is_worst || evidence.subject.empty()) {
      lines += "  - " + cell(words_of(evidence)) + "\n";
      ++shown;
    }
  }
  if (shown < verdict.evidence.size()) {
    auto const others = verdict.evidence.size() - shown;
    lines += fmt::format(
        "  - and {} no worse (results.json has all)\n",
        others == 1 ? "1 piece of evidence that is" : fmt::format("{} pieces of evidence that are", others));
  }
  return lines;
}

std::string list_of_verdicts(StudyResults const& results) {
  std::string lines;
  for (auto const& verdict : results.verdicts) {
    lines += fmt::format("- {}{}: **{}**{}\n", cell(verdict.configuration),
                         verdict.control ? " (the reference with other noise; it does not count)" : "",
                         name_of(verdict.answer),
                         verdict.would_decide.empty() ? "" : ", would decide: " + cell(verdict.would_decide));
    lines += list_of_evidence(verdict);
  }
  return lines.empty() ? "" : "\n### Verdicts\n\n" + lines;
}

/// Lines on the tolerated perturbation and on how far the reference itself can be trusted.
std::string list_of_rules(StudyResults const& results) {
  std::string lines;
  auto const& rules = results.rules;
  if (!rules.tolerated.empty()) {
    lines += fmt::format("- tolerated perturbation: {}{}\n", cell(rules.tolerated),
                         rules.reason.empty() ? "" : ", " + cell(rules.reason));
  } else if (!results.ensembles.empty()) {
    lines +=
        "- tolerated perturbation: none is said (`verify.tolerated`); the largest of the study stands in\n";
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
      lines += fmt::format("- digits that the reference itself shares with {} after {:g} s: {}\n",
                           cell(error.configuration), error.time_s.back(), digits);
    }
  }
  return lines.empty() ? "" : "\n" + lines;
}

std::string table_of_bad_gates(StudyResults const& results) {
  std::string rows;
  for (auto const& gate : results.gates) {
    if (gate.passed && gate.skipped.empty()) {
      continue;
    }
    auto const why = !gate.skipped.empty() ? "not judged: " + gate.skipped
                     : gate.reason.empty() ? "failed"
                                           : gate.reason;
    rows += fmt::format("| {} | {} | {} | {} | {} |\n", cell(gate.run), cell(gate.name), shown(gate.value),
                        shown(gate.limit), cell(why));
  }
  return rows.empty() ? "" : "\n| run | gate | value | limit | |\n| --- | --- | ---: | ---: | --- |\n" + rows;
}

/// Column heads of the statistics.
std::string heads_of_statistics(StudyResults const& results) {
  std::string heads;
  for (auto const& statistic : results.statistics) {
    auto const& units = statistic.units;
    auto const words = statistic.long_name.empty() ? statistic.name : statistic.long_name;
    heads += " " + cell(units == "1" || units.empty() ? words : words + " (" + units + ")") + " |";
  }
  return heads;
}

std::string rule_of_statistics(StudyResults const& results) {
  std::string rule;
  for (std::size_t i = 0; i < results.statistics.size(); ++i) rule += " ---: |";
  return rule;
}

/// Whether the study's runs are variants of a program, which have names where others have an assembly.
bool of_variants(StudyResults const& results) {
  return !results.runs.empty() &&
         std::ranges::all_of(results.runs, &std::string::empty, &RunResult::assembly);
}

std::string table_of_runs(StudyResults const& results) {
  auto const variants = of_variants(results);
  std::string rows;
  for (auto const& run : results.runs) {
    if (run.member) {
      continue;
    }
    auto const state = run.failed                    ? "failed: " + *run.failed
                       : run.id == results.reference ? std::string("reference")
                                                     : tally(results, &run.id).text();
    std::string statistics;
    for (auto const& statistic : results.statistics) {
      auto const value = run.statistics.find(statistic.name);
      statistics += (value == run.statistics.end() ? "-" : shown(value->second)) + " | ";
    }
    rows += fmt::format("| {} | {} | {} | {} | {} | {} | {}{} | {} |\n", cell(variants ? run.id : run.policy),
                        cell(variants ? run.policy : run.assembly), cell(run.device),
                        worst(run, "l2_relative"), worst(run, "one_minus_r"), worst(run, "linf"), statistics,
                        shown(run.wall_s), run.failed ? "**" + cell(state) + "**" : state);
  }
  return rows.empty() ? ""
                      : std::string(variants ? "\n| variant | precision" : "\n| policy | assembly") +
                            " | device | largest relative L2 | largest 1 - R | largest max error |" +
                            heads_of_statistics(results) +
                            " wall s | gates |\n| --- | --- | --- | ---: | ---: | ---: |" +
                            rule_of_statistics(results) + " ---: | --- |\n" + rows;
}

std::string table_of_ensembles(StudyResults const& results) {
  auto const variants = of_variants(results);
  std::string rows;
  for (auto const& ensemble : results.ensembles) {
    std::string spread = "-";
    double largest = -1;
    for (auto const& [field, value] : ensemble.spread) {
      if (value.l2_relative_mean > largest) {
        largest = value.l2_relative_mean;
        spread = fmt::format("{} ± {} ({})", shown(value.l2_relative_mean), shown(value.l2_relative_sd),
                             cell(field));
      }
    }
    std::string statistics;
    for (auto const& statistic : results.statistics) {
      auto const value = ensemble.statistics.find(statistic.name);
      statistics +=
          " " + (value == ensemble.statistics.end() ? "-" : shown(std::optional(value->second))) + " |";
    }
    rows +=
        fmt::format("| {} | {} | {} | {} |{}\n", cell(variants ? ensemble.configuration : ensemble.policy),
                    ensemble.epsilon_text.empty() ? shown(ensemble.epsilon) : cell(ensemble.epsilon_text),
                    ensemble.members, spread, statistics);
  }
  return rows.empty() ? ""
                      : "\n### Ensembles\n\n| " + std::string(variants ? "variant" : "policy") +
                            " | perturbation | members | largest relative L2 (mean ± sd) |" +
                            heads_of_statistics(results) + "\n| --- | --- | ---: | ---: |" +
                            rule_of_statistics(results) + "\n" + rows;
}

std::string table_of_predictability(StudyResults const& results) {
  std::string rows;
  for (auto const& [field, saturation, entries] : predictability(results)) {
    for (auto const& entry : entries) {
      auto const who = entry.run.empty() ? "members of the reference, " + entry.epsilon_text : entry.run;
      auto const when = !entry.time_s                  ? std::string("not reached")
                        : std::isnan(entry.time_s->sd) ? shown(entry.time_s->mean)
                                                       : shown(entry.time_s);
      rows += fmt::format("| {} | {} | {} | {} | {} of {} |\n", cell(field), shown(saturation), cell(who),
                          when, entry.runs, entry.of);
    }
  }
  return rows.empty()
             ? ""
             : "\n### Predictability\n\nThe time at which an error reaches half of what trajectories end "
               "up with that have nothing in common (saturation).\n\n| field | saturation | runs | s | "
               "reached by |\n| --- | ---: | --- | ---: | ---: |\n" +
                   rows;
}

std::string list_of_groups(StudyResults const& results) {
  std::string lines;
  for (auto const& group : results.bitwise) {
    lines +=
        fmt::format("- {}: {}\n", code(group.hash), cell(fmt::format("{}", fmt::join(group.runs, ", "))));
  }
  return lines.empty() ? "" : "\n### Runs with equal bits\n\n" + lines;
}

}  // namespace

std::string to_summary(StudyResults const& results) {
  auto text = fmt::format("## {} / {}\n\n{}", cell(results.study_case.core), cell(results.study_case.name),
                          headline(results));
  std::size_t lost = 0;
  for (auto const& run : results.runs) {
    lost += run.failed ? 1 : 0;
  }
  if (lost > 0) {
    auto const* reference = results.find_run(results.reference);
    auto const groundless = reference != nullptr && reference->failed;
    text += fmt::format("\n**{} of {} runs failed{}**\n", lost, results.runs.size(),
                        groundless ? ", the reference among them: nothing can be held against it" : "");
  }
  text += list_of_rules(results) + list_of_verdicts(results) + table_of_bad_gates(results) +
          table_of_runs(results) + table_of_ensembles(results) + table_of_predictability(results) +
          list_of_groups(results);
  if (!results.notes.empty()) {
    text += "\n### Notes\n\n";
    for (auto const& note : results.notes) {
      text += "- " + cell(note) + "\n";
    }
  }
  return text;
}

}  // namespace ulpine::verification
