// SPDX-License-Identifier: Apache-2.0
#include "probe/source/rank_name.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>

#include "io/error.hpp"
#include "io/rank_files.hpp"

namespace ulpine::probe {
namespace {

namespace fs = std::filesystem;

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
  auto const [before, after] = io::around_rank(path);
  auto const placed = io::has_rank_placeholder(path);
  if (!placed && ranks <= 1) return name;
  auto const number = std::to_string(rank);
  return (path.parent_path() / (before + (placed ? number : number + "-of-" + std::to_string(ranks)) + after))
      .string();
}

std::vector<std::string> rank_files(std::string const& name) {
  std::error_code failed;
  auto const found = io::launches_of(name);
  auto const there = !io::has_rank_placeholder(name) && fs::exists(name, failed);
  if (found.size() + (there ? 1 : 0) > 1) {
    throw InputError(name +
                     ": files of several runs (of different numbers of ranks) remove those of the others");
  }
  if (there) return {name};
  std::vector<std::string> files;
  for (auto const& [ranks, launch] : found) {
    for (auto const& [rank, one] : launch.files) {
      if (rank != static_cast<int>(files.size())) break;
      files.push_back(one.string());
    }
    auto const expected = ranks == 0 ? launch.files.rbegin()->first + 1 : ranks;
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
  auto others = io::launches_of(name);
  others[1].files[0] = name;
  for (auto const& [count, launch] : others) {
    if (count == ranks) continue;
    for (auto const& [number, other] : launch.files) {
      if ((count != 0 || number >= ranks) && begins_with(other.string(), magic)) fs::remove(other, failed);
    }
  }
}

std::string without_rank(std::string const& name) {
  fs::path const path{name};
  auto const stem = path.stem().string();
  auto const dot = stem.rfind('.');
  if (dot == std::string::npos || !io::ranks_of(std::string_view{stem}.substr(dot + 1))) return name;
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
