// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/quad_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "precision/elementary.hpp"

namespace ulpine {
namespace {

constexpr double farthest = 1e8;  // m from the origin; the Earth is 4e7 m round

/// Jacobians of the bilinear map at the corners lower left, lower right, upper left, upper right: cross
/// products of the edges that meet there, in m2, and the products of those edges' lengths.
struct Corners {
  double determinant[4], size[4];

  Corners(QuadMesh const& mesh, std::int32_t i, std::int32_t j) {
    auto const ll = static_cast<std::size_t>(j) * (mesh.nx + 1) + i, ul = ll + mesh.nx + 1;
    auto const& x = mesh.x;
    auto const& y = mesh.y;
    for (std::size_t c = 0; c < 4; ++c) {
      auto const row = c < 2 ? ll : ul, column = ll + c % 2;
      double const ax = x[row + 1] - x[row], ay = y[row + 1] - y[row];
      double const bx = x[column + mesh.nx + 1] - x[column], by = y[column + mesh.nx + 1] - y[column];
      determinant[c] = ax * by - bx * ay;
      size[c] = std::hypot(ax, ay) * std::hypot(bx, by);
    }
  }
  bool mirrored() const {
    return std::all_of(determinant, determinant + 4, [](double value) { return value < 0; });
  }
  /// What is wrong at the worst corner; empty where nothing is.
  std::string problem() const {
    constexpr double least_sine = 1e-6;
    auto const* const worst = std::min_element(determinant, determinant + 4);
    if (*worst < 0) {
      return mirrored() ? "is turned over (its corners run clockwise, its area is negative)"
                        : "is folded or not convex (the Jacobian of its map is not positive at every corner)";
    }
    for (int c = 0; c < 4; ++c) {
      if (determinant[c] <= least_sine * size[c]) {
        return "is degenerate (two corners coincide or three lie on a line)";
      }
    }
    return *worst < least_cell_area ? "is too small (below 1e-6 m2; coordinates are in m)" : "";
  }
};

}  // namespace

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

NodePlace node_place(QuadMesh const& mesh, int cg, std::int32_t i, std::int32_t j) {
  std::int32_t const column = std::min(i / cg, mesh.nx - 1), row = std::min(j / cg, mesh.ny - 1);
  double const s = static_cast<double>(i - cg * column) / cg, t = static_cast<double>(j - cg * row) / cg;
  auto const blend = [&](std::vector<double> const& vertices) {
    auto const* const f = &vertices[static_cast<std::size_t>(row) * (mesh.nx + 1) + column];
    return (1 - t) * ((1 - s) * f[0] + s * f[1]) + t * ((1 - s) * f[mesh.nx + 1] + s * f[mesh.nx + 2]);
  };
  return {blend(mesh.x), blend(mesh.y)};
}

std::optional<MeshFault> find_bad_cells(QuadMesh const& mesh) {
  for (std::size_t k = 0; k < mesh.x.size(); ++k) {
    if (!(std::abs(mesh.x[k]) <= farthest && std::abs(mesh.y[k]) <= farthest)) {
      return MeshFault{
          "vertex " + std::to_string(k) + " is out of reach (its coordinates are not within 1e8 m)",
          "give them in m on a plane"};
    }
  }
  std::string first;
  auto all_mirrored = true;
  for (std::int32_t j = 0; j < mesh.ny && (first.empty() || all_mirrored); ++j) {
    for (std::int32_t i = 0; i < mesh.nx && (first.empty() || all_mirrored); ++i) {
      Corners const corners(mesh, i, j);
      all_mirrored = all_mirrored && corners.mirrored();
      if (auto const problem = corners.problem(); first.empty() && !problem.empty()) {
        first = "cell " + std::to_string(std::int64_t{j} * mesh.nx + i) + " (row " + std::to_string(j) +
                ", column " + std::to_string(i) + ") " + problem;
      }
    }
  }
  if (first.empty()) {
    return std::nullopt;
  }
  if (all_mirrored) {
    return MeshFault{
        "all cells are mirrored (their corners run clockwise: the rows or the columns run the wrong way)",
        "reverse the order of the rows, of vertices and land mask alike, and number cells and sides of the "
        "boundaries anew"};
  }
  return MeshFault{first, "mend the vertices around it"};
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
  mesh.mask.assign(static_cast<std::size_t>(mesh.cells()), 1);
  return mesh;
}

}  // namespace ulpine
