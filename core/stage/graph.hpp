// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "core/exec/executor.hpp"
#include "core/stage/clock.hpp"

struct CUgraphExec_st;

namespace ulpine {

/// Runs a fixed sequence of launches. On a device the sequence is recorded once by stream capture and
/// replayed as one graph, which spares the launch latency; on the host it is simply called.
///
/// A sequence to be recorded only launches (kernels, copies and clears in stream order of `cuda`, which is
/// not the default stream) and always with the same arguments: it neither allocates, synchronises, reports
/// stages nor changes host state. Where an argument changes, call invalidate(): the next run records anew.
class StageGraph {
 public:
  StageGraph() = default;
  StageGraph(StageGraph&& other) noexcept { swap(other); }
  StageGraph& operator=(StageGraph&& other) noexcept {
    swap(other);
    return *this;
  }
  ~StageGraph();

  template <class Sequence>
  void run(Host, Sequence&& sequence) {
    sequence();
  }
  template <class Sequence>
  void run(Cuda cuda, Sequence&& sequence) {
    if (!valid_) {
      record(cuda, sequence);
    }
    replay(cuda);
  }

  /// The same for a sequence that counts its launches on `clock`: replays are counted too, and while the
  /// clock is timing the sequence is called directly, since launches within a graph cannot be timed one by
  /// one.
  template <class Sequence>
  void run(Host, StageClock&, Sequence&& sequence) {
    sequence();
  }
  template <class Sequence>
  void run(Cuda cuda, StageClock& clock, Sequence&& sequence) {
    if (clock.timing()) {
      sequence();
      return;
    }
    if (valid_) {
      clock.repeat(counts_);
    } else {
      auto const before = clock.counts();
      record(cuda, sequence);
      counts_ = clock.counts();
      for (std::size_t stage = 0; stage < before.size(); ++stage) {
        counts_[stage].launches -= before[stage].launches;
        counts_[stage].bytes -= before[stage].bytes;
      }
    }
    replay(cuda);
  }

  /// The sequence's arguments have changed.
  void invalidate() { valid_ = false; }

 private:
  template <class Sequence>
  void record(Cuda cuda, Sequence& sequence) {
    begin_capture(cuda);
    try {
      sequence();
    } catch (...) {
      abandon_capture(cuda);
      throw;
    }
    end_capture(cuda);
    valid_ = true;
  }
  void begin_capture(Cuda cuda);
  void abandon_capture(Cuda cuda) noexcept;
  void end_capture(Cuda cuda);
  void replay(Cuda cuda);
  void swap(StageGraph& other) noexcept {
    std::swap(valid_, other.valid_);
    std::swap(executable_, other.executable_);
    std::swap(ordinal_, other.ordinal_);
    counts_.swap(other.counts_);
  }

  bool valid_ = false;
  CUgraphExec_st* executable_ = nullptr;
  int ordinal_ = 0;                        ///< of its device
  std::vector<StageClock::Count> counts_;  ///< of one run
};

}  // namespace ulpine
