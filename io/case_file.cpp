// SPDX-License-Identifier: Apache-2.0
#include "io/case_file.hpp"

#include <toml++/toml.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "io/provenance.hpp"
#include "io/seal.hpp"

namespace ulpine::io {

std::string number_text(double value) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

namespace {

/// What a key holds that no reader takes: a date, an array, an empty table.
struct Unreadable {
  std::string kind;
};

struct Entry {
  std::variant<std::int64_t, double, bool, std::string, Unreadable> value;
  std::string where;                                        ///< "<file>:<line>" or "--set key=value"
  std::tuple<std::size_t, std::size_t, std::size_t> order;  ///< override (0: the file), line, column
};

/// A remembered read: its TOML text and what hash() sees of it; nothing where that is empty.
struct Echo {
  std::string toml, hashed;
};

using Entries = std::map<std::string, Entry>;

constexpr std::size_t largest_file = 16u << 20;  // bytes; a case file has kilobytes
constexpr std::size_t deepest = 64;              // levels of tables and arrays; a case file has three
constexpr std::size_t longest_name = 200;        // characters; names of files have no more than 255

std::string toml_number(double value) {
  auto text = number_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string toml_text(std::string const& value) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (char const c : value) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (code < 0x20 || code == 0x7f) {
      quoted += "\\u00";
      quoted += digits[code >> 4];
      quoted += digits[code & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

bool is_bare(std::string const& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string toml_key(std::string const& key) {
  std::string text;
  for (std::size_t begin = 0; begin <= key.size();) {
    auto const end = std::min(key.find('.', begin), key.size());
    auto const word = key.substr(begin, end - begin);
    if (begin > 0) text += '.';
    text += is_bare(word) ? word : toml_text(word);
    begin = end + 1;
  }
  return text;
}

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

/// By TOML's own parser, which refuses what is not.
bool is_utf8(std::string const& text) {
  try {
    static_cast<void>(toml::parse("text=" + toml_text(text)));
  } catch (toml::parse_error const&) {
    return false;
  }
  return true;
}

bool starts_with_table(std::string const& key, std::string const& table) {
  return key.size() > table.size() && key.starts_with(table) && key[table.size()] == '.';
}

constexpr char const* empty_table = "an empty table";

std::string kind_of(toml::node const& node) {
  if (node.is_array()) return "an array";
  if (node.is_table()) return empty_table;
  return "a date or time";
}

bool is_empty_table(Entry const& entry) {
  auto const* unreadable = std::get_if<Unreadable>(&entry.value);
  return unreadable != nullptr && unreadable->kind == empty_table;
}

/// The line, from 1, where TOML `text` first nests tables, arrays or dotted keys deeper than `deepest`; 0
/// where it does not. The parser and the readers of its result recurse, so that a deep text would overflow
/// the stack.
std::size_t line_too_deep(std::string_view text) {
  std::vector<std::size_t> levels{0};  // of the innermost bracket and those around it
  std::size_t dots = 0, line = 1;
  for (std::size_t k = 0; k < text.size(); ++k) {
    switch (auto const c = text[k]) {
      case '\n':
        ++line;
        dots = 0;
        break;
      case '#':
        k = std::min(text.find('\n', k), text.size()) - 1;
        break;
      case '"':
      case '\'': {
        auto const whole = text.substr(k, 3) == std::string(3, c);  // of several lines
        for (k += whole ? 3 : 1; k < text.size(); ++k) {
          if (text[k] == '\\' && c == '"') {
            ++k;
          } else if (text[k] == '\n') {
            ++line;
            if (!whole) break;
          } else if (text[k] == c && (!whole || text.substr(k, 3) == std::string(3, c))) {
            k += whole ? 2 : 0;
            break;
          }
        }
        break;
      }
      case '[':
      case '{':
        levels.push_back(levels.back() + dots + 1);
        dots = 0;
        break;
      case ']':
      case '}':
        if (levels.size() > 1) levels.pop_back();
        dots = 0;
        break;
      case ',':
        dots = 0;
        break;
      case '.':
        ++dots;
        break;
      default:
        break;
    }
    if (levels.back() + dots > deepest) return line;
  }
  return 0;
}

std::string depth_problem() {
  return "nested too deeply (more than " + std::to_string(deepest) +
         " levels of tables, arrays or dots) write it flatter";
}

/// Adds the leaves of `table` to `entries` as dotted keys. `name` is the file, or the override number
/// `override`.
void flatten(toml::table const& table, std::string const& prefix, std::string const& name,
             std::size_t override, Entries& entries) {
  for (auto const& [key, node] : table) {
    auto const word = std::string{key.str()};
    auto const position = node.source().begin;
    auto const where = override > 0 ? name : name + ":" + std::to_string(position.line);
    if (word.empty() || word.find('.') != std::string::npos || one_line(word) != word) {
      throw InputError(where + ": " + prefix + one_line(word) +
                       ": not a usable key (empty, or a dot or control character in quotes) rename it");
    }
    auto const path = prefix + word;
    if (auto const* inner = node.as_table(); inner != nullptr && !inner->empty()) {
      flatten(*inner, path + ".", name, override, entries);
      continue;
    }
    Entry entry{Unreadable{kind_of(node)}, where, {override, position.line, position.column}};
    if (auto const* integer = node.as_integer()) entry.value = integer->get();
    if (auto const* real = node.as_floating_point()) entry.value = real->get();
    if (auto const* flag = node.as_boolean()) entry.value = flag->get();
    if (auto const* text = node.as_string()) entry.value = text->get();
    entries.insert_or_assign(path, std::move(entry));
  }
}

toml::table parse_override(std::string const& override) {
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
    try {
      return toml::parse(key + "=" + toml_text(value));
    } catch (toml::parse_error const& failure) {
      throw bad("not an override (" + one_line(failure.description()) + ") write key.path=value");
    }
  };
  try {
    auto table = toml::parse(key + "=" + value);
    auto const* node = static_cast<toml::node const*>(&table);
    while (node->is_table() && node->as_table()->size() == 1) node = &node->as_table()->begin()->second;
    // Dates have no reader of their own: 2000-01-01 is meant as text.
    return node->is_date() || node->is_time() || node->is_date_time() ? as_text() : table;
  } catch (toml::parse_error const& failure) {
    if (std::string_view{"\"'[{"}.find(value.front()) != std::string_view::npos) {
      throw bad("not a TOML value (" + one_line(failure.description()) + ") check quotes and brackets");
    }
    return as_text();
  }
}

/// The overrides' keys replace those of the file; a key cannot become a table or a table a key.
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
  return std::get<Unreadable>(entry.value).kind;
}

/// "between 1 and 9", "at least 1" or "at most 9".
template <class Number, class Print>
std::string limits(Number least, Number most, bool below, bool above, Print print) {
  if (below && above) return "between " + print(least) + " and " + print(most);
  return below ? "at least " + print(least) : "at most " + print(most);
}

std::string hint(std::string const& word, std::set<std::string> const& known) {
  std::vector<char const*> list;
  for (auto const& name : known) list.push_back(name.c_str());
  list.push_back(nullptr);
  return nearest_hint(word, list.data());
}

bool matters_for_restart(std::string const& key) {
  return key != "name" && key != "description" && key != "time.end" && !key.starts_with("output.") &&
         !key.starts_with("verify.") && !key.starts_with("lkf.");
}

}  // namespace

struct CaseFile::Contents {
  std::string name;              ///< of the file, for messages
  std::filesystem::path folder;  ///< where relative paths start
  Entries entries;
  mutable std::mutex mutex;  ///< guards the two below
  mutable std::map<std::string, Echo> echoes;
  mutable std::set<std::string> known;

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
    echoes.insert_or_assign(key, Echo{toml, hashed});
  }
  void remember(std::string const& key, std::string const& toml) const { remember(key, toml, toml); }
};

CaseFile::CaseFile(std::unique_ptr<Contents> contents) : contents_{std::move(contents)} {}
CaseFile::CaseFile(CaseFile&&) noexcept = default;
CaseFile& CaseFile::operator=(CaseFile&&) noexcept = default;
CaseFile::~CaseFile() = default;

CaseFile CaseFile::load(std::filesystem::path const& path, std::vector<std::string> const& overrides) {
  auto const name = path.string();
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (!std::filesystem::exists(status)) {
    throw InputError(name + ": no such case file (nothing of that name can be read) check the path");
  }
  if (std::filesystem::is_directory(status)) {
    throw InputError(name + ": not a case file (it is a folder) name the .toml file in it");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InputError(name + ": not a case file (it is a device, pipe or socket) name a TOML file");
  }
  std::ifstream stream{path, std::ios::binary};
  std::string text(largest_file + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    throw InputError(name + ": cannot be read (no permission, or the disk failed) check the file");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > largest_file) {
    throw InputError(name + ": not a case file (larger than 16 MiB) name a TOML file");
  }
  return parse(text, name, std::filesystem::absolute(path).parent_path(), overrides);
}

CaseFile CaseFile::parse(std::string const& text, std::string const& name,
                         std::filesystem::path const& folder, std::vector<std::string> const& overrides) {
  auto contents = std::make_unique<Contents>();
  contents->name = name;
  contents->folder = std::filesystem::absolute(folder);
  if (auto const line = line_too_deep(text); line != 0) {
    throw InputError(name + ":" + std::to_string(line) + ": " + depth_problem());
  }
  try {
    flatten(toml::parse(text, name), "", name, 0, contents->entries);
  } catch (toml::parse_error const& failure) {
    throw InputError(name + ":" + std::to_string(failure.source().begin.line) + ": not valid TOML (" +
                     one_line(failure.description()) + ") correct this line");
  }
  if (contents->entries.empty()) {
    throw InputError(name + ": no keys in it (empty, or comments only) start with core = \"...\"");
  }
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    Entries entries;
    flatten(parse_override(overrides[i]), "", override_name(overrides[i]), i + 1, entries);
    merge(std::move(entries), contents->entries);
  }
  return CaseFile{std::move(contents)};
}

std::string CaseFile::core() const {
  auto const core = text("core", "");
  if (core.empty())
    throw error("core", "required (it names the equations to solve) write e.g. core = \"seaice\"");
  return core;
}

std::string CaseFile::name() const {
  auto const name = text("name", std::filesystem::path{contents_->name}.stem().string());
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
  constexpr auto largest = std::numeric_limits<double>::max();
  auto const example = toml_number(std::clamp(fallback, least, most));
  auto value = fallback;
  if (auto const* entry = contents_->find(key)) {
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
  } else if (has(key)) {
    throw error(key, "must be a number (it is a table) write e.g. " + example);
  }
  if (value < least || value > most) {
    throw error(key, "out of range (it is " + number_text(value) + ") choose " +
                         limits(least, most, least > -largest, most < largest, number_text));
  }
  contents_->remember(key, toml_number(value));
  return value;
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
                         hint(value, {choices.begin(), choices.end()}));
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
  auto const path = (contents_->folder / *text).lexically_normal();
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
  for (auto entry = entries.lower_bound(table + "."); entry != entries.end(); ++entry) {
    if (!starts_with_table(entry->first, table)) break;
    auto const begin = table.size() + 1;
    by_order.emplace(entry->second.order, entry->first.substr(begin, entry->first.find('.', begin) - begin));
  }
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (auto const& [order, key] : by_order) {
    if (seen.insert(key).second) keys.push_back(key);
  }
  return keys;
}

