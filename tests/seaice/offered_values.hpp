// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <string>
#include <vector>

namespace ulpine::test {

using Words = std::vector<std::string>;

/// The values that the remedy at the end of a message offers, as they would be typed.
inline Words offered(std::string const& message) {
  static std::string const value = R"((-?[0-9][-+.0-9e]*(?: s)?))";
  static std::regex const both{"choose between " + value + " and " + value + "(?: [a-z][-a-z0-9 ]*)?$"},
      one{"choose at (?:least|most) " + value + "$"},
      example{R"re((?:write|use) e\.g\. (?:[a-z]+ = )?("[^"]*"|[^",]+))re"},
      exact{"use ([0-9]+)(?:, ([0-9]+))?(?: or ([0-9]+))?$"},
      list{"choose one of (?!them)([a-z_0-9, ]+?)(?: \\(did you mean.*)?$"}, most{"use at most (.+)$"};
  Words words;
  for (auto const* pattern : {&both, &one, &example, &exact, &list, &most}) {
    if (std::smatch match; std::regex_search(message, match, *pattern)) {
      for (std::size_t k = 1; k < match.size(); ++k) {
        if (match[k].length() > 0) words.push_back(match[k]);
      }
      if (pattern == &list) words = {words.front().substr(0, words.front().find(','))};
      break;
    }
  }
  return words;
}

}  // namespace ulpine::test
