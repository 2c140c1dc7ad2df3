// SPDX-License-Identifier: Apache-2.0
#include "io/file_set.hpp"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>

#include "io/error.hpp"
#include "io/foreign_format.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_there(fs::path const& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool is_folder(fs::path const& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_hidden(fs::path const& path) { return path.filename().string().starts_with('.'); }

bool is_zarr(fs::path const& folder) { return format_of(folder) == ForeignFormat::zarr; }

bool is_netcdf(fs::path const& path) {
  static std::set<std::string> const endings = {".nc", ".nc4", ".cdf", ".netcdf"};
  return endings.contains(path.extension().string()) || holds_fields(path);
}

void order(std::vector<fs::path>& paths) {
  std::ranges::sort(
      paths, [](fs::path const& a, fs::path const& b) { return naturally_before(a.string(), b.string()); });
}

std::vector<fs::path> matches(std::string const& pattern) {
  glob_t found{};
  std::vector<fs::path> paths;
  if (::glob(pattern.c_str(), GLOB_BRACE | GLOB_NOSORT, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
      std::error_code ignored;
      fs::path path = found.gl_pathv[i];
      if (fs::is_regular_file(path, ignored) || is_zarr(path)) paths.push_back(std::move(path));
    }
  }
  ::globfree(&found);
  return paths;
}

/// As a pattern that fits this text alone.
std::string quoted(std::string const& text) {
  std::string pattern;
  for (auto const c : text) {
    if (std::string_view("*?[]{}\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace

bool naturally_before(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    auto const number = [](std::string_view text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      auto const first = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(first, at - first);
    };
    auto const x = number(a, i), y = number(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  if (i == a.size() && j == b.size()) return a < b;
  return i == a.size();
}

bool names_set(fs::path const& path) {
  if (is_folder(path)) return !is_zarr(path);
  return path.string().find_first_of("*?[{") != std::string::npos && !is_there(path);
}

bool fits_files(fs::path const& path) {
  return !is_folder(path) && names_set(path) && !matches(path.string()).empty();
}

std::vector<fs::path> netcdf_files(fs::path const& folder) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(folder)) {
    auto const& path = entry.path();
    auto const can_be_one = entry.is_regular_file() || is_zarr(path);
    if (can_be_one && !is_hidden(path) && is_netcdf(path)) files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> files_of_set(fs::path const& path) {
  if (!names_set(path)) return {};
  std::vector<fs::path> files;
  if (!is_folder(path)) {
    files = matches(path.string());
    if (files.empty()) {
      throw InputError(path.string() +
                       ": no such file (nothing fits the pattern) check it, and quote it for the shell");
    }
  } else if (files = output_of_run(path); files.empty()) {
    files = netcdf_files(path);
    if (files.empty()) {
      for (auto const& entry : fs::directory_iterator(path)) {
        if (!entry.is_directory() || is_hidden(entry.path())) continue;
        auto const inner = netcdf_files(entry.path());
        files.insert(files.end(), inner.begin(), inner.end());
      }
    }
    if (files.empty()) {
      throw InputError(path.string() +
                       ": not a NetCDF file (it is a folder, without any in it) name a file, a folder of the "
                       "parts of one, or a pattern in quotes");
    }
  }
  order(files);
  return files;
}

std::optional<NumberInName> tile_in_name(fs::path const& path) {
  auto const name = path.filename().string();
  for (auto at = name.rfind("tile"); at != std::string::npos && at > 0; at = name.rfind("tile", at - 1)) {
    auto const first = at + 4;
    auto last = first;
    while (last < name.size() && is_digit(name[last])) ++last;
    auto const ends = [&](std::size_t place) {
      return place >= name.size() || name[place] == '.' || name[place] == '_' || name[place] == '-';
    };
    if (last == first || last - first > 5 || !ends(at - 1) || !ends(last)) continue;
    return NumberInName{std::stoi(name.substr(first, last - first)), first, last};
  }
  return {};
}

std::optional<NumberInName> rank_in_name(fs::path const& path) {
  auto const name = path.filename().string();
  auto last = name.size();
  if (name.ends_with(".nc")) last -= 3;
  auto first = last;
  while (first > 0 && is_digit(name[first - 1])) --first;
  if (last == first || last - first > 8 || first == 0) return {};
  if (name[first - 1] != '.' && name[first - 1] != '_') return {};
  return NumberInName{std::stoi(name.substr(first, last - first)), first, last};
}

std::string pattern_of_parts(fs::path const& path, bool tiles, bool ranks) {
  auto const name = path.filename().string();
  std::vector<NumberInName> numbers;
  if (auto const tile = tile_in_name(path); tiles && tile) numbers.push_back(*tile);
  if (auto const rank = rank_in_name(path); ranks && rank) numbers.push_back(*rank);
  if (numbers.empty()) return path.string();
  auto const folder = path.parent_path();
  auto pattern = folder.empty() ? std::string() : quoted((folder / "").string());
  std::size_t done = 0;
  for (auto const& number : numbers) {
    if (number.first < done) continue;
    pattern += quoted(name.substr(done, number.first - done)) + "[0-9]*";
    done = number.last;
  }
  return pattern + quoted(name.substr(done));
}

std::vector<fs::path> parts_before(fs::path const& output) {
  std::vector<fs::path> parts;
  if (output.filename() != "output.nc") return parts;
  for (auto number = 1;; ++number) {
    auto part = output.parent_path() / ("output-" + std::to_string(number) + ".nc");
    if (!is_there(part)) return parts;
    parts.push_back(std::move(part));
  }
}

std::vector<fs::path> output_of_run(fs::path const& folder) {
  auto const output = folder / "output.nc";
  if (!is_there(output) || !(is_there(folder / "run.json") || is_there(folder / "restart.nc"))) return {};
  auto files = parts_before(output);
  files.push_back(output);
  return files;
}

}  // namespace ulpine::io
