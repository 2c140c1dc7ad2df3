// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace ulpine::test {

/// What a case says, in numbers as a user would write them.
struct PlainCase {
  int nx = 0, ny = 0, cg = 1, dg = 3;
  std::vector<double> x, y;        ///< vertices in m, x fastest
  std::vector<unsigned char> sea;  ///< per cell
  double dt = 120, alpha = 1500, beta = 1500, coriolis = 1.46e-4;
  int substeps = 100, runge_kutta = 2;
  bool nextsim_limiter = false;
  std::vector<double> ocean_u, ocean_v;  ///< at nodes, m s-1
  bool cyclone = false;
  double wind_u = 0, wind_v = 0;  ///< of uniform wind, m s-1
  double centre_x = 0, centre_y = 0, drift_x = 0, drift_y = 0, rate = 3e-4, reach = 1e5, angle = 72;

  std::size_t cells() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
  std::size_t nodes() const {
    return static_cast<std::size_t>(cg * nx + 1) * static_cast<std::size_t>(cg * ny + 1);
  }
  std::size_t cell(int i, int j) const { return static_cast<std::size_t>(j * nx + i); }
  std::size_t vertex(int i, int j) const { return static_cast<std::size_t>(j * (nx + 1) + i); }
  std::size_t node(int i, int j) const { return static_cast<std::size_t>(j * (cg * nx + 1) + i); }
  bool is_sea(int i, int j) const { return i >= 0 && j >= 0 && i < nx && j < ny && sea[cell(i, j)] != 0; }
  /// Whether the ice may move: no node of the edge of the domain or of a land cell.
  bool moves(int i, int j) const {
    bool all = true;
    for (int const row : {(j + cg - 1) / cg - 1, j / cg}) {
      for (int const column : {(i + cg - 1) / cg - 1, i / cg}) all = all && is_sea(column, row);
    }
    return all;
  }
};

}  // namespace ulpine::test
