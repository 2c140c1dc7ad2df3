// SPDX-License-Identifier: Apache-2.0
#include "io/case_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>

#include "io/case_entries.hpp"
#include "io/case_extends.hpp"
#include "io/case_unknown.hpp"
#include "io/former_keys.hpp"
#include "io/provenance.hpp"
#include "io/regular_file.hpp"
#include "io/seal.hpp"

namespace ulpine::io {
namespace {

/// A remembered read: its TOML text and what hash() sees of it; nothing where that is empty.
struct Echo {
  std::string toml, hashed;
  friend bool operator==(Echo const&, Echo const&) = default;
};

constexpr std::size_t longest_name = 200;  // characters; names of files have no more than 255

/// "between 1 and 9", "at least 1" or "at most 9".
template <class Number, class Print>
std::string limits(Number least, Number most, bool below, bool above, Print print) {
  if (below && above) return "between " + print(least) + " and " + print(most);
  return below ? "at least " + print(least) : "at most " + print(most);
}

std::string element(std::string const& key, std::size_t number) {
  return key + "[" + std::to_string(number) + "]";
}

/// As describe(), with the elements of an array where they are few.
std::string describe_fully(Entry const& entry) {
  constexpr std::size_t legible = 60;
  auto const* array = std::get_if<Array>(&entry.value);
  if (array == nullptr) return describe(entry);
  auto const text = toml_of(entry);
  return text.size() <= legible ? text
                                : "an array of " + std::to_string(array->elements.size()) + " elements";
}

bool matters_for_restart(std::string const& key) {
  return key != "name" && key != "description" && key != "time.end" && !key.starts_with("output.") &&
         !key.starts_with("verify.");
}

/// Origin::text: the texts of a case and of the one that it extends, with NUL, which no TOML has, between.
std::string packed(std::string const& text, CaseText const& extended) {
  constexpr std::string_view nul{"\0", 1};
  return std::string(text)
      .append(nul)
      .append(extended.name)
      .append(nul)
      .append(extended.folder.string())
      .append(nul)
      .append(extended.text);
}
std::pair<std::string, std::optional<CaseText>> unpacked(std::string text) {
  std::vector<std::string> parts;
  for (auto end = text.find('\0'); end != std::string::npos; end = text.find('\0')) {
    parts.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  if (parts.size() < 3) return {text, {}};
  return {parts[0], CaseText{text, parts[1], parts[2]}};
}

}  // namespace

struct CaseFile::Contents {
  CaseText written;
  std::optional<CaseText> extended;  ///< the case that this one takes keys over from
  std::vector<std::string> overrides;
  Entries entries;  ///< by present names
  FormerKeys former_keys;
  bool tells = true;         ///< reports former names; else another process does
  mutable std::mutex mutex;  ///< guards what is below
  mutable std::map<std::string, Echo> echoes;
  mutable std::set<std::string> known;
  mutable std::set<std::string> aside;        ///< tables that are no part of the hash
  mutable std::optional<std::uint64_t> hash;  ///< once no further key may be read

  static std::unique_ptr<Contents> of(CaseText written, std::optional<CaseText> extended,
                                      std::vector<std::string> overrides) {
    auto contents = std::make_unique<Contents>();
    auto merged = read_merged(written, std::move(extended));
    for (std::size_t i = 0; i < overrides.size(); ++i) {
      merge(read_override(overrides[i], i + 1), merged.entries);
    }
    if (auto const extends = merged.entries.find("extends"); extends != merged.entries.end()) {
      throw InputError(extends->second.where +
                       ": extends: stands in case files only (overrides come after the keys that are taken "
                       "over) write it into a case file");
    }
    contents->written = std::move(written);
    contents->extended = std::move(merged.extended);
    contents->overrides = std::move(overrides);
    contents->entries = std::move(merged.entries);
    contents->former_keys = FormerKeys(contents->entries);
    return contents;
  }

  /// The folder at which a relative path that `entry` gives starts.
  std::filesystem::path const& folder_of(Entry const& entry) const {
    auto const taken_over = std::get<0>(entry.order) == CaseLayer::extended;
    return taken_over ? extended->folder : written.folder;
  }
  Entry const* find(std::string const& key) const {
    {
      std::lock_guard const lock{mutex};
      known.insert(key);
    }
    auto const found = entries.find(key);
    return found == entries.end() ? nullptr : &found->second;
  }
  void remember(std::string const& key, std::string const& toml, std::string const& hashed) const {
    std::lock_guard const lock{mutex};
    Echo const echo{toml, hashed};
    auto const found = echoes.find(key);
    if (found != echoes.end() && found->second == echo) return;
    if (hash) {
      throw std::logic_error(written.name + ": " + key +
                             " is read for the first time, or with another default, after reject_unknown()");
    }
    echoes.insert_or_assign(key, echo);
  }
  void remember(std::string const& key, std::string const& toml) const { remember(key, toml, toml); }

