// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ulpine::cli {

/// What the words of a command line, without the program's name, ask for: the command with its options, or
/// one that prints help or version. It returns the exit code. InputError for bad usage.
std::function<int()> read_command_line(std::vector<std::string> words);

}  // namespace ulpine::cli
