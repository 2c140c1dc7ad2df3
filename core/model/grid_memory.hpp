// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/model/model.hpp"
#include "io/case_file.hpp"

/// Checks of a run's memory before any of it is taken.
namespace ulpine {

/// EnvironmentError at `key` of the case where a grid, called `grid` ("a grid of 8 x 8 x 4 cells"), takes at
/// least `bytes` and the host has less left.
void require_memory_of_grid(io::CaseFile const& case_file, char const* key, std::string const& grid,
                            double bytes);
/// EnvironmentError at `key` where a rank's share of the grid has no room on the device that the options
/// name. Ranks of the host beside GPUs are not looked at.
void require_memory_of_grid(io::CaseFile const& case_file, char const* key, std::string const& grid,
                            double bytes, ModelOptions const& options);

/// Cells of a box of cells along each axis.
struct GridSize {
  std::int32_t nx, ny, nz;
};
/// EnvironmentError at `grid.nx` where no room is left for a grid of `size`, at least `a_cell` bytes a cell.
void require_memory_of_grid(io::CaseFile const& case_file, GridSize const& size, double a_cell,
                            ModelOptions const& options);

}  // namespace ulpine
