// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/case_entries.hpp"

// Case files as text, and the keys that one takes over from another: `extends = "other.toml"`.

namespace ulpine::io {

/// A case file as it is written.
struct CaseText {
  std::string text;
  std::string name;              ///< name of the file, in messages
  std::filesystem::path folder;  ///< absolute; relative paths of the case start there
};

/// The text of the case file `path`, of at most 16 MiB. InputError, which calls it `name`, where it is
/// missing, no ordinary file, too large or cannot be read.
CaseText read_case_text(std::filesystem::path const& path, std::string const& name);

/// The keys of a case, with those of the case that it extends.
struct MergedCase {
  Entries entries;                   ///< without `extends` and `without`
  std::optional<CaseText> extended;  ///< the case that it extends
};

/// Reads the keys of `own`. Where it has `extends = "FILE"`, all keys of that case are taken over but `name`,
/// `description` and those that `without = ["table", "table.key"]` names; its own keys replace them one by
/// one, arrays as a whole. Relative paths start at the folder of the case that names them. `extended` is the
/// text of FILE if it is known already, and else read. InputError, with the file and line of the key, also
/// where FILE is the case itself, is no case, or extends another case; and where the case has no keys.
MergedCase read_merged(CaseText const& own, std::optional<CaseText> extended = {});
/// The keys as TOML, by tables in the order of the files, each with the file and line where it stands as a
/// comment: "nx = 24  # supercell_quick.toml:7".
std::string written_out(Entries const& entries);

}  // namespace ulpine::io
