// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/stream.hpp"

namespace ulpine {

/// A second order of work beside an executor's own: what its executor() is given after fork() comes after all
/// that the first has been given by then, and what the first is given after join() comes after that. In
/// between a device does both at once. On the host there is one order, which is both.
template <class Executor>
class SideStream {
 public:
  explicit SideStream(Executor first) : first_{first} {}
  Executor executor() const { return first_; }
  void fork() {}
  void join() {}

 private:
  Executor first_;
};

/// A stream of high priority, so that little work gets through beside much. It may be recorded (graph.hpp)
/// with the first: as a branch of the graph.
template <>
class SideStream<Cuda> {
 public:
  explicit SideStream(Cuda first)
      : first_{first},
        side_(first.ordinal, first.block, Stream::Priority::high),
        forked_(first),
        joined_(first) {}
  Cuda executor() const { return side_.executor(); }
  void fork() {
    forked_.record(first_);
    forked_.hold_back(executor());
  }
  void join() {
    joined_.record(executor());
    joined_.hold_back(first_);
  }

 private:
  Cuda first_;
  Stream side_;
  Event forked_, joined_;
};

}  // namespace ulpine
