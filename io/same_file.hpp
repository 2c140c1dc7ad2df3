// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

namespace ulpine::io {

/// Two places of a list that name one file, `first` before `second`.
struct SameFile {
  std::size_t first = 0, second = 0;
};

/// The first two of `files` that are one file, by the same name or through a link of either kind; those that
/// are not there are left to their reader. Files of equal content are several.
std::optional<SameFile> same_file(std::span<std::filesystem::path const> files);

}  // namespace ulpine::io
