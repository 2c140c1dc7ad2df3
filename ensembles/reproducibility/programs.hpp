// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ensembles/reproducibility/run_difference.hpp"
#include "ensembles/runs/process.hpp"
#include "ensembles/study/case_source.hpp"
#include "ensembles/study/configuration.hpp"

namespace ulpine::ensembles {

/// A build of a program with this command, as compared with others.
struct Program {
  std::string name;
  std::filesystem::path path;
};
/// Each "NAME=PATH"; InputError where one is no such text, a name is there twice or a file cannot be
/// executed.
std::vector<Program> parse_programs(std::vector<std::string> const& texts);

/// Has the two runs' steps repeated by programs: each run by its own. RunFailed, InputError and
/// EnvironmentError as the program ends, with what it says; EnvironmentError where it comes to a limit.
Replayer replay_by(std::array<std::filesystem::path, 2> programs, ProcessLimits const& limits,
                   std::atomic<bool> const* cancel);

struct ProgramsRequest {
  CaseSource source;
  std::vector<Program> programs = {};  ///< at least two
  Configuration configuration = {};    ///< the same for all runs
  std::int64_t steps = 10;
  std::filesystem::path scratch = {};  ///< folder for the runs: of each its restart files and 8 bytes a step
  ProcessLimits limits = {};           ///< for each call of a program
  std::function<void(std::string const& what, double fraction)> progress = {};
  std::atomic<bool> const* cancel = nullptr;
};

struct ProgramOutcome {
  Program program;
  std::string compiler, flags;  ///< of the Ulpine in it; a model of its own may be built otherwise
  std::string hash;             ///< hash of the final state, 16 hex digits
  std::size_t group = 0;        ///< programs of a group have the same state after every step
  /// The difference from the first program; for the first program of each further group.
  std::optional<RunDifference> difference = {};
};

struct ProgramsResult {
  std::string core;
  Configuration configuration;
  std::int64_t steps = 0;
  std::vector<ProgramOutcome> outcomes;
  std::size_t groups = 0;
};

/// Runs the case by every program, one after the other, and finds which have the same state after every step
/// and where the others diverge from the first. Interrupted where cancelled.
ProgramsResult compare_programs(ProgramsRequest const& request);
std::string table(ProgramsResult const& result);

}  // namespace ulpine::ensembles
