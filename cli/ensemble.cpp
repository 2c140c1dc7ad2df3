// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cli/console.hpp"
#include "cli/ensemble_options.hpp"
#include "cli/output_folder.hpp"
#include "cli/ranks.hpp"
#include "cli/stages_from.hpp"
#include "cli/study_results.hpp"
#include "cli/work_folder.hpp"
#include "core/exec/device.hpp"
#include "core/exec/threads.hpp"
#include "core/model/ranked_model.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/runs/interrupt.hpp"
#include "ensembles/runs/shell.hpp"
#include "ensembles/study/judged_amplitudes.hpp"
#include "ensembles/study/progress.hpp"
#include "ensembles/study/slurm.hpp"
#include "ensembles/study/study.hpp"
#include "ensembles/study/suggested_study.hpp"
#include "io/error.hpp"
#include "io/own_files.hpp"

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
  auto const manifest =
      ensembles::prepare_study(source, plan, options.output, options.execution.resume, &cancelled());
  auto const program = std::filesystem::read_symlink("/proc/self/exe").string();
  auto const scripts = ensembles::write_slurm_scripts(options.output, manifest, program, options.arguments);
  print(options.common, scripts.hint + "\n");
  return exit_code::done;
}

/// The GPUs of the machine that this process, of all ranks there, uses.
std::vector<int> own_gpus() {
  auto const [rank, size] = local_rank();
  std::vector<int> all, own;
  for (auto const& device : devices()) {
    if (device.supported) all.push_back(device.ordinal);
  }
  for (auto const gpu : all) {
    if (gpu % size == rank) own.push_back(gpu);
  }
  if (own.empty() && !all.empty()) own.push_back(all[static_cast<std::size_t>(rank) % all.size()]);
  return own;
}

/// Sets the GPUs and how many runs go side by side, and returns the threads of the models on the host. Each
/// GPU has a core of the host to drive it, whatever it runs.
int share_cores(EnsembleOptions const& options, ensembles::StudyPlan const& plan,
                ensembles::StudyExecution& execution) {
  std::set<std::string> gpus;
  auto host_threads = 0;  // of the run that has most
  for (auto const& run : plan.runs) {
    auto const threads = run.configuration.variant.empty()
                             ? ensembles::model_options(run.configuration, options.study.threads).threads
                             : run.configuration.size;
    auto const& device = run.configuration.device;
    if (device == "cuda" && run.configuration.ranks <= 1) {
      if (execution.gpus.empty()) execution.gpus = own_gpus();
      for (auto const gpu : execution.gpus) gpus.insert("cuda:" + std::to_string(gpu));
    } else if (ensembles::on_gpu(run.configuration)) {
      gpus.insert(device);
    } else {
      host_threads = std::max(host_threads, threads);
    }
  }
  auto const devices = static_cast<int>(gpus.size());
  auto const& asked = options.execution;
  execution.gpu_jobs = asked.gpu_jobs > 0 ? asked.gpu_jobs : asked.jobs;
  execution.jobs = asked.jobs > 0      ? asked.jobs
                   : host_threads == 0 ? 0
                                       : std::max(1, (threads_or_all(0) - devices) / host_threads);
  return execution.jobs * host_threads + devices;
}

/// Threads that evaluate runs while others compute: half of the cores that these leave. The other half begins
/// and ends runs on GPUs and compresses their output.
int spare_threads(EnsembleOptions const& options, ensembles::StudyPlan const& plan) {
  ensembles::StudyExecution execution;
  return std::max(threads_or_all(0) - share_cores(options, plan, execution) + 1, 0) / 2;
}

/// Null `evaluation`: the process writes no results, or has no core for it. `shared`: others have just done
/// the runs, so that those that failed need not be tried again.
int run_study(EnsembleOptions const& options, ensembles::CaseSource const& source,
              ensembles::StudyPlan const& plan, ensembles::FolderLock const& lock,
              ensembles::OngoingEvaluation* evaluation, bool shared = false) {
  auto execution = options.execution;
  execution.keep_failed = shared;
  auto const threads = share_cores(options, plan, execution);
  require_threads(threads);
  execution.lock = &lock;
  execution.cancel = &cancelled();
  execution.evaluation = evaluation;
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
  // The runs are over: what is read of them now may have all cores.
  auto const readers =
      options.execution.jobs > 0 ? std::max(threads, options.execution.jobs) : threads_or_all(0);
  auto const code = write_study_results(options.common, options.output, readers, false, {}, evaluation);
  auto const lost = outcome.failed > 0 && (code == exit_code::done || code == exit_code::undecided);
  return lost ? exit_code::different : code;
}

/// The ranks of the run that has most of them.
int most_ranks(ensembles::StudyPlan const& plan, ensembles::Share share) {
  auto ranks = 1;
  for (std::size_t n = 0; n < plan.runs.size(); ++n) {
    if (share.holds(n)) ranks = std::max(ranks, plan.runs[n].configuration.ranks);
  }
  return ranks;
}

