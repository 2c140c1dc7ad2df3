// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "io/netcdf.hpp"

namespace ulpine::verification::consistency {

/// Files that stay open while they are used: those used last, at most `most` of them and what callers hold.
/// Those of classic formats take a number of an open file each, of which there may be more; any other a
/// process or netCDF's memory. Others may wait for their turn, at most `most_waiting` (3 MB each).
/// Safe on several threads.
class OpenFiles {
 public:
  static constexpr std::size_t most_classic = 200, most_waiting = 40;

  explicit OpenFiles(std::size_t most) : most_{most, most_classic, most_waiting} {}

  /// InputError where it cannot be read.
  std::shared_ptr<io::InputFile const> operator()(std::filesystem::path const& path) {
    std::lock_guard const lock{mutex_};
    auto const found = std::ranges::find(open_, path, &Entry::path);
    if (found != open_.end()) {
      open_.splice(open_.begin(), open_, found);
      if (found->kind == waiting) enter(*found, usual);
    } else {
      auto file = std::make_shared<io::InputFile const>(path);
      open_.push_front({path, usual, std::move(file)});
      ++count_[usual];
      enter(open_.front(), is_classic(path) ? classic : usual);
    }
    return open_.front().file;
  }
  /// Says that a file is next read once others were: it stays open where there is room.
  void wait(std::filesystem::path const& path) {
    std::lock_guard const lock{mutex_};
    auto const found = std::ranges::find(open_, path, &Entry::path);
    if (found != open_.end() && found->kind == usual && count_[waiting] < most_waiting)
      enter(*found, waiting);
  }

 private:
  enum Kind : std::size_t { usual, classic, waiting, kinds };
  struct Entry {
    std::filesystem::path path;
    Kind kind;
    std::shared_ptr<io::InputFile const> file;
  };

  static bool is_classic(std::filesystem::path const& path) {
    std::ifstream stream(path, std::ios::binary);
    std::array<char, 3> magic{};
    stream.read(magic.data(), magic.size());
    return std::string_view(magic.data(), magic.size()) == "CDF";
  }
  /// Makes an entry one of another kind; the one of that kind that was used longest ago makes room.
  void enter(Entry& entry, Kind kind) {
    --count_[entry.kind];
    entry.kind = kind;
    if (++count_[kind] <= most_[kind]) return;
    auto last = open_.rbegin();
    while (last->kind != kind) ++last;
    open_.erase(std::next(last).base());
    --count_[kind];
  }

  std::array<std::size_t, kinds> most_, count_{};
  std::mutex mutex_;
  std::list<Entry> open_;  ///< last used first
};

}  // namespace ulpine::verification::consistency
