// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ulpine {

/// Input that cannot be used: bad usage, case file or data file. what() is one line `<problem> (<why>)
/// <suggestion>`. The program exits with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One variable of a file cannot be read, and others may be.
class UnreadableVariable : public InputError {
 public:
  using InputError::InputError;
};

/// The environment lacks something: no GPU, out of memory, disk full. The program exits with 3.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `text` with blanks for control characters, so that a message which holds it stays one line and does
/// nothing to a terminal.
std::string one_line(std::string_view text);
/// The member of `known` nearest to `word` in edit distance, quoted as ` (did you mean 'x'?)`; empty where
/// none is near.
std::string nearest_hint(std::string const& word, char const* const* known);
/// The end of "unknown <thing> 'word'": ` (known are a, b, c) choose one of them (did you mean 'b'?)`; more
/// than twenty are counted instead of named.
std::string choices_hint(std::string const& word, std::vector<std::string> const& known);

}  // namespace ulpine
