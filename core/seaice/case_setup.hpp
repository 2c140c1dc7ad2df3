// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/seaice/setup.hpp"
#include "io/case_file.hpp"

namespace ulpine::seaice {

/// Reads and checks every key of the core; InputError otherwise. EnvironmentError where the host's memory
/// cannot hold the grid, with a solver beside it if that runs there.
Setup read_case(io::CaseFile const& case_file, bool solves_on_host = true);

}  // namespace ulpine::seaice
