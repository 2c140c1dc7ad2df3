// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/les/topography.hpp"
#include "io/error.hpp"

/// Shapes of buildings defined in metres and taken at the centres of the grid's columns: heights in m,
/// [ny][nx].
namespace ulpine::les {

/// A shape that does not fit the domain.
class Misfit : public InputError {
 public:
  using InputError::InputError;
};

/// One canyon along y in the middle of x, all else built: PALM's `single_street_canyon` with canyon_width_x.
/// Since x is periodic, the building is as wide as the canyon leaves it.
struct StreetCanyon {
  double height = 40, width = 40;  ///< m
};
std::vector<double> town_heights(StreetCanyon const& canyon, TownGrid const& grid);

/// Equal blocks of `side` x `side` x `height` m, `gap` m apart. The domain has to hold a whole number of them
/// (`staggered`: along x an even one), to 1e-6 of a block.
struct Cubes {
  double side = 20, gap = 20, height = 20;
  bool staggered = true;  ///< every second row along x moved by half a period along y
};
std::vector<double> town_heights(Cubes const& cubes, TownGrid const& grid);

/// A made-up European town: blocks between streets, each of houses around a court where it is deep enough,
/// and a few towers. The number of blocks and houses follows from the domain's lengths alone, and heights are
/// drawn by their numbers (core/exec/random.hpp): the same town on any grid of the same domain.
struct SyntheticTown {
  double block = 80;         ///< m from street to street; adapted, so that whole blocks fit
  double street = 20;        ///< m
  double house = 20;         ///< m along the front, about; adapted to the block
  double depth = 14;         ///< m from the street to the court
  double mean_height = 20;   ///< m
  double spread = 4;         ///< m, standard deviation (the sum of three uniform numbers: within 3 of it)
  double least_height = 4;   ///< m
  double courts = 0.75;      ///< share of the blocks deep enough that have one
  double towers = 0.05;      ///< share of the blocks with a house that is a tower
  double tower_height = 60;  ///< m
  std::uint64_t seed = 1;
};
std::vector<double> town_heights(SyntheticTown const& town, TownGrid const& grid);

}  // namespace ulpine::les
