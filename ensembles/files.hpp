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
/// Creates the folder with its parents; EnvironmentError where that fails.
void make_folder(std::filesystem::path const& path);

}  // namespace ulpine::ensembles
