// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/metrics.hpp"

namespace ulpine::verification {

/// Metrics of one variable, or of the speed of a vector's components.
struct VariableComparison {
  std::string name, units;
  std::vector<double> times;     ///< s since the variable's first time; one NaN where it has no time axis
  std::vector<Metrics> metrics;  ///< one per time
  bool weighted = false;         ///< by cell areas
};

struct Comparison {
  std::vector<VariableComparison> variables;
  std::vector<std::string> only_in_reference, only_in_test;
  std::vector<std::string> notes;

  /// Every variable is on both sides and equal at every time compared.
  bool equal() const;
  /// No variable failed (shapes, NaN on one side, infinite values).
  bool usable() const;
};

/// Compares `variables` (all common ones where empty, and then the speeds of vectors too) at the last common
/// time, or at all. InputError where a variable asked for is missing on a side, or nothing is common.
Comparison compare(io::InputFile const& reference, io::InputFile const& test,
                   std::vector<std::string> const& variables = {}, bool all_times = false);

/// {"variables": {name: {metric: value}}}; with `all_times` a list with "time_s" per name. Undefined metrics
/// are null, their reasons stand under "undefined" as "name.metric" (name[i].metric with all_times).
std::string to_json(Comparison const& comparison, bool all_times);
/// A table for people: one line per variable and time.
std::string to_text(Comparison const& comparison);

/// Groups of fields that are the components of one vector, by standard names (x_/y_, eastward_/northward_,
/// upward_) or usual names (siu/siv, u/v/w, ua/va, uo/vo, ...), of equal shape; names in the order x, y, z.
std::vector<std::vector<std::string>> vector_components(std::vector<io::FieldInfo> const& fields);
/// "speed(siu,siv)".
std::string speed_name(std::vector<std::string> const& components);
/// sqrt(sum of squares) per point without overflow; NaN where a component is. All components of one size.
std::vector<double> speed(std::vector<std::span<double const>> const& components);

}  // namespace ulpine::verification
