// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace ulpine::ensembles {

/// A folder of files that come with the program: `share/ulpine/NAME` or `NAME` beside or above it, the first
/// that has(folder), else NAME in the source folder of the build. Empty where there is none.
std::filesystem::path shipped_folder(std::string const& name,
                                     std::function<bool(std::filesystem::path const&)> const& has);

}  // namespace ulpine::ensembles
