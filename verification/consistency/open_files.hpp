// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "io/netcdf.hpp"

namespace ulpine::verification::consistency {

/// Files that stay open while they are used: those used last, at most `most` of them and what callers hold.
/// Safe on several threads.
class OpenFiles {
 public:
  explicit OpenFiles(std::size_t most) : most_{most} {}

  /// InputError where it cannot be read.
  std::shared_ptr<io::InputFile const> operator()(std::filesystem::path const& path) {
    std::lock_guard const lock{mutex_};
    auto const found = std::ranges::find(open_, path, &Entry::first);
    if (found != open_.end()) {
      open_.splice(open_.begin(), open_, found);
    } else {
      if (open_.size() == most_) open_.pop_back();
      open_.emplace_front(path, std::make_shared<io::InputFile const>(path));
    }
    return open_.front().second;
  }

 private:
  using Entry = std::pair<std::filesystem::path, std::shared_ptr<io::InputFile const>>;
  std::size_t most_;
  std::mutex mutex_;
  std::list<Entry> open_;  ///< last used first
};

}  // namespace ulpine::verification::consistency
