// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/parametric_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "io/error.hpp"
#include "io/regular_file.hpp"

namespace ulpine {
namespace {

[[noreturn]] void malformed(std::filesystem::path const& path, std::string const& problem) {
  throw InputError(path.string() + ": " + problem +
                   " (a ParametricMesh 2.0 file with closed boundaries is expected) check the file");
}

/// Whether the side (0 bottom, 1 right, 2 top, 3 left) of a sea cell is a coast or the edge of the domain.
bool closed_side(QuadMesh const& mesh, std::int32_t i, std::int32_t j, int side) {
  constexpr int di[] = {0, 1, 0, -1}, dj[] = {-1, 0, 1, 0};
  auto const ni = i + di[side], nj = j + dj[side];
  return ni < 0 || nj < 0 || ni >= mesh.nx || nj >= mesh.ny ||
         mesh.mask[static_cast<std::size_t>(nj) * mesh.nx + ni] == 0;
}

}  // namespace

QuadMesh read_parametric_mesh(std::filesystem::path const& path) {
  std::error_code failed;
  auto const status = std::filesystem::status(path, failed);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(path.string() + ": not a mesh file (it is a folder, device or pipe) check grid.mesh");
  }
  io::require_regular_file(path);
  std::ifstream in(path);
  if (!in) {
    throw InputError(path.string() +
                     ": cannot be read (no such mesh file, or no permission) check grid.mesh");
  }
  std::string word, version;
  if (!(in >> word >> version) || word != "ParametricMesh" || version != "2.0") {
    malformed(path, "not a ParametricMesh 2.0 file");
  }
  QuadMesh mesh;
  if (!(in >> mesh.nx >> mesh.ny) || std::min(mesh.nx, mesh.ny) < 1 ||
      std::max(mesh.nx, mesh.ny) > most_cells_a_side) {
    malformed(path, "the numbers of cells are not between 1 and " + std::to_string(most_cells_a_side));
  }
  for (std::int64_t k = 0; k < mesh.vertices(); ++k) {
    double vx = 0, vy = 0;
    if (!(in >> vx >> vy) || !std::isfinite(vx) || !std::isfinite(vy)) {
      malformed(path, "vertex " + std::to_string(k) + " is missing or no number");
    }
    mesh.x.push_back(vx);
    mesh.y.push_back(vy);
  }
  std::int64_t count = 0;
  if (!(in >> word >> count) || word != "landmask" || (count != 0 && count != mesh.cells())) {
    malformed(path, "landmask expected after the vertices");
  }
  mesh.mask.assign(static_cast<std::size_t>(mesh.cells()), 1);
  for (std::int64_t k = 0; k < count; ++k) {
    int value = -1;
    if (!(in >> value) || value < 0 || value > 1) {
      malformed(path, "landmask entry " + std::to_string(k) + " is not 0 or 1");
    }
    mesh.mask[static_cast<std::size_t>(k)] = static_cast<std::uint8_t>(value);
  }
  if (std::ranges::count(mesh.mask, 1) == 0) {
    malformed(path, "the land mask leaves no sea");
  }
  constexpr std::int64_t sides = 4;
  if (!(in >> word >> count) || word != "dirichlet" || count < 0 || count > sides * mesh.cells()) {
    malformed(path, "dirichlet with a number of sides expected after the land mask");
  }
  std::vector<std::uint8_t> listed(static_cast<std::size_t>(mesh.cells()), 0);
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t cell = -1;
    int side = -1;
    if (!(in >> cell >> side) || cell < 0 || cell >= mesh.cells() || side < 0 || side > 3) {
      malformed(path, "dirichlet entry " + std::to_string(k) + " is bad");
    }
    listed[static_cast<std::size_t>(cell)] |= static_cast<std::uint8_t>(1u << side);
  }
  if (!(in >> word >> count) || word != "periodic" || count != 0) {
    malformed(path, "periodic boundaries, or none named");
  }
  if (in >> word) {
    malformed(path, "something follows the last section");
  }
  for (std::int32_t j = 0; j < mesh.ny; ++j) {
    for (std::int32_t i = 0; i < mesh.nx; ++i) {
      auto const cell = static_cast<std::size_t>(j) * mesh.nx + i;
      for (int side = 0; side < 4 && mesh.mask[cell] != 0; ++side) {
        if (closed_side(mesh, i, j, side) && (listed[cell] >> side & 1) == 0) {
          malformed(path, "open boundary at cell " + std::to_string(cell));
        }
      }
    }
  }
  if (auto const fault = find_bad_cells(mesh)) {
    throw InputError(path.string() + ": " + fault->problem + " " + fault->remedy);
  }
  return mesh;
}

}  // namespace ulpine
