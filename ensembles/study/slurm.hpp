// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ensembles/study/manifest.hpp"

namespace ulpine::ensembles {

struct SlurmScripts {
  std::vector<std::filesystem::path> arrays;  ///< written files: `study.sbatch`, `study-gpu.sbatch`
  std::filesystem::path report;
  std::string hint;  ///< the commands that submit them, for people
};

/// Writes `study.sbatch` (one array task a run, each `ulpine ensemble ... --resume --only I/N`) and
/// `report.sbatch` into the prepared study. A study on the host and on GPUs has its runs on GPUs in an array
/// of their own, `study-gpu.sbatch`, so that each asks for the nodes that it needs; the report waits for
/// both. A run on several ranks has as many tasks, on one node, and the command starts mpirun there.
/// `program` is the command to call, `arguments` the ensemble's own (quoted here), without --slurm.
/// InputError for a folder whose name a line of #SBATCH cannot hold.
SlurmScripts write_slurm_scripts(std::filesystem::path const& folder, Manifest const& manifest,
                                 std::string const& program, std::vector<std::string> const& arguments);

}  // namespace ulpine::ensembles
