// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ulpine::fuzz {

using Words = std::vector<std::string>;

/// Throws where a call of netCDF did not succeed.
void nc(int status);

/// A file that another program could have written, and the mode that nc_create() makes it with.
struct ForeignFile {
  char const* name;
  int mode;
};
/// The three classic formats, then netCDF-4.
extern ForeignFile const foreign_files[4];

/// The study of a case that the bases hold, made in `study`; the same gone on with; its report.
Words study_command(std::string const& case_file);
Words resume_command();
Words report_command();
std::string joined(Words const& words);

/// Folders of the runs within a study.
std::vector<std::filesystem::path> runs_of(std::filesystem::path const& study);

/// results.json of the study but for times; null where there is none.
nlohmann::ordered_json results_of(std::filesystem::path const& study);

/// Makes the valid files, with the program itself, in `folder`. Throws where the program fails on them.
void make_bases(std::filesystem::path const& folder);

}  // namespace ulpine::fuzz
