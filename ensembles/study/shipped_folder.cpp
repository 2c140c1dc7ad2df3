// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/shipped_folder.hpp"

namespace ulpine::ensembles {

namespace fs = std::filesystem;

fs::path shipped_folder(std::string const& name, std::function<bool(fs::path const&)> const& has) {
  std::error_code failed;
  auto const program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    auto folder = program.parent_path();
    constexpr int levels = 4;  // bin/ of an installation is one below its root, of a build folder three
    for (int level = 0; level < levels; ++level, folder = folder.parent_path()) {
      for (auto const& candidate : {folder / "share" / "ulpine" / name, folder / name}) {
        if (has(candidate)) return candidate;
      }
    }
  }
  auto const source = fs::path(ULPINE_SOURCE_FOLDER) / name;
  return fs::is_directory(source, failed) ? source : fs::path{};
}

}  // namespace ulpine::ensembles
