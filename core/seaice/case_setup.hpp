// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/model.hpp"
#include "core/seaice/setup.hpp"
#include "io/case_file.hpp"

namespace ulpine::seaice {

/// Reads and checks every key of the core; InputError otherwise. EnvironmentError where the host's memory
/// cannot hold the grid, with a solver beside it if that runs there.
Setup read_case(io::CaseFile const& case_file, bool solves_on_host = true);

/// InputError where the case chooses an order of sums, a rheology or maps that are not built for what it is
/// run with: the policies of the run and its stages, the assembly, coordinates, orders.
void check_choices(io::CaseFile const& case_file, ModelOptions const& options, Setup const& setup);

}  // namespace ulpine::seaice
