// SPDX-License-Identifier: Apache-2.0
#include "io/case_keys.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "io/case_entries.hpp"
#include "io/case_idle.hpp"
#include "io/case_quantity.hpp"
#include "io/case_unknown.hpp"

namespace ulpine::io {
namespace {

CaseKey key_of(KeyKind kind, std::string name, std::string about, std::string fallback) {
  CaseKey key;
  key.kind = kind;
  key.name = std::move(name);
  key.about = std::move(about);
  key.fallback = std::move(fallback);
  return key;
}

/// The name under which a case stores the hash of a file's content that `key` names.
std::string content_key(CaseKey const& key) { return key.name + "_xxh64"; }

/// Whether `name` has the parts between dots of `pattern`, in which `*` is any one.
bool matches(std::string_view pattern, std::string_view name) {
  auto const part = [](std::string_view text) { return text.substr(0, text.find('.')); };
  auto const wanted = part(pattern), given = part(name);
  if (given.empty() || (wanted != "*" && wanted != given)) return false;
  auto const ends = wanted.size() == pattern.size(), name_ends = given.size() == name.size();
  if (ends || name_ends) return ends && name_ends;
  return matches(pattern.substr(wanted.size() + 1), name.substr(given.size() + 1));
}

bool has_unit(CaseKey const& key, std::string const& unit) {
  return (" or " + key.unit + " or ").find(" or " + unit + " or ") != std::string::npos;
}

CaseKey within(CaseKey key, double least, double most) {
  key.least = least;
  key.most = most;
  return key;
}

CaseKey with_value(CaseKey key, double value) {
  key.value = value;
  return key;
}

}  // namespace

CaseKey CaseKey::follows(std::string words) && {
  fallback = std::move(words);
  value.reset();
  return std::move(*this);
}

CaseKey CaseKey::among(std::vector<KeyChoice> few) && {
  choices = std::move(few);
  return std::move(*this);
}

CaseKey CaseKey::needing(std::string condition) && {
  needs = std::move(condition);
  return std::move(*this);
}

CaseKey CaseKey::renamed_from(std::string name) && {
  formerly = std::move(name);
  return std::move(*this);
}

CaseKey number_key(std::string name, double fallback, double least, double most, std::string about) {
  return quantity_key(std::move(name), "", fallback, least, most, std::move(about));
}

CaseKey quantity_key(std::string name, std::string unit, double fallback, double least, double most,
                     std::string about) {
  auto key =
      within(key_of(KeyKind::number, std::move(name), std::move(about), number_text(fallback)), least, most);
  key.unit = std::move(unit);
  return with_value(std::move(key), fallback);
}

CaseKey integer_key(std::string name, std::int64_t fallback, std::int64_t least, std::int64_t most,
                    std::string about) {
  return with_value(
      within(key_of(KeyKind::integer, std::move(name), std::move(about), std::to_string(fallback)),
             static_cast<double>(least), static_cast<double>(most)),
      static_cast<double>(fallback));
}

CaseKey flag_key(std::string name, bool fallback, std::string about) {
  return with_value(key_of(KeyKind::flag, std::move(name), std::move(about), fallback ? "true" : "false"),
                    fallback ? 1 : 0);
}

CaseKey text_key(std::string name, std::string fallback, std::string about) {
  return key_of(KeyKind::text, std::move(name), std::move(about), toml_text(fallback));
}

CaseKey choice_key(std::string name, std::vector<KeyChoice> choices, std::string about) {
  auto key = key_of(KeyKind::choice, std::move(name), std::move(about), toml_text(choices.at(0).name));
  key.choices = std::move(choices);
  return key;
}

CaseKey duration_key(std::string name, std::string fallback, double least, double most, std::string about) {
  auto const seconds = parse_duration(fallback);
  return with_value(
      within(key_of(KeyKind::duration, std::move(name), std::move(about), toml_text(fallback)), least, most),
      seconds);
}

CaseKey file_key(std::string name, std::string about) {
  return key_of(KeyKind::file, std::move(name), std::move(about), "");
}

CaseKey numbers_key(std::string name, std::string unit, std::string fallback, double least, double most,
                    std::size_t fewest, std::size_t most_elements, std::string about) {
  auto key =
      within(key_of(KeyKind::numbers, std::move(name), std::move(about), std::move(fallback)), least, most);
  key.unit = std::move(unit);
  key.fewest = fewest;
  key.most_elements = most_elements;
  return key;
}

CaseKey texts_key(std::string name, std::string fallback, std::size_t fewest, std::size_t most_elements,
                  std::string about) {
  auto key = key_of(KeyKind::texts, std::move(name), std::move(about), std::move(fallback));
  key.fewest = fewest;
  key.most_elements = most_elements;
  return key;
}

bool declares(CaseKey const& key, std::string const& name) {
  return matches(key.name, name) || (key.kind == KeyKind::file && matches(content_key(key), name));
}

CaseKey const* find_key(KeyTables const& tables, std::string const& name) {
  for (auto const* table : tables) {
    for (auto const& key : *table) {
      if (declares(key, name)) return &key;
    }
  }
  return nullptr;
}

void reject_unknown(CaseFile const& case_file, KeyTables const& tables) {
  try {
    case_file.reject_unknown();
  } catch (UnknownKey const& unknown) {
    if (auto const* const key = find_key(tables, unknown.key)) {
      if (!key->needs.empty()) refuse_idle_keys(case_file, {unknown.key.c_str()}, key->needs);
      throw case_file.error(unknown.key, "has no effect (nothing in this case reads it) take it out");
    }
    auto known = unknown.known;
    for (auto const* table : tables) {
      for (auto const& key : *table) {
        if (key.name.find('*') == std::string::npos) known.insert(key.name);
      }
    }
    throw case_file.error(unknown.key, unknown_key_problem(unknown.key, known));
  }
}

CaseKey const& KeyReader::declared(char const* name) const {
  auto const found = std::ranges::find(keys_, name, &CaseKey::name);
  if (found == keys_.end()) throw std::logic_error(std::string{name} + " is read but not declared");
  return *found;
}

CaseKey const& KeyReader::declared(char const* name, KeyKind kind) const {
  auto const& key = declared(name);
  if (key.kind != kind) throw std::logic_error(key.name + " is read as another kind of key than declared");
  return key;
}

double KeyReader::default_of(char const* name) const {
  auto const& key = declared(name);
  if (!key.value) throw std::logic_error(key.name + " has no fixed default");
  return *key.value;
}

bool KeyReader::has(char const* name) const { return case_file_.has(declared(name).name); }

double KeyReader::number(char const* name) const { return number(name, default_of(name)); }

double KeyReader::number(char const* name, double fallback) const {
  auto const& key = declared(name, KeyKind::number);
  return number(name, fallback, key.least, key.most);
}

double KeyReader::number(char const* name, double fallback, double least, double most) const {
  auto const& key = declared(name, KeyKind::number);
  least = std::max(least, key.least);
  most = std::min(most, key.most);
  return key.unit.empty() ? case_file_.number(key.name, fallback, least, most)
                          : quantity(case_file_, key.name, key.unit.c_str(), fallback, least, most);
}

double KeyReader::number(char const* name, char const* unit, double fallback, double least,
                         double most) const {
  auto const& key = declared(name, KeyKind::number);
  if (!has_unit(key, unit)) throw std::logic_error(key.name + " is read in another unit than declared");
  return quantity(case_file_, key.name, unit, fallback, std::max(least, key.least), std::min(most, key.most));
}

std::int64_t KeyReader::integer_within(char const* name, std::int64_t fallback, std::int64_t least,
                                       std::int64_t most) const {
  auto const& key = declared(name, KeyKind::integer);
  // Limits of 2^53 and more are none: a double does not hold them to the last digit.
  constexpr double exact = 0x1p53;
  if (key.least > -exact) least = std::max(least, static_cast<std::int64_t>(key.least));
  if (key.most < exact) most = std::min(most, static_cast<std::int64_t>(key.most));
  return case_file_.integer<std::int64_t>(key.name, fallback, least, most);
}

bool KeyReader::flag(char const* name) const { return flag(name, default_of(name) != 0); }

bool KeyReader::flag(char const* name, bool fallback) const {
  return case_file_.flag(declared(name, KeyKind::flag).name, fallback);
}

std::string KeyReader::text(char const* name) const {
  auto const& key = declared(name, KeyKind::text);
  if (!key.fallback.starts_with('"')) throw std::logic_error(key.name + " has no fixed default");
  return text(name, key.fallback.substr(1, key.fallback.size() - 2));
}

std::string KeyReader::text(char const* name, std::string const& fallback) const {
  return case_file_.text(declared(name, KeyKind::text).name, fallback);
}

std::string KeyReader::choice(char const* name) const {
  auto const& key = declared(name, KeyKind::choice);
  std::vector<std::string> names;
  for (auto const& choice : key.choices) names.push_back(choice.name);
  return case_file_.choice(key.name, names.front(), names);
}

std::string KeyReader::choice(char const* name, std::string const& fallback,
                              std::vector<std::string> const& choices) const {
  auto const& key = declared(name, KeyKind::choice);
  for (auto const& choice : choices) {
    if (std::ranges::find(key.choices, choice, &KeyChoice::name) == key.choices.end()) {
      throw std::logic_error(key.name + " is read with a choice that is not declared: " + choice);
    }
  }
  return case_file_.choice(key.name, fallback, choices);
}

double KeyReader::duration(char const* name) const {
  default_of(name);
  auto const& key = declared(name);
  return duration(name, key.fallback.substr(1, key.fallback.size() - 2));
}

double KeyReader::duration(char const* name, std::string const& fallback) const {
  auto const& key = declared(name, KeyKind::duration);
  return case_file_.duration(key.name, fallback, key.least, key.most);
}

std::filesystem::path KeyReader::file(char const* name, bool required) const {
  return case_file_.file(declared(name, KeyKind::file).name, required);
}

std::vector<double> KeyReader::numbers(char const* name, std::vector<double> const& fallback) const {
  auto const& key = declared(name, KeyKind::numbers);
  return key.unit.empty()
             ? case_file_.numbers(key.name, fallback, key.least, key.most, key.fewest, key.most_elements)
             : quantities(case_file_, key.name, key.unit.c_str(), fallback, key.least, key.most, key.fewest,
                          key.most_elements);
}

std::vector<std::string> KeyReader::texts(char const* name, std::vector<std::string> const& fallback) const {
  auto const& key = declared(name, KeyKind::texts);
  return case_file_.texts(key.name, fallback, key.fewest, key.most_elements);
}

}  // namespace ulpine::io
