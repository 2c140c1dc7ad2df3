// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/slurm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/exec/device.hpp"
#include "ensembles/runs/files.hpp"
#include "ensembles/runs/shell.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {
namespace {

namespace fs = std::filesystem;

/// `text` reduced to what any reader of a job's name takes for a plain word.
std::string job_name(std::string const& text) {
  auto name = text.substr(0, 40);
  for (auto& letter : name) {
    auto const plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '.';
    letter = plain ? letter : '_';
  }
  return name;
}

/// The folder as it stands in double quotes in a line of #SBATCH, where % begins a placeholder and quotes,
/// backslashes and line breaks cannot be meant literally.
std::string log_pattern(fs::path const& folder) {
  std::string pattern;
  for (auto const letter : folder.string()) {
    if (letter == '"' || letter == '\'' || letter == '\\' || static_cast<unsigned char>(letter) < 0x20 ||
        letter == 0x7f) {
      throw InputError(
          "the folder of a study for SLURM has a quote, backslash or control character in its "
          "name (a line of #SBATCH cannot hold it) use another folder");
    }
    pattern += letter == '%' ? std::string("%%") : std::string(1, letter);
  }
  return pattern;
}

/// Indices of runs as --array takes them: "0-7,12".
std::string array_text(std::vector<std::size_t> const& indices) {
  std::vector<std::string> ranges;
  for (std::size_t begin = 0, end = 0; begin < indices.size(); begin = end) {
    end = begin + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    ranges.push_back(end - begin == 1 ? fmt::format("{}", indices[begin])
                                      : fmt::format("{}-{}", indices[begin], indices[end - 1]));
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

/// The runs of a study that ask for the same kind of node.
struct JobArray {
  std::vector<std::size_t> indices;
  int most = 0;   ///< host threads of a rank, or GPUs that its node must have for it
  int ranks = 1;  ///< ranks of the run that has most

  void add(std::size_t index, int needed, int ranks_of_run) {
    indices.push_back(index);
    most = std::max(most, needed);
    ranks = std::max(ranks, ranks_of_run);
  }
  /// Neighbours share a node; a run that has fewer ranks leaves the others' part idle.
  std::string tasks() const {
    return ranks > 1 ? fmt::format("--nodes=1\n#SBATCH --ntasks={}", ranks) : "--ntasks=1";
  }
};

}  // namespace

SlurmScripts write_slurm_scripts(fs::path const& folder, Manifest const& manifest, std::string const& program,
                                 std::vector<std::string> const& arguments) {
  auto const study = fs::absolute(folder).lexically_normal();
  auto const& options = manifest.plan.options;
  auto const runs = manifest.entries.size();
  auto command = fmt::format("{} ensemble", shell_quoted(program));
  for (auto const& argument : arguments) {
    command += fmt::format(" {}", shell_quoted(argument));
  }
  JobArray host, gpu;
  for (std::size_t i = 0; i < runs; ++i) {
    auto const& configuration = manifest.entries[i].run.configuration;
    auto const ordinal = device_ordinal(configuration.device);
    if (ordinal < 0) {
      host.add(i, model_options(configuration, options.threads).threads, configuration.ranks);
    } else {
      gpu.add(i, ordinal + 1, configuration.ranks);
    }
  }
  auto const name = job_name(manifest.case_name);
  auto const logs = log_pattern(study);
  // Relative paths among the arguments are meant as they were when the study was planned.
  auto const here = fmt::format("set -eu\ncd {}\n", shell_quoted(fs::current_path().string()));
  SlurmScripts scripts;
  for (auto const* const script : {"study.sbatch", "study-gpu.sbatch", "report.sbatch"}) {
    io::require_replaceable(study / script, io::signatures::script);
  }
  std::string dependency;
  auto const write_array = [&](fs::path const& path, JobArray const& array, std::string const& resources) {
    write_atomically(path, fmt::format("#!/bin/bash\n"
                                       "# One task a run of the study; a task that was lost is repeated by "
                                       "submitting again.\n"
                                       "#SBATCH --job-name=ulpine-{}\n"
                                       "#SBATCH --array={}\n"
                                       "#SBATCH {}\n"
                                       "#SBATCH {}\n"
                                       "#SBATCH --output=\"{}/slurm-%A-%a.log\"\n"
                                       "{}"
                                       "{} --resume --only \"$SLURM_ARRAY_TASK_ID/{}\"\n",
                                       name, array_text(array.indices), array.tasks(), resources, logs, here,
                                       command, runs));
    auto const variable = scripts.arrays.empty() ? "array" : "gpu_array";
    scripts.arrays.push_back(path);
    scripts.hint += fmt::format("{}=$(sbatch --parsable {}) && ", variable, shell_quoted(path.string()));
    dependency += fmt::format(":${}", variable);
  };
  if (!host.indices.empty()) {
    write_array(study / "study.sbatch", host, fmt::format("--cpus-per-task={}", host.most));
  }
  if (!gpu.indices.empty()) {
    write_array(study / (host.indices.empty() ? "study.sbatch" : "study-gpu.sbatch"), gpu,
                fmt::format("--gpus-per-task={}", gpu.most));
  }
  scripts.report = study / "report.sbatch";
  write_atomically(scripts.report,
                   fmt::format("#!/bin/bash\n"
                               "#SBATCH --job-name=ulpine-{}-report\n"
                               "#SBATCH --ntasks=1\n"
                               "#SBATCH --output=\"{}/slurm-%j-report.log\"\n"
                               "{}"
                               "{} report {}\n",
                               name, logs, here, shell_quoted(program), shell_quoted(study.string())));
  scripts.hint +=
      fmt::format("sbatch --dependency=afterany{} {}", dependency, shell_quoted(scripts.report.string()));
  return scripts;
}

}  // namespace ulpine::ensembles
