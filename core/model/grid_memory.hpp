// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/model.hpp"
#include "io/case_file.hpp"

/// What is known of a run's memory before any is taken.
namespace ulpine {

/// EnvironmentError at `key` of the case where a grid, called `grid` ("a grid of 8 x 8 x 4 cells"), takes at
/// least `bytes` and the host has less left.
void require_memory_of_grid(io::CaseFile const& case_file, char const* key, std::string const& grid,
                            double bytes);
/// The same of each rank's share of it, on the device that the options name. Ranks of the host beside GPUs
/// are not looked at.
void require_memory_of_grid(io::CaseFile const& case_file, char const* key, std::string const& grid,
                            double bytes, ModelOptions const& options);

}  // namespace ulpine
