// SPDX-License-Identifier: Apache-2.0
#include "verification/comparison/trace_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "cli/csv.hpp"
#include "cli/program_limits.hpp"
#include "cli/work_folder.hpp"
#include "ensembles/reproducibility/checkpoints.hpp"
#include "ensembles/reproducibility/known_differences.hpp"
#include "ensembles/reproducibility/programs.hpp"
#include "ensembles/reproducibility/results_json.hpp"
#include "ensembles/study/failed_run.hpp"
#include "ensembles/study/progress.hpp"
#include "io/error.hpp"
#include "io/hash_log.hpp"
#include "verification/comparison/trace_merge.hpp"
#include "verification/comparison/trace_report.hpp"

namespace ulpine::cli {
namespace {

namespace fs = std::filesystem;

using Failures = std::array<std::optional<std::string>, 2>;

/// A line for each run that failed.
std::vector<std::string> lines_of(TraceDiffOptions const& options, Failures const& failures) {
  std::array const names = {options.first, options.second};
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (failures[i]) lines.push_back(one_line(names[i].string()) + ": " + *failures[i]);
  }
  return lines;
}

/// Prints what was found as JSON, or as the one row of a table.
void tell(TraceDiffOptions const& options, nlohmann::ordered_json const& document) {
  if (options.json) return print_json(options.common, document);
  print(options.common, csv_table(nlohmann::ordered_json::array({document})));
}

/// Says that nothing differs, and which runs failed; the exit code.
int tell_agreement(TraceDiffOptions const& options, std::string text, Failures const& failures) {
  auto const failed = lines_of(options, failures);
  text += failed.empty() ? "\n" : ", but of runs that failed:\n";
  for (auto const& line : failed) text += line + "\n";
  print(options.common, text);
  return failed.empty() ? exit_code::done : exit_code::different;
}

int diff_traces(TraceDiffOptions const& options) {
  io::TraceReading const reading{options.partial};
  auto const first = verification::read_merged_trace(options.first, reading);
  auto const second = verification::read_merged_trace(options.second, reading);
  auto const divergence = verification::first_divergence(first, second);
  auto const records = verification::records_in_common(first, second);
  auto notes = verification::reservations(first, options.first.string());
  std::ranges::move(verification::reservations(second, options.second.string()), std::back_inserter(notes));
  if (divergence) {
    auto known = verification::known_of(ensembles::shipped_atlas(), *divergence, first, second);
    if (!known.empty()) notes.push_back(std::move(known));
  }
  auto const failure_of = [](fs::path const& trace) { return ensembles::failure_in(trace.parent_path()); };
  auto const failures =
      divergence ? Failures{} : Failures{failure_of(options.first), failure_of(options.second)};
  if (options.json || options.csv) {
    auto const failed = lines_of(options, failures);
    notes.insert(notes.end(), failed.begin(), failed.end());
    tell(options, verification::to_json(divergence, records, notes));
    return divergence || !failed.empty() ? exit_code::different : exit_code::done;
  }
  auto text = divergence ? verification::describe(*divergence)
                         : "no difference in " + std::to_string(records) + " records";
  for (auto const& note : notes) text += "\n" + note;
  if (!divergence) return tell_agreement(options, std::move(text), failures);
  print(options.common, text + "\n");
  return exit_code::different;
}

fs::path this_program() {
  std::error_code failed;
  return fs::read_symlink("/proc/self/exe", failed);
}

/// The programs that repeat the runs' steps.
struct Programs {
  std::array<fs::path, 2> paths;
  std::vector<std::string> strange;  ///< those that a log names alone, whatever they are
};

/// The program that a run's log names, or this one where that is gone: nobody but the log knows of another.
void add_named(Programs& programs, std::size_t run, io::HashLog const& log) {
  std::error_code failed;
  fs::path const named = log.attribute("program");
  auto& path = programs.paths[run];
  path = this_program();
  if (!fs::is_regular_file(named, failed) || fs::equivalent(named, path, failed)) return;
  path = fs::absolute(named);
  if (std::ranges::find(programs.strange, path.string()) == programs.strange.end()) {
    programs.strange.push_back(path.string());
  }
}

Programs programs_of(TraceDiffOptions const& options, std::array<io::HashLog, 2> const& logs) {
  Programs programs;
  if (options.programs.empty()) {
    for (std::size_t run = 0; run < logs.size(); ++run) add_named(programs, run, logs[run]);
    return programs;
  }
  if (options.programs.size() != programs.paths.size()) {
    throw InputError("--programs: " + std::to_string(options.programs.size()) +
                     " programs (one for each run is needed) write --programs A,B");
  }
  // A bare name that is no file here is one that the shell would find.
  auto const found = [](fs::path const& path) { return fs::exists(path) ? fs::absolute(path) : path; };
  programs.paths = {found(options.programs[0]), found(options.programs[1])};
  return programs;
}

int diff_runs(TraceDiffOptions const& options) {
  std::array<fs::path, 2> const runs = {options.first, options.second};
  auto const log_of = [](fs::path const& run) { return io::read_hash_log(ensembles::checkpoint_log(run)); };
  auto const limits = program_limits(options.program_timeout);
  auto const programs = programs_of(options, {log_of(runs[0]), log_of(runs[1])});
  auto const strangers = one_line(fmt::format("{}", fmt::join(programs.strange, " and ")));
  WorkFolder const scratch("trace-diff");
  ensembles::ProgressReporter progress(stderr, options.common.quiet);
  auto const by_programs = ensembles::replay_by(programs.paths, limits, &cancelled());
  constexpr double replays = 4;  // two of each run
  auto done = 0;
  auto const told = [&](std::size_t run, ensembles::ReplayRequest const& request) {
    auto const step = std::to_string(request.step);
    if (done == 0 && !strangers.empty() && !options.json && !options.csv) {
      print(options.common, "step " + step + " is repeated with " + strangers + "\n");
      flush_output();
    }
    progress.update(done++ / replays, std::numeric_limits<double>::infinity(),
                    "repeating step " + step + " of " + runs[run].string());
    by_programs(run, request);
  };
  auto const repeats = !options.states_only && (strangers.empty() || options.run_programs);
  auto const replayer = repeats ? ensembles::Replayer{told} : ensembles::Replayer{};
  auto const difference = ensembles::first_difference(runs, replayer, scratch.path());
  progress.finish();
  auto const states = std::ssize(log_of(runs[0]).hashes);
  auto const known =
      difference ? ensembles::known_of(*difference, runs, ensembles::shipped_atlas()) : std::string();
  auto const failures =
      difference ? Failures{} : Failures{ensembles::failure_in(runs[0]), ensembles::failure_in(runs[1])};
  if (options.json || options.csv) {
    auto notes = lines_of(options, failures);
    if (!known.empty()) notes.push_back(known);
    tell(options, ensembles::to_json(difference, states, notes));
    return difference || !lines_of(options, failures).empty() ? exit_code::different : exit_code::done;
  }
  if (!difference) {
    return tell_agreement(options, fmt::format("no difference in {} states", states), failures);
  }
  print(options.common, ensembles::describe(*difference) + known + (known.empty() ? "" : "\n"));
  auto const known_alone =
      difference->place.empty() && difference->note.empty() && !difference->states.one_alone;
  if (!repeats && !options.states_only && known_alone) {
    print(options.common, "step " + std::to_string(difference->states.step) + " could be repeated with " +
                              strangers + " (so the runs' logs say) give --run-programs if you trust that\n");
  }
  return exit_code::different;
}

/// The trace in a folder that has no checkpoints, as programs leave it that only tell the probe; else empty.
fs::path trace_in(fs::path const& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed) || fs::exists(ensembles::checkpoint_log(folder), failed)) return {};
  for (auto const& entry : fs::directory_iterator(folder, failed)) {
    auto const name = entry.path().filename().string();  // trace.bin, or trace.0-of-4.bin of a rank
    if (name.starts_with("trace.") && name.ends_with("bin")) return folder / "trace.bin";
  }
  return {};
}

}  // namespace

int trace_diff(TraceDiffOptions const& given) {
  std::error_code failed;
  auto options = given;
  for (auto* const run : {&options.first, &options.second}) {
    if (auto const trace = trace_in(*run); !trace.empty()) *run = trace;
  }
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
  if (first_is_run && options.partial) {
    throw InputError(
        "--partial: has no effect (of folders the states are compared) name two trace.bin, or leave the "
        "option out");
  }
  return first_is_run ? diff_runs(options) : diff_traces(options);
}

}  // namespace ulpine::cli
