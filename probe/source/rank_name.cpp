// SPDX-License-Identifier: Apache-2.0
#include "probe/source/rank_name.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "io/error.hpp"

namespace ulpine::probe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view placeholder = "{rank}";

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return {};
  return value;
}

/// Rank and ranks of "3-of-8".
std::optional<std::pair<int, int>> ranks_of(std::string_view text) {
  constexpr std::string_view between = "-of-";
  auto const at = text.find(between);
  if (at == std::string_view::npos) return {};
  auto const rank = number_of(text.substr(0, at)), ranks = number_of(text.substr(at + between.size()));
  if (!rank || !ranks || *rank >= *ranks) return {};
  return std::pair{*rank, *ranks};
}

/// The file's name before and after the rank.
std::pair<std::string, std::string> around_rank(std::string const& file) {
  auto const at = file.find(placeholder);
  if (at != std::string::npos) return {file.substr(0, at), file.substr(at + placeholder.size())};
  fs::path const path{file};
  return {path.stem().string() + ".", path.extension().string()};
}

bool has_placeholder(std::string const& name) {
  return fs::path{name}.filename().string().find(placeholder) != std::string::npos;
}

/// Files with the name of some rank's, by the number of ranks (0 where names do not tell it) and rank.
std::map<int, std::map<int, std::string>> files_by_rank(std::string const& name) {
  std::map<int, std::map<int, std::string>> found;
  std::error_code failed;
  fs::path const path{name};
  auto const [before, after] = around_rank(path.filename().string());
  auto const placed = has_placeholder(name);
  for (fs::directory_iterator entry{path.has_parent_path() ? path.parent_path() : ".", failed}, end;
       !failed && entry != end; entry.increment(failed)) {
    std::string const other = entry->path().filename().string();
    if (other.size() <= before.size() + after.size() || !other.starts_with(before) || !other.ends_with(after))
      continue;
    auto const middle =
        std::string_view{other}.substr(before.size(), other.size() - before.size() - after.size());
    if (placed) {
      if (auto const rank = number_of(middle)) found[0][*rank] = entry->path().string();
    } else if (auto const ranks = ranks_of(middle)) {
      found[ranks->second][ranks->first] = entry->path().string();
    }
  }
  return found;
}

/// Whether it is an ordinary file that begins so, or an empty one.
bool begins_with(std::string const& name, std::string_view magic) {
  std::error_code failed;
  if (!fs::is_regular_file(name, failed)) return false;
  std::ifstream stream{name, std::ios::binary};
  std::string start(magic.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return stream.gcount() == 0 || (stream && start == magic);
}

}  // namespace

std::string rank_name(std::string const& name, int rank, int ranks) {
  fs::path const path{name};
  auto const [before, after] = around_rank(path.filename().string());
  auto const placed = has_placeholder(name);
  if (!placed && ranks <= 1) return name;
  auto const number = std::to_string(rank);
  return (path.parent_path() / (before + (placed ? number : number + "-of-" + std::to_string(ranks)) + after))
      .string();
}

std::vector<std::string> rank_files(std::string const& name) {
  std::error_code failed;
  auto const found = files_by_rank(name);
  auto const there = !has_placeholder(name) && fs::exists(name, failed);
  if (found.size() + (there ? 1 : 0) > 1) {
    throw InputError(name +
                     ": files of several runs (of different numbers of ranks) remove those of the others");
  }
  if (there) return {name};
  std::vector<std::string> files;
  for (auto const& [ranks, by_rank] : found) {
    for (auto const& [rank, one] : by_rank) {
      if (rank != static_cast<int>(files.size())) break;
      files.push_back(one);
    }
    auto const expected = ranks == 0 ? by_rank.rbegin()->first + 1 : ranks;
    if (static_cast<int>(files.size()) != expected) {
      throw InputError(name + ": the file of rank " + std::to_string(files.size()) + " of " +
                       std::to_string(expected) +
                       " is missing (parts of fields would be) copy the files of all ranks");
    }
  }
  return files;
}

void remove_earlier(std::string const& name, int rank, int ranks, std::string_view magic) {
  std::error_code failed;
  auto const own = rank_name(name, rank, ranks);
  if (fs::exists(own, failed)) {
    if (!begins_with(own, magic)) {
      throw InputError(
          own +
          ": would be written over (it is no such file of an earlier run) name another file, or remove it");
    }
    fs::remove(own, failed);
  }
  if (rank != 0) return;
  auto others = files_by_rank(name);
  others[1][0] = name;
  for (auto const& [count, by_rank] : others) {
    if (count == ranks) continue;
    for (auto const& [number, other] : by_rank) {
      if ((count != 0 || number >= ranks) && begins_with(other, magic)) fs::remove(other, failed);
    }
  }
}

std::string without_rank(std::string const& name) {
  fs::path const path{name};
  auto const stem = path.stem().string();
  auto const dot = stem.rfind('.');
  if (dot == std::string::npos || !ranks_of(std::string_view{stem}.substr(dot + 1))) return name;
  return (path.parent_path() / (stem.substr(0, dot) + path.extension().string())).string();
}

std::string trace_file(std::string const& with) {
  std::error_code failed;
  return with.empty() || !fs::is_directory(with, failed) ? with : (fs::path{with} / "trace.bin").string();
}

std::string values_file(std::string const& with, std::string const& values) {
  if (!values.empty() || with.empty()) return values;
  return (fs::path{trace_file(with)}.parent_path() / "fields.bin").string();
}

}  // namespace ulpine::probe
