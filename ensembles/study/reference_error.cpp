// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ensembles/runs/errors.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/study/study_evaluation.hpp"
#include "io/error.hpp"
#include "io/netcdf.hpp"

namespace ulpine::ensembles {
namespace {

/// The errors of the reference at the times that the wider run has too.
verification::ReferenceError compute(StudyEvaluation const& study, PlannedRun const& wider) {
  io::InputFile const reference_file(study.output_of(study.reference())), wider_file(study.output_of(wider));
  verification::ReferenceError result;
  result.configuration = wider.id;
  auto const& layout = study.layout;
  auto const times = wider_file.times(layout.fields.front());
  for (std::size_t time = 0; time < times.size(); ++time) {
    stop_where(study.options.cancel);
    auto const found = std::find(layout.times.begin(), layout.times.end(), times[time]);
    if (found == layout.times.end()) {
      continue;
    }
    auto const frame = verification::read_frame(reference_file, layout, found - layout.times.begin());
    auto const truth = verification::read_frame(wider_file, layout, static_cast<std::int64_t>(time));
    result.time_s.push_back(times[time]);
    for (auto const& [name, values] : frame) {
      add_errors(result.fields[name], values, truth.at(name), layout, name);
    }
  }
  return result;
}

}  // namespace

void fill_reference_error(StudyEvaluation& study) {
  auto const& entries = study.manifest.entries;
  auto const entry = std::find_if(entries.begin(), entries.end(), [&](ManifestEntry const& candidate) {
    return !candidate.run.member && is_quad(candidate.run.configuration) &&
           candidate.run.id != study.results.reference;
  });
  if (entry == entries.end()) {
    if (!study.manifest.quad_note.empty()) study.results.notes.push_back(study.manifest.quad_note);
    return;
  }
  std::string problem = entry->reason;
  if (entry->state == RunState::done && !study.reference_failed()) {
    try {
      study.results.reference_error = compute(study, entry->run);
      return;
    } catch (InputError const& failure) {
      problem = failure.what();
    }
  }
  // A run that is judged itself, or has not been done yet, is reported elsewhere.
  if (entry->run.until && !problem.empty()) {
    verification::GateResult gate;
    gate.name = "completed";
    gate.run = entry->run.id;
    gate.limit = 1;
    gate.reason = problem;
    study.results.gates.push_back(std::move(gate));
  }
}

}  // namespace ulpine::ensembles
