// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ulpine::io {

/// The name under which `path` is written before it is renamed into place: "NAME.ulpine-PROCESS.part" beside
/// it. The process number keeps two writers apart.
std::filesystem::path temporary_name(std::filesystem::path const& path);
/// Whether a file's name is one of those.
bool is_temporary(std::filesystem::path const& name);
/// The path that one with temporary names in it stands for; any other unchanged. Messages name that file.
std::filesystem::path final_name(std::filesystem::path const& path);
/// Removes what writers that were killed have left in `folder`, not below it: files, and folders with
/// what is in them. To be called by the one process
/// that may write there, for nothing tells a dead writer's file from a live one's.
void remove_temporaries(std::filesystem::path const& folder);

}  // namespace ulpine::io
