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

constexpr std::string_view placeholder = "{rank}", between = "-of-";

std::optional<int> number_of(std::string_view digits) {
  int value = 0;
  auto const [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc{} || end != digits.data() + digits.size() || value < 0) return {};
  return value;
}

/// Rank and ranks of "3-of-8".
std::optional<std::pair<int, int>> ranks_of(std::string_view text) {
  auto const at = text.find(between);
  if (at == std::string_view::npos) return {};
  auto const rank = number_of(text.substr(0, at)), ranks = number_of(text.substr(at + between.size()));
  if (!rank || !ranks || *rank >= *ranks) return {};
  return std::pair{*rank, *ranks};
}

/// What is before and after the rank in the names of files.
struct Around {
  std::string before, after;
};

/// Of "trace.bin": "trace." and ".bin".
Around around(fs::path const& name) { return {name.stem().string() + ".", name.extension().string()}; }

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

/// Calls f(text, path) for each file of the folder whose name has any text where the rank is.
template <class F>
void for_each_rank(fs::path const& folder, Around const& names, F f) {
  auto const& [before, after] = names;
  std::error_code failed;
  for (fs::directory_iterator entry{folder.empty() ? "." : folder, failed}, end; !failed && entry != end;
       entry.increment(failed)) {
    auto const name = entry->path().filename().string();
    if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) {
      continue;
    }
    auto const length = name.size() - before.size() - after.size();
    f(std::string_view{name}.substr(before.size(), length), folder / name);
  }
}

/// The launches, by their number of ranks, that have files of this name without a rank.
std::map<int, RankFiles> launches_of(fs::path const& name) {
  std::map<int, RankFiles> launches;
  for_each_rank(name.parent_path(), around(name.filename()),
                [&](std::string_view text, fs::path const& path) {
                  auto const numbers = ranks_of(text);
                  if (!numbers) return;
                  auto& launch = launches[numbers->second];
                  launch.ranks = numbers->second;
                  launch.files[numbers->first] = path;
                });
  return launches;
}

InputError nothing_at(fs::path const& name) {
  return InputError(name.string() +
                    ": no such trace (nothing of that name can be read, nor files of ranks) check the path");
}

}  // namespace

RankFiles rank_files(fs::path const& name) {
  auto const file = name.filename().string();
  std::error_code failed;
  if (auto const at = file.find(placeholder); at != std::string::npos) {
    RankFiles found{0};
    for_each_rank(name.parent_path(), {file.substr(0, at), file.substr(at + placeholder.size())},
                  [&](std::string_view text, fs::path const& path) {
                    if (auto const rank = number_of(text)) found.files[*rank] = path;
                  });
    if (found.files.empty()) throw nothing_at(name);
    return found;
  }
  auto const exists = fs::exists(name, failed);
  if (auto const base = base_of(file); base && exists) {
    return launches_of(name.parent_path() / base->first)[base->second];
  }
  if (exists) return {1, {{0, name}}};
  auto launches = launches_of(name);
  if (launches.empty()) throw nothing_at(name);
  if (launches.size() > 1) {
    throw InputError(name.string() + ": files of launches of " + std::to_string(launches.begin()->first) +
                     " and of " + std::to_string(launches.rbegin()->first) +
                     " ranks (which of them is meant is not clear) name one file of the one that is");
  }
  return launches.begin()->second;
}

}  // namespace ulpine::io
