// SPDX-License-Identifier: Apache-2.0
#include "cli/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "core/model/case_keys.hpp"
#include "core/model/common_keys.hpp"
#include "core/model/model.hpp"
#include "io/case_unknown.hpp"
#include "io/error.hpp"
#include "verification/evaluators/case_keys.hpp"

namespace ulpine::cli {
namespace {

using io::CaseKey, io::KeyKind;

/// Tables of keys that cases of all cores may have.
io::KeyTables common_tables() { return {&common_case_keys(), &verification::case_keys()}; }

/// Keys that are listed together: those of a core, or of all cores.
struct Group {
  std::string name;         ///< "fdm", "common"
  std::string description;  ///< a few words
  std::vector<CaseKey const*> keys;
};

/// Keys of one table of a case file.
struct Section {
  std::string table;  ///< empty for keys before the first table
  std::vector<CaseKey const*> keys;
};

constexpr auto common = "common", all_groups = "all";

Group group_of(std::string const& name, std::string description, io::KeyTables const& tables) {
  Group group{name, std::move(description), {}};
  for (auto const* table : tables) {
    for (auto const& key : *table) group.keys.push_back(&key);
  }
  return group;
}

/// Groups of keys of `what`: a core, "common" or "all"; those without keys are left out.
std::vector<Group> groups_of(std::string const& what) {
  std::vector<Group> found;
  std::vector<std::string> names{all_groups, common};
  for (auto const& [core, description] : known_cores()) {
    names.push_back(core);
    auto const* const keys = case_keys_of(core);
    if ((what != core && what != all_groups) || keys == nullptr) continue;
    found.push_back(group_of(core, description, {keys}));
  }
  if (std::ranges::find(names, what) == names.end()) {
    throw InputError("unknown core '" + what + "'" + choices_hint(what, names));
  }
  if (what == common || what == all_groups) {
    found.push_back(group_of(common, "keys that cases of all cores may have", common_tables()));
  }
  if (found.empty()) {
    throw InputError("core '" + what +
                     "' has declared no keys (its model reads them as it likes) look at its source");
  }
  return found;
}

std::string table_of(CaseKey const& key) {
  auto const dot = key.name.find('.');
  return dot == std::string::npos ? "" : key.name.substr(0, dot);
}

std::vector<Section> sections_of(std::vector<CaseKey const*> const& keys) {
  std::vector<Section> sections;
  for (auto const* key : keys) {
    auto const table = table_of(*key);
    auto found = std::ranges::find(sections, table, &Section::table);
    if (found == sections.end()) found = sections.insert(found, Section{table, {}});
    found->keys.push_back(key);
  }
  return sections;
}

/// "1 to 9", "at least 1", "at most 9", of times "1 to 9 s"; empty where nothing bounds.
std::string range_text(CaseKey const& key) {
  std::string const unit = key.kind == KeyKind::duration ? " s" : "";
  // Integers from or to 2^63 are not bounded.
  auto const bounded = [&](double limit) {
    return std::isfinite(limit) && (key.kind != KeyKind::integer || std::abs(limit) < 0x1p63);
  };
  auto const least = io::number_text(key.least), most = io::number_text(key.most);
  if (bounded(key.least) && bounded(key.most)) return least + " to " + most + unit;
  if (bounded(key.least)) return "at least " + least + unit;
  return bounded(key.most) ? "at most " + most + unit : "";
}

/// "1 to 3 texts", "any number of texts".
std::string count_text(CaseKey const& key, std::string const& of) {
  constexpr auto none = std::numeric_limits<std::size_t>::max();
  if (key.fewest == key.most_elements) return fmt::format("{} {}", key.fewest, of);
  if (key.most_elements < none) return fmt::format("{} to {} {}", key.fewest, key.most_elements, of);
  return key.fewest > 0 ? fmt::format("{} or more {}", key.fewest, of) : of;
}

/// The values that a key may have, choices written by `quote`.
template <class Quote>
std::string allowed(CaseKey const& key, Quote const& quote) {
  auto const range = range_text(key);
  std::string list;
  for (auto const& choice : key.choices) {
    list += (list.empty() ? "" : ", ") +
            quote(key.kind == KeyKind::choice ? "\"" + choice.name + "\"" : choice.name);
  }
  if (!list.empty()) return list;
  switch (key.kind) {
    case KeyKind::flag:
      return quote("true") + ", " + quote("false");
    case KeyKind::text:
      return "text";
    case KeyKind::file:
      return "a file";
    case KeyKind::texts:
      return count_text(key, "texts");
    case KeyKind::numbers:
      return count_text(key, "numbers") + (range.empty() ? "" : ", each " + range);
    case KeyKind::integer:
      return range.empty() ? "a whole number" : range;
    case KeyKind::duration:
      return range.empty() ? "a time" : range;
    case KeyKind::choice:
    case KeyKind::number:
      break;
  }
  return range.empty() ? "a number" : range;
}

std::string plain(std::string const& word) { return word; }
std::string code(std::string const& word) { return "`" + word + "`"; }

char const* kind_name(KeyKind kind) {
  switch (kind) {
    case KeyKind::number:
      return "number";
    case KeyKind::integer:
      return "whole number";
    case KeyKind::flag:
      return "true or false";
    case KeyKind::text:
      return "text";
    case KeyKind::choice:
      return "one of these texts";
    case KeyKind::duration:
      return "time, a text with its unit";
    case KeyKind::file:
      return "path of a file";
    case KeyKind::numbers:
      return "array of numbers";
    case KeyKind::texts:
      break;
  }
  return "array of texts";
}

std::string meaning(CaseKey const& key) {
  return key.about + (key.needs.empty() ? "" : " (needs " + key.needs + ")");
}

template <class Quote>
std::string meaning(io::KeyChoice const& choice, Quote const& quote) {
  return choice.meaning + (choice.formerly.empty() ? "" : " (formerly " + quote(choice.formerly) + ")");
}

/// Columns that are as wide as the widest of few words; longer ones push what follows into the next line.
std::string listing(Section const& section) {
  constexpr std::size_t widest = 26;
  auto const title =
      section.table.empty() ? std::string("before the first table") : "[" + section.table + "]";
  std::vector<std::vector<std::string>> rows{{title, "unit", "default", "allowed", "meaning"}};
  for (auto const* key : section.keys) {
    rows.push_back({"  " + key->name, key->unit, key->fallback, allowed(*key, plain), meaning(*key)});
  }
  std::vector<std::size_t> widths(rows.front().size() - 1, 0);
  for (auto const& row : rows) {
    for (std::size_t n = 0; n < widths.size(); ++n) {
      if (n == 0 || row[n].size() <= widest) widths[n] = std::max(widths[n], row[n].size());
    }
  }
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    std::size_t column = 0;
    for (std::size_t n = 0; n < row.size(); ++n) {
      if (line.size() > column) {
        text += line + "\n";
        line.clear();
      }
      line.resize(column, ' ');
      line += row[n];
      if (n < widths.size()) column += widths[n] + 2;
    }
    text += line + "\n";
  }
  return text;
}

std::string details(Group const& group, CaseKey const& key) {
  auto text = fmt::format("{} ({})\n  {}\n", key.name,
                          group.name == common ? "all cores" : "core " + group.name, key.about);
  auto const row = [&](char const* name, std::string const& value) {
    if (!value.empty()) text += fmt::format("  {:<8} {}\n", name, value);
  };
  row("kind", kind_name(key.kind));
  row("unit", key.unit);
  row("default", key.fallback);
  if (!key.choices.empty()) {
    std::size_t width = 0;
    for (auto const& choice : key.choices) width = std::max(width, choice.name.size());
    char const* label = "choices";
    for (auto const& choice : key.choices) {
      text += fmt::format("  {:<8} {:<{}}  {}\n", label, choice.name, width, meaning(choice, plain));
      label = "";
    }
  } else if (key.kind != KeyKind::flag) {
    row("allowed", allowed(key, plain));
  }
  row("needs", key.needs);
  row("formerly", key.formerly);
  return text;
}

/// Keys of that name, of that former name, of that table, or of that name in any table.
std::vector<CaseKey const*> keys_called(std::vector<CaseKey const*> const& keys, std::string const& name) {
  std::vector<CaseKey const*> found;
  auto const take = [&](auto const& holds) {
    if (found.empty()) std::ranges::copy_if(keys, std::back_inserter(found), holds);
  };
  take([&](CaseKey const* key) { return key->name == name || declares(*key, name); });
  take([&](CaseKey const* key) { return key->formerly == name || key->formerly.starts_with(name + "["); });
  take([&](CaseKey const* key) { return key->name.starts_with(name + "."); });
  take([&](CaseKey const* key) { return key->name.ends_with("." + name); });
  return found;
}

std::string all_about(std::vector<Group> const& groups, std::string const& what, std::string const& name) {
  std::string text;
  std::set<std::string> names;
  for (auto const& group : groups) {
    for (auto const* key : keys_called(group.keys, name))
      text += (text.empty() ? "" : "\n") + details(group, *key);
    for (auto const* key : group.keys)
      names.insert({key->name, table_of(*key), key->name.substr(key->name.rfind('.') + 1)});
  }
  if (!text.empty()) return text;
  auto const of = what == all_groups ? "any core" : what == common ? "all cores" : "core '" + what + "'";
  throw InputError("unknown key '" + name + "' of " + of +
                   " (no key or table is called so) look among those of `" + program_name() +
                   " cases --keys " + what + "`" + io::nearest_hint(name, names));
}

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

/// A page of the reference: a heading a table, a row and an anchor a key.
std::string page(Group const& group) {
  auto const of_all = group.name == common;
  auto text =
      of_all
          ? std::string("# Keys of all cores\n\nCases of every core may have these keys.")
          : fmt::format("# Keys of `core = \"{}\"`\n\n{} Keys that [all cores](common.md) have come on top.",
                        group.name, sentence(group.description));
  text += fmt::format(
      " `ulpine cases --keys {}` prints them, with a key behind it all about that one. This page is written "
      "by `docs/generate`.\n",
      group.name);
  for (auto const& section : sections_of(group.keys)) {
    text += section.table.empty() ? "\n## Before the first table\n" : "\n## `[" + section.table + "]`\n";
    text += "\n| key | unit | default | allowed | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (auto const* key : section.keys) {
      auto const fixed = key->value || key->fallback.starts_with('"');
      auto words = sentence(key->about);
      if (!key->needs.empty()) words += " Needs " + code(key->needs) + ".";
      if (!key->formerly.empty()) words += " Formerly " + code(key->formerly) + ".";
      for (auto const& choice : key->choices)
        words += "<br>" + code(choice.name) + ": " + meaning(choice, code) + ".";
      text += fmt::format("| <a id=\"{}\"></a>`{}` | {} | {} | {} | {} |\n", key->name, key->name, key->unit,
                          fixed ? code(key->fallback) : key->fallback, allowed(*key, code), words);
    }
  }
  return text;
}

}  // namespace

void register_common_keys() {
  for (auto const* table : common_tables()) register_common_case_keys(*table);
}

int list_keys(CasesOptions const& options) {
  auto groups = groups_of(options.keys);
  if (!options.key.empty()) {
    // A case of a core may have the keys of all cores, too.
    if (groups.size() == 1 && options.keys != common) groups.push_back(groups_of(common).front());
    print(options.common, all_about(groups, options.keys, options.key));
    return exit_code::done;
  }
  for (auto const& group : groups) {
    if (options.markdown) {
      print(options.common, page(group));
      continue;
    }
    if (options.keys == all_groups)
      print(options.common, fmt::format("# {}: {}\n", group.name, group.description));
    for (auto const& section : sections_of(group.keys)) print(options.common, listing(section));
  }
  return exit_code::done;
}

}  // namespace ulpine::cli
