// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ulpine::cli {

/// Rows of cells in columns as wide as their widest, two blanks between them, none at the end of lines.
template <std::size_t columns>
std::string table_of(std::vector<std::array<std::string, columns>> const& rows) {
  std::array<std::size_t, columns> widths{};
  for (auto const& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c)
      line += row[c] + std::string(widths[c] - row[c].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace ulpine::cli
