// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

namespace ulpine::cli {

/// Whether features are wanted at more than one time.
bool is_series(LkfOptions const& options);
/// `ulpine lkf` of several times.
int lkf_series(LkfOptions const& options);

}  // namespace ulpine::cli
