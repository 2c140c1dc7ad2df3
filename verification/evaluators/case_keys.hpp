// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/case_keys.hpp"

namespace ulpine::verification {

/// The keys of a case that say how its runs are judged: tables `[verify]`, `[evaluate]`, `[figure]` and those
/// of kinds of evaluations. Names that a case chooses are `*`; keys of a fixed name stand before families
/// that have it too. A kind of evaluation that a program registers itself may have further ones.
std::vector<io::CaseKey> const& case_keys();

}  // namespace ulpine::verification
