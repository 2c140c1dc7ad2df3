// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/exec/executor.hpp"

namespace ulpine {

/// Cost of a stage so far; its mean time is seconds / timed.
struct StageTime {
  std::string name;
  std::int64_t launches = 0;
  std::int64_t timed = 0;  ///< launches with a measured time
  double seconds = 0;      ///< of the timed launches
  double bytes = 0;        ///< counted minimal traffic of all launches
};

/// Counts the launches and bytes of named stages always, and times them while enabled: by the steady clock on
/// the host, by pairs of events on a device, which are read later so that no launch waits. Stages do not
/// nest. Not for use by two threads.
class StageClock {
 public:
  /// Launches and bytes that a sequence of launches adds to a stage.
  struct Count {
    std::int64_t launches = 0;
    double bytes = 0;
  };

  StageClock();
  StageClock(StageClock&&) noexcept;
  StageClock& operator=(StageClock&&) noexcept;
  ~StageClock();

  /// Makes a stage known and returns its number.
  std::size_t add_stage(std::string name);

  /// Times the launches from now on, or stops to.
  void enable(bool timed) { timing_ = timed; }
  bool timing() const { return timing_; }

  /// Around a launch of `stage`, which moves `bytes` at least.
  void begin(Host, std::size_t) {
    if (timing_) {
      begun_ = std::chrono::steady_clock::now();
    }
  }
  void end(Host, std::size_t stage, double bytes) {
    count(stage, bytes);
    if (timing_) {
      ++stages_[stage].timed;
      add_seconds(stage);
    }
  }
  /// Called in place of end() where the launch is the rest of one that was counted before.
  void end_rest(Host, std::size_t stage) {
    if (timing_) {
      add_seconds(stage);
    }
  }
  void begin(Cuda cuda, std::size_t) {
    if (timing_) {
      begin_timed(cuda);
    }
  }
  void end(Cuda cuda, std::size_t stage, double bytes) {
    count(stage, bytes);
    if (timing_) {
      end_timed(cuda, stage);
    }
  }

  /// Runs `launch` as `stage`.
  template <class Executor, class Launch>
  void measure(Executor executor, std::size_t stage, double bytes, Launch&& launch) {
    begin(executor, stage);
    launch();
    end(executor, stage, bytes);
  }

  /// Launches and bytes so far, by stage.
  std::vector<Count> counts() const;
  /// Counts a repetition of launches that counted `difference` the first time.
  void repeat(std::vector<Count> const& difference);

  /// All stages in the order of add_stage. Waits for the timed launches.
  std::vector<StageTime> times();

 private:
  struct Events;

  void count(std::size_t stage, double bytes) {
    ++stages_[stage].launches;
    stages_[stage].bytes += bytes;
  }
  void add_seconds(std::size_t stage) {
    stages_[stage].seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }
  void begin_timed(Cuda cuda);
  void end_timed(Cuda cuda, std::size_t stage);

  bool timing_ = false;
  std::chrono::steady_clock::time_point begun_;
  std::vector<StageTime> stages_;
  std::unique_ptr<Events> events_;
};

}  // namespace ulpine
