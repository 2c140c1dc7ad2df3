// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ulpine::io {

/// The line, from 1, where TOML `text` first nests tables, arrays or dotted keys deeper than any of our files
/// does; 0 where it does not. TOML's parser and the readers of its result recurse, so that a deep text would
/// overflow the stack.
std::size_t line_too_deep(std::string_view text);
/// What a message says of that line: what is wrong and the remedy.
std::string depth_problem();

}  // namespace ulpine::io
