// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"
#include "verification/comparison/planes.hpp"

namespace ulpine::cli {

/// `--level`, `--at` and `--plane`. InputError where an item of the second is not DIMENSION=INDEX, or the
/// third names more or less than two dimensions.
verification::PlaneChoice plane_choice(PlaneOptions const& options);

}  // namespace ulpine::cli
