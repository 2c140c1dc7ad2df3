// SPDX-License-Identifier: Apache-2.0
#include "cli/program_limits.hpp"

#include "cli/console.hpp"
#include "io/error.hpp"

namespace ulpine::cli {

ensembles::ProcessLimits program_limits(std::string const& timeout) {
  ensembles::ProcessLimits limits;
  limits.seconds = duration_option("--program-timeout", timeout);
  if (!(limits.seconds > 0)) {
    throw InputError("--program-timeout: '" + timeout +
                     "' is no time for a program (it must be above zero) write e.g. \"1 h\"");
  }
  return limits;
}

}  // namespace ulpine::cli
