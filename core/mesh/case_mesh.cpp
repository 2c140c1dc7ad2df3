// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/case_mesh.hpp"

#include "core/mesh/parametric_mesh.hpp"
#include "io/error.hpp"

namespace ulpine {

QuadMesh read_quad_mesh(io::CaseFile const& case_file,
                        std::function<void(std::int64_t nx, std::int64_t ny)> const& require_memory) {
  if (auto const path = case_file.file("grid.mesh", false); !path.empty()) {
    auto mesh = read_parametric_mesh(path);
    require_memory(mesh.nx, mesh.ny);
    return mesh;
  }
  auto const nx = case_file.integer<std::int32_t>("grid.nx", 128, 2, most_cells_a_side);
  auto const ny = case_file.integer("grid.ny", nx, 2, most_cells_a_side);
  constexpr double least = 1, most = 1e8;  // m
  double const lx = case_file.number("grid.length", 512e3, least, most);
  double const ly = case_file.number("grid.length_y", lx * ny / nx, least, most);
  // Above 0.1 the benchmark's distortion folds cells over.
  double const distortion = case_file.number("grid.distortion", 0, -0.1, 0.1);
  if (lx / nx * (ly / ny) < least_cell_area) {
    throw case_file.error("grid.length", "too short for so many cells (they are below " +
                                             io::number_text(least_cell_area) +
                                             " m2) choose a longer one, or fewer cells");
  }
  require_memory(nx, ny);
  auto mesh = rectangle_mesh(nx, ny, lx, ly, distortion);
  if (auto const fault = find_bad_cells(mesh)) {
    throw case_file.error("grid.distortion", fault->problem + " choose a smaller distortion");
  }
  return mesh;
}

}  // namespace ulpine
