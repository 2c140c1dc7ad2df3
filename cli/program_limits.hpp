// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ensembles/runs/process.hpp"

namespace ulpine::cli {

/// The limits of other programs' calls, of which each may take the time `--program-timeout` says. InputError
/// where that is no time above zero.
ensembles::ProcessLimits program_limits(std::string const& timeout);

}  // namespace ulpine::cli
