// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/field/layout.hpp"
#include "core/les/parameters.hpp"

namespace ulpine::les {

/// All that a core starts from, on the host.
struct Setup {
  Parameters parameters;
  Tables tables;
  std::vector<std::int32_t>
      maps;  ///< `Built::map`: maps x (ny + 2 halo) x (nx + 2 halo); empty over flat ground
  std::vector<double> mixing_limit;  ///< m, (nz, ny, nx); empty over flat ground

  bool built() const { return !maps.empty(); }
  /// The lowest level of a variable that is no wall.
  std::int32_t lowest(Variable variable, std::int32_t j, std::int32_t i) const {
    if (maps.empty()) return 0;
    auto const row = parameters.nx + 2 * halo, rows = parameters.ny + 2 * halo;
    auto const at = (static_cast<std::int64_t>(variable) * rows + j + halo) * row + i + halo;
    return maps[static_cast<std::size_t>(at)];
  }
  /// The highest of the lowest levels.
  std::int32_t tallest() const;
  std::int64_t air_points(Variable variable) const;
  /// Thickness of all cells in air, m.
  double air_thickness() const;
};

/// What the case says. InputError where it is bad.
Setup read_case(io::CaseFile const& case_file, int threads = 1);

/// Points with a halo, whose rows begin on memory lines of 128 bytes (for values of four bytes or more):
/// stores that share a line with another row's cost a device up to three times as much. A row's last halo
/// lies ahead of the next row's first.
constexpr Layout with_aligned_rows(std::int64_t nz, std::int64_t ny, std::int64_t nx) {
  constexpr std::int64_t line = 32;
  auto const row = (nx + 2 * halo + line - 1) / line * line, plane = (ny + 2 * halo) * row;
  return {{{nz, plane, nz}, {ny, row, ny}, {nx, 1, nx}},
          halo * (plane + row) + line,
          (nz + 2 * halo) * plane + line};
}

/// Planes as PlaneTransform has them.
constexpr Layout transform_layout(std::int64_t nz, std::int64_t ny, std::int64_t nx) {
  auto const row = 2 * (nx / 2 + 1);
  return {{{nz, ny * row, nz}, {ny, row, ny}, {nx, 1, nx}}, 0, nz * ny * row};
}

}  // namespace ulpine::les
