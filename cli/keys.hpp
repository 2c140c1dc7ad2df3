// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"

namespace ulpine::cli {

/// Declares the keys that cases of all cores may have, so that refusals know them. Once, before models are
/// made.
void register_common_keys();
/// `cases --keys`: the keys that a core has declared, as a table, a page or all about one.
int list_keys(CasesOptions const& options);

}  // namespace ulpine::cli
