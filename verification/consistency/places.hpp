// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "io/slabs.hpp"
#include "verification/consistency/data.hpp"

// Where the variables of an ensemble lie, as a summary file keeps it beside numbers without points.

namespace ulpine::verification::consistency {

/// A coordinate, with as many of its values as a summary file keeps.
struct KeptCoordinate {
  io::GridCoordinate description;
  std::vector<std::int64_t> shape;
  std::vector<double> values;  ///< all where there are at most 4096, else so many evenly spread ones
  double smallest = not_a_number, mean = not_a_number, largest = not_a_number;  ///< of all that are numbers

  std::int64_t size() const { return io::values_in(shape); }
  /// Which of all values number `kept` of `values` is.
  std::int64_t position(std::size_t kept) const;
};

/// The directions and places of one variable; coordinates by their number.
struct VariablePlaces {
  std::vector<std::string> dimensions, axes;      ///< slowest first
  std::vector<std::optional<std::size_t>> along;  ///< the coordinate of each dimension, where there is one
  std::vector<std::size_t> auxiliary;
};

struct GridPlaces {
  std::vector<KeptCoordinate> coordinates;
  std::vector<VariablePlaces> variables;
};

/// Coordinates of the variables in a run's files, each from the first file that has it. At most `most_values`
/// of a coordinate are held in memory beside those that are kept. InputError.
GridPlaces places_of(std::vector<std::filesystem::path> const& files,
                     std::vector<VariableInfo> const& variables, std::int64_t most_values);

/// Why variable number `variable` of the one does not lie where it lies in the other, by the tolerances of
/// Matching; empty where it does. What only one of them has counts for nothing.
std::string difference_of_places(GridPlaces const& kept, GridPlaces const& found, std::size_t variable);

}  // namespace ulpine::verification::consistency
