// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ulpine::fuzz {

/// How a child process ended.
struct Ending {
  int code = 0;         ///< exit code; -1 where a signal ended it
  int signal = 0;       ///< that ended it
  bool asked = false;   ///< it took too long and was asked (TERM) to stop
  bool killed = false;  ///< it did not stop, or took too much memory
  std::string output, errors;
  std::string report;  ///< of the sanitizers on the child itself (not on children of its own)
};

/// Runs `action` in a child process in `folder` with its streams in files there, limited in processor time
/// and memory; its value becomes the exit code. What it leaves running is ended with it.
Ending run_child(std::filesystem::path const& folder, std::function<int()> const& action);

/// The command `ulpine` with these words, as its main() does it.
Ending run_command(std::filesystem::path const& folder, std::vector<std::string> words);

/// A new folder to work in. On the way the program starts itself again with the environment that children
/// need: one thread, no pages drawn, the sanitizers' reports in that folder.
std::filesystem::path working_folder(char** arguments);

}  // namespace ulpine::fuzz
