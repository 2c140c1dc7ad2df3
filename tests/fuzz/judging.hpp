// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fuzz/child.hpp"
#include "fuzz/kinds.hpp"

namespace ulpine::fuzz {

/// What is wrong with how the program ended, whatever the file; Fate::refused where it refused it well,
/// Fate::accepted where it took it. A refusal names `file`, or what it is used with: its study, its case, a
/// file that the case names.
Verdict judge_ending(Ending const& ending, std::string const& file, bool may_be_long);

}  // namespace ulpine::fuzz
