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
  std::size_t variable = 0;            ///< number in EnsembleSummary::variables
  std::int64_t first = 0;              ///< the first point, row-major over all levels
  std::span<std::size_t const> times;  ///< numbers of the times that were asked for
  std::span<double const> weights;  ///< [point], as FieldSource::read_weights() of the first runs gives them
  std::span<double const> values;   ///< [time][run][point], NaN where missing

  std::size_t points() const { return weights.size(); }
  /// Values at one of `times`, by its place among them: [run][point]. The members of the first runs come
  /// first, then those of the second, and so on.
  std::span<double const> at(std::size_t time) const {
    auto const size = values.size() / times.size();
    return values.subspan(time * size, size);
  }
};

/// Numbers of the times at which a variable is looked at; may be none.
using TimesOf = std::function<std::vector<std::size_t>(std::size_t variable)>;
/// What it is given is valid until it returns; what it throws ends the reading.
using UsePointSlab = std::function<void(PointSlab const&)>;

/// Calls use() on the calling thread for slabs that together have each point of all variables once, in the
/// order of variables and points; how many points a slab has depends on the number of runs and times. All
/// runs have the same variables, and fields. Each value is read once, run by run for as many slabs as
/// `most_values` holds, so that few files are opened again; another thread reads ahead meanwhile, so that
/// FieldSource's functions must be safe on one while use() calls them. InputError.
void for_each_slab(std::vector<Runs> const& runs, TimesOf const& times, UsePointSlab const& use,
                   std::int64_t most_values = most_values_of_slabs);

}  // namespace ulpine::verification::consistency
