// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/quad_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "precision/elementary.hpp"

namespace ulpine {

bool QuadMesh::uniform() const {
  auto const at = [&](std::int32_t i, std::int32_t j) { return static_cast<std::size_t>(j) * (nx + 1) + i; };
  double const ax = x[at(1, 0)] - x[at(0, 0)], ay = y[at(1, 0)] - y[at(0, 0)];
  double const bx = x[at(0, 1)] - x[at(0, 0)], by = y[at(0, 1)] - y[at(0, 0)];
  double extent = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    extent = std::max({extent, std::abs(x[k] - x[0]), std::abs(y[k] - y[0])});
  }
  double const tolerance = 8 * 0x1p-52 * extent;
  for (std::int32_t j = 0; j <= ny; ++j) {
    for (std::int32_t i = 0; i <= nx; ++i) {
      if (std::abs(x[at(i, j)] - (x[0] + i * ax + j * bx)) > tolerance ||
          std::abs(y[at(i, j)] - (y[0] + i * ay + j * by)) > tolerance) {
        return false;
      }
    }
  }
  return true;
}

std::vector<double> QuadMesh::areas() const {
  std::vector<double> area;
  area.reserve(static_cast<std::size_t>(cells()));
  for (std::int32_t j = 0; j < ny; ++j) {
    for (std::int32_t i = 0; i < nx; ++i) {
      auto const ll = static_cast<std::size_t>(j) * (nx + 1) + i;
      auto const lr = ll + 1, ul = ll + nx + 1, ur = ul + 1;
      area.push_back(0.5 * ((x[ur] - x[ll]) * (y[ul] - y[lr]) - (x[ul] - x[lr]) * (y[ur] - y[ll])));
    }
  }
  return area;
}

QuadMesh rectangle_mesh(std::int32_t nx, std::int32_t ny, double lx, double ly, double distortion) {
  QuadMesh mesh{nx, ny, {}, {}, {}};
  mesh.x.reserve(static_cast<std::size_t>(mesh.vertices()));
  mesh.y.reserve(static_cast<std::size_t>(mesh.vertices()));
  constexpr double pi = std::numbers::pi;
  for (std::int32_t j = 0; j <= ny; ++j) {
    for (std::int32_t i = 0; i <= nx; ++i) {
      double const s = static_cast<double>(i) / nx, t = static_cast<double>(j) / ny;
      double dx = 0, dy = 0;
      if (distortion != 0) {
        dx = distortion * math::sin(3 * pi * s) * math::sin(pi * t);
        dy = distortion * math::sin(2 * pi * t) * math::sin(2 * pi * s);
      }
      mesh.x.push_back(lx * (s + dx));
      mesh.y.push_back(ly * (t + dy));
    }
  }
  mesh.ice.assign(static_cast<std::size_t>(mesh.cells()), 1);
  return mesh;
}

}  // namespace ulpine
