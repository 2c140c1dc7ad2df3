// SPDX-License-Identifier: Apache-2.0
#include "ensembles/runs/shell.hpp"

#include "io/error.hpp"

namespace ulpine::ensembles {

namespace {

/// `text` in $'...', whose escapes are read by bash, ksh and zsh, and by any shell of POSIX.1-2024. Letters
/// that a terminal could take for orders would not be shown.
std::string escaped(std::string const& text) {
  std::string quoted = "$'";
  for (auto const letter : text) {
    auto const byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte >= 0x7f) {
      quoted += '\\';
      for (auto const shift : {6u, 3u, 0u}) quoted += static_cast<char>('0' + (byte >> shift & 7u));
    } else {
      if (letter == '\'' || letter == '\\') quoted += '\\';
      quoted += letter;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string shell_quoted(std::string const& text) {
  if (one_line(text) != text) return escaped(text);
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%^";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) {
    return text;
  }
  std::string quoted = "'";
  for (auto const letter : text) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::string shell_quoted_path(std::filesystem::path const& path) {
  auto const text = path.string();
  return shell_quoted(text.starts_with('-') ? "./" + text : text);
}

}  // namespace ulpine::ensembles
