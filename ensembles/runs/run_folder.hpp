// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "ensembles/runs/run.hpp"
#include "io/case_file.hpp"
#include "io/own_files.hpp"

namespace ulpine::ensembles {

/// "output-3.nc" of "output.nc".
std::filesystem::path numbered(std::filesystem::path const& file, int number);
/// The least number that none of the files of a run in the folder has.
int free_number(std::filesystem::path const& folder);

/// Whether all that is in the folder was written by a run, whose record is there and has an `id`.
bool is_whole_run(std::filesystem::path const& folder, std::string const& id);

/// InputError where the run that is asked for cannot put its files into its folder without harm: where
/// something of their names is no file of a run (io::require_replaceable), is read by this run, was altered
/// since its run wrote it, or belongs to a study, a comparison or, where the run goes on from a restart,
/// another case; where results of another command are there; and, for a run from the start, where parts of a
/// run that went on are.
void require_own_folder(RunRequest const& request, io::CaseFile const& case_file);

/// The part of it that takes no case: InputError where something of the files' names is no file of a run.
void require_own_files(RunRequest const& request);

/// Files of a folder that are written under temporary names. Those that are not placed are removed.
class BegunFiles {
 public:
  explicit BegunFiles(std::filesystem::path folder) : folder_{std::move(folder)} {}
  /// Begins a file and returns the path to write it at.
  std::filesystem::path add(std::string const& name);
  /// Renames a begun file to its name, replacing the file of that name.
  void place(std::string const& name);
  bool has(std::string const& name) const { return files_.contains(name); }

 private:
  std::filesystem::path folder_;
  std::map<std::string, io::BegunFile> files_;
};

}  // namespace ulpine::ensembles