  std::uint64_t hash_of_echoes() const {
    std::map<std::string, std::string> hashed;
    for (auto const& [key, echo] : echoes) {
      auto const is_aside = std::ranges::any_of(
          aside, [&key = key](std::string const& table) { return starts_with_table(key, table); });
      if (matters_for_restart(key) && !is_aside && !echo.hashed.empty()) hashed[key] = echo.hashed;
    }
    std::string text;
    for (auto const& [key, value] : former_keys.renamed_back(hashed))
      text += toml_key(key) + " = " + value + "\n";
    return XXH64(text.data(), text.size(), 0);
  }
};

CaseFile::CaseFile(std::unique_ptr<Contents> contents) : contents_{std::move(contents)} {}
CaseFile::CaseFile(CaseFile&&) noexcept = default;
CaseFile& CaseFile::operator=(CaseFile&&) noexcept = default;
CaseFile::~CaseFile() = default;

CaseFile CaseFile::load(std::filesystem::path const& path, std::vector<std::string> const& overrides) {
  auto const read = read_case_text(path, path.string());
  return parse(read.text, read.name, read.folder, overrides);
}

CaseFile CaseFile::parse(std::string const& text, std::string const& name,
                         std::filesystem::path const& folder, std::vector<std::string> const& overrides) {
  return CaseFile{Contents::of({text, name, std::filesystem::absolute(folder)}, std::nullopt, overrides)};
}

CaseFile::Origin CaseFile::origin() const {
  std::lock_guard const lock{contents_->mutex};
  auto const& [text, name, folder] = contents_->written;
  return {contents_->extended ? packed(text, *contents_->extended) : text,
          name,
          folder.string(),
          contents_->overrides,
          {contents_->known.begin(), contents_->known.end()},
          {contents_->aside.begin(), contents_->aside.end()}};
}

CaseFile CaseFile::from(Origin const& origin) {
  auto [text, extended] = unpacked(origin.text);
  CaseFile made{Contents::of({text, origin.name, origin.folder}, extended, origin.overrides)};
  made.contents_->tells = false;
  made.contents_->known.insert(origin.accepted.begin(), origin.accepted.end());
  made.contents_->aside.insert(origin.aside.begin(), origin.aside.end());
  return made;
}

std::string CaseFile::core() const {
  auto const core = text("core", "");
  if (core.empty())
    throw error("core", "required (it names the equations to solve) write e.g. core = \"seaice\"");
  return core;
}

std::string CaseFile::name() const {
  auto const name = text("name", std::filesystem::path{contents_->written.name}.stem().string());
  auto const problem = name.find_first_not_of(" \t") == std::string::npos ? "must not be blank"
                       : one_line(name) != name                           ? "must not hold control characters"
                       : name.size() > longest_name                       ? "is too long"
                       : !is_utf8(name)                                   ? "must be UTF-8"
                                                                          : nullptr;
  if (problem != nullptr) {
    throw error("name", std::string{problem} + " (it stands in the titles of outputs and reports) " +
                            "write e.g. name = \"case\", of at most " + std::to_string(longest_name) +
                            " characters");
  }
  return name;
}

bool CaseFile::has(std::string const& key) const {
  if (contents_->find(key) != nullptr) return true;
  auto const after = contents_->entries.lower_bound(key + ".");
  return after != contents_->entries.end() && starts_with_table(after->first, key);
}

double CaseFile::number(std::string const& key, double fallback, double least, double most) const {
  auto const* entry = contents_->find(key);
  if (entry == nullptr && has(key)) {
    throw error(
        key, "must be a number (it is a table) write e.g. " + toml_number(std::clamp(fallback, least, most)));
  }
  auto const value = number_within(key, entry, fallback, least, most);
  contents_->remember(key, toml_number(value));
  return value;
}

bool CaseFile::is_number(std::string const& key) const {
  auto const* entry = contents_->find(key);
  return entry != nullptr &&
         (std::holds_alternative<std::int64_t>(entry->value) || std::holds_alternative<double>(entry->value));
}

/// The number that `entry` holds for `key`, or `fallback` where there is no entry; InputError out of range.
double CaseFile::number_within(std::string const& key, Entry const* entry, double fallback, double least,
                               double most) const {
  constexpr auto largest = std::numeric_limits<double>::max();
  auto const example = toml_number(std::clamp(fallback, least, most));
  auto value = fallback;
  if (entry != nullptr) {
    if (auto const* integer = std::get_if<std::int64_t>(&entry->value)) {
      value = static_cast<double>(*integer);
    } else if (auto const* real = std::get_if<double>(&entry->value)) {
      value = *real;
    } else {
      throw error(key, "must be a number (it is " + describe(*entry) + ") write e.g. " + example);
    }
    if (!std::isfinite(value)) {
      throw error(key, "must be finite (it is " + number_text(value) + ") write e.g. " + example);
    }
  }
  if (value < least || value > most) {
    throw error(key, "out of range (it is " + number_text(value) + ") choose " +
                         limits(least, most, least > -largest, most < largest, number_text));
  }
  return value;
}

/// The elements of an array of `kind`, which has so many; nothing where the key is absent.
std::vector<Entry> const* CaseFile::elements(std::string const& key, std::string const& kind,
                                             std::string const& example, std::size_t fallback,
                                             std::size_t fewest, std::size_t most) const {
  auto const* entry = contents_->find(key);
  auto const* array = entry == nullptr ? nullptr : std::get_if<Array>(&entry->value);
  if (array == nullptr && (entry != nullptr || has(key))) {
    throw error(key, "must be an array of " + kind + " (it is " +
                         (entry == nullptr ? "a table" : describe(*entry)) + ") write e.g. " + example);
  }
  auto const size = array == nullptr ? fallback : array->elements.size();
  if (size < fewest || size > most) {
    auto const print = [](std::size_t value) { return std::to_string(value); };
    throw error(key, "wrong number of elements (it has " + print(size) + ") give " +
                         (fewest == most ? print(fewest)
                                         : limits(fewest, most, fewest > 0,
                                                  most < std::numeric_limits<std::size_t>::max(), print)));
  }
  return array == nullptr ? nullptr : &array->elements;
}

std::vector<double> CaseFile::numbers(std::string const& key, std::vector<double> const& fallback,
                                      double least, double most, std::size_t fewest,
                                      std::size_t most_elements) const {
  std::vector<std::string> example;
  for (auto const value : fallback) example.push_back(toml_number(value));
  auto const* found = elements(key, "numbers", example.empty() ? "[1.0, 2.0]" : toml_array(example),
                               fallback.size(), fewest, most_elements);
  std::vector<double> values;
  std::vector<std::string> echo;
  for (std::size_t i = 0; i < (found == nullptr ? fallback.size() : found->size()); ++i) {
    auto const typical = i < fallback.size() ? fallback[i] : std::max(0., least);
    values.push_back(
        number_within(element(key, i), found == nullptr ? nullptr : &(*found)[i], typical, least, most));
    echo.push_back(toml_number(values.back()));
  }
  contents_->remember(key, toml_array(echo));
  return values;
}

std::vector<std::string> CaseFile::texts(std::string const& key, std::vector<std::string> const& fallback,
                                         std::size_t fewest, std::size_t most_elements) const {
  auto const* found = elements(key, "texts", "[\"a\", \"b\"]", fallback.size(), fewest, most_elements);
  auto values = fallback;
  if (found != nullptr) {
    values.clear();
    for (auto const& entry : *found) {
      auto const* text = std::get_if<std::string>(&entry.value);
      if (text == nullptr) {
        throw error(element(key, values.size()),
                    "must be text (it is " + describe(entry) + ") write it in quotes");
      }
      values.push_back(*text);
    }
  }
  std::vector<std::string> echo;
  for (auto const& value : values) echo.push_back(toml_text(value));
  contents_->remember(key, toml_array(echo));
  return values;
}

std::int64_t CaseFile::integer_within(std::string const& key, std::int64_t fallback, std::int64_t least,
                                      std::int64_t most) const {
  using Limits = std::numeric_limits<std::int64_t>;
  auto const print = [](std::int64_t value) { return std::to_string(value); };
  auto const example = print(std::clamp(fallback, least, most));
  auto value = fallback;
  if (auto const* entry = contents_->find(key)) {
    auto const* integer = std::get_if<std::int64_t>(&entry->value);
    if (integer == nullptr) {
      throw error(key, "must be an integer (it is " + describe(*entry) + ") write e.g. " + example);
    }
    value = *integer;
  } else if (has(key)) {
    throw error(key, "must be an integer (it is a table) write e.g. " + example);
  }
  if (value < least || value > most) {
    throw error(key, "out of range (it is " + print(value) + ") choose " +
                         limits(least, most, least != Limits::min(), most != Limits::max(), print));
  }
  contents_->remember(key, print(value));
  return value;
}

bool CaseFile::flag(std::string const& key, bool fallback) const {
  auto value = fallback;
  if (auto const* entry = contents_->find(key)) {
    auto const* flag = std::get_if<bool>(&entry->value);
    if (flag == nullptr)
      throw error(key, "must be true or false (it is " + describe(*entry) + ") write one of them");
    value = *flag;
  } else if (has(key)) {
    throw error(key, "must be true or false (it is a table) write one of them");
  }
  contents_->remember(key, value ? "true" : "false");
  return value;
}

std::string CaseFile::text(std::string const& key, std::string const& fallback) const {
  auto value = fallback;
  if (auto const* entry = contents_->find(key)) {
    auto const* text = std::get_if<std::string>(&entry->value);
    if (text == nullptr) throw error(key, "must be text (it is " + describe(*entry) + ") write it in quotes");
    value = *text;
  } else if (has(key)) {
    throw error(key, "must be text (it is a table) write it in quotes");
  }
  contents_->remember(key, toml_text(value));
  return value;
}

std::string CaseFile::choice(std::string const& key, std::string const& fallback,
                             std::vector<std::string> const& choices) const {
  auto const value = text(key, fallback);
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
    std::string list;
    for (auto const& choice : choices) list += (list.empty() ? "" : ", ") + choice;
    throw error(key, "unknown choice (it is " + toml_text(value) + ") choose one of " + list +
                         nearest_hint(value, {choices.begin(), choices.end()}));
  }
  return value;
}

double CaseFile::duration(std::string const& key, std::string const& fallback, double least,
                          double most) const {
  auto seconds = parse_duration(fallback);
  if (auto const* entry = contents_->find(key)) {
    auto const* text = std::get_if<std::string>(&entry->value);
    if (text == nullptr) {
      throw error(key, "must be a time with its unit (it is " + describe(*entry) + ") write e.g. " +
                           toml_text(fallback));
    }
    try {
      seconds = parse_duration(*text);
    } catch (InputError const& failure) {
      throw error(key, failure.what());
    }
    auto const print = [](double value) { return number_text(value) + " s"; };
    if (seconds < least || seconds > most) {
      throw error(key, "out of range (it is " + print(seconds) + ") choose " +
                           limits(least, most, std::isfinite(least), std::isfinite(most), print));
    }
  } else if (has(key)) {
    throw error(key, "must be a time with its unit (it is a table) write e.g. " + toml_text(fallback));
  }
  contents_->remember(key, toml_text(number_text(seconds) + " s"));
  return seconds;
}

std::filesystem::path CaseFile::file(std::string const& key, bool required) const {
  auto const* entry = contents_->find(key);
  if (entry == nullptr && !has(key)) {
    if (required) throw error(key, "required (the case cannot run without this file) give its path");
    return {};
  }
  auto const* text = entry == nullptr ? nullptr : std::get_if<std::string>(&entry->value);
  if (text == nullptr || text->empty()) {
    throw error(key, "must be the path of a file (it is " +
                         (entry == nullptr ? "a table" : describe(*entry)) + ") write it in quotes");
  }
  if (text->find('\0') != std::string::npos) {
    throw error(key, "is no path (it holds a NUL character, which ends the names of files) correct it");
  }
  auto const path = (contents_->folder_of(*entry) / *text).lexically_normal();
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    throw error(key,
                "no such file (" + path.string() + ") check the path; relative ones start at the case file");
  }
  if (std::filesystem::is_directory(status)) {
    throw error(key, "not a file (" + path.string() + " is a folder) name a file in it");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw error(key, "not a file (" + path.string() + " is no ordinary file) name one");
  }
  require_regular_file(path);
  std::string content;
  try {
    content = hex(content_of(path).hash);
  } catch (InputError const& failure) {
    throw error(key, failure.what());
  }
  auto const content_key = key + "_xxh64";
  if (auto const expected = this->text(content_key, content); expected != content) {
    throw error(key, "its content has changed (" + path.string() + " has the xxHash64 " + content + ", " +
                         content_key + " asks for " + expected +
                         ") put the file back as it was, or make a new case");
  }
  contents_->remember(key, toml_text(path.string()), "");
  return path;
}