/// Has each group of so many ranks do its share of the prepared study's runs, this one's, too.
void share_study(EnsembleOptions const& options, ensembles::CaseSource const& source,
                 ensembles::StudyPlan const& plan, int ranks, ensembles::OngoingEvaluation* evaluation) {
  auto const groups = team_size() / ranks;
  auto const words_of = [&](int group) {
    auto words = options.arguments;
    std::erase(words, "--resume");
    words.insert(words.begin(), "ensemble");
    for (auto const& more : {std::string("--resume"), std::string("--quiet"), std::string("--only"),
                             fmt::format("{}/{}", group, groups)}) {
      words.push_back(more);
    }
    return words;
  };
  auto own = options;
  own.execution.only = ensembles::Share{0, groups};
  own.execution.resume = true;
  auto const code = in_groups(ranks, words_of, [&] {
    ensembles::FolderLock const lock(options.output, ensembles::Use::together);
    return run_study(own, source, plan, lock, evaluation);
  });
  if (cancelled()) throw ensembles::Interrupted();
  if (code > exit_code::different) {
    throw EnvironmentError("a rank could not do its share of the study (it told why) mend that and --resume");
  }
}

/// Groups of so many ranks; of a share there is one.
void require_groups(EnsembleOptions const& options, int ranks) {
  if (!options.execution.only && started_by_mpi() && team_size() % ranks != 0) {
    throw InputError(fmt::format(
        "mpirun started {} rank{} (a run of the study is on {}) start {} or a multiple, or give another "
        "--device",
        team_size(), team_size() == 1 ? "" : "s", ranks, ranks));
  }
  require_ranks(ranks, options.study.threads, {options.case_file, options.set},
                "go on with the same command and --resume");
}

/// Says what a study may be made with.
int suggest(EnsembleOptions const& options, ensembles::CaseSource const& source,
            ensembles::StudyOptions const& study) {
  WorkFolder const folder("suggest");
  auto execution = options.execution;
  execution.jobs = 1;
  execution.cancel = &cancelled();
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  execution.progress = [&](ensembles::StudyProgress const& now) {
    progress.update(now.fraction, now.remaining_s, progress_text(now));
  };
  auto const suggestion = ensembles::suggested_study(source, study, folder.path(), execution);
  progress.finish();
  auto const place =
      options.output.empty() ? std::string("DIR") : ensembles::shell_quoted_path(options.output);
  print(options.common,
        ensembles::table(
            suggestion,
            fmt::format("{} ensemble {}{} -o {}", ensembles::shell_quoted(program_name()),
                        ensembles::shell_quoted_path(options.case_file), set_arguments(options.set), place)));
  return exit_code::done;
}

}  // namespace

int ensemble(EnsembleOptions const& options) {
  require_case_file(options.case_file);
  ensembles::CaseSource const source{options.case_file, options.set};
  auto study = options.study;
  if (!options.stages_from.empty()) add_stages_from(options, study);
  if (study.members == 0 && !ensembles::names_program(source)) {
    throw InputError(
        "--members: '0' is no number of members of a model's study (1 or more are) leave it out");
  }
  if (options.suggest) return suggest(options, source, ensembles::with_variants(source, study));
  if (options.output.empty()) {
    throw InputError("--output is required (a study needs a folder) name one, or ask for --suggest");
  }
  auto const plan = ensembles::make_plan(ensembles::with_variants(source, study));
  auto const share = options.execution.only.value_or(ensembles::Share{});
  auto const ranks = most_ranks(plan, share);
  if (!options.slurm) require_groups(options, ranks);
  OutputFolder const folder(options.output);
  auto const use = !options.execution.only ? ensembles::Use::alone : ensembles::Use::together;
  std::optional<ensembles::FolderLock> lock(std::in_place, options.output, use);
  if (!options.execution.only) {
    io::require_replaceable(options.output / "report.html", io::signatures::page);
    ensembles::clear_study(options.output);
  }
  if (!options.execution.only) {
    for (auto const& line : ensembles::doubts_about_amplitudes(source, plan)) {
      print(options.common, line + "\n");
    }
    flush_output();
  }
  try {
    if (options.slurm) {
      return write_job_scripts(options, source, plan);
    }
    auto rest = options;
    std::optional<ensembles::OngoingEvaluation> evaluation;
    if (auto const spare = spare_threads(options, plan); spare > 0 && !options.execution.only) {
      ensembles::ResultsOptions evaluating;
      evaluating.threads = spare;
      evaluating.cancel = &cancelled();
      evaluation.emplace(options.output, evaluating);
    }
    auto* const on_the_way = evaluation ? &*evaluation : nullptr;
    auto const shared = !options.execution.only && team_size() > ranks;
    if (shared) {
      ensembles::prepare_study(source, plan, options.output, options.execution.resume, &cancelled());
      lock.reset();
      share_study(options, source, plan, ranks, on_the_way);
      lock.emplace(options.output, use);
      rest.execution.resume = true;
    }
    return run_study(rest, source, plan, *lock, on_the_way, shared);
  } catch (ensembles::Interrupted const&) {
    return interrupted("Go on with the same command and --resume");
  }
}

}  // namespace ulpine::cli
