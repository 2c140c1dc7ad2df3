// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verification/consistency/method.hpp"
#include "verification/consistency/outcome.hpp"
#include "verification/consistency/reading.hpp"

// The test of PyCECT for the ocean model POP (Baker et al. 2016): shares of points near the ensemble's mean.

namespace ulpine::verification::consistency {

/// Holds each history file against the month of its name ("...0001-12.nc") in a summary of pyEnsSumPop.py. A
/// variable fails where fewer than `pop_threshold` of the points of open oceans (REGION_MASK from 1 to 6) are
/// within `pop_tol` standard deviations of the mean; a file fails where a variable does. Further parameter,
/// PyCECT's name: base_year. Findings are the shares. InputError where no file's month is in the summary, or
/// a variable is missing.
Outcome pop_test(std::filesystem::path const& summary, std::vector<std::filesystem::path> const& files,
                 Parameters& parameters, ReadingProgress const& progress, std::vector<std::string>& notes);

/// Writes the summary of an ensemble's monthly history files, which must be as many for each month, of months
/// that follow each other. `variables`: those taken; empty: all in time on the grid. InputError,
/// EnvironmentError.
void write_pop_summary(std::filesystem::path const& path, std::vector<std::filesystem::path> const& files,
                       std::vector<std::string> const& variables, ReadingProgress const& progress);

}  // namespace ulpine::verification::consistency
