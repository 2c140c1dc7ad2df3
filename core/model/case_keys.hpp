// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/case_keys.hpp"

namespace ulpine {

/// Declares the keys of the cases of a registered core, those that all cores share apart.
/// The table must stay.
void register_case_keys(std::string const& core, std::vector<io::CaseKey> const& keys);
/// The keys that were declared for `core`; null where none were.
std::vector<io::CaseKey> const* case_keys_of(std::string const& core);

}  // namespace ulpine
