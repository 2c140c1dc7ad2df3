// SPDX-License-Identifier: Apache-2.0
#include "verification/consistency/runs_of_files.hpp"

#include "io/error.hpp"
#include "io/file_set.hpp"

namespace ulpine::verification::consistency {
namespace {

/// As read_runs(), for accepted runs: each must have values wherever another has some.
ReadRuns read_whole(RunList const& list, CommonGrid const& grid, ReadingProgress const& progress) {
  auto result = read_runs(list, grid, progress);
  result.group->require_values(result.summary);
  return result;
}

}  // namespace

ReadRuns read_runs(RunList const& list, CommonGrid const& grid, ReadingProgress const& progress) {
  ReadRuns result;
  result.group = std::make_unique<RunGroup>(list, grid);
  result.summary = result.group->summary(progress);
  return result;
}

RunFiles run_of_file(std::filesystem::path const& path) {
  if (io::names_set(path)) return {path.filename().string(), {path}};
  if (!std::filesystem::is_regular_file(path))
    throw InputError(path.string() + ": no such file (a run is looked for there) check the path");
  auto files = io::parts_before(path);
  files.push_back(path);
  return {path.filename().string(), std::move(files)};
}

std::vector<RunFiles> runs_of(std::vector<std::filesystem::path> const& paths) {
  std::vector<RunFiles> runs;
  for (auto const& path : paths) {
    if (std::filesystem::is_directory(path)) {
      auto const found = runs_in(path);
      runs.insert(runs.end(), found.begin(), found.end());
    } else {
      runs.push_back(run_of_file(path));
    }
  }
  return runs;
}

AcceptedRuns read_accepted(FileRequest& request, ReadingProgress const& progress) {
  std::vector<RunList const*> lists;
  if (!request.stored) lists.push_back(&request.ensemble);
  for (auto const* list : {&request.tests, &request.control, &request.truth}) {
    if (!list->members.empty()) lists.push_back(list);
  }
  auto names = request.variables;
  if (request.stored && names.empty()) {
    for (auto const& variable : request.stored->summary.variables) names.push_back(variable.name);
  }
  AcceptedRuns accepted;
  accepted.grid = common_grid(lists, names, false, request.weighting, progress);
  if (request.stored) hold_to_summary(*request.stored, request.summary, request.tests, accepted.grid);
  auto const times = request.times.of(time_texts(accepted.grid));
  keep_times(accepted.grid, times);
  if (request.stored) {
    accepted.ensemble.summary = std::move(request.stored->summary);
    keep_times(accepted.ensemble.summary, times);
  } else {
    accepted.ensemble = read_whole(request.ensemble, accepted.grid, progress);
  }
  return accepted;
}

Verdict judge(AcceptedRuns const& accepted, FileRequest const& files, ReadingProgress const& progress) {
  auto const& grid = accepted.grid;
  auto const tests = read_runs(files.tests, grid, progress);
  ReadRuns control, truth;
  Request request;
  request.ensemble = accepted.ensemble.runs();
  request.tests = tests.runs();
  if (!files.control.members.empty()) {
    control = read_whole(files.control, grid, progress);
    request.control = control.runs();
  }
  if (!files.truth.members.empty()) {
    truth = read_whole(files.truth, grid, progress);
    request.truth = truth.runs();
  }
  request.methods = files.methods;
  request.mean_alone = files.times.mean_alone();
  request.by_level = files.by_level;
  request.parameters = files.parameters;
  request.seed = files.seed;
  for (auto const& [variable, run] : grid.lacking) {
    auto const& tests = files.tests.members;
    if (run >= tests.data() && run < tests.data() + tests.size())
      request.lacking.emplace_back(variable, run->name);
  }
  progress(1, "");
  auto verdict = judge(request);
  auto& notes = verdict.notes;
  notes.insert(notes.begin(), grid.notes.begin(), grid.notes.end());
  notes.insert(notes.begin(), files.notes.begin(), files.notes.end());
  return verdict;
}

}  // namespace ulpine::verification::consistency
