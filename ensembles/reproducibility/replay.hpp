// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/stage/observe.hpp"

namespace ulpine::ensembles {

struct ReplayRequest {
  std::filesystem::path run;     ///< folder of a run with checkpoints
  std::int64_t step = 1;         ///< model step to repeat
  std::filesystem::path output;  ///< folder to write into
  /// Checkpoint to go on from; none: the last one before `step`. Two replays that are to be compared take the
  /// same, for what a step does not write of a field is not in a restart.
  std::optional<std::int64_t> from = {};
  /// Number of a record of the step, from 0: its field is written instead of the trace.
  std::optional<std::int64_t> record = {};
  bool overwrite = false;                  ///< replaces also files of its names that are no trace or field
  std::optional<PlantedFault> fault = {};  ///< that the run had, to prove that a comparison finds it
  std::function<void(std::int64_t done, std::int64_t steps)> progress = {};  ///< called after every step
  std::atomic<bool> const* cancel = nullptr;
};

/// The step that was repeated, and from where.
struct Replay {
  std::int64_t from = 0;   ///< step of the checkpoint it went on from
  std::int64_t count = 0;  ///< records of the step
};

/// Repeats one step of a run, from a checkpoint before it, and writes what its stages left:
/// `trace.bin` of that step alone, or with `record` the field of that one, `field.nc` (a state of one array,
/// as restarts are). The states before and after the step must be those that the run's log tells: RunFailed
/// otherwise, for the run does not repeat itself. InputError where the folder has no such step.
Replay replay(ReplayRequest const& request);

}  // namespace ulpine::ensembles
