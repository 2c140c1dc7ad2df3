// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ensembles/study/study_evaluation.hpp"
#include "verification/gates/gates.hpp"

namespace ulpine::ensembles {
namespace {

/// The limit of a gate in words.
std::string demand_of(verification::Gate const& gate) {
  auto text = gate.spreads ? fmt::format("{} spreads", *gate.spreads) : fmt::format("{}", gate.limit);
  if (!gate.epsilon.empty()) text += " at eps=" + gate.epsilon;
  if (gate.time != "last") text += " at " + gate.time;
  if (!gate.runs.empty()) text += fmt::format(" for {}", fmt::join(gate.runs, ", "));
  return text;
}

/// The rules of a verdict as names with words, those that are as usual left out.
std::map<std::string, std::string> words_of(verification::Rules const& rules) {
  std::map<std::string, std::string> words;
  if (!rules.tolerated.empty()) words["tolerated"] = rules.tolerated;
  words["statistics.margin"] = verification::words_of(rules.statistics, "");
  words["curves.margin"] = verification::words_of(rules.curves, "");
  words["statistics.spread_ratio"] = fmt::format("{}", rules.spread_ratio);
  if (!rules.levels.all()) words["levels"] = fmt::format("{} to {}", rules.levels.from, rules.levels.to);
  for (auto const& [name, margin] : rules.margins)
    words[name + ".margin"] = verification::words_of(margin, "");
  return words;
}

/// Tolerances must not grow silently: what case.toml says now against what the study was planned with.
void note_changed_tolerances(StudyEvaluation& study, std::vector<verification::Gate> const& gates) {
  auto const planned_case = io::CaseFile::parse(study.manifest.case_text, "manifest.json", study.study);
  auto& notes = study.results.notes;
  auto planned = words_of(verification::read_rules(planned_case, study.declared));
  auto now = words_of(study.results.rules);
  for (auto const& gate : verification::read_gates(planned_case, study.declared)) {
    planned[gate.name()] = demand_of(gate);
  }
  for (auto const& gate : gates) now[gate.name()] = demand_of(gate);
  for (auto const& [name, demand] : now) {
    auto const before = planned.find(name);
    if (before == planned.end()) {
      notes.push_back(fmt::format("tolerance {} = {} was added after the study was planned", name, demand));
    } else if (before->second != demand) {
      notes.push_back(
          fmt::format("tolerance {} = {} was {} when the study was planned", name, demand, before->second));
    }
    planned.erase(name);
  }
  for (auto const& [name, demand] : planned) {
    notes.push_back(fmt::format("tolerance {} = {} was removed after the study was planned", name, demand));
  }
}

}  // namespace

void fill_gates(StudyEvaluation& study) {
  // Unperturbed runs that failed fail the study anyway; so must a member that is missing from its ensemble.
  for (auto const& run : study.results.runs) {
    if (run.failed && run.member) {
      verification::GateResult gate;
      gate.name = "completed";
      gate.run = run.id;
      gate.limit = 1;
      gate.reason = *run.failed;
      study.results.gates.push_back(std::move(gate));
    }
  }
  auto const gates = verification::read_gates(study.case_file, study.declared);
  auto const judged = verification::judge(gates, study.results);
  study.results.gates.insert(study.results.gates.end(), judged.begin(), judged.end());
  note_changed_tolerances(study, gates);
}

}  // namespace ulpine::ensembles
