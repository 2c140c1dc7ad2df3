// SPDX-License-Identifier: Apache-2.0
#include "io/rank_files.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/error.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view between = "-of-";

std::optional<int> number_of(std::string_view digits) {
  int value = 0;
  auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc{} || end != digits.data() + digits.size() || value < 0) return {};
  return value;
}

/// Of "trace.3-of-8.bin" the name without the rank, "trace.bin", and the number of ranks.
std::optional<std::pair<fs::path, int>> base_of(fs::path const& name) {
  auto const stem = name.stem();
  auto rank = stem.extension().string();
  if (rank.empty()) return {};
  auto const numbers = ranks_of(std::string_view{rank}.substr(1));
  if (!numbers) return {};
  auto base = stem.stem();
  base += name.extension();
  return std::pair{base, numbers->second};
}

InputError nothing_at(fs::path const& name) {
  return InputError(name.string() +
                    ": no such trace (nothing of that name can be read, nor files of ranks) check the path");
}

}  // namespace

bool has_rank_placeholder(fs::path const& name) {
  return name.filename().string().find(rank_placeholder) != std::string::npos;
}

AroundRank around_rank(fs::path const& name) {
  auto const file = name.filename().string();
  auto const at = file.find(rank_placeholder);
  if (at != std::string::npos) return {file.substr(0, at), file.substr(at + rank_placeholder.size())};
  return {name.stem().string() + ".", name.extension().string()};
}

std::optional<std::pair<int, int>> ranks_of(std::string_view text) {
  auto const at = text.find(between);
  if (at == std::string_view::npos) return {};
  auto const rank = number_of(text.substr(0, at)), ranks = number_of(text.substr(at + between.size()));
  if (!rank || !ranks || *rank >= *ranks) return {};
  return std::pair{*rank, *ranks};
}

std::map<int, RankFiles> launches_of(fs::path const& name) {
  std::map<int, RankFiles> launches;
  auto const add = [&launches](int ranks, int rank, fs::path const& path) {
    auto& launch = launches[ranks];
    launch.ranks = ranks;
    launch.files[rank] = path;
  };
  auto const folder = name.parent_path();
  auto const [before, after] = around_rank(name);
  auto const placed = has_rank_placeholder(name);
  std::error_code failed;
  for (fs::directory_iterator entry{folder.empty() ? "." : folder, failed}, end; !failed && entry != end;
       entry.increment(failed)) {
    auto const file = entry->path().filename().string();
    if (file.size() <= before.size() + after.size() || !file.starts_with(before) || !file.ends_with(after)) {
      continue;
    }
    auto const text =
        std::string_view{file}.substr(before.size(), file.size() - before.size() - after.size());
    if (placed) {
      if (auto const rank = number_of(text)) add(0, *rank, folder / file);
    } else if (auto const numbers = ranks_of(text)) {
      add(numbers->second, numbers->first, folder / file);
    }
  }
  return launches;
}

RankFiles rank_files(fs::path const& name) {
  std::error_code failed;
  auto launches = launches_of(name);
  if (!has_rank_placeholder(name)) {
    auto const exists = fs::exists(name, failed);
    if (auto const base = base_of(name.filename()); base && exists) {
      return launches_of(name.parent_path() / base->first)[base->second];
    }
    if (exists) return {1, {{0, name}}};
  }
  if (launches.empty()) throw nothing_at(name);
  if (launches.size() > 1) {
    throw InputError(name.string() + ": files of launches of " + std::to_string(launches.begin()->first) +
                     " and of " + std::to_string(launches.rbegin()->first) +
                     " ranks (which of them is meant is not clear) name one file of the one that is");
  }
  return launches.begin()->second;
}

}  // namespace ulpine::io
