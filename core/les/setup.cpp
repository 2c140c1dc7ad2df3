// SPDX-License-Identifier: Apache-2.0
#include "core/les/setup.hpp"

#include <algorithm>

#include "core/les/case_town.hpp"
#include "core/les/wall_distance.hpp"

namespace ulpine::les {

Setup Setup::part(Blocks const& blocks) const {
  Setup block{block_of(parameters, blocks), tables, {}, {}};
  block.whole = Whole{tallest(), {}, air_thickness()};
  for (auto const variable : {Variable::scalar, Variable::u, Variable::v}) {
    block.whole->air_points[static_cast<std::size_t>(variable)] = air_points(variable);
  }
  if (maps.empty()) return block;
  auto const& p = block.parameters;
  std::int64_t const row = parameters.nx + 2 * halo, rows = parameters.ny + 2 * halo;
  for (std::int64_t map = 0; map < Built::maps; ++map) {
    for (std::int64_t j = p.first_y; j < p.first_y + p.ny + 2 * halo; ++j) {
      auto const first = maps.begin() + ((map * rows + j) * row + p.first_x);
      block.maps.insert(block.maps.end(), first, first + p.nx + 2 * halo);
    }
  }
  auto const x = p.cut_x() ? 1 : 0, y = p.cut_y() ? 1 : 0;
  auto const around = [](std::int64_t at, std::int64_t extent) { return (at + extent) % extent; };
  for (std::int64_t k = 0; k < p.nz; ++k) {
    for (std::int64_t j = p.first_y - y; j < p.first_y + p.ny + y; ++j) {
      auto const line = (k * parameters.ny + around(j, parameters.ny)) * parameters.nx;
      for (std::int64_t i = p.first_x - x; i < p.first_x + p.nx + x; ++i) {
        block.mixing_limit.push_back(mixing_limit[static_cast<std::size_t>(line + around(i, parameters.nx))]);
      }
    }
  }
  return block;
}

std::int32_t Setup::tallest() const {
  if (whole) return whole->tallest;
  std::int32_t most = 0;
  for (std::int32_t j = 0; j < parameters.ny; ++j) {
    for (std::int32_t i = 0; i < parameters.nx; ++i) most = std::max(most, lowest(Variable::scalar, j, i));
  }
  return most;
}

std::int64_t Setup::air_points(Variable variable) const {
  if (whole) return whole->air_points[static_cast<std::size_t>(variable)];
  std::int64_t count = 0;
  for (std::int32_t j = 0; j < parameters.ny; ++j) {
    for (std::int32_t i = 0; i < parameters.nx; ++i) count += parameters.nz - lowest(variable, j, i);
  }
  return count;
}

double Setup::air_thickness() const {
  if (whole) return whole->air_thickness;
  auto const tops = parameters.tops();
  auto sum = 0.0;
  for (std::int32_t j = 0; j < parameters.ny; ++j) {
    for (std::int32_t i = 0; i < parameters.nx; ++i) {
      auto const solid = lowest(Variable::scalar, j, i);
      sum += tops.back() - (solid == 0 ? 0.0 : tops[static_cast<std::size_t>(solid) - 1]);
    }
  }
  return sum;
}

Setup read_case(io::CaseFile const& case_file, int threads) {
  Parameters const parameters(case_file);
  Setup setup{parameters, Tables(parameters), {}, {}};
  auto const grid = town_grid(parameters);
  auto const town = read_town(case_file, grid);
  if (town.top.empty()) return setup;
  auto const tallest = *std::max_element(town.top.begin(), town.top.end());
  if (parameters.flux_layer && setup.tables.at(Level::thickness, tallest) != parameters.dz) {
    throw case_file.error(
        "grid.stretch_from",
        "lies below the tallest building's roof (similarity takes the first cell above each "
        "roof to be of height grid.dz) stretch higher up");
  }
  setup.maps = wall_maps(town.top, grid);
  setup.mixing_limit = mixing_length_limits(town.top, grid, threads);
  return setup;
}

}  // namespace ulpine::les
