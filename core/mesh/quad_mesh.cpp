// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/quad_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/mesh/sphere.hpp"
#include "precision/elementary.hpp"

namespace ulpine {
namespace {

constexpr double least_sine = 1e-6;
constexpr double farthest = 1e8;  // m from the origin; the Earth is 4e7 m round

/// Jacobians of the bilinear map at the corners lower left, lower right, upper left, upper right: cross
/// products of the edges that meet there, in m2, and the products of those edges' lengths.
struct Corners {
  double determinant[4], size[4];
  bool at_pole = false;

  Corners(QuadMesh const& mesh, std::int32_t i, std::int32_t j) {
    // In m: along a parallel as at the cell's latitude farthest from the equator.
    auto const cell = mesh.corners(i, j);
    double along = 1, up = 1;
    if (mesh.spherical) {
      up = sphere::radius;
      along = up;
      for (double const latitude : cell.y) along = std::min(along, up * math::cos(latitude));
      at_pole = along < least_sine * up;
    }
    for (std::size_t c = 0; c < 4; ++c) {
      std::size_t const row = c < 2 ? 0 : 2, column = c % 2;
      double const ax = along * (cell.x[row + 1] - cell.x[row]), ay = up * (cell.y[row + 1] - cell.y[row]);
      double const bx = along * (cell.x[column + 2] - cell.x[column]),
                   by = up * (cell.y[column + 2] - cell.y[column]);
      determinant[c] = ax * by - bx * ay;
      size[c] = std::hypot(ax, ay) * std::hypot(bx, by);
    }
  }
  bool mirrored() const {
    return std::all_of(determinant, determinant + 4, [](double value) { return value < 0; });
  }
  /// The problem at the worst corner of the cell; empty where there is none.
  std::string problem() const {
    if (at_pole) return "lies at a pole of the mesh's coordinates (longitude has no length there)";
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

/// -R^2 times the integral of sin(latitude) d longitude around the cell (Green's theorem).
double spherical_area(double const (&longitude)[4], double const (&latitude)[4]) {
  constexpr int round[5] = {0, 1, 3, 2, 0};
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    double const half = (latitude[round[k + 1]] - latitude[round[k]]) / 2;
    double const middle = (latitude[round[k + 1]] + latitude[round[k]]) / 2;
    // The mean of sin over the side; sin(half) / half by its series, as the quotient is 0 / 0 on parallels.
    double const square = half * half;
    double const quotient = std::abs(half) < 1e-2 ? 1 - square / 6 * (1 - square / 20 * (1 - square / 42))
                                                  : math::sin(half) / half;
    sum -= math::sin(middle) * quotient * (longitude[round[k + 1]] - longitude[round[k]]);
  }
  return sphere::radius * sphere::radius * sum;
}

}  // namespace

double QuadMesh::x_near(std::size_t vertex, std::size_t other) const {
  constexpr double pi = std::numbers::pi;
  double const distance = x[vertex] - x[other];
  return !spherical || std::abs(distance) <= pi ? x[vertex]
         : distance > 0                         ? x[vertex] - 2 * pi
                                                : x[vertex] + 2 * pi;
}

CellCorners QuadMesh::corners(std::int32_t i, std::int32_t j) const {
  auto const ll = static_cast<std::size_t>(j) * (nx + 1) + i, ul = ll + nx + 1;
  return {{x[ll], x_near(ll + 1, ll), x_near(ul, ll), x_near(ul + 1, ll)},
          {y[ll], y[ll + 1], y[ul], y[ul + 1]}};
}

bool QuadMesh::uniform() const {
  if (spherical) return false;
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
      auto const& [px, py] = corners(i, j);
      if (spherical) {
        area.push_back(spherical_area(px, py));
      } else {
        area.push_back(0.5 * ((px[3] - px[0]) * (py[2] - py[1]) - (px[2] - px[1]) * (py[3] - py[0])));
      }
    }
  }
  return area;
}

NodePlace node_place(QuadMesh const& mesh, int cg, std::int32_t i, std::int32_t j) {
  std::int32_t const column = std::min(i / cg, mesh.nx - 1), row = std::min(j / cg, mesh.ny - 1);
  double const s = static_cast<double>(i - cg * column) / cg, t = static_cast<double>(j - cg * row) / cg;
  auto const cell = mesh.corners(column, row);
  auto const blend = [&](double const(&f)[4]) {
    return (1 - t) * ((1 - s) * f[0] + s * f[1]) + t * ((1 - s) * f[2] + s * f[3]);
  };
  return {blend(cell.x), blend(cell.y)};
}

std::optional<MeshFault> find_bad_cells(QuadMesh const& mesh) {
  for (std::size_t k = 0; k < mesh.x.size() && !mesh.spherical; ++k) {
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
      auto const cell = static_cast<std::size_t>(j) * mesh.nx + i;
      if (mesh.spherical && mesh.mask[cell] == 0) continue;
      Corners const corners(mesh, i, j);
      all_mirrored = all_mirrored && corners.mirrored();
      if (auto const problem = corners.problem(); first.empty() && !problem.empty()) {
        first = "cell " + std::to_string(cell) + " (row " + std::to_string(j) + ", column " +
                std::to_string(i) + ") " + problem;
      }
    }
  }
  if (first.empty()) {
    return std::nullopt;
  }
  if (first.find("at a pole") != std::string::npos) {
    return MeshFault{first, "choose grid.rotation_z and grid.rotation_y so that the poles lie on land"};
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

QuadMesh sphere_patch(std::int32_t nx, std::int32_t ny, double west, double east, double south,
                      double north) {
  auto mesh = rectangle_mesh(nx, ny, east - west, north - south);
  for (auto& longitude : mesh.x) longitude += west;
  for (auto& latitude : mesh.y) latitude += south;
  mesh.spherical = true;
  return mesh;
}

QuadMesh refined(QuadMesh const& mesh, std::int32_t n) {
  QuadMesh fine{n * mesh.nx, n * mesh.ny, {}, {}, {}, mesh.spherical};
  fine.x.resize(static_cast<std::size_t>(fine.vertices()));
  fine.y.resize(fine.x.size());
  fine.mask.resize(static_cast<std::size_t>(fine.cells()));
  for (std::int32_t j = 0; j <= fine.ny; ++j) {
    for (std::int32_t i = 0; i <= fine.nx; ++i) {
      auto const ci = std::min(i / n, mesh.nx - 1), cj = std::min(j / n, mesh.ny - 1);
      auto const cell = mesh.corners(ci, cj);
      double const s = static_cast<double>(i - n * ci) / n, t = static_cast<double>(j - n * cj) / n;
      auto const blend = [&](double const(&f)[4]) {
        return (1 - t) * ((1 - s) * f[0] + s * f[1]) + t * ((1 - s) * f[2] + s * f[3]);
      };
      auto const at = static_cast<std::size_t>(j) * (fine.nx + 1) + i;
      fine.x[at] = blend(cell.x);
      fine.y[at] = blend(cell.y);
      if (i < fine.nx && j < fine.ny) {
        fine.mask[static_cast<std::size_t>(j) * fine.nx + i] =
            mesh.mask[static_cast<std::size_t>(cj) * mesh.nx + ci];
      }
    }
  }
  return fine;
}

}  // namespace ulpine
