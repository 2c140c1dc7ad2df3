// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "support/temporary_folder.hpp"

namespace ulpine::ensembles {
namespace {

ProcessOutcome shell(std::string const& script, ProcessLimits const& limits = {},
                     std::atomic<bool> const* cancel = nullptr) {
  return run_process({"/bin/sh", "-c", script}, limits, cancel);
}

/// Whether process `number` is gone, or has ended and waits for somebody to ask how; waited for at most a
/// minute.
bool is_gone(pid_t number) {
  for (auto i = 0; i < 6000; ++i) {
    std::ifstream status("/proc/" + std::to_string(number) + "/stat");
    std::string word, state;
    if (!(status >> word >> word >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// The number that a script has written into a file; waited for at most a minute.
pid_t number_in(std::filesystem::path const& path) {
  for (auto i = 0; i < 6000; ++i) {
    std::string line;
    if (std::ifstream file(path); std::getline(file, line) && !file.eof()) return std::stoi(line);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return -1;
}

TEST(Process, TellsHowItEnded) {
  auto const outcome = shell("echo unseen; echo one >&2; echo two >&2; exit 3");
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.errors, "one\ntwo\n");
  EXPECT_TRUE(outcome.beyond.empty());
  EXPECT_EQ(last_line(outcome.errors), "two");
  EXPECT_EQ(shell("kill -TERM $$").status, 128 + SIGTERM);
  auto const absent = run_process({"/absent/program"});
  EXPECT_EQ(absent.status, -1);
  EXPECT_EQ(absent.errors, "No such file or directory");
}

TEST(Process, ReadsNothing) { EXPECT_EQ(shell("read line || exit 7").status, 7); }

TEST(Process, IsEndedAtItsTimeWithAllThatItStarted) {
  test::TemporaryFolder folder;
  auto const file = (folder / "number").string();
  auto const outcome = shell("trap '' INT; sleep 1000 & echo $! > " + file + "; wait", {.seconds = 0.5});
  EXPECT_EQ(outcome.beyond, "took longer than 0.5 s");
  EXPECT_TRUE(outcome.late);
  EXPECT_EQ(outcome.status, 128 + SIGKILL) << "as it did not end when it was asked to";
  EXPECT_TRUE(is_gone(number_in(file)));
}

TEST(Process, MayEndByItselfWhenItIsAskedTo) {
  EXPECT_EQ(shell("trap 'exit 9' INT; while :; do sleep 0.1; done", {.seconds = 0.5}).status, 9);
}

TEST(Process, IsEndedWhereItSaysTooMuchOfWhichTheEndIsKept) {
  auto const outcome = shell("while :; do echo 0123456789; done >&2", {.message_bytes = 1 << 20});
  EXPECT_EQ(outcome.beyond, "wrote more than 1048576 bytes of messages");
  EXPECT_FALSE(outcome.late);
  EXPECT_LT(outcome.errors.size(), 200'000u);
  EXPECT_GT(outcome.errors.size(), 10'000u);
  auto const one_line = shell("head -c 300000 /dev/zero | tr '\\0' x >&2; echo >&2; exit 1");
  EXPECT_EQ(one_line.status, 1);
  EXPECT_EQ(last_line(one_line.errors), std::string(2000, 'x') + "...");
}

// A grandchild keeps the pipe open and would be waited for.
TEST(Process, LeavesNoneBehindAtItsEnd) {
  test::TemporaryFolder folder;
  auto const file = (folder / "number").string();
  auto const outcome = shell("sleep 1000 & echo $! > " + file + "; echo well >&2");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors, "well\n");
  EXPECT_TRUE(is_gone(number_in(file)));
}

TEST(Process, IsEndedWhereItIsCancelled) {
  std::atomic<bool> const cancel = true;
  auto const outcome = shell("trap 'exit 4' INT; while :; do sleep 0.1; done", {}, &cancel);
  EXPECT_TRUE(outcome.beyond.empty());
  EXPECT_TRUE(outcome.status == 4 || outcome.status == 128 + SIGINT) << outcome.status;
}

// As by a second Ctrl-C, or a job's end.
TEST(Process, EndsWithTheOneThatStartedIt) {
  test::TemporaryFolder folder;
  auto const own = (folder / "own").string(), grandchild = (folder / "grandchild").string();
  auto const starter = ::fork();
  if (starter == 0) {
    shell("trap '' INT TERM HUP; sleep 1000 & echo $! > " + grandchild + "; echo $$ > " + own +
          "; wait; sleep 1000");
    ::_exit(0);
  }
  auto const number = number_in(own), other = number_in(grandchild);
  ::kill(starter, SIGKILL);
  ::waitpid(starter, nullptr, 0);
  EXPECT_TRUE(is_gone(number));
  EXPECT_TRUE(is_gone(other));
}

}  // namespace
}  // namespace ulpine::ensembles
