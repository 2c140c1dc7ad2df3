// SPDX-License-Identifier: Apache-2.0
#include "cli/work_folder.hpp"

#include <stdlib.h>

#include "io/error.hpp"

namespace ulpine::cli {

WorkFolder::WorkFolder(std::string const& command) {
  auto const place = std::filesystem::temp_directory_path();
  auto name = (place / ("ulpine-" + command + "-XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    throw EnvironmentError("no folder can be made in " + place.string() + " (for the files of `" + command +
                           "`) set TMPDIR to a folder that can be written");
  }
  path_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ulpine::cli
