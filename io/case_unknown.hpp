// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <utility>

#include "io/case_entries.hpp"
#include "io/error.hpp"

// Keys of a case that nothing reads: which is the first, and what is said of it.

namespace ulpine::io {

/// The error of CaseFile::reject_unknown(): the refused key, and those that were read or accepted.
struct UnknownKey : InputError {
  UnknownKey(InputError const& refusal, std::string unknown, std::set<std::string> read)
      : InputError(refusal), key{std::move(unknown)}, known{std::move(read)} {}
  std::string key;
  std::set<std::string> known;
};

/// The first key in the order of the file, overrides last, that is not among `known`; null where all are. An
/// empty table is known where a key in it is.
Entries::value_type const* first_unknown(Entries const& entries, std::set<std::string> const& known);

/// The problem of the unknown `key`, without its place: names the nearest of `known`, or the name in another
/// table.
std::string unknown_key_problem(std::string const& key, std::set<std::string> const& known);

/// The member of `known` nearest to `word`, as ` (did you mean 'x'?)`; empty where none is near.
std::string nearest_hint(std::string const& word, std::set<std::string> const& known);

}  // namespace ulpine::io
