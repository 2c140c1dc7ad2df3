// SPDX-License-Identifier: Apache-2.0
#include "verification/results/markdown.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "io/error.hpp"

// CommonMark 0.31 and "GitHub Flavored Markdown Spec" 0.29: backslash escapes, code spans, tables, extended
// autolinks. Mentions and references are made of the text that is shown, whatever is escaped in it.

namespace ulpine::verification {
namespace {

bool is_letter_or_digit(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9');
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

/// Whether GitHub makes a link of a part of `text`: an address, somebody's name, an issue's number.
bool makes_links(std::string const& text) {
  constexpr std::array<std::string_view, 5> starts = {"://", "www.", "@", "#", "gh-"};
  auto const folded = lower_case(text);
  return std::ranges::any_of(starts, [&](auto start) { return folded.find(start) != std::string::npos; });
}

/// Whether the letter at `place` can be markup: an underscore within a word is none, nor are brackets that
/// neither link nor define a link, nor begin a text, where they would be the box of a task.
bool is_markup(std::string const& text, std::size_t place) {
  constexpr std::string_view always = "\\`*<>&~|$";
  auto const letter = text[place];
  if (letter == '_') {
    return place == 0 || place + 1 == text.size() || !is_letter_or_digit(text[place - 1]) ||
           !is_letter_or_digit(text[place + 1]);
  }
  if (letter == '[') return place == 0;
  if (letter == ']') {
    constexpr std::string_view links = "([:";
    return place + 1 == text.size() || links.find(text[place + 1]) != std::string_view::npos;
  }
  return always.find(letter) != std::string_view::npos;
}

/// The place of the letter that would make a line that begins with `text` an item of a list, a title or a
/// rule; nowhere where there is none.
std::size_t block_start(std::string const& text) {
  constexpr std::string_view marks = "+-=";
  if (!text.empty() && marks.find(text[0]) != std::string_view::npos) return 0;
  auto const after = text.find_first_not_of("0123456789");
  auto const is_item = after != std::string::npos && after > 0 &&
                       (text[after] == '.' || text[after] == ')') &&
                       (after + 1 == text.size() || text[after + 1] == ' ');
  return is_item ? after : std::string::npos;
}

std::string trimmed(std::string const& text) {
  auto const first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::string code(std::string const& text) {
  auto const line = trimmed(one_line(text));
  if (line.empty()) return "";
  std::size_t longest = 0, ticks = 0;
  std::string content;
  for (auto const letter : line) {
    ticks = letter == '`' ? ticks + 1 : 0;
    longest = std::max(longest, ticks);
    content += letter == '|' ? "\\|" : std::string(1, letter);
  }
  std::string const fence(longest + 1, '`');
  auto const blank = line.front() == '`' || line.back() == '`' ? " " : "";
  return fence + blank + content + blank + fence;
}

std::string cell(std::string const& text) {
  auto const line = trimmed(one_line(text));
  if (makes_links(line)) return code(line);
  std::string result;
  auto const start = block_start(line);
  for (std::size_t place = 0; place < line.size(); ++place) {
    if (place == start || is_markup(line, place)) result += '\\';
    result += line[place];
  }
  return result;
}

}  // namespace ulpine::verification
