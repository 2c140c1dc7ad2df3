// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/stage/override.hpp"

namespace ulpine::ensembles {

/// Which stages run in a policy or format of their own, as a file: TOML with `case`, `case_hash` (16 hex
/// digits), `until_s` (the end of the runs that it was found in), `policy` (of all other stages) and
/// `stages`, an array of texts "NAME=POLICY".
struct StageFile {
  std::string case_name, case_hash, policy = "fp64";
  std::optional<double> until_s = {};
  std::vector<StageOverride> stages = {};
};

std::string to_toml(StageFile const& file);
/// InputError, naming file and key, where it is no such file.
StageFile read_stage_file(std::filesystem::path const& path);

}  // namespace ulpine::ensembles
