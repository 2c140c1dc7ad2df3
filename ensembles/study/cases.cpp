// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/cases.hpp"

#include <algorithm>
#include <tuple>

#include "core/model/common_keys.hpp"
#include "ensembles/study/shipped_folder.hpp"
#include "io/case_file.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {

namespace fs = std::filesystem;

fs::path cases_folder() {
  return shipped_folder("cases", [](fs::path const& folder) {
    return std::ranges::any_of(shipped_cases(folder), [](auto const& item) { return item.problem.empty(); });
  });
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
