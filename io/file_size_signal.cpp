// SPDX-License-Identifier: Apache-2.0
#include "io/file_size_signal.hpp"

#include <cerrno>

namespace ulpine::io {

namespace {

sigset_t only_file_size() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

bool file_size_signal_waits() {
  sigset_t waiting;
  return sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
}

}  // namespace

NoFileSizeSignal::NoFileSizeSignal() {
  auto const set = only_file_size();
  waits_ = file_size_signal_waits();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

NoFileSizeSignal::~NoFileSizeSignal() {
  auto const error = errno;
  if (!waits_ && file_size_signal_waits()) {
    auto const set = only_file_size();
    auto number = 0;
    sigwait(&set, &number);
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

}  // namespace ulpine::io
