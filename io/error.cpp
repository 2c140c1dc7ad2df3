// SPDX-License-Identifier: Apache-2.0
#include "io/error.hpp"

#include <algorithm>

#include "io/plain_text.hpp"

namespace ulpine {
namespace {

std::size_t edit_distance(std::string const& a, std::string const& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      auto const substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string one_line(std::string_view text) {
  auto line = io::plain_text(text);
  std::replace_if(
      line.begin(), line.end(), [](char letter) { return letter == '\n' || letter == '\t'; }, ' ');
  return line;
}

std::string nearest_hint(std::string const& word, char const* const* known) {
  char const* best = nullptr;
  auto least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (; *known != nullptr; ++known) {
    auto const distance = edit_distance(word, *known);
    if (distance < least) {
      least = distance;
      best = *known;
    }
  }
  return best == nullptr ? std::string{} : " (did you mean '" + std::string{best} + "'?)";
}

std::string choices_hint(std::string const& word, std::vector<std::string> const& known) {
  constexpr std::size_t few = 20;
  std::string list;
  std::vector<char const*> names;
  for (auto const& name : known) {
    list += (list.empty() ? "" : ", ") + name;
    names.push_back(name.c_str());
  }
  names.push_back(nullptr);
  if (known.empty()) {
    return " (there is none) check the name";
  }
  return (known.size() > few ? " (there are " + std::to_string(known.size()) + " others)"
                             : " (known are " + list + ")") +
         " choose one of them" + nearest_hint(word, names.data());
}

}  // namespace ulpine
