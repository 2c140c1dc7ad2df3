// SPDX-License-Identifier: Apache-2.0
#include "io/case_unknown.hpp"

#include <algorithm>
#include <vector>

#include "io/error.hpp"

namespace ulpine::io {

Entries::value_type const* first_unknown(Entries const& entries, std::set<std::string> const& known) {
  Entries::value_type const* first = nullptr;
  for (auto const& entry : entries) {
    auto const is_known = [&](std::string const& key) {
      return key == entry.first || (is_empty_table(entry.second) && starts_with_table(key, entry.first));
    };
    if (std::none_of(known.begin(), known.end(), is_known) &&
        (first == nullptr || entry.second.order < first->second.order)) {
      first = &entry;
    }
  }
  return first;
}

std::string unknown_key_problem(std::string const& key, std::set<std::string> const& known) {
  auto near = nearest_hint(key, known);
  if (near.empty()) {
    // The right key in the wrong table.
    auto const leaf = key.substr(key.rfind('.') + 1);
    for (auto const& name : known) {
      if (name.substr(name.rfind('.') + 1) == leaf) near = " (did you mean '" + name + "'?)";
    }
  }
  return "unknown key (nothing in this case reads it) correct or remove it" + near;
}

std::string nearest_hint(std::string const& word, std::set<std::string> const& known) {
  std::vector<char const*> list;
  for (auto const& name : known) list.push_back(name.c_str());
  list.push_back(nullptr);
  return ulpine::nearest_hint(word, list.data());
}

}  // namespace ulpine::io
