// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ulpine::probe {

/// Wall-clock time of each stage: from the mark before it (a stage, step or turn of a loop) to its own,
/// without what was spent in the probe meanwhile by any thread. Thread-safe.
class Seconds {
 public:
  using Clock = std::int64_t (*)();         ///< nanoseconds that never go back
  explicit Seconds(Clock clock = nullptr);  ///< null: the system's monotonic clock
  ~Seconds();

  /// A call of the probe, from its first to its last line.
  class Call {
   public:
    explicit Call(Seconds* seconds) : seconds_{seconds} {  ///< null: nothing is measured
      if (seconds_ != nullptr) seconds_->enter();
    }
    ~Call() {
      if (seconds_ != nullptr) seconds_->leave();
    }
    Call(Call const&) = delete;
    Call& operator=(Call const&) = delete;

   private:
    Seconds* seconds_;
  };

  /// The stage has ended, within a Call.
  void stage(std::string_view name);
  /// What has run since the last mark is no stage's, e.g. at the begin of a step; within a Call.
  void rest();
  /// Writes the table (CSV: stage, calls, seconds, least, most, share). EnvironmentError.
  void write(std::string const& path) const;
  std::string table() const;

 private:
  void enter();
  void leave();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulpine::probe
