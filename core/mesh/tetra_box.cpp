// SPDX-License-Identifier: Apache-2.0
#include "core/mesh/tetra_box.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "io/error.hpp"

namespace ulpine {
namespace {

/// The jitter's numbers have as many bits of the seed beside 40 of the node.
constexpr std::uint64_t seeds = 1 << 24;

/// Between -1 and 1, by the finaliser of splitmix64 (Steele, Lea and Flood 2014).
double hashed(std::uint64_t key) {
  key += 0x9e3779b97f4a7c15ULL;
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ key >> 27) * 0x94d049bb133111ebULL;
  key ^= key >> 31;
  return static_cast<double>(key >> 11) * 0x1p-52 - 1;
}

void require_volumes(TetraMesh const& mesh) {
  for (std::int32_t e = 0; e < mesh.elements(); ++e) {
    if (!(six_volumes(mesh, e) > 0)) {
      throw InputError(
          "element " + std::to_string(e) +
          " is flat or inverted (a node was moved too far) move nodes less, or use a finer mesh");
    }
  }
}

/// Heights of the layers' bounds over the box's.
std::vector<double> heights(std::int32_t layers, double stretch) {
  std::vector<double> z{0};
  double thickness = 1;
  for (std::int32_t k = 0; k < layers; ++k, thickness *= stretch) z.push_back(z.back() + thickness);
  auto const all = z.back();
  for (auto& height : z) height /= all;
  return z;
}

}  // namespace

TetraMesh box_mesh(BoxMesh const& box) {
  auto const cells = static_cast<double>(box.nx) * box.ny * box.nz;
  bool sound = box.nx > 0 && box.ny > 0 && box.nz > 0 && 6 * cells <= 0x1p30 && box.jitter >= 0 &&
               box.jitter <= 0.125 && box.seed < seeds && box.stretch > 0 && std::isfinite(box.stretch);
  for (auto const length : box.length) sound = sound && length > 0 && std::isfinite(length);
  if (!sound) {
    throw InputError(
        "no box mesh of these extents (one cell at least along each axis, 2^30 tetrahedra at most, lengths "
        "and "
        "stretch above 0, jitter from 0 to 1/8, a seed below 2^24) change them");
  }
  TetraMesh mesh;
  std::int32_t const px = box.nx + 1, py = box.ny + 1, pz = box.nz + 1;
  auto const z = heights(box.nz, box.stretch);
  mesh.position.reserve(3 * static_cast<std::size_t>(px) * static_cast<std::size_t>(py) *
                        static_cast<std::size_t>(pz));
  std::uint64_t node = 0;
  for (std::int32_t k = 0; k < pz; ++k) {
    for (std::int32_t j = 0; j < py; ++j) {
      for (std::int32_t i = 0; i < px; ++i, ++node) {
        double const share[3] = {static_cast<double>(i) / box.nx, static_cast<double>(j) / box.ny,
                                 z[static_cast<std::size_t>(k)]};
        bool const inner = i % box.nx != 0 && j % box.ny != 0 && k % box.nz != 0;
        for (std::size_t d = 0; d < 3; ++d) {
          double shift = 0;
          if (inner && box.jitter > 0) {
            auto const above = static_cast<std::size_t>(k);
            double const cell = d == 0   ? 1.0 / box.nx
                                : d == 1 ? 1.0 / box.ny
                                         : std::min(z[above + 1] - z[above], z[above] - z[above - 1]);
            shift = box.jitter * cell * hashed((3 * node + d) ^ box.seed << 40);
          }
          mesh.position.push_back((share[d] + shift) * box.length[d]);
        }
      }
    }
  }
  constexpr int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  std::int32_t const most[3] = {box.nx, box.ny, box.nz};
  constexpr std::int32_t side[3][2] = {{inflow, outflow}, {south, north}, {ground, lid}};
  mesh.element.reserve(static_cast<std::size_t>(24 * cells));
  for (std::int32_t k = 0; k < box.nz; ++k) {
    for (std::int32_t j = 0; j < box.ny; ++j) {
      for (std::int32_t i = 0; i < box.nx; ++i) {
        for (int p = 0; p < 6; ++p) {
          std::int32_t corner[4][3] = {{i, j, k}};
          for (int step = 0; step < 3; ++step) {
            std::copy(corner[step], corner[step] + 3, corner[step + 1]);
            ++corner[step + 1][path[p][step]];
          }
          if (p == 1 || p == 2 || p == 5) std::swap(corner[2], corner[3]);
          std::int32_t n[4];
          for (int c = 0; c < 4; ++c) n[c] = (corner[c][2] * py + corner[c][1]) * px + corner[c][0];
          mesh.element.insert(mesh.element.end(), n, n + 4);
          for (auto const& f : tetra_face) {
            for (int d = 0; d < 3; ++d) {
              auto const level = corner[f[0]][d];
              if (corner[f[1]][d] != level || corner[f[2]][d] != level) continue;
              if (level != 0 && level != most[d]) continue;
              for (auto const local : f) mesh.face.push_back(n[local]);
              mesh.face_id.push_back(side[d][level == 0 ? 0 : 1]);
            }
          }
        }
      }
    }
  }
  mesh.node_number.resize(mesh.position.size() / 3);
  mesh.element_number.resize(mesh.element.size() / 4);
  std::iota(mesh.node_number.begin(), mesh.node_number.end(), 0);
  std::iota(mesh.element_number.begin(), mesh.element_number.end(), 0);
  mesh.group = {{ground, "ground"},   {lid, "lid"},     {inflow, "inflow"},
                {outflow, "outflow"}, {south, "south"}, {north, "north"}};
  require_volumes(mesh);
  return mesh;
}

void raise_terrain(TetraMesh& mesh, BellMountain const& m) {
  if (!m.leaves_room() || !(m.top > 0) || !(m.radius > 0) || !std::isfinite(m.height)) {
    throw InputError(
        "no mountain of this shape (at most 0.95 times as high as the lid, of a radius above 0) change "
        "mountain.height or mountain.radius");
  }
  for (std::size_t i = 0; i < mesh.position.size(); i += 3) {
    auto const x = (mesh.position[i] - m.x0) / m.radius, y = (mesh.position[i + 1] - m.y0) / m.radius;
    auto const bell = 1 + x * x + y * y;
    auto& z = mesh.position[i + 2];
    z += m.height / (bell * std::sqrt(bell)) * (1 - z / m.top);
  }
  require_volumes(mesh);
}

}  // namespace ulpine
