// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::probe {

/// The place of a trace that this process is going to write: no other may write there meanwhile.
class Claim {
 public:
  /// Removes the trace that an earlier run has left at `path`, so that it does not pass for this one's.
  /// InputError where something else lies there, or a process is at work on it.
  explicit Claim(std::string path);
  Claim(Claim const&) = delete;
  Claim& operator=(Claim const&) = delete;
  ~Claim();
  std::string const& path() const { return path_; }
  /// Creates the file, empty, and locks it against other processes for as long as this object lives.
  /// InputError where another was first, EnvironmentError where no file can be made.
  void take();

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace ulpine::probe
