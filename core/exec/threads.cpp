// SPDX-License-Identifier: Apache-2.0
#include "core/exec/threads.hpp"

#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "io/error.hpp"

namespace ulpine {

void require_threads(int threads) {
  thread_local int possible = 1;  // libgomp keeps a thread's team, which need not be had twice
  if (threads <= possible) {
    return;
  }
  std::mutex begin;
  std::vector<std::thread> team;
  team.reserve(static_cast<std::size_t>(threads - 1));
  std::string problem;
  {
    std::lock_guard const hold(begin);  // all of them live until the last has been started
    try {
      for (int thread = 1; thread < threads; ++thread) {
        team.emplace_back([&begin] { std::lock_guard const wait(begin); });
      }
    } catch (std::system_error const& error) {
      problem = error.code().message();
    }
  }
  auto const started = team.size() + 1;
  for (auto& thread : team) {
    thread.join();
  }
  if (!problem.empty()) {
    throw EnvironmentError("cannot have " + std::to_string(threads) + " threads (after " +
                           std::to_string(started) + ": " + problem +
                           ") use fewer --threads or --jobs, or raise `ulimit -u`");
  }
  possible = threads;
}

}  // namespace ulpine
