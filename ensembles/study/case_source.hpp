// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/common_keys.hpp"
#include "io/case_file.hpp"

namespace ulpine::ensembles {

/// Where a case comes from. CaseFile objects remember what was read and belong to one thread; every run loads
/// its own.
struct CaseSource {
  std::filesystem::path path;
  std::vector<std::string> overrides = {};  ///< each `key.path=TOML value`

  /// The case with the keys that every core shares already read (`description`, `time.end`, `output.*`,
  /// `verify.*`, `evaluate.*` and what else is judged by), so that the core's refusal of unknown keys spares
  /// them. InputError.
  io::CaseFile load() const;
};

/// `time.end` in s; InputError where the case has none.
double end_time(io::CaseFile const& case_file);
/// `output.interval` in s; 0 (the default): only at the start and the end.
double output_interval(io::CaseFile const& case_file);

}  // namespace ulpine::ensembles
