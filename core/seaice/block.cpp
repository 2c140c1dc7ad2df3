// SPDX-License-Identifier: Apache-2.0
#include "core/seaice/block.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "core/seaice/setup.hpp"

namespace ulpine::seaice {
namespace {

/// A rectangle of points of a lattice with rows of `row` points.
struct Window {
  std::int64_t x, y, nx, ny, row;

  template <class T>
  std::vector<T> of(std::vector<T> const& whole) const {
    std::vector<T> part;
    if (whole.empty()) return part;
    part.reserve(static_cast<std::size_t>(nx * ny));
    for (std::int64_t j = 0; j < ny; ++j) {
      auto const first = whole.begin() + (y + j) * row + x;
      part.insert(part.end(), first, first + nx);
    }
    return part;
  }
};

}  // namespace

std::int32_t halo_of(Setup const& setup, Ranks const& team, bool on_device, bool wide) {
  auto const stages = std::int32_t{setup.parameters.runge_kutta};
  if (on_device) return std::max(stages, wide ? 4 : 6);
  // No wider than the blocks leave room for that it cuts with the least one.
  Blocks const blocks(setup.mesh.nx, setup.mesh.ny, &team, stages + 1, "the mesh");
  auto halo = std::max(stages, 4);
  for (auto const& [extent, parts] : {blocks.along_x(), blocks.along_y()}) {
    if (parts > 1) halo = std::min(halo, extent / parts - 1);
  }
  return halo;
}

Setup block_of(Setup const& whole, std::shared_ptr<Ranks> const& team, std::int32_t halo) {
  // A neighbour takes the nodes of `halo` cells and one more.
  Blocks const blocks(whole.mesh.nx, whole.mesh.ny, team.get(), halo + 1, "the mesh");
  auto block = std::make_shared<Block>(Block{team, blocks, halo});
  auto& margin = block->margin;
  // Passes that add to shared targets begin with even cells of the whole.
  bool const in_passes = whole.parameters.sum_order != SumOrder::gather;
  auto const before = [&](std::int32_t first) {
    return std::min(halo + (in_passes ? (first - halo) % 2 : 0), first);
  };
  margin.west = before(blocks.first_x());
  margin.south = before(blocks.first_y());
  margin.east = std::min(halo, whole.mesh.nx - blocks.first_x() - blocks.nx());
  margin.north = std::min(halo, whole.mesh.ny - blocks.first_y() - blocks.ny());
  block->equal_cells = whole.mesh.uniform();
  block->first = whole.mesh.corners(0, 0);

  Setup part;
  part.parameters = whole.parameters;
  if (part.parameters.substep_method != SubstepMethod::one_pass) {
    // Ranks may share a device, and tiles of two models would wait for one another.
    part.parameters.substep_method = SubstepMethod::strips;
  }
  std::int32_t const first_x = blocks.first_x() - margin.west, first_y = blocks.first_y() - margin.south;
  part.mesh.nx = margin.west + blocks.nx() + margin.east;
  part.mesh.ny = margin.south + blocks.ny() + margin.north;
  part.mesh.spherical = whole.mesh.spherical;
  Window const cells{first_x, first_y, part.mesh.nx, part.mesh.ny, whole.mesh.nx};
  auto const points = [&](std::int64_t each) {
    return Window{each * first_x, each * first_y, each * part.mesh.nx + 1, each * part.mesh.ny + 1,
                  each * whole.mesh.nx + 1};
  };
  auto const vertices = points(1), nodes = points(whole.parameters.cg);
  part.mesh.x = vertices.of(whole.mesh.x);
  part.mesh.y = vertices.of(whole.mesh.y);
  part.mesh.mask = cells.of(whole.mesh.mask);
  part.ocean_u = nodes.of(whole.ocean_u);
  part.ocean_v = nodes.of(whole.ocean_v);
  /// This block's part of values that are given mode by mode.
  auto const modes = [&](std::vector<double> const& values) {
    std::vector<double> all;
    auto const each = whole.mesh.cells();
    for (std::int64_t first = 0; first < static_cast<std::int64_t>(values.size()); first += each) {
      auto const mode = cells.of(std::vector<double>(values.begin() + first, values.begin() + first + each));
      all.insert(all.end(), mode.begin(), mode.end());
    }
    return all;
  };
  part.height = modes(whole.height);
  part.concentration = modes(whole.concentration);
  part.longitude = cells.of(whole.longitude);
  part.latitude = cells.of(whole.latitude);
  part.node_longitude = nodes.of(whole.node_longitude);
  part.node_latitude = nodes.of(whole.node_latitude);
  part.east_angle = nodes.of(whole.east_angle);
  part.wind_file = whole.wind_file;
  part.attribution = whole.attribution;
  part.coefficients = whole.coefficients;
  part.convergence = whole.convergence;
  part.block = std::move(block);
  return part;
}

Layout layout_of(Setup const& setup, int order) {
  int const each = std::max(order, 1), last = order > 0 ? 1 : 0;
  auto const row = std::int64_t{each} * setup.mesh.nx + last,
             rows = std::int64_t{each} * setup.mesh.ny + last;
  if (!setup.block) return Layout::dense(rows, row);
  auto const& [cells, margin] = std::tie(setup.block->cells, setup.block->margin);
  return {{{std::int64_t{each} * cells.ny() + (cells.north() ? last : 0), row,
            std::int64_t{each} * cells.global_ny() + last, std::int64_t{each} * cells.first_y()},
           {std::int64_t{each} * cells.nx() + (cells.east() ? last : 0), 1,
            std::int64_t{each} * cells.global_nx() + last, std::int64_t{each} * cells.first_x()}},
          each * (margin.south * row + margin.west),
          row * rows};
}

}  // namespace ulpine::seaice
