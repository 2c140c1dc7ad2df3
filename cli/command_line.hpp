// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ulpine::cli {

/// Reads a command line, without the program's name, and returns what to run: the command and its options, or
/// one that prints help or version. It returns the exit code. InputError for bad usage.
std::function<int()> read_command_line(std::vector<std::string> words);

}  // namespace ulpine::cli
