// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace ulpine::ensembles {

/// How another program ended.
struct ProcessOutcome {
  int status = 0;      ///< exit code; 128 + number of the signal that ended it; -1: could not be started
  std::string errors;  ///< what it wrote on standard error, or why it could not be started
};

/// Runs `words`, the program first, without input and with standard output thrown away, to its end. Where
/// `cancel` is set meanwhile it gets SIGINT, once, and is waited for.
ProcessOutcome run_process(std::vector<std::string> words, std::atomic<bool> const* cancel = nullptr);

/// The last line of `text` that is not empty.
std::string last_line(std::string const& text);

}  // namespace ulpine::ensembles
