// SPDX-License-Identifier: Apache-2.0
#include "io/case_entries.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "io/case_file.hpp"
#include "io/error.hpp"
#include "io/text.hpp"
#include "io/toml_depth.hpp"

namespace ulpine::io {
namespace {

/// An override as messages name it: on one line that is not too long.
std::string override_name(std::string const& override) {
  constexpr std::size_t legible = 100;
  auto line = one_line(override);
  if (line.size() > legible) {
    constexpr auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    auto end = legible;
    while (end > 0 && continues(line[end])) --end;  // a character of UTF-8 is not cut
    line = line.substr(0, end) + "...";
  }
  return "--set " + line;
}

constexpr char const* empty_table = "an empty table";

std::string kind_of(toml::node const& node) {
  if (node.is_array()) return "an array of tables";
  if (auto const* table = node.as_table()) return table->empty() ? empty_table : "a table";
  return "a date or time";
}

std::string place_of(toml::node const& node, std::string const& name, std::size_t layer) {
  return layer >= CaseLayer::first_override ? name : name + ":" + std::to_string(node.source().begin.line);
}

/// The text between two places on one line of `text`; columns count characters of UTF-8, from 1.
std::string_view piece_of(std::string_view text, toml::source_region const& region) {
  for (auto line = region.begin.line; line > 1; --line) text.remove_prefix(text.find('\n') + 1);
  std::size_t first = 0, last = 0;
  toml::source_index column = 0;
  for (std::size_t k = 0; k <= text.size(); ++k) {
    if (k < text.size() && (static_cast<unsigned char>(text[k]) & 0xc0) == 0x80) continue;
    ++column;
    if (column == region.begin.column) first = k;
    if (column == region.end.column) {
      last = k;
      break;
    }
  }
  return text.substr(first, last - first);
}

/// TOML as it is parsed: its text, and the file's or override's name in messages.
struct Source {
  std::string_view text;
  std::string const& name;
  std::size_t layer;  ///< index of the CaseLayer
};

/// As range_problem(), for a number of TOML, which may have a plus sign and underscores.
std::string problem_of(std::string_view written) {
  std::string word(written.starts_with('+') ? written.substr(1) : written);
  std::erase(word, '_');
  return range_problem(word);
}

/// The parser makes 0 of a number that is too small, and cuts digits of one that is almost so, in silence.
double real_of(toml::value<double> const& node, std::string const& key, Source const& source) {
  auto const value = node.get();
  if (std::abs(value) < std::numeric_limits<double>::min()) {
    if (auto const problem = problem_of(piece_of(source.text, node.source())); !problem.empty()) {
      throw InputError(place_of(node, source.name, source.layer) + ": " + key + ": " + problem);
    }
  }
  return value;
}

/// The problem of line `number` (from 1) of TOML `text`, which the parser refuses, where it is
/// "KEY = NUMBER" with a number too large, as "KEY: PROBLEM"; else empty.
std::string too_large(std::string_view text, std::size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find_first_of("\n#"));
  auto const equals = text.find('=');
  if (equals == std::string_view::npos) return {};
  auto const problem = problem_of(trimmed(text.substr(equals + 1)));
  return problem.empty() ? "" : std::string(trimmed(text.substr(0, equals))) + ": " + problem;
}

/// The value of a key or of an array's element, with its place in the file.
Entry entry_of(toml::node const& node, std::string const& key, Source const& source) {
  auto const& [text, name, layer] = source;
  auto const position = node.source().begin;
  Entry entry{
      Unreadable{kind_of(node)}, place_of(node, name, layer), {layer, position.line, position.column}};
  if (auto const* integer = node.as_integer()) entry.value = integer->get();
  if (auto const* real = node.as_floating_point()) entry.value = real_of(*real, key, source);
  if (auto const* flag = node.as_boolean()) entry.value = flag->get();
  if (auto const* text = node.as_string()) entry.value = text->get();
  if (auto const* array = node.as_array(); array != nullptr && !array->is_array_of_tables()) {
    Array elements;
    for (auto const& element : *array) {
      elements.elements.push_back(
          entry_of(element, key + "[" + std::to_string(elements.elements.size()) + "]", source));
    }
    entry.value = std::move(elements);
  }
  return entry;
}

/// Adds the leaves of `table` to `entries` as dotted keys.
void flatten(toml::table const& table, std::string const& prefix, Source const& source, Entries& entries) {
  for (auto const& [key, node] : table) {
    auto const word = std::string{key.str()};
    if (word.empty() || word.find('.') != std::string::npos || one_line(word) != word) {
      throw InputError(place_of(node, source.name, source.layer) + ": " + prefix + one_line(word) +
                       ": not a usable key (empty, or a dot or control character in quotes) rename it");
    }
    auto const path = prefix + word;
    if (auto const* inner = node.as_table(); inner != nullptr && !inner->empty()) {
      flatten(*inner, path + ".", source, entries);
      continue;
    }
    entries.insert_or_assign(path, entry_of(node, path, source));
  }
}

/// The override as a line of TOML that can be parsed.
std::string override_line(std::string const& override) {
  auto const bad = [&](std::string const& problem) {
    return InputError(override_name(override) + ": " + problem);
  };
  auto const equals = override.find('=');
  if (equals == std::string::npos) throw bad("not an override (no '=' in it) write key.path=value");
  if (override.find_first_of(std::string_view{"\n\r\0", 3}) != std::string::npos) {
    throw bad("not an override (it has more than one line) give one --set for each key");
  }
  auto const key = override.substr(0, equals);
  auto const first = override.find_first_not_of(" \t", equals + 1);
  if (first == std::string::npos)
    throw bad("no value after '=' write key.path=value, or key.path=\"\" for empty text");
  auto const value = override.substr(first, override.find_last_not_of(" \t") - first + 1);
  if (line_too_deep(override) != 0) throw bad(depth_problem());
  auto const as_text = [&] {
    auto text = key + "=" + toml_text(value);
    try {
      static_cast<void>(toml::parse(text));
      return text;
    } catch (toml::parse_error const& failure) {
      throw bad("not an override (" + one_line(failure.description()) + ") write key.path=value");
    }
  };
  auto line = key + "=" + value;
  try {
    auto const table = toml::parse(line);
    auto const* node = static_cast<toml::node const*>(&table);
    while (node->is_table() && node->as_table()->size() == 1) node = &node->as_table()->begin()->second;
    // Dates have no reader of their own: 2000-01-01 is meant as text.
    return node->is_date() || node->is_time() || node->is_date_time() ? as_text() : line;
  } catch (toml::parse_error const& failure) {
    if (std::string_view{"\"'[{"}.find(value.front()) != std::string_view::npos) {
      throw bad("not a TOML value (" + one_line(failure.description()) + ") check quotes and brackets");
    }
    if (auto const problem = too_large(line, 1); !problem.empty()) throw bad(problem);
    return as_text();
  }
}

}  // namespace

