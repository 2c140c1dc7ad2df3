// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ulpine::ensembles {

/// `text` as one word of a shell, plain where it needs no quotes. The word is one line, whatever is in
/// `text`.
std::string shell_quoted(std::string const& text);
/// A path as one word, which no program takes for an option.
std::string shell_quoted_path(std::filesystem::path const& path);

}  // namespace ulpine::ensembles
