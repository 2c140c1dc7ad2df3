// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/study.hpp"

#include <fmt/format.h>

#include <set>
#include <system_error>
#include <utility>

#include "core/exec/device.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/run_folder.hpp"
#include "ensembles/runs/shell.hpp"
#include "ensembles/study/results.hpp"
#include "ensembles/study/scheduler.hpp"
#include "ensembles/study/wanted_study.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"
#include "io/temporary.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// InputError where something of the names that the study will write is another's.
void require_own_study(fs::path const& folder, Manifest const& manifest, Share share) {
  io::require_replaceable(folder / "manifest.json", io::signatures::manifest);
  require_own_results(folder);
  auto const& entries = manifest.entries;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (share.holds(i) && entries[i].state != RunState::done) {
      require_own_files({.folder = folder / entries[i].run.path, .id = entries[i].run.id});
    }
  }
}

}  // namespace

Manifest prepare_study(CaseSource const& source, StudyPlan const& plan, fs::path const& folder, bool resume,
                       std::atomic<bool> const* cancel, Share share) {
  if (resume && fs::exists(folder / "manifest.json")) {
    auto stored = read_manifest(folder, cancel);
    auto asked = plan;
    if (!asked.options.quad_until) asked.options.quad_until = stored.plan.options.quad_until;
    asked.options.members_of_first_assembly = stored.plan.options.members_of_first_assembly;
    auto wanted = wanted_manifest(source, asked);
    stop_where(cancel);
    if (std::error_code failed; fs::equivalent(source.path, folder / "case.toml", failed)) {
      // Its tolerances may have been edited, as require_same_case() allows; what else was changed it tells.
      wanted.case_text = source.overrides.empty() ? stored.case_text : wanted.case_text;
    }
    require_same_study(folder, stored, wanted);
    if (!fs::exists(folder / "case.toml")) {
      write_atomically(folder / "case.toml", stored.case_text);
    }
    require_same_case(folder, stored);
    // The device of this call.
    for (std::size_t i = 0; i < stored.entries.size(); ++i) {
      stored.entries[i].run.configuration = wanted.entries[i].run.configuration;
    }
    stored.cells = wanted.cells;
    stored.memory_bytes = wanted.memory_bytes;
    refresh_states(folder, stored, cancel, share);
    require_own_study(folder, stored, share);
    return stored;
  }
  auto wanted = wanted_manifest(source, plan);
  stop_where(cancel);
  if (resume && fs::exists(folder / "case.toml")) {
    // A study whose manifest was lost or taken away because it was damaged.
    require_same_case(folder, wanted);
    require_own_runs(folder, wanted);
    refresh_states(folder, wanted, cancel);
    require_own_study(folder, wanted, share);
    write_manifest(folder, wanted, cancel);
    return wanted;
  }
  if (!is_vacant(folder)) {
    throw InputError(folder.string() + ": is not empty (" +
                     (fs::exists(folder / "manifest.json")
                          ? "it holds a study) go on with --resume or name another folder"
                          : "it holds no study) name another folder"));
  }
  make_folder(folder);
  // The manifest first: what a kill leaves between the two can be resumed.
  write_manifest(folder, wanted, cancel);
  write_atomically(folder / "case.toml", wanted.case_text);
  return wanted;
}

std::string resume_command(std::string const& program, fs::path const& folder, StudyOptions const& options) {
  auto command = fmt::format("{} ensemble {} -o {}", shell_quoted(program),
                             shell_quoted_path(folder / "case.toml"), shell_quoted_path(folder));
  for (auto const& word : words_of(options)) {
    command += fmt::format(" {}", shell_quoted(word));
  }
  return command + " --resume";
}

void clear_study(fs::path const& folder) {
  io::remove_temporaries(folder);
  std::error_code ignored;
  for (auto const* const part : {"runs", "members"}) {
    for (fs::recursive_directory_iterator entry(folder / part, ignored), end; entry != end;
         entry.increment(ignored)) {
      if (entry->is_directory(ignored)) {
        io::remove_temporaries(entry->path());
      }
    }
  }
}

StudyOutcome run_study(CaseSource const& source, StudyPlan const& plan, fs::path const& folder,
                       StudyExecution const& execution) {
  auto const share = execution.only.value_or(Share{});
  std::set<int> gpus;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (auto const ordinal = device_ordinal(plan.runs[i].configuration.device);
        ordinal >= 0 && share.holds(i) && gpus.insert(ordinal).second) {
      require_device(ordinal);
    }
  }
  if (execution.only && !fs::exists(folder / "manifest.json")) {
    throw InputError(folder.string() +
                     ": is no study yet (shares of one are to be run) plan it first with --slurm");
  }
  auto manifest = prepare_study(source, plan, folder, execution.resume, execution.cancel, share);
  auto options = plan.options;  // threads of this call, the rest is the manifest's
  options.perturb = manifest.plan.options.perturb;
  return run_open(std::move(manifest), std::move(options), folder, execution);
}

}  // namespace ulpine::ensembles
