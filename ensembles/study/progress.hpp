// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

namespace ulpine::ensembles {

/// "42 s", "3 min 10 s", "2 h 05 min"; "?" for infinity and NaN.
std::string readable_duration(double seconds);

/// "[=====     ]  50 % 3/24 runs, 12 s left" in at most `columns` columns of a terminal, one for each
/// character of UTF-8: the bar gives way first, down to a few, then the end of `text`. `left` is what stands
/// behind it.
std::string bar_line(double fraction, std::string const& text, std::string const& left, int columns);

/// A progress bar on a terminal; elsewhere a plain line at most every `line_interval_s` and at the end.
/// Thread-safe.
class ProgressReporter {
 public:
  /// Writes to `stream` (stderr); `quiet`: nothing at all.
  ProgressReporter(std::FILE* stream, bool quiet, double line_interval_s = 10);
  ~ProgressReporter();
  ProgressReporter(ProgressReporter const&) = delete;
  ProgressReporter& operator=(ProgressReporter const&) = delete;

  /// `fraction` in [0, 1]; `what` is shown on one line, e.g. "3/24 runs"; `remaining_s` may be infinite.
  void update(double fraction, double remaining_s, std::string const& what);
  /// A line above the bar.
  void note(std::string const& line);
  /// Ends the bar with a newline.
  void finish();

 private:
  void clear_bar();
  std::FILE* stream_;
  bool quiet_, terminal_, bar_shown_ = false;
  double line_interval_s_;
  std::chrono::steady_clock::time_point last_{};
  std::string pending_;
  std::mutex mutex_;
};

}  // namespace ulpine::ensembles
