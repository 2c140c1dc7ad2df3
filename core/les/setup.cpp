// SPDX-License-Identifier: Apache-2.0
#include "core/les/setup.hpp"

#include <algorithm>

#include "core/les/case_town.hpp"
#include "core/les/wall_distance.hpp"

namespace ulpine::les {

std::int32_t Setup::tallest() const {
  std::int32_t most = 0;
  for (std::int32_t j = 0; j < parameters.ny; ++j) {
    for (std::int32_t i = 0; i < parameters.nx; ++i) most = std::max(most, lowest(Variable::scalar, j, i));
  }
  return most;
}

std::int64_t Setup::air_points(Variable variable) const {
  std::int64_t count = 0;
  for (std::int32_t j = 0; j < parameters.ny; ++j) {
    for (std::int32_t i = 0; i < parameters.nx; ++i) count += parameters.nz - lowest(variable, j, i);
  }
  return count;
}

double Setup::air_thickness() const {
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
