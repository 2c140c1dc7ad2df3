// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/failed_run.hpp"

#include "ensembles/runs/files.hpp"
#include "ensembles/runs/run.hpp"
#include "io/error.hpp"
#include "io/provenance.hpp"

namespace ulpine::ensembles {
namespace {

/// The record of a run that did not come to its first step.
RunRecord record_of(Manifest const& manifest, PlannedRun const& run, std::string const& reason) {
  RunRecord record;
  record.id = run.id;
  record.core = manifest.core;
  record.case_name = manifest.case_name;
  record.case_hash = manifest.case_hash;
  record.policy = run.configuration.policy;
  record.assembly = assembly_text(run.configuration);
  record.device = run.configuration.device;
  record.stage_policies = run.configuration.stages;
  record.member = run.member;
  if (run.epsilon) {
    record.epsilon = run.epsilon->value;
    record.perturbed = manifest.plan.options.perturb;
    record.seed = run.seed;
  }
  record.failed = reason;
  auto provenance = io::build_provenance();
  provenance.policy = record.policy;
  provenance.assembly = record.assembly;
  provenance.case_hash = record.case_hash;
  provenance.seed = record.seed;
  record.provenance = provenance.items();
  return record;
}

}  // namespace

void record_failure(std::filesystem::path const& study, Manifest const& manifest, ManifestEntry& entry,
                    std::string const& reason) {
  auto const folder = study / entry.run.path;
  if (!std::filesystem::exists(folder / "run.json")) {
    make_folder(folder);
    write_run(folder / "run.json", record_of(manifest, entry.run, reason));
  }
  refresh_state(study, manifest, entry);
  if (entry.state != RunState::failed) {
    // A record of another run lies there, which is not replaced: results say so.
    entry.state = RunState::failed;
    entry.reason = reason;
  }
}

std::optional<std::string> failure_in(std::filesystem::path const& folder) try {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(folder / "run.json", failed)) return {};
  return read_run(folder / "run.json").failed;
} catch (InputError const&) {
  return {};
}

}  // namespace ulpine::ensembles
