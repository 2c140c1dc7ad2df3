// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/exec/executor.hpp"
#include "core/exec/side_stream.hpp"
#include "core/ranks/ranks.hpp"

namespace ulpine {

/// Messages between ranks from and to the executor's memory. All ranks make the same calls in the same order.
/// One alone (no ranks, or one) needs none: several() is false, exchange() has messages to oneself at most.
template <class Executor>
class Link {
 public:
  Link(Executor executor, std::shared_ptr<Ranks> ranks) : ranks_{std::move(ranks)}, side_(executor) {}
  bool several() const { return ulpine::several(ranks_); }
  Ranks* ranks() const { return ranks_.get(); }
  /// Where work of this link runs in a step (StageRunner::call).
  bool in_stream_order() const { return true; }

  void exchange(std::span<Outgoing const> sent, std::span<Incoming const> received) {
    ranks_->exchange(sent, received);
  }
  /// exchange() in two parts, as Ranks have it, in the order of side().
  void begin(std::span<Outgoing const> sent, std::span<Incoming const> received) {
    ranks_->begin(sent, received);
  }
  void end() { ranks_->end(); }
  /// The order of what begin() sends, and of copies before and after it: whoever begins forks, and joins
  /// after end(). It is for several ranks that send in_stream_order().
  SideStream<Executor>& side() { return side_; }
  void add(std::uint64_t* words, std::int64_t count) {
    ranks_->add({words, static_cast<std::size_t>(count)});
  }
  void largest(std::int64_t* words, std::int64_t count) {
    ranks_->largest({words, static_cast<std::size_t>(count)});
  }

 private:
  std::shared_ptr<Ranks> ranks_;
  SideStream<Executor> side_;
};

/// Between GPUs: by NCCL, where every rank has a GPU of its own, in the order of the stream and also within a
/// graph; else through the host, which waits for the stream. It outlives the graphs that its messages were
/// recorded in (declare it before the StageRunner): NCCL waits for their end when it is taken down.
template <>
class Link<Cuda> {
 public:
  /// EnvironmentError where NCCL fails.
  Link(Cuda cuda, std::shared_ptr<Ranks> ranks);
  Link(Link&&) noexcept;
  ~Link();
  bool several() const { return ulpine::several(ranks_); }
  Ranks* ranks() const { return ranks_.get(); }
  bool in_stream_order() const;

  void exchange(std::span<Outgoing const> sent, std::span<Incoming const> received);
  /// exchange() in two parts, where in_stream_order(), in the order of side(): what side() is given after
  /// end() comes after the messages.
  void begin(std::span<Outgoing const> sent, std::span<Incoming const> received);
  void end() {}
  SideStream<Cuda>& side() { return *side_; }
  void add(std::uint64_t* words, std::int64_t count);
  void largest(std::int64_t* words, std::int64_t count);

 private:
  class Nccl;
  Cuda cuda_;
  std::shared_ptr<Ranks> ranks_;
  std::unique_ptr<Nccl> nccl_;
  std::unique_ptr<SideStream<Cuda>> side_;
};

/// Version of NCCL, "2.27.3"; empty where there is none.
std::string nccl_version();

}  // namespace ulpine
