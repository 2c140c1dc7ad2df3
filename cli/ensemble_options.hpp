// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "ensembles/study/plan.hpp"
#include "ensembles/study/study.hpp"

namespace ulpine::cli {

/// The options of `ulpine ensemble`. Those of the command line are members of `study` and
/// `execution`, which the study is planned and run with: an option is declared in options_running.cpp and a
/// member there, and nowhere copied.
struct EnsembleOptions {
  Common common;
  std::filesystem::path case_file, output;
  std::vector<std::string> set;       ///< each `key.path=TOML value`
  std::filesystem::path stages_from;  ///< one more configuration: the file of a search; empty: none
  /// The run in `quad` is left to the study's length where nothing is said.
  ensembles::StudyOptions study = {.quad_until = std::nullopt};
  /// jobs 0: as many as the cores hold; gpu_jobs 0: `jobs`, or as many as fill the GPU.
  ensembles::StudyExecution execution = {.jobs = 0};
  bool suggest = false;  ///< two runs suggest amplitude, members and length; `output` may be empty
  bool slurm = false;    ///< job scripts are written, and nothing is run
  std::vector<std::string> arguments;  ///< all of the command's but --slurm, for the job script
};

}  // namespace ulpine::cli
