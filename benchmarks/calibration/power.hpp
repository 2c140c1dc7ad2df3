// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "calibration/calibrate.hpp"
#include "calibration/pool.hpp"

namespace ulpine::calibration {

/// Shifts each statistic of equal candidates by what studies of `members` say that they would show, and
/// counts how often others then do.
std::vector<Detected> detect(Pool const& pool, CalibrationOptions const& options);

/// Moves each statistic of equal candidates by a thousandth more than its margin, as a large sample has it,
/// and then instead widens its deviations from the mean by the ratio that its spread may have; counts the
/// answers to it.
std::vector<Edge> at_margin(Pool const& pool, CalibrationOptions const& options);

/// Takes the studies of eight members that were undecided by their word: as many members as they ask for.
/// Left out where the pool has less than twice that.
std::vector<Decided> decide(Pool const& pool, CalibrationOptions const& options);

}  // namespace ulpine::calibration
