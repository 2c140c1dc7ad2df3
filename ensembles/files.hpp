// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ulpine::ensembles {

/// Writes under a temporary name beside `path`, syncs, then renames: after a kill there is the old file or
/// the new one. EnvironmentError where that fails.
void write_atomically(std::filesystem::path const& path, std::string const& text);
/// The file's content; InputError where it cannot be read.
std::string read_text(std::filesystem::path const& path);
/// InputError where `folder` holds the results of another command than the one whose results are called
/// `own`: "run.json", "manifest.json" (of a study), "search.json" or
/// "digits.json"; any where it is empty. What is written among them
/// could be taken for one of theirs.
void require_no_results_but(std::filesystem::path const& folder, std::string const& own);
/// Creates the folder with its parents; EnvironmentError where that fails.
void make_folder(std::filesystem::path const& path);

}  // namespace ulpine::ensembles
