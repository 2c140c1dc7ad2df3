// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "calibration/pool.hpp"

namespace ulpine::calibration {

/// "lorenz96", "box" and "cyclone_quick".
std::vector<std::string> const& model_names();

/// Every fault, policy and rounding that is planted in Lorenz's models.
std::vector<Candidate> lorenz_candidates();

/// The pools of a model, one for each start. `cyclone_quick` is run as a study in its folder below `folder`,
/// where finished runs are kept; the others are run anew. InputError for an unknown model.
std::vector<Pool> pools_of(std::string const& model, std::filesystem::path const& folder, std::uint64_t seed,
                           int jobs, Progress const& progress);

}  // namespace ulpine::calibration
