// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/metrics.hpp"
#include "verification/vectors.hpp"
#include "verification/weighting.hpp"

namespace ulpine::verification {

/// Metrics of one variable, or of the speed of a vector's components, whole or of one level.
struct VariableComparison {
  std::string name;  ///< "T", "speed(u,v)", and of a level "T[lev=3]"
  std::string units;
  std::vector<double> times;     ///< s since the variable's first time; one NaN where it has no time axis
  std::vector<Metrics> metrics;  ///< one per time
  std::string weights;           ///< what weighted them (Weighting::name); empty: none
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

/// What of two files is compared, and how.
struct Comparing {
  std::vector<std::string> variables = {};  ///< all common ones where empty
  bool all_times = false;                   ///< or the last common time
  bool by_level = false;  ///< also each level of variables that have some (vertical_dimension()) by itself
  Weighting weighting = {};
  std::int64_t most_bytes = slab_bytes;
};

/// Compares the variables and the speeds of vectors among them. Fields of any size are read in parts of at
/// most `most_bytes` a file, weights included, or one chunk where that is larger. InputError where a variable
/// asked for is missing on a side, nothing is common, or no variable has the weights that were named.
Comparison compare(io::InputFile const& reference, io::InputFile const& test, Comparing const& comparing);
/// The same, weighted by the reference's cell measures.
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
