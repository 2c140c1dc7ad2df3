// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "verification/results/results.hpp"

namespace ulpine::verification {

/// The most lines of a summary, with the one that says who wrote it: it is a comment on a pull request.
inline constexpr std::size_t summary_lines = 60;

/// Markdown for a pull request: the answer, a table of the configurations with what decided on each, what was
/// not tested, where the page is, and folded what the answers rest on. At most summary_lines - 1 lines
/// whatever the size of the study; the configurations with the worst answers come first.
std::string to_summary(StudyResults const& results);

}  // namespace ulpine::verification
