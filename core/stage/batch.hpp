// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/exec/collector.hpp"
#include "core/exec/stream.hpp"
#include "core/stage/graph.hpp"

namespace ulpine {

/// Members of an ensemble on one GPU that take their steps together, each with fields, arithmetic and a
/// stream of its own, and with the bits that it has alone. Launches of batchable() executors that all members
/// make alike are made once, the member as a dimension of the launch; recorded sequences run side by side.
/// Whatever cannot be shared (a library, a copy to the host, a wait, a timed launch) a member does alone,
/// from there to the end of its step. Lasts longer than its members.
class Batch {
 public:
  /// On GPU `ordinal`; errors as of Stream.
  explicit Batch(int ordinal, int block = 256);
  /// What is shared goes to the executor of `shared`.
  explicit Batch(std::unique_ptr<WorkRecorder> shared);

  /// For one more member, whose stream is `own`: what Stream takes. Safe for several threads.
  std::shared_ptr<Collector> member(Cuda own) { return std::make_shared<Collector>(own, round_); }

  /// Calls steps(), in which members take a step each, one after the other; then all is with the device. What
  /// steps() throws is thrown on. For one thread; members that take no step may be used by others.
  template <class Steps>
  void together(Steps const& steps) {
    round_.open = true;
    try {
      steps();
    } catch (...) {
      give();
      throw;
    }
    give();
  }

 private:
  /// A member's launches of a round.
  struct Given {
    Collector* member;
    LaunchList launches;
  };

  void give();
  void give_alike(std::span<Given const* const> members);
  void give_own(std::size_t number, std::span<Given const* const> members);

  std::unique_ptr<Stream> stream_;
  std::unique_ptr<WorkRecorder> shared_;
  CollectingRound round_;
};

/// Records from a member's stream by `own`; what was recorded is kept while the member collects.
std::unique_ptr<WorkRecorder> make_collecting_recorder(Collector& collector,
                                                       std::unique_ptr<WorkRecorder> own);

}  // namespace ulpine