void CaseFile::accept(std::string const& key) const {
  std::lock_guard const lock{contents_->mutex};
  contents_->known.insert(key);
  for (auto const& [name, entry] : contents_->entries) {
    if (starts_with_table(name, key)) contents_->known.insert(name);
  }
}

void CaseFile::reject_unknown() const {
  std::set<std::string> known;
  {
    std::lock_guard const lock{contents_->mutex};
    known = contents_->known;
  }
  Entries::value_type const* first = nullptr;
  for (auto const& entry : contents_->entries) {
    auto const is_known = [&](std::string const& key) {
      return key == entry.first || (is_empty_table(entry.second) && starts_with_table(key, entry.first));
    };
    if (std::none_of(known.begin(), known.end(), is_known) &&
        (first == nullptr || entry.second.order < first->second.order)) {
      first = &entry;
    }
  }
  if (first == nullptr) return;
  auto const& key = first->first;
  auto near = hint(key, known);
  if (near.empty()) {
    // The right key in the wrong table.
    auto const leaf = key.substr(key.rfind('.') + 1);
    for (auto const& name : known) {
      if (name.substr(name.rfind('.') + 1) == leaf) near = " (did you mean '" + name + "'?)";
    }
  }
  throw error(key, "unknown key (nothing in this case reads it) " +
                       (near.empty() ? "correct or remove it" : "correct or remove it" + near));
}

