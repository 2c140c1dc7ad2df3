// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/lattice/layout.hpp"
#include "core/les/parameters.hpp"
#include "core/ranks/blocks.hpp"

namespace ulpine::les {

/// Parameters, tables and maps of walls that a core starts from, on the host.
struct Setup {
  Parameters parameters;
  Tables tables;
  std::vector<std::int32_t>
      maps;  ///< `Built::map`: maps x (ny + 2 halo) x (nx + 2 halo); empty over flat ground
  std::vector<double>
      mixing_limit;  ///< m, (nz, ny, nx), of a block as limit_layout(); empty over flat ground
  /// Numbers of the whole domain that a block needs.
  struct Whole {
    std::int32_t tallest = 0;
    std::int64_t air_points[3] = {};  ///< by Variable
    double air_thickness = 0;
  };
  std::optional<Whole> whole = {};

  bool built() const { return !maps.empty(); }
  /// The lowest level of a variable that is no wall.
  std::int32_t lowest(Variable variable, std::int32_t j, std::int32_t i) const {
    if (maps.empty()) return 0;
    auto const row = parameters.nx + 2 * halo, rows = parameters.ny + 2 * halo;
    auto const at = (static_cast<std::int64_t>(variable) * rows + j + halo) * row + i + halo;
    return maps[static_cast<std::size_t>(at)];
  }
  /// The setup of a block of columns. The functions below still tell of the whole domain.
  Setup part(Blocks const& blocks) const;
  /// The highest of the lowest levels.
  std::int32_t tallest() const;
  std::int64_t air_points(Variable variable) const;
  /// Thickness of all cells in air, m.
  double air_thickness() const;
};

/// The setup of a case. InputError where the case is bad.
Setup read_case(io::CaseFile const& case_file, int threads = 1);

/// Layout of points without a halo but for the next block's first column and row, where the domain is cut.
inline Layout dense_layout(Parameters const& p) {
  std::int64_t const row = p.nx + (p.cut_x() ? 1 : 0), plane = (p.ny + (p.cut_y() ? 1 : 0)) * row;
  return block_layout(p, plane, row, 0, p.nz * plane);
}
/// Layout of points of the surface, with a halo of 1 where the domain is cut.
inline Layout surface_layout(Parameters const& p) {
  return column_layout(p, p.cut_x() ? 1 : 0, p.cut_y() ? 1 : 0);
}
inline Layout limit_layout(Parameters const& p) {
  auto const level = surface_layout(p);
  return block_layout(p, level.allocated(), level.axis(0).stride, level.offset(), p.nz * level.allocated());
}

/// Planes as PlaneTransform has them.
constexpr Layout transform_layout(std::int64_t nz, std::int64_t ny, std::int64_t nx) {
  auto const row = 2 * (nx / 2 + 1);
  return {{{nz, ny * row, nz}, {ny, row, ny}, {nx, 1, nx}}, 0, nz * ny * row};
}
/// These, or a block's with a halo of 1 where the domain is cut, which has room for the wavenumbers that a
/// row has more.
inline Layout pressure_layout(Parameters const& p) {
  if (!p.cut_x() && !p.cut_y()) return transform_layout(p.nz, p.ny, p.nx);
  std::int64_t const row = p.cut_x() ? p.nx + 3 : 2 * (p.nx / 2 + 1), plane = (p.ny + 2) * row;
  return block_layout(p, plane, row, row + (p.cut_x() ? 1 : 0), p.nz * plane);
}

}  // namespace ulpine::les
