// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"
#include "verification/planes.hpp"

namespace ulpine::cli {

/// `--level` and `--at`. InputError where an item of the latter is not DIMENSION=INDEX.
verification::PlaneChoice plane_choice(PlaneOptions const& options);

}  // namespace ulpine::cli
