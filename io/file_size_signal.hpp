// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace ulpine::io {

/// While it lives, a write of this thread beyond the limit of a file's size (`ulimit -f`) fails with EFBIG,
/// as one to a full disk fails with ENOSPC. Without it the system sends SIGXFSZ, which ends a program that
/// does not handle it. Handlers, errno and signals that wait already are left as they are.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal();
  ~NoFileSizeSignal();
  NoFileSizeSignal(NoFileSizeSignal const&) = delete;
  NoFileSizeSignal& operator=(NoFileSizeSignal const&) = delete;

 private:
  sigset_t before_ = {};  ///< the thread's blocked signals
  bool waits_ = false;    ///< one was there before
};

}  // namespace ulpine::io
