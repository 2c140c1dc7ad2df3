// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ulpine::ensembles {

struct ShippedCase {
  std::string name, core, description;
  std::filesystem::path file;
  std::string problem = {};  ///< why it cannot be read; the others then come from its path
};

/// The folder of the shipped cases (shipped_folder.hpp).
std::filesystem::path cases_folder();
/// The case files FOLDER/*/*.toml that have a `description` or cannot be read, sorted by core and name.
std::vector<ShippedCase> shipped_cases(std::filesystem::path const& folder = cases_folder());

}  // namespace ulpine::ensembles
