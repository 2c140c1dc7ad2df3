// SPDX-License-Identifier: Apache-2.0
#include "verification/trace_diff.hpp"

#include <array>
#include <limits>
#include <string>

#include "cli/console.hpp"
#include "cli/work_folder.hpp"
#include "ensembles/checkpoints.hpp"
#include "ensembles/programs.hpp"
#include "ensembles/progress.hpp"
#include "io/error.hpp"
#include "io/hash_log.hpp"

namespace ulpine::cli {
namespace {

namespace fs = std::filesystem;

int diff_traces(TraceDiffOptions const& options) {
  auto const first = io::read_trace(options.first);
  auto const second = io::read_trace(options.second);
  if (auto const divergence = verification::first_divergence(first, second)) {
    print(options.common, verification::describe(*divergence) + "\n");
    return exit_code::different;
  }
  print(options.common, "no difference in " + std::to_string(first.records.size()) + " records\n");
  return exit_code::done;
}

/// The program that made a run, or this one where that is gone.
fs::path program_of(io::HashLog const& log) {
  std::error_code failed;
  fs::path const made_by = log.attribute("program");
  return fs::is_regular_file(made_by, failed) ? made_by : fs::read_symlink("/proc/self/exe", failed);
}

int diff_runs(TraceDiffOptions const& options) {
  std::array const runs = {options.first, options.second};
  auto const log_of = [](fs::path const& run) { return io::read_hash_log(ensembles::checkpoint_log(run)); };
  std::array programs = {program_of(log_of(runs[0])), program_of(log_of(runs[1]))};
  if (!options.programs.empty()) {
    if (options.programs.size() != programs.size()) {
      throw InputError("--programs: " + std::to_string(options.programs.size()) +
                       " programs (one for each run is needed) write --programs A,B");
    }
    // A bare name that is no file here is one that the shell would find.
    auto const found = [](fs::path const& path) { return fs::exists(path) ? fs::absolute(path) : path; };
    programs = {found(options.programs[0]), found(options.programs[1])};
  }
  WorkFolder const scratch("trace-diff");
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  auto const by_programs = ensembles::replay_by(programs, &cancelled());
  constexpr double replays = 4;  // two of each run
  auto done = 0;
  auto const told = [&](std::size_t run, ensembles::ReplayRequest const& request) {
    progress.update(done++ / replays, std::numeric_limits<double>::infinity(),
                    "repeating step " + std::to_string(request.step) + " of " + runs[run].string());
    by_programs(run, request);
  };
  auto const replayer = options.states_only ? ensembles::Replayer{} : ensembles::Replayer{told};
  auto const difference = ensembles::first_difference(runs, replayer, scratch.path());
  progress.finish();
  if (difference) {
    print(options.common, ensembles::describe(*difference));
    return exit_code::different;
  }
  print(options.common, "no difference in " + std::to_string(log_of(runs[0]).hashes.size()) + " states\n");
  return exit_code::done;
}

}  // namespace

int trace_diff(TraceDiffOptions const& options) {
  std::error_code failed;
  auto const first_is_run = fs::is_directory(options.first, failed),
             second_is_run = fs::is_directory(options.second, failed);
  if (first_is_run != second_is_run) {
    throw InputError(
        (first_is_run ? options.first : options.second).string() +
        ": is a folder (the other is not) name two trace.bin or the folders of two runs with --checkpoints");
  }
  if (!first_is_run && (options.states_only || !options.programs.empty())) {
    throw InputError(
        std::string(options.states_only ? "--states-only" : "--programs") +
        ": has no effect (of two trace.bin nothing is repeated) name the folders of two runs with "
        "--checkpoints, or leave the option out");
  }
  return first_is_run ? diff_runs(options) : diff_traces(options);
}

}  // namespace ulpine::cli
