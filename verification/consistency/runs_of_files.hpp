// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "verification/consistency/consistency.hpp"
#include "verification/consistency/reading.hpp"
#include "verification/consistency/summary_file.hpp"
#include "verification/consistency/time_choice.hpp"

// New runs held against accepted ones, all in files: what `ulpine consistency` and the Python package do.

namespace ulpine::verification::consistency {

/// The run in a file, with the earlier parts of it that lie beside (parts_before()). InputError where there
/// is no file.
RunFiles run_of_file(std::filesystem::path const& path);

/// Each path is a file or a folder of runs (runs_in()).
std::vector<RunFiles> runs_of(std::vector<std::filesystem::path> const& paths);

/// Runs in files, and how they are judged.
struct FileRequest {
  RunList ensemble, tests, control, truth;  ///< control and truth may be empty
  std::optional<StoredSummary> stored;      ///< in the place of `ensemble`
  std::filesystem::path summary;            ///< name of its file, for messages
  std::vector<std::string> variables;       ///< empty: all that every run has
  TimeChoice times = {};                    ///< of those that all runs have
  Weighting weighting = {};
  std::vector<std::string> methods;  ///< empty: all
  bool by_level = false;
  std::vector<std::pair<std::string, std::string>> parameters;  ///< "pca.sigma", "2"
  std::uint64_t seed = 1;
  std::vector<std::string> notes = {};  ///< come first in the verdict
};

/// Runs on the ensemble's grid, and their summary.
struct ReadRuns {
  std::unique_ptr<RunGroup> group;
  EnsembleSummary summary;
  Runs runs() const { return {&summary, group.get()}; }
};

/// Reads the runs. InputError.
ReadRuns read_runs(RunList const& list, CommonGrid const& grid, ReadingProgress const& progress);

/// The accepted runs, and the grid of all runs of the request.
struct AcceptedRuns {
  CommonGrid grid;
  ReadRuns ensemble;
};

/// Looks at all files of the request and reads the ensemble, from its stored summary where there is one.
/// InputError where the runs do not fit together, or an accepted one lacks values that others have.
AcceptedRuns read_accepted(FileRequest& request, ReadingProgress const& progress);

/// Reads the other runs and judges the tests. InputError likewise.
Verdict judge(AcceptedRuns const& accepted, FileRequest const& request, ReadingProgress const& progress);

}  // namespace ulpine::verification::consistency
