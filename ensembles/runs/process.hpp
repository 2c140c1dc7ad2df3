// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ulpine::ensembles {

/// Time, and bytes of what it says, that another program may take before it is ended.
struct ProcessLimits {
  double seconds = 3600;                             ///< from its start to its end, by the clock
  std::size_t message_bytes = std::size_t{1} << 24;  ///< on standard error
  std::size_t output_bytes = std::size_t{1} << 30;   ///< on standard output, where that is kept
};

/// Surroundings of another program, where they are not those of this one.
struct ProcessPlace {
  std::filesystem::path folder = {};  ///< working folder; empty: that of this process
  std::vector<std::string> environment =
      {};                               ///< each "NAME=VALUE", in place of this process' own of that name
  std::filesystem::path output = {};    ///< file for standard output; empty: it is thrown away
  std::filesystem::path messages = {};  ///< file for a copy of standard error; empty: none
  bool whole_stack = false;             ///< raises the soft limit of the stack's size to the hard one
};

/// The end of another program, with the end of its output.
struct ProcessOutcome {
  int status = 0;      ///< exit code; 128 + number of the signal that ended it; -1: could not be started
  std::string errors;  ///< the end of what it wrote on standard error, or why it could not be started
  std::string beyond;  ///< where it was ended for it, the limit that it came to: "took longer than 3600 s"
  bool late = false;   ///< that limit was the time
  std::int64_t peak_bytes = 0;  ///< largest resident memory of the program, or of a process it waited for
};

/// Runs `words`, the program first, without input to its end, in a process group of its own. Where `cancel`
/// is set meanwhile, or a limit is reached, the group gets SIGINT and a few seconds later SIGKILL. What is
/// left of the group is killed when the program has ended, and all of it when this process ends, however it
/// does.
ProcessOutcome run_process(std::vector<std::string> words, ProcessLimits const& limits = {},
                           std::atomic<bool> const* cancel = nullptr, ProcessPlace const& place = {});

/// "ended with exit code 7", or "was ended by signal 11 (Segmentation fault)", of ProcessOutcome::status;
/// with a hint where that may be for want of a stack, whose limit was not raised (ProcessPlace::whole_stack).
std::string how_it_ended(int status, bool whole_stack);

/// The last line of `text` that is not empty, cut where it is longer than a message should be.
std::string last_line(std::string const& text);

}  // namespace ulpine::ensembles
