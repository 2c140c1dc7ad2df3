// SPDX-License-Identifier: Apache-2.0
#include "ensembles/run_failure.hpp"

#include "ensembles/run.hpp"
#include "io/error.hpp"

namespace ulpine::ensembles {

std::optional<std::string> failure_in(std::filesystem::path const& folder) try {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(folder / "run.json", failed)) return {};
  return read_run(folder / "run.json").failed;
} catch (InputError const&) {
  return {};
}

}  // namespace ulpine::ensembles
