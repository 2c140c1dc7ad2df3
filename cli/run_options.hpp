// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "ensembles/runs/run.hpp"

namespace ulpine::cli {

/// The options of `ulpine run`. Those of the command line that the run takes as they are, are members of
/// `request`.
struct RunOptions {
  Common common;
  std::filesystem::path case_file;
  std::vector<std::string> set;  ///< each `key.path=TOML value`
  std::string policy = "fp64", assembly = "deterministic", device = "cpu";
  std::vector<std::string> stages;    ///< each `NAME=POLICY`
  std::filesystem::path stages_from;  ///< file of a search; empty: none
  int threads = 0;                    ///< 0: as many as OpenMP would take
  int block = 256;                    ///< threads a block on a GPU
  bool only_new = false;              ///< a folder that is not empty is refused
  ensembles::RunRequest request;      ///< `folder` empty: out/NAME-OF-CASE-FILE
};

}  // namespace ulpine::cli
