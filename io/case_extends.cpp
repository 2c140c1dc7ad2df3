// SPDX-License-Identifier: Apache-2.0
#include "io/case_extends.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "io/error.hpp"
#include "io/regular_file.hpp"

namespace ulpine::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = 16u << 20;  // bytes; a case file has kilobytes
constexpr std::size_t piece_size = 1u << 16;     // bytes read at once

InputError bad(Entry const& entry, std::string const& key, std::string const& problem) {
  return InputError(entry.where + ": " + key + ": " + problem);
}

/// The path that `extends` gives, as it stands there.
fs::path path_in(Entry const& extends, CaseText const& own) {
  auto const* path = std::get_if<std::string>(&extends.value);
  if (path == nullptr || path->empty()) {
    throw bad(extends, "extends",
              "must name a case file (it is " + describe(extends) + ") write e.g. \"supercell.toml\"");
  }
  if (path->find('\0') != std::string::npos) {
    throw bad(extends, "extends",
              "is no path (it holds a NUL character, which ends the names of files) correct it");
  }
  std::error_code failed;
  if (fs::equivalent(own.folder / *path, own.folder / fs::path(own.name).filename(), failed)) {
    throw bad(extends, "extends",
              "is the case itself (keys are taken over from another case) name another file, or remove it");
  }
  return *path;
}

/// Removes what `without` names from the keys of the extended case `name`.
void leave_out(Entry const& without, std::string const& name, Entries& entries) {
  auto const* array = std::get_if<Array>(&without.value);
  if (array == nullptr) {
    throw bad(without, "without",
              "must be an array of texts (it is " + describe(without) + ") write e.g. [\"base\"]");
  }
  for (std::size_t i = 0; i < array->elements.size(); ++i) {
    auto const& element = array->elements[i];
    auto const key = "without[" + std::to_string(i) + "]";
    auto const* left_out = std::get_if<std::string>(&element.value);
    if (left_out == nullptr) {
      throw bad(element, key, "must be text (it is " + describe(element) + ") write it in quotes");
    }
    auto const count = std::erase_if(entries, [&](auto const& entry) {
      return entry.first == *left_out || starts_with_table(entry.first, *left_out);
    });
    if (count == 0) {
      throw bad(element, key,
                "names nothing (" + name + " has no key or table '" + one_line(*left_out) +
                    "' to leave out) correct or remove it");
    }
  }
}

/// The keys that a case takes over from `extended`.
Entries taken_over(CaseText const& extended, Entry const& extends) {
  Entries entries;
  try {
    entries = read_entries(extended.text, extended.name, CaseLayer::extended);
  } catch (InputError const& failure) {
    throw bad(extends, "extends", failure.what());
  }
  if (auto const further = entries.find("extends"); further != entries.end()) {
    throw bad(extends, "extends",
              "names a case that extends another one (" + further->second.where +
                  "; keys are taken over from one case only) name that one, or write the keys out");
  }
  if (!entries.contains("core")) {
    throw bad(extends, "extends", "names no case (" + extended.name + " has no key 'core') name a case file");
  }
  entries.erase("name");
  entries.erase("description");
  return entries;
}

}  // namespace

CaseText read_case_text(fs::path const& path, std::string const& name) {
  std::error_code failed;
  auto const status = fs::status(path, failed);
  if (!fs::exists(status)) {
    throw InputError(name + ": no such case file (nothing of that name can be read) check the path");
  }
  if (fs::is_directory(status)) {
    throw InputError(name + ": not a case file (it is a folder) name the .toml file in it");
  }
  if (!fs::is_regular_file(status)) {
    throw InputError(name + ": not a case file (it is a device, pipe or socket) name a TOML file");
  }
  require_regular_file(path);
  std::ifstream stream{path, std::ios::binary};
  std::string text, piece(piece_size, '\0');
  do {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
  } while (stream && text.size() <= largest_file);
  if (!stream.is_open() || stream.bad()) {
    throw InputError(name + ": cannot be read (no permission, or the disk failed) check the file");
  }
  if (text.size() > largest_file) {
    throw InputError(name + ": not a case file (larger than 16 MiB) name a TOML file");
  }
  return {std::move(text), name, fs::absolute(path).parent_path()};
}

MergedCase read_merged(CaseText const& own, std::optional<CaseText> extended) {
  auto entries = read_entries(own.text, own.name, CaseLayer::own);
  if (entries.empty()) {
    throw InputError(own.name + ": no keys in it (empty, or comments only) start with core = \"...\"");
  }
  auto const extends = entries.find("extends");
  if (extends == entries.end()) return {std::move(entries), {}};
  if (!extended) {
    auto const path = path_in(extends->second, own);
    auto const name = (fs::path(own.name).parent_path() / path).lexically_normal().string();
    try {
      extended = read_case_text(own.folder / path, name);
    } catch (InputError const& failure) {
      throw bad(extends->second, "extends", failure.what());
    }
  }
  auto merged = taken_over(*extended, extends->second);
  if (auto const without = entries.find("without"); without != entries.end()) {
    leave_out(without->second, extended->name, merged);
    entries.erase(without);
  }
  entries.erase(extends);
  // The header of a table alone takes nothing away from it.
  std::erase_if(entries, [&](auto const& entry) {
    auto const after = merged.lower_bound(entry.first + ".");
    return is_empty_table(entry.second) && after != merged.end() &&
           starts_with_table(after->first, entry.first);
  });
  merge(std::move(entries), merged);
  return {std::move(merged), std::move(extended)};
}

std::string written_out(Entries const& entries) {
  constexpr std::size_t widest = 48;  // characters of lines beside which comments are lined up
  struct Line {
    std::string table, toml, where;
  };
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::pair<std::string, Entry const*>> by_order;
  for (auto const& [key, entry] : entries) by_order.emplace(entry.order, std::pair{key, &entry});
  std::vector<std::string> tables{""};  // keys of no table come first
  std::vector<Line> lines;
  std::size_t width = 0;
  for (auto const& [order, keyed] : by_order) {
    auto const& [key, entry] = keyed;
    auto const dot = key.rfind('.');
    auto const table = is_empty_table(*entry) ? key : dot == std::string::npos ? "" : key.substr(0, dot);
    if (std::ranges::find(tables, table) == tables.end()) tables.push_back(table);
    auto const leaf = key.substr(dot == std::string::npos ? 0 : dot + 1);
    auto const unreadable = std::holds_alternative<Unreadable>(entry->value);
    lines.push_back({table,
                     is_empty_table(*entry) ? ""
                     : unreadable           ? "# " + toml_key(leaf) + " is " + toml_of(*entry)
                                            : toml_key(leaf) + " = " + toml_of(*entry),
                     entry->where});
    if (lines.back().toml.size() <= widest) width = std::max(width, lines.back().toml.size());
  }
  std::string text;
  for (auto const& table : tables) {
    if (!table.empty()) text += (text.empty() ? "[" : "\n[") + toml_key(table) + "]\n";
    for (auto const& [in, toml, where] : lines) {
      if (in != table) continue;
      text += toml + std::string(toml.size() < width ? width - toml.size() : 0, ' ') + "  # " +
              one_line(where) + "\n";
    }
  }
  return text;
}

}  // namespace ulpine::io