std::vector<std::string> CaseFile::keys_under(std::string const& table) const {
  contents_->find(table);
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::string> by_order;
  auto const& entries = contents_->entries;
  auto const begin = table.empty() ? 0 : table.size() + 1;
  for (auto entry = entries.lower_bound(table.empty() ? "" : table + "."); entry != entries.end(); ++entry) {
    if (!table.empty() && !starts_with_table(entry->first, table)) break;
    by_order.emplace(entry->second.order, entry->first.substr(begin, entry->first.find('.', begin) - begin));
  }
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (auto const& [order, key] : by_order) {
    if (seen.insert(key).second) keys.push_back(key);
  }
  return keys;
}

void CaseFile::set_aside(std::string const& table) const {
  std::lock_guard const lock{contents_->mutex};
  contents_->aside.insert(table);
}

void CaseFile::accept(std::string const& key) const {
  std::lock_guard const lock{contents_->mutex};
  contents_->known.insert(key);
  for (auto const& [name, entry] : contents_->entries) {
    if (starts_with_table(name, key)) contents_->known.insert(name);
  }
}

void CaseFile::reject_unknown() const {
  std::lock_guard const lock{contents_->mutex};
  auto const& known = contents_->known;
  if (auto const* const first = first_unknown(contents_->entries, known)) {
    throw UnknownKey(error(first->first, unknown_key_problem(first->first, known)), first->first, known);
  }
  contents_->hash = contents_->hash_of_echoes();
  auto const& note = contents_->former_keys.note();
  if (contents_->tells && !note.empty()) report_former_keys(note);
}