InputError CaseFile::error(std::string const& key, std::string const& problem) const {
  Entry const* first = nullptr;
  for (auto const& [name, entry] : contents_->entries) {
    if ((name == key || starts_with_table(name, key)) && (first == nullptr || entry.order < first->order))
      first = &entry;
  }
  auto const where = first == nullptr ? contents_->name : first->where;
  return InputError(where + ": " + key + ": " + problem);
}

std::string CaseFile::resolved() const {
  std::lock_guard const lock{contents_->mutex};
  std::string text;
  for (auto const& [key, echo] : contents_->echoes) text += toml_key(key) + " = " + echo.toml + "\n";
  return text;
}

std::uint64_t CaseFile::hash() const {
  std::lock_guard const lock{contents_->mutex};
  std::string text;
  for (auto const& [key, echo] : contents_->echoes) {
    if (matters_for_restart(key) && !echo.hashed.empty()) text += toml_key(key) + " = " + echo.hashed + "\n";
  }
  return XXH64(text.data(), text.size(), 0);
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
    return a.value.index() != b.value.index() || describe(a) != describe(b);
  };
  for (auto const& [key, entry] : is) {
    if (!counts(key)) continue;
    auto const found = was.find(key);
    if (found == was.end()) return error(key, "is " + describe(entry) + ", was not there").what();
    if (differ(entry, found->second)) {
      return error(key, "is " + describe(entry) + ", was " + describe(found->second)).what();
    }
  }
  for (auto const& [key, entry] : was) {
    if (counts(key) && !is.contains(key)) return error(key, "is missing, was " + describe(entry)).what();
  }
  return {};
}

