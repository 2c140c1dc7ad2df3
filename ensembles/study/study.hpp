// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/study/case_source.hpp"
#include "ensembles/study/lock.hpp"
#include "ensembles/study/manifest.hpp"
#include "ensembles/study/plan.hpp"

namespace ulpine::ensembles {

class OngoingEvaluation;

/// Sent when a run starts or ends, and as runs go on.
struct StudyProgress {
  int total = 0, kept = 0, done = 0, failed = 0,
      running = 0;      ///< kept: finished before this call, not in done
  double fraction = 0;  ///< fraction done of the work of this call
  double wall_s = 0;
  double remaining_s = 0;  ///< estimate; infinite at first
  std::string event;       ///< a line worth keeping ("fp32/atomic failed: ..."); empty otherwise
};

struct StudyExecution {
  int jobs = 1;                    ///< runs side by side on the host, each with its own model and threads
  int gpu_jobs = 0;                ///< runs side by side on each GPU (side_by_side.hpp), beside those on the
                                   ///< host; 0: as many as fill it
  std::vector<int> gpus = {};      ///< on which runs on "cuda" are spread; empty: that one
  bool resume = false;             ///< keep finished runs of the same plan
  bool keep_failed = false;        ///< and those that have failed, which are tried once more otherwise
  std::optional<Share> only = {};  ///< run only this share and leave manifest.json alone
  FolderLock const* lock = nullptr;  ///< the study's, held by the caller; with `only` runs are taken by it
  bool trap_nonfinite = false;
  std::function<void(StudyProgress const&)> progress = {};  ///< called under a lock
  std::atomic<bool> const* cancel = nullptr;
  OngoingEvaluation* evaluation = nullptr;  ///< told of runs as they end
  /// A run that takes longer than `watch` times what was expected of it (run_times.hpp) is told once, as an
  /// event; one that takes longer than `give_up` times that fails when it has taken its step. 0: none.
  double watch = 10, give_up = 0;
  std::function<double()> clock = {};  ///< s, from any origin; empty: the time that passes
};

struct StudyOutcome {
  int done = 0, kept = 0, failed = 0, planned = 0;  ///< planned: not run (interrupted)
  bool interrupted = false;
};

/// Plans the study in `folder` without running it: `case.toml` and `manifest.json`. With resume an existing
/// study of the same plan is taken up (its own case.toml may be the case), and one that lost its manifest is
/// planned anew around the runs that belong to it; a non-empty folder is refused otherwise (InputError).
/// States are those of the runs of `share`. Interrupted.
Manifest prepare_study(CaseSource const& source, StudyPlan const& plan, std::filesystem::path const& folder,
                       bool resume, std::atomic<bool> const* cancel = nullptr, Share share = {});

/// The command, for a shell, that does the runs of the study in `folder` which are not done.
std::string resume_command(std::string const& program, std::filesystem::path const& folder,
                           StudyOptions const& options);

/// Removes temporary files that killed processes have left in the study. To be called by the one process that
/// uses it.
void clear_study(std::filesystem::path const& folder);

/// prepare_study(), then runs what is not finished. A failed run is recorded and does not stop the others; an
/// EnvironmentError does. Interrupted where it is stopped before the first run. manifest.json is brought up
/// to date every few seconds and at the end. Results are a separate step (results.hpp).
StudyOutcome run_study(CaseSource const& source, StudyPlan const& plan, std::filesystem::path const& folder,
                       StudyExecution const& execution);

}  // namespace ulpine::ensembles
