// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/metrics.hpp"
#include "verification/vectors.hpp"

namespace ulpine::verification {

/// Metrics of one variable, or of the speed of a vector's components.
struct VariableComparison {
  std::string name, units;
  std::vector<double> times;     ///< s since the variable's first time; one NaN where it has no time axis
  std::vector<Metrics> metrics;  ///< one per time
  std::string weights;           ///< the variable of the reference that weighted them; empty: none
};

struct Comparison {
  std::vector<VariableComparison> variables;
  std::vector<std::string> only_in_reference, only_in_test;
  std::vector<std::string> notes;

  /// Every variable is on both sides and equal at every time compared.
  bool equal() const;
  /// No variable failed (shapes, coordinates, calendars, NaN on one side, infinite values).
  bool usable() const;
};

/// Most bytes of each file's values that compare() holds at once.
inline constexpr std::int64_t slab_bytes = std::int64_t{32} << 20;

/// Compares `variables` (all common ones where empty, and then the speeds of vectors too) at the last common
/// time, or at all. Fields of any size are read in parts of at most `most_bytes` a file, weights included.
/// InputError where a variable asked for is missing on a side, or nothing is common.
Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   std::vector<std::string> const& variables = {}, bool all_times = false,
                   std::int64_t most_bytes = slab_bytes);

/// {"variables": {name: {metric: value, "points", "missing", "weights"}}}; with `all_times` a list with
/// "time_s" per name. What is undefined is null, its reason stands under "undefined" as "name.metric"
/// (name[i].metric with all_times).
std::string to_json(Comparison const& comparison, bool all_times);
/// A table for people: one line per variable and time.
std::string to_text(Comparison const& comparison);

}  // namespace ulpine::verification