std::filesystem::path CaseFile::path() const { return contents_->name; }

namespace {

/// The finite number at the start of `text`, which is shortened by it; false where there is none.
bool take_number(std::string_view& text, double& value) {
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || !std::isfinite(value)) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

double parse_duration(std::string const& text) {
  auto rest = trimmed(text);
  double value = 0;
  if (take_number(rest, value)) {
    rest = trimmed(rest);
    auto const unit = rest == "s"     ? 1.
                      : rest == "min" ? 60.
                      : rest == "h"   ? 3600.
                      : rest == "d"   ? 86400.
                                      : 0.;
    if (unit > 0 && std::isfinite(value * unit)) return value * unit;
  }
  throw InputError(
      toml_text(text) +
      " is not a time (a number with one of s, min, h, d) write e.g. \"90 s\", \"30 min\", \"2 h\", \"4 d\"");
}

double parse_power(std::string const& text) {
  auto rest = trimmed(text);
  double value = 0;
  if (take_number(rest, value)) {
    if (rest.empty()) return value;
    double exponent = 0;
    if (rest.front() == '^') {
      rest.remove_prefix(1);
      auto const power = take_number(rest, exponent) ? std::pow(value, exponent) : 0.;
      if (rest.empty() && std::isfinite(power) && power != 0) return power;
    }
  }
  throw InputError(toml_text(text) +
                   " is not a number (a decimal, or a power that double holds) write e.g. 1e-7 or 2^-23");
}

}  // namespace ulpine::io
