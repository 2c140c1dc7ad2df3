// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "verification/consistency/consistency.hpp"

namespace ulpine::verification::consistency {

/// Values that for_each_slab() holds at once, of all runs together: 32 MiB.
inline constexpr std::int64_t most_values_of_slabs = std::int64_t{1} << 22;

/// Consecutive points of a variable, with their values in all runs.
struct PointSlab {
  std::size_t variable = 0;         ///< number in EnsembleSummary::variables
  std::int64_t first = 0;           ///< the first point, row-major over all levels
  std::span<double const> weights;  ///< [point], as FieldSource::read_weights() of the first runs gives them
  std::span<double const> values;   ///< [run][point], NaN where missing

  std::size_t points() const { return weights.size(); }
  /// Values of a run: the members of the first runs come first, then those of the second, and so on.
  std::span<double const> run(std::size_t number) const {
    return values.subspan(number * points(), points());
  }
};

/// Valid until it returns; what it throws ends the reading.
using UsePointSlab = std::function<void(PointSlab const&)>;

/// Calls use() on the calling thread for slabs that together have each point of all variables at time number
/// `time` once, in the order of variables and points; how many points a slab has depends on the number of
/// runs. All runs have the same variables, and fields. Each value is read once, run by run for as many slabs
/// as `most_values` holds, so that few files are opened again; another thread reads ahead meanwhile, so that
/// FieldSource's functions must be safe on one while use() calls them. InputError.
void for_each_slab(std::vector<Runs> const& runs, std::size_t time, UsePointSlab const& use,
                   std::int64_t most_values = most_values_of_slabs);

}  // namespace ulpine::verification::consistency
