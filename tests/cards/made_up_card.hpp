// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ulpine::test {

/// A card of round numbers: 1000 B/s, 10 and 100 instructions a second in double and float, 5 special
/// functions and 50 integers.
inline std::string const made_up_card = R"(name = "Made up"
[memory]
bandwidth = { value = 1000, source = "nobody" }
size = { value = 1e6, source = "nobody" }
[rates]
fp64 = { value = 20, source = "nobody" }
fp32 = { value = 200.0, source = "nobody", derived = "ten times as much" }
special = { value = 5, source = "nobody" }
integer = { value = 50, source = "nobody" }
[chip]
multiprocessors = { value = 2, source = "nobody" }
[sources.nobody]
title = "Nothing"
year = 2026
address = "https://example.org/nothing"
)";

/// The text with the one occurrence of `old` replaced.
inline std::string with(std::string text, std::string const& old, std::string const& now) {
  return text.replace(text.find(old), old.size(), now);
}

}  // namespace ulpine::test
