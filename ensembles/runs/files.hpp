// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "io/own_files.hpp"

namespace ulpine::ensembles {

using io::write_atomically;
/// The file's content; InputError where it cannot be read.
std::string read_text(std::filesystem::path const& path);
/// InputError where `folder` holds the results of another command than the one whose results are called
/// `own`: "run.json", "manifest.json" (of a study), "search.json" or
/// "digits.json"; any where it is empty. What is written among them
/// could be taken for one of theirs.
void require_no_results_but(std::filesystem::path const& folder, std::string const& own);
/// InputError where `folder` is, or is to be, a part of what another command has written: a run of a study,
/// or a folder of checkpoints. Wherever else below results a folder harms nothing.
void require_no_part_of_results(std::filesystem::path const& folder);
/// Creates the folder with its parents; EnvironmentError where that fails.
void make_folder(std::filesystem::path const& path);

}  // namespace ulpine::ensembles
