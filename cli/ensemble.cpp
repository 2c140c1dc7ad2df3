// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/console.hpp"
#include "cli/study_results.hpp"
#include "core/devices.hpp"
#include "ensembles/interrupt.hpp"
#include "ensembles/progress.hpp"
#include "ensembles/study.hpp"

namespace ulpine::cli {
namespace {

std::string progress_text(ensembles::StudyProgress const& now) {
  auto text = fmt::format("{}/{} runs", now.kept + now.done + now.failed, now.total);
  if (now.kept > 0) {
    text += fmt::format(", {} kept", now.kept);
  }
  if (now.failed > 0) {
    text += fmt::format(", {} failed", now.failed);
  }
  return text;
}

int write_job_scripts(EnsembleOptions const& options, ensembles::CaseSource const& source,
                      ensembles::StudyPlan const& plan) {
  auto const manifest = ensembles::prepare_study(source, plan, options.output, options.resume, &cancelled());
  auto const program = std::filesystem::read_symlink("/proc/self/exe").string();
  auto const scripts = ensembles::write_slurm_scripts(options.output, manifest, program, options.arguments);
  print(options.common, scripts.hint + "\n");
  return exit_code::done;
}

int run_study(EnsembleOptions const& options, ensembles::CaseSource const& source,
              ensembles::StudyPlan const& plan, ensembles::FolderLock const& lock) {
  ensembles::StudyExecution execution;
  auto const on_device = device_ordinal(options.device) >= 0;
  execution.jobs = options.jobs > 0 ? options.jobs
                   : on_device      ? 1
                                    : std::max(1, threads_or_all(0) / options.threads);
  require_threads(execution.jobs * options.threads);
  execution.resume = options.resume;
  if (!options.only.empty()) {
    execution.only = ensembles::parse_share(options.only);
  }
  execution.lock = &lock;
  execution.trap_nonfinite = options.trap;
  execution.cancel = &cancelled();
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  execution.progress = [&](ensembles::StudyProgress const& now) {
    if (!now.event.empty()) {
      progress.note(now.event);
    }
    progress.update(now.fraction, now.remaining_s, progress_text(now));
  };
  auto const outcome = ensembles::run_study(source, plan, options.output, execution);
  progress.finish();
  if (outcome.interrupted) {
    throw ensembles::Interrupted();
  }
  print(options.common, fmt::format("{} runs done, {} kept from before, {} failed\n", outcome.done,
                                    outcome.kept, outcome.failed));
  if (execution.only) {
    return outcome.failed > 0 ? exit_code::different : exit_code::done;
  }
  auto const code =
      write_study_results(options.common, options.output, execution.jobs * options.threads, false);
  return outcome.failed > 0 && code == exit_code::done ? exit_code::different : code;
}

}  // namespace

int ensemble(EnsembleOptions const& options) {
  require_case_file(options.case_file);
  ensembles::CaseSource const source{options.case_file, options.set};
  ensembles::StudyOptions study;
  study.policies = options.policies;
  study.assemblies = options.assemblies;
  study.epsilons = options.epsilons;
  study.members = options.members;
  study.seed = options.seed;
  if (!options.until.empty()) {
    study.until = duration_option("--until", options.until);
  }
  study.device = options.device;
  study.threads = options.threads;
  study.block = options.block;
  study.perturb = options.perturb;
  auto const plan = ensembles::make_plan(study);
  require_output_folder(options.output);
  ensembles::FolderLock const lock(options.output,
                                   options.only.empty() ? ensembles::Use::alone : ensembles::Use::together);
  if (options.only.empty()) {
    ensembles::clear_study(options.output);
  }
  try {
    if (options.slurm) {
      return write_job_scripts(options, source, plan);
    }
    return run_study(options, source, plan, lock);
  } catch (ensembles::Interrupted const&) {
    return interrupted("Go on with the same command and --resume");
  }
}

}  // namespace ulpine::cli
