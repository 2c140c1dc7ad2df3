// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "ensembles/programs/program_run.hpp"
#include "ensembles/runs/run.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/study/study_evaluation.hpp"

namespace ulpine::ensembles {
namespace {

using verification::RunResult;

void take_record(StudyEvaluation& study, EvaluatedRun& run, RunRecord const& record) {
  auto& result = run.result;
  for (auto const& file : record.files) {
    if (file.name == "output.nc") run.output = file.content;
  }
  result.failed = record.failed;
  result.device = record.device;
  result.wall_s = record.wall_s;
  result.steps = record.steps;
  result.cells = record.cells;
  result.memory_bytes = record.memory_bytes;
  result.hash = record.hash;
  for (std::size_t i = 0; i < record.initial.size(); ++i) {
    result.integrals[record.initial[i].name] = {record.initial[i].value, record.final[i].value};
  }
  for (auto const& [name, value] : record.provenance) {
    if (name == "version" || name == "commit") {
      study.builds[result.id] += (name == "commit" ? " " : "") + value;
    }
    if (name == output_notes && !result.member) study.results.notes.push_back(result.id + ": " + value);
    if (name == output_begins)
      std::from_chars(value.data(), value.data() + value.size(), study.begins[result.id]);
    if (result.id == study.manifest.plan.reference && name != "seed") {
      study.results.provenance.emplace_back(name, value);
    }
  }
  if (result.id == study.manifest.plan.reference) {
    study.results.study_case.start_s = record.start_s;
    study.results.study_case.end_s = record.end_s;
  }
}

/// Why the output of a program's run is none of the reference's times, which both count from their first;
/// nothing where it is.
std::optional<std::string> other_begin(StudyEvaluation const& study, std::string const& id) {
  auto const own = study.begins.find(id), reference = study.begins.find(study.manifest.plan.reference);
  if (own == study.begins.end() || reference == study.begins.end()) return {};
  auto const apart = own->second - reference->second;
  if (std::abs(apart) <= time_tolerance(study.layout.times)) return {};
  return fmt::format(
      "its output begins {:g} s {} than the reference's: nothing of the same time can be compared",
      std::abs(apart), apart > 0 ? "later" : "earlier");
}

}  // namespace

void collect_run(StudyEvaluation& study, ManifestEntry const& entry) {
  if (entry.state == RunState::planned && entry.reason.empty()) {
    return;  // it has not been done
  }
  if (entry.run.until) {
    return;  // it is not judged
  }
  EvaluatedRun run;
  run.plan = entry.run;
  auto& result = run.result;
  result.id = entry.run.id;
  result.policy = entry.run.configuration.policy;
  result.assembly = assembly_text(entry.run.configuration);
  result.device = entry.run.configuration.device;
  result.ensemble = entry.run.ensemble;
  result.path = entry.run.path.generic_string();
  result.member = entry.run.member;
  result.control = entry.run.control;
  if (entry.run.epsilon) {
    result.epsilon = entry.run.epsilon->value;
    result.epsilon_text = entry.run.epsilon->text;
  }
  if (entry.state == RunState::planned) {
    result.failed = entry.reason;
  } else {
    take_record(study, run, read_run(study.study / entry.run.path / "run.json"));
  }
  if (!result.failed) result.failed = other_begin(study, result.id);
  study.runs.push_back(std::move(run));
}

void collect_runs(StudyEvaluation& study) {
  study.results.study_case = {study.manifest.core, study.manifest.case_name, study.manifest.case_hash};
  study.results.study_case.interval_s = output_interval(study.case_file);
  study.results.seed = study.manifest.plan.options.seed;
  study.results.reference = study.manifest.plan.reference;
  for (auto const& entry : study.manifest.entries) {
    study.results.missing.runs += entry.state == RunState::planned && entry.reason.empty() ? 1 : 0;
    collect_run(study, entry);
  }
  if (study.manifest.same_noise) {
    study.results.notes.push_back(
        "members have the same noise at every amplitude (the study was planned by " + study.manifest.version +
        "): what is found at one amplitude is no evidence beside another");
  }
  study.results.missing.of = static_cast<std::int64_t>(study.manifest.entries.size());
  study.results.missing.command =
      resume_command(study.options.program, study.study, study.manifest.plan.options);
}

void fill_bitwise(StudyEvaluation& study) {
  std::vector<std::string> policies;  // of the groups
  for (auto const& run : study.runs) {
    if (run.plan.member || run.result.failed) {
      continue;
    }
    std::size_t same = 0;
    while (same < policies.size() &&
           (study.results.bitwise[same].hash != run.result.hash || policies[same] != run.result.policy)) {
      ++same;
    }
    if (same == policies.size()) {
      policies.push_back(run.result.policy);
      study.results.bitwise.push_back({run.result.hash, {}});
    }
    study.results.bitwise[same].runs.push_back(run.result.id);
  }
}

}  // namespace ulpine::ensembles
