// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/model.hpp"
#include "io/case_file.hpp"

namespace ulpine::les {

/// Cells of a case's grid along each axis.
struct GridSize {
  std::int32_t nx, ny, nz;
};
GridSize read_grid_size(io::CaseFile const& case_file);
/// EnvironmentError where the fields of such a grid surely do not fit where the model is to run.
void require_memory(io::CaseFile const& case_file, ModelOptions const& options);

}  // namespace ulpine::les
