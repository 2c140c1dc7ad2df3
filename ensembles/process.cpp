// SPDX-License-Identifier: Apache-2.0
#include "ensembles/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>

namespace ulpine::ensembles {

ProcessOutcome run_process(std::vector<std::string> words, std::atomic<bool> const* cancel) {
  std::array<int, 2> pipe_ends{};
  if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    return {-1, std::strerror(errno)};
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  pid_t child = 0;
  auto const failed = ::posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe_ends[1]);
  ProcessOutcome outcome;
  if (failed == 0) {
    constexpr int milliseconds = 100;
    auto told = false;
    std::array<char, 4096> buffer{};
    for (;;) {
      if (!told && cancel != nullptr && cancel->load()) {
        told = true;
        ::kill(child, SIGINT);
      }
      pollfd ready{pipe_ends[0], POLLIN, 0};
      if (::poll(&ready, 1, milliseconds) <= 0) continue;
      auto const count = ::read(pipe_ends[0], buffer.data(), buffer.size());
      if (count > 0) {
        outcome.errors.append(buffer.data(), static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        break;
      }
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  } else {
    outcome = {-1, std::strerror(failed)};
  }
  ::close(pipe_ends[0]);
  return outcome;
}

std::string last_line(std::string const& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      last = line;
    }
  }
  return last;
}

}  // namespace ulpine::ensembles
