// SPDX-License-Identifier: Apache-2.0
#include "io/same_file.hpp"

#include <sys/stat.h>

#include <map>
#include <utility>

namespace ulpine::io {

std::optional<SameFile> same_file(std::span<std::filesystem::path const> files) {
  std::map<std::pair<dev_t, ino_t>, std::size_t> seen;
  for (std::size_t n = 0; n < files.size(); ++n) {
    struct stat found {};
    if (::stat(files[n].c_str(), &found) != 0) continue;
    auto const [earlier, is_new] = seen.try_emplace({found.st_dev, found.st_ino}, n);
    if (!is_new) return SameFile{earlier->second, n};
  }
  return {};
}

}  // namespace ulpine::io
