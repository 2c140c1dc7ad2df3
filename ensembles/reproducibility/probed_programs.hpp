// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/reproducibility/programs.hpp"
#include "verification/comparison/trace_diff.hpp"

namespace ulpine::ensembles {

/// Programs of others that tell the probe of their stages, and how they are run: in the folder of this
/// process, without arguments, with ULPINE_TRACE set.
struct ProbedRequest {
  std::vector<Program> programs = {};  ///< at least two
  std::filesystem::path scratch = {};  ///< folder for their traces
  ProcessLimits limits = {};           ///< of each program
  std::function<void(std::string const& what, double fraction)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
};

struct ProbedOutcome {
  Program program;
  std::int64_t records = 0;
  int ranks = 1;
  std::size_t group = 0;  ///< programs of a group have no difference
  std::optional<verification::Divergence> difference =
      {};                               ///< from the first program; of the first of a group
  std::vector<std::string> notes = {};  ///< verification::reservations(), known_of() its difference
};

struct ProbedResult {
  std::vector<ProbedOutcome> outcomes;
  std::size_t groups = 0;
};

/// Runs the programs one after the other and compares their traces. RunFailed for one that does not end well,
/// InputError for one that leaves no trace, EnvironmentError at a limit, Interrupted where cancelled.
ProbedResult compare_probed(ProbedRequest const& request);
std::string table(ProbedResult const& result);

}  // namespace ulpine::ensembles
