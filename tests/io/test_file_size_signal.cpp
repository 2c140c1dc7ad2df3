// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "io/file_size_signal.hpp"
#include "support/temporary_folder.hpp"

namespace ulpine::io {
namespace {

volatile std::sig_atomic_t signals = 0;

void count_signal(int) { signals = signals + 1; }

/// A file that may not grow beyond 16 bytes, and a handler that counts the signals that this brings.
class FileSizeSignal : public ::testing::Test {
 protected:
  void SetUp() override {
    signals = 0;
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    auto limited = before_;
    limited.rlim_cur = 16;
    handler_ = std::signal(SIGXFSZ, count_signal);
    file_ = open((folder_ / "file").c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_GE(file_, 0);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
  }
  void TearDown() override {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
    close(file_);
  }
  void write_too_far() {
    errno = 0;
    EXPECT_EQ(pwrite(file_, "x", 1, 16), -1);
    EXPECT_EQ(errno, EFBIG);
  }

 private:
  test::TemporaryFolder folder_;
  rlimit before_ = {};
  void (*handler_)(int) = SIG_DFL;
  int file_ = -1;
};

TEST_F(FileSizeSignal, IsNotSentWhereAWriteIsQuiet) {
  {
    NoFileSizeSignal const quiet;
    write_too_far();
  }
  EXPECT_EQ(errno, EFBIG);  // the cause is still there to be told
  EXPECT_EQ(signals, 0);
  std::thread{[&] {
    NoFileSizeSignal const quiet;
    write_too_far();
  }}.join();
  EXPECT_EQ(signals, 0);
}

TEST_F(FileSizeSignal, IsSentAgainAfterwards) {
  { NoFileSizeSignal const quiet; }
  write_too_far();
  EXPECT_EQ(signals, 1);
}

TEST_F(FileSizeSignal, OfTheProgramItselfIsLeftToIt) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  write_too_far();
  {
    NoFileSizeSignal const quiet;
    write_too_far();
  }
  EXPECT_EQ(signals, 0);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  EXPECT_EQ(signals, 1);
}

}  // namespace
}  // namespace ulpine::io
