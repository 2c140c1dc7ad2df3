// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/run.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/output_folder.hpp"
#include "cli/ranks.hpp"
#include "cli/run_options.hpp"
#include "cli/stages_from.hpp"
#include "core/exec/threads.hpp"
#include "core/model/ranked_model.hpp"
#include "ensembles/programs/program_case.hpp"
#include "ensembles/programs/program_study.hpp"
#include "ensembles/runs/shell.hpp"
#include "ensembles/study/configuration.hpp"
#include "ensembles/study/lock.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"
#include "io/temporary.hpp"

namespace ulpine::cli {
namespace {

std::string stage_table(ensembles::RunRecord const& record) {
  auto text = fmt::format("{:<36} {:>10} {:>10} {:>10}\n", "stage", "launches", "s", "GB/s");
  for (auto const& stage : record.stages) {
    auto const rate = stage.seconds > 0 ? fmt::format("{:.1f}", stage.bytes / stage.seconds * 1e-9) : "";
    text += fmt::format("{:<36} {:>10} {:>10.3f} {:>10}\n", stage.name, stage.launches, stage.seconds, rate);
  }
  return text;
}

/// The options of an interrupted run that say when it ends and what it keeps, for the rest of it.
std::string rest_of(ensembles::RunRequest const& request, ensembles::RunRecord const& record) {
  std::string words;
  if (request.until) words += " --until " + ensembles::shell_quoted(fmt::format("{} s", *request.until));
  if (request.steps) words += fmt::format(" --steps {}", *request.steps - record.steps);
  if (request.checkpoints > 0) words += fmt::format(" --checkpoints {}", request.checkpoints);
  return words;
}

/// InputError where --new is given and the folder is not empty.
void require_new(RunOptions const& options, std::filesystem::path const& folder) {
  if (!options.only_new || ensembles::is_vacant(folder)) return;
  throw InputError(folder.string() +
                   ": is not empty (with --new no run is replaced) name another folder, or leave out --new");
}

/// A run of a variant of the program that the case names.
int run_program(RunOptions const& options, ensembles::RunRequest request) {
  auto const case_file = request.source.load();
  auto const program = ensembles::read_program(case_file);
  if (request.variant.empty()) request.variant = program.variants.front().name;
  auto const& variant = program.variant(request.variant);
  request.options.threads = threads_or_all(options.threads);
  require_threads(request.options.threads);
  if (request.folder.empty()) request.folder = "out" / options.case_file.stem();
  request.overwrite = options.common.overwrite;
  request.cancel = &cancelled();
  OutputFolder const folder(request.folder);
  ensembles::FolderLock const lock(request.folder, ensembles::Use::alone);
  require_new(options, request.folder);
  io::remove_temporaries(request.folder);
  auto const record = ensembles::run(request);
  if (record.interrupted) return interrupted("Call it again");
  print(options.common, fmt::format("{} {} on {}: {} times of {} values in {:.3g} s, output {}\n{}\n",
                                    record.case_name, variant.name, record.device, record.steps, record.cells,
                                    record.wall_s, record.hash, (request.folder / "output.nc").string()));
  return exit_code::done;
}

}  // namespace

int run(RunOptions const& options) {
  require_case_file(options.case_file);
  auto request = options.request;
  request.source = {options.case_file, options.set};
  if (ensembles::names_program(request.source)) return run_program(options, request);
  auto configuration = ensembles::parse_device(options.device);
  // All that mpirun has started compute this run.
  if (configuration.ranks == 0 && team_size() > 1) configuration.ranks = team_size();
  auto const threads = threads_or_all(options.threads);
  require_ranks(configuration.ranks, ensembles::model_options(configuration, threads).threads,
                request.source);
  ensembles::require_policy(options.policy);
  configuration.policy = options.policy;
  configuration.assembly = ensembles::parse_assembly(options.assembly);
  configuration.stages = stages_of(options);
  request.options = ensembles::model_options(configuration, threads, options.block);
  request.spare_threads = options.threads == 0 && configuration.size == 0;
  if (request.folder.empty()) request.folder = "out" / options.case_file.stem();
  request.overwrite = options.common.overwrite;
  request.cancel = &cancelled();
  require_threads(request.options.threads);
  OutputFolder const folder(request.folder);
  ensembles::FolderLock const lock(request.folder, ensembles::Use::alone);
  require_new(options, request.folder);
  io::remove_temporaries(request.folder);

  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  request.progress = [&](ensembles::RunProgress const& now) {
    auto const fraction = now.end > now.start ? (now.time - now.start) / (now.end - now.start) : 1.0;
    progress.update(fraction, now.remaining_s,
                    now.steps > 0 ? fmt::format("step {}/{}", now.step, now.steps)
                                  : fmt::format("step {}, {:.6g} s", now.step, now.time));
  };
  auto const record = ensembles::run(request);
  progress.finish();
  if (record.interrupted) {
    std::string stages;
    for (auto const& stage : options.stages) stages += " --stage " + stage;
    if (!options.stages_from.empty()) {
      stages += " --stages-from " + ensembles::shell_quoted_path(options.stages_from);
    }
    return interrupted(
        fmt::format("Go on with: {} run {}{} -o {} --policy {} --assembly {}{} --device {}{} --restart {}",
                    ensembles::shell_quoted(program_name()), ensembles::shell_quoted_path(options.case_file),
                    set_arguments(options.set), ensembles::shell_quoted_path(request.folder), options.policy,
                    options.assembly, stages, options.device, rest_of(request, record),
                    ensembles::shell_quoted_path(request.folder / "restart.nc")));
  }
  auto const count = record.stage_policies.size();
  auto const stages = count == 0 ? "" : fmt::format(" ({} stage{} otherwise)", count, count == 1 ? "" : "s");
  print(options.common,
        fmt::format("{} {}/{}{} on {}: {} steps of {} cells in {:.3g} s, state {}\n{}\n", record.case_name,
                    record.policy, record.assembly, stages, record.device, record.steps, record.cells,
                    record.wall_s, record.hash, (request.folder / "output.nc").string()));
  if (record.cut_short) {
    print(options.common,
          fmt::format(
              "The last step was cut short to end at {} s: what goes on from {} has other bits than a run "
              "that does not stop there.\n",
              record.end_s, (request.folder / "restart.nc").string()));
  }
  if (options.common.verbose) {
    print(options.common, stage_table(record));
  }
  return exit_code::done;
}

}  // namespace ulpine::cli
