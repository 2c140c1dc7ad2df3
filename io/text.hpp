// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

// Functions that take names and attributes of files apart.

namespace ulpine::io {

/// The text with the letters A to Z in lower case.
inline std::string lower_case(std::string text) {
  for (auto& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

/// Without blanks and tabs at its ends.
inline std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Words of the text, separated by white space.
inline std::vector<std::string> words_of(std::string const& text) {
  std::istringstream stream{text};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The value of an attribute among all of a variable's, as InputFile::attributes_of() has them; empty where
/// it has none.
inline std::string attribute_in(std::string const& attributes, std::string const& name) {
  auto const lead = name + ": ";
  std::istringstream lines{attributes};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(lead)) return line.substr(lead.size());
  }
  return {};
}

/// The groups of a variable's name, with the last slash.
inline std::string folder_of(std::string const& name) {
  auto const slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

}  // namespace ulpine::io
