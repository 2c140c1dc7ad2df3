// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verification/results/results.hpp"

namespace ulpine::verification {

/// Markdown for a pull request: the verdict, what failed, the runs with their largest errors, ensembles,
/// tests and groups of equal bits.
std::string to_summary(StudyResults const& results);

}  // namespace ulpine::verification
