// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/case_entries.hpp"
#include "io/case_keys.hpp"

// Names that keys of cases had in earlier versions. A case that has them is read as before, and has the same
// hash: it sees a key under its former name, whichever of both the case has.

namespace ulpine::io {

/// Declares what the keys of cases of `core` were called before, as the table says. To be called before cases
/// are read, so by a variable of the table's source file. Returns true.
bool declare_former_keys(std::string const& core, std::vector<CaseKey> const& keys);

struct FormerKey {
  std::string name;          ///< "wind.u", or the element of an array: "start.bubble.centre[0]"
  std::size_t elements = 0;  ///< size of that array
  /// For choices whose values were renamed: each former and present value. Values that are not listed were
  /// selected by leaving the key out.
  std::vector<std::pair<std::string, std::string>> values = {};
};

/// The former names in one case.
class FormerKeys {
 public:
  FormerKeys() = default;
  /// Gives the keys in `entries` that have former names of the case's core their present ones. Of both names
  /// of a key the later override counts, and overrides count before the file. InputError where the file has
  /// both, or an array of another length than it had.
  explicit FormerKeys(Entries& entries);

  /// `key`, or an element of it, by the name that the case has for it.
  std::string spelling(std::string const& key) const;
  /// `texts` of present keys in TOML by the names that these keys had.
  std::map<std::string, std::string> renamed_back(std::map<std::string, std::string> const& texts) const;
  /// A message for the user on former names in the case, in one line; empty where there are none.
  std::string const& note() const { return note_; }

 private:
  std::map<std::string, FormerKey> formers_;    ///< by present names
  std::map<std::string, std::string> spelled_;  ///< present names of keys that the case has by former ones
  std::string note_;
};

/// Tells a user of former names. By default nobody is told.
using FormerKeysReporter = void (*)(std::string const& line);
void set_former_keys_reporter(FormerKeysReporter tell);
/// Tells `line`, once a process.
void report_former_keys(std::string const& line);

}  // namespace ulpine::io
