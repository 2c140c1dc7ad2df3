// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ulpine::ensembles {

void parallel_for(std::size_t count, int threads, std::function<void(std::size_t)> const& task) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  auto const work = [&] {
    for (auto i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        std::lock_guard const lock(mutex);
        error = error ? error : std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::thread> team;
  auto const size = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  try {
    for (std::size_t i = 1; i < size; ++i) {
      team.emplace_back(work);
    }
  } catch (std::system_error const&) {
    // If no more threads can be had, those that work do it all.
  }
  work();
  for (auto& thread : team) {
    thread.join();
  }
  if (error) {
    std::rethrow_exception(error);
  }
}

}  // namespace ulpine::ensembles
