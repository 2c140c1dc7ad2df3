// SPDX-License-Identifier: Apache-2.0
#include "io/toml_depth.hpp"

#include <algorithm>
#include <vector>

namespace ulpine::io {
namespace {

constexpr std::size_t deepest = 64;  // levels of tables and arrays; a case file has three

}  // namespace

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

}  // namespace ulpine::io
