// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/case_keys.hpp"

namespace ulpine {

/// s; 10 million days, which every step that divides a day divides.
inline constexpr double longest_time = 8.64e11;

/// The keys that cases of all cores have, those of `[verify]` and what else is judged by apart: `core`,
/// `name`, `description`, `extends`, `without`, `time.end` and `output.interval`.
std::vector<io::CaseKey> const& common_case_keys();

}  // namespace ulpine