InputError CaseFile::error(std::string const& key, std::string const& problem) const {
  Entry const* first = nullptr;
  for (auto const& [name, entry] : contents_->entries) {
    if ((name == key || starts_with_table(name, key)) && (first == nullptr || entry.order < first->order))
      first = &entry;
  }
  if (auto const bracket = key.rfind('['); first == nullptr && bracket != std::string::npos) {
    auto const found = contents_->entries.find(key.substr(0, bracket));
    auto const* array =
        found == contents_->entries.end() ? nullptr : std::get_if<Array>(&found->second.value);
    for (std::size_t i = 0; array != nullptr && i < array->elements.size(); ++i) {
      if (element(found->first, i) == key) first = &array->elements[i];
    }
  }
  auto const where = first == nullptr ? contents_->written.name : first->where;
  return InputError(where + ": " + contents_->former_keys.spelling(key) + ": " + problem);
}

std::string CaseFile::resolved() const {
  std::lock_guard const lock{contents_->mutex};
  std::string text;
  for (auto const& [key, echo] : contents_->echoes) text += toml_key(key) + " = " + echo.toml + "\n";
  return text;
}

std::uint64_t CaseFile::hash() const {
  std::lock_guard const lock{contents_->mutex};
  if (!contents_->hash) {
    throw std::logic_error(contents_->written.name + ": reject_unknown() comes before hash()");
  }
  return *contents_->hash;
}

std::string CaseFile::difference(CaseFile const& before, std::vector<std::string> const& except) const {
  auto const counts = [&](std::string const& key) {
    return std::none_of(except.begin(), except.end(), [&](std::string const& table) {
      return key == table || starts_with_table(key, table);
    });
  };
  auto const& was = before.contents_->entries;
  auto const& is = contents_->entries;
  auto const differ = [](Entry const& a, Entry const& b) {
    return a.value.index() != b.value.index() || toml_of(a) != toml_of(b);
  };
  for (auto const& [key, entry] : is) {
    if (!counts(key)) continue;
    auto const found = was.find(key);
    if (found == was.end()) return error(key, "is " + describe_fully(entry) + ", was not there").what();
    if (differ(entry, found->second)) {
      return error(key, "is " + describe_fully(entry) + ", was " + describe_fully(found->second)).what();
    }
  }
  for (auto const& [key, entry] : was) {
    if (counts(key) && !is.contains(key))
      return error(key, "is missing, was " + describe_fully(entry)).what();
  }
  return {};
}

std::filesystem::path CaseFile::path() const { return contents_->written.name; }

}  // namespace ulpine::io
