// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

// The content of a case file before any key of it is read (case_file.hpp).

namespace ulpine::io {

/// The layer of an entry: the case, the one it extends, or an override, from `first_override` on.
namespace CaseLayer {
inline constexpr std::size_t extended = 0;  ///< in the case that the case extends (case_extends.hpp)
inline constexpr std::size_t own = 1;       ///< in the case itself
inline constexpr std::size_t first_override = 2;
}  // namespace CaseLayer

struct Entry;
struct Array {
  std::vector<Entry> elements;
};
/// A value that no reader of keys takes: a date, an array of tables, an empty table.
struct Unreadable {
  std::string kind;
};

/// The value of a key, or of an element of one.
struct Entry {
  std::variant<std::int64_t, double, bool, std::string, Array, Unreadable> value;
  std::string where;                                        ///< "<file>:<line>" or "--set key=value"
  std::tuple<std::size_t, std::size_t, std::size_t> order;  ///< CaseLayer, line, column
};

/// Entries by dotted keys.
using Entries = std::map<std::string, Entry>;

/// The keys of a TOML file, called `name` in messages. InputError.
Entries read_entries(std::string const& text, std::string const& name, std::size_t layer = CaseLayer::own);
/// Entries of an override "key.path=TOML value", the `number`th from 1. InputError.
Entries read_override(std::string const& override, std::size_t number);
/// The keys of `overrides` replace those of `entries`; a key cannot become a table or a table a key.
void merge(Entries overrides, Entries& entries);

bool starts_with_table(std::string const& key, std::string const& table);
bool is_empty_table(Entry const& entry);
/// "the integer 3", as messages call it.
std::string describe(Entry const& entry);
/// The value in TOML; of what no reader takes only what it is.
std::string toml_of(Entry const& entry);

/// A number, text, array or dotted key as TOML has it.
std::string toml_number(double value);
std::string toml_text(std::string const& value);
std::string toml_array(std::vector<std::string> const& elements);
std::string toml_key(std::string const& key);
bool is_utf8(std::string const& text);

}  // namespace ulpine::io
