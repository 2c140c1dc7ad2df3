// SPDX-License-Identifier: Apache-2.0
#include "ensembles/study/cases.hpp"

#include <fmt/format.h>

#include "cli/console.hpp"
#include "cli/keys.hpp"
#include "cli/predicted.hpp"
#include "io/error.hpp"

namespace ulpine::cli {

int cases(CasesOptions const& options) {
  if (!options.fit.empty()) return fit_card(options);
  if (!options.on.empty()) return predict_stages(options);
  if (options.operations) return list_operations(options);
  if (!options.stages.empty()) return list_stages(options);
  if (!options.keys.empty()) return list_keys(options);
  if (!options.show.empty()) return show_case(options);
  auto const shipped = ensembles::shipped_cases();
  if (shipped.empty()) {
    throw EnvironmentError(
        "no cases found (share/ulpine/cases is missing) install Ulpine with `cmake --install`");
  }
  for (auto const& item : shipped) {
    if (!item.problem.empty()) {
      complain(item.problem);
      continue;
    }
    print(options.common, fmt::format("{:<28} {}\n", item.core + "/" + item.name, item.description));
    if (options.common.verbose) {
      print(options.common, "  " + item.file.string() + "\n");
    }
  }
  if (!options.common.verbose) {
    print(options.common, "files: " + ensembles::cases_folder().string() + "/CORE/NAME.toml\n");
  }
  return exit_code::done;
}

}  // namespace ulpine::cli