Entries read_entries(std::string const& text, std::string const& name, std::size_t layer) {
  if (auto const line = line_too_deep(text); line != 0) {
    throw InputError(name + ":" + std::to_string(line) + ": " + depth_problem());
  }
  Entries entries;
  try {
    flatten(toml::parse(text, name), "", {text, name, layer}, entries);
  } catch (toml::parse_error const& failure) {
    auto const line = failure.source().begin.line;
    if (auto const problem = too_large(text, line); !problem.empty()) {
      throw InputError(name + ":" + std::to_string(line) + ": " + problem);
    }
    throw InputError(name + ":" + std::to_string(line) + ": not valid TOML (" +
                     one_line(failure.description()) + ") correct this line");
  }
  return entries;
}

Entries read_override(std::string const& override, std::size_t number) {
  Entries entries;
  auto const text = override_line(override), name = override_name(override);
  flatten(toml::parse(text), "", {text, name, CaseLayer::first_override + number - 1}, entries);
  return entries;
}

void merge(Entries overrides, Entries& entries) {
  for (auto& [key, entry] : overrides) {
    for (auto other = entries.begin(); other != entries.end();) {
      auto const opens_empty = starts_with_table(key, other->first) && is_empty_table(other->second);
      if (starts_with_table(other->first, key) || (starts_with_table(key, other->first) && !opens_empty)) {
        throw InputError(entry.where + ": " + key + ": clashes with " + other->first + " of " +
                         other->second.where + " (one of them is a table) override single keys only");
      }
      other = opens_empty ? entries.erase(other) : std::next(other);
    }
    entries.insert_or_assign(key, std::move(entry));
  }
}

bool starts_with_table(std::string const& key, std::string const& table) {
  return key.size() > table.size() && key.starts_with(table) && key[table.size()] == '.';
}

bool is_empty_table(Entry const& entry) {
  auto const* unreadable = std::get_if<Unreadable>(&entry.value);
  return unreadable != nullptr && unreadable->kind == empty_table;
}

std::string describe(Entry const& entry) {
  constexpr std::size_t legible = 60;
  if (auto const* integer = std::get_if<std::int64_t>(&entry.value))
    return "the integer " + std::to_string(*integer);
  if (auto const* real = std::get_if<double>(&entry.value)) return "the number " + toml_number(*real);
  if (auto const* flag = std::get_if<bool>(&entry.value)) return *flag ? "true" : "false";
  if (auto const* text = std::get_if<std::string>(&entry.value)) {
    return text->size() <= legible ? "the text " + toml_text(*text)
                                   : "a text of " + std::to_string(text->size()) + " bytes";
  }
  if (std::holds_alternative<Array>(entry.value)) return "an array";
  return std::get<Unreadable>(entry.value).kind;
}

std::string toml_of(Entry const& entry) {
  if (auto const* integer = std::get_if<std::int64_t>(&entry.value)) return std::to_string(*integer);
  if (auto const* real = std::get_if<double>(&entry.value)) return toml_number(*real);
  if (auto const* flag = std::get_if<bool>(&entry.value)) return *flag ? "true" : "false";
  if (auto const* text = std::get_if<std::string>(&entry.value)) return toml_text(*text);
  if (auto const* array = std::get_if<Array>(&entry.value)) {
    std::vector<std::string> elements;
    for (auto const& element : array->elements) elements.push_back(toml_of(element));
    return toml_array(elements);
  }
  return std::get<Unreadable>(entry.value).kind;
}

/// Asks TOML's own parser, which refuses other text.
bool is_utf8(std::string const& text) {
  try {
    static_cast<void>(toml::parse("text=" + toml_text(text)));
  } catch (toml::parse_error const&) {
    return false;
  }
  return true;
}

}  // namespace ulpine::io
