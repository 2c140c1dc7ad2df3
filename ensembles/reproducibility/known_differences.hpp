// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "ensembles/reproducibility/bitwise.hpp"
#include "ensembles/reproducibility/run_difference.hpp"
#include "verification/atlas/atlas.hpp"

namespace ulpine::ensembles {

/// The atlas of bits that comes with the program; no rows where it is missing, as in a program that was
/// copied alone, and none, after a warning on standard error, where it is no atlas.
verification::Atlas shipped_atlas();

/// How far apart both values are, in units in the last place of their type; infinity where one is no finite
/// number.
double distance(ElementDifference const& difference);

/// Sets `known` of every outcome that diverges from the first configuration: see known_of_difference().
void tell_what_is_known(BitwiseResult& result, verification::Atlas const& atlas);

/// What is known of the difference between two runs with checkpoints, given by their folders, one line; empty
/// where nothing is.
std::string known_of(RunDifference const& difference, std::array<std::filesystem::path, 2> const& runs,
                     verification::Atlas const& atlas);

}  // namespace ulpine::ensembles
