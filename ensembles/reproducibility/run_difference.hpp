// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "ensembles/reproducibility/element_difference.hpp"
#include "ensembles/reproducibility/replay.hpp"
#include "verification/comparison/hash_diff.hpp"

namespace ulpine::ensembles {

/// The first place where two runs with checkpoints diverge.
struct RunDifference {
  verification::HashDivergence states;
  /// "step 43, substep 17, stage toy.momentum, field u": the first output of the step that differs; of the
  /// state at the start "step 0, field u". Empty where the step was not repeated.
  std::string place;
  std::string stage;          ///< of that output; empty where there is none
  ElementDifference element;  ///< in that field
  std::string note;           ///< where there is no element: what differs instead, or why nothing was found
};

/// Carries out `request`, of the first (0) or second (1) run.
using Replayer = std::function<void(std::size_t run, ReplayRequest const& request)>;

/// The first difference of two runs with checkpoints, given by their folders: the step from their logs of
/// hashes, then, where there is a `replayer`, stage, field and element from that step alone, repeated twice
/// by each run. Files go to `scratch`, a folder. None where all states are equal. InputError where a log is
/// missing, altered or of a run that was killed.
std::optional<RunDifference> first_difference(std::array<std::filesystem::path, 2> const& runs,
                                              Replayer const& replayer, std::filesystem::path const& scratch);

/// A line, or two.
std::string describe(RunDifference const& difference);

}  // namespace ulpine::ensembles
