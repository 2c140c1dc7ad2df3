// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/base_column.hpp"
#include "core/fem/setup.hpp"
#include "io/case_file.hpp"

namespace ulpine::fem {

/// Puts the fields of `start.file`, another run's output, at the start of a setup that has all else:
/// interpolated (P1) from the file's mesh, pressure, potential temperature and vapour as departures from
/// `column` and `humid`, the case's own. InputError where the file lacks the mesh or a field, or a value is
/// missing.
void start_from(io::CaseFile const& c, BaseColumn const& column, Setup& setup);

}  // namespace ulpine::fem
