// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/cases.hpp"

#include <algorithm>
#include <tuple>

#include "core/model/common_keys.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {

namespace fs = std::filesystem;

fs::path cases_folder() {
  std::error_code failed;
  auto const program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    auto folder = program.parent_path();
    constexpr int levels = 4;  // bin/ of an installation is one below its root, of a build folder three
    for (int level = 0; level < levels; ++level, folder = folder.parent_path()) {
      for (auto const& candidate : {folder / "share" / "ulpine" / "cases", folder / "cases"}) {
        auto const cases = shipped_cases(candidate);
        if (std::any_of(cases.begin(), cases.end(), [](auto const& item) { return item.problem.empty(); })) {
          return candidate;
        }
      }
    }
  }
  fs::path const source = ULPINE_SOURCE_CASES;
  return fs::is_directory(source, failed) ? source : fs::path{};
}

std::vector<ShippedCase> shipped_cases(fs::path const& folder) {
  std::vector<ShippedCase> cases;
  std::error_code failed;
  for (auto const& group : fs::directory_iterator(folder, failed)) {
    if (!group.is_directory(failed)) {
      continue;
    }
    for (auto const& entry : fs::directory_iterator(group.path(), failed)) {
      if (entry.path().extension() != ".toml") {
        continue;
      }
      try {
        auto const case_file = io::CaseFile::load(entry.path());
        io::KeyReader const keys(case_file, common_case_keys());
        if (keys.has("description")) {
          cases.push_back({case_file.name(), case_file.core(), keys.text("description"), entry.path()});
        }
      } catch (InputError const& unreadable) {
        cases.push_back({entry.path().stem().string(), group.path().filename().string(), "", entry.path(),
                         unreadable.what()});
      }
    }
  }
  std::sort(cases.begin(), cases.end(), [](ShippedCase const& a, ShippedCase const& b) {
    return std::tie(a.core, a.name, a.file) < std::tie(b.core, b.name, b.file);
  });
  return cases;
}

}  // namespace ulpine::ensembles
