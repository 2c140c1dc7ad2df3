// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/model.hpp"
#include "core/seaice/setup.hpp"
#include "io/case_file.hpp"

namespace ulpine::seaice {

/// InputError where the case chooses an order of sums, a rheology or maps that are not built for what it is
/// run with: the policies of the run and its stages, the assembly, coordinates, orders.
void check_choices(io::CaseFile const& case_file, ModelOptions const& options, Setup const& setup);

}  // namespace ulpine::seaice
