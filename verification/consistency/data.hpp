// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/netcdf.hpp"

// Runs as consistency tests see them, whoever made them: numbers over levels for most tests, values of all
// points in slabs for the others. Files are read in reading.hpp.

namespace ulpine::verification::consistency {

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A variable that all runs have on one grid.
struct VariableInfo {
  std::string name, units;
  std::int64_t levels = 1;   ///< along its vertical dimension; 1 where it has none
  std::int64_t points = 0;   ///< points of one level
  std::string weights = {};  ///< name of what weights its points; empty where nothing does
  io::StoredType type = {};  ///< the coarsest that files have; without a name where they are not known
};

/// A variable at one time on one level, over the points that are not missing; NaN where there is none.
struct LevelSummary {
  double min = not_a_number;
  double mean = not_a_number;  ///< weighted (VariableInfo::weights)
  double max = not_a_number;
  std::int64_t missing = 0;  ///< points of fill values
  std::int64_t not_finite =
      0;  ///< NaN that is no fill value, and infinities: computed by a model that blew up
};

/// A variable of a run at one time.
struct VariableSummary {
  double mean = not_a_number;        ///< over all levels, weighted as the levels' means
  std::vector<LevelSummary> levels;  ///< VariableInfo::levels
};

/// A run without its points.
struct RunSummary {
  std::string name;                                     ///< name of its file or folder, for people
  std::vector<std::vector<VariableSummary>> variables;  ///< [variable][time]
};

/// The origin and calendar that times are counted from.
struct TimeScale {
  double first = 0;  ///< the first time: s since 1970-01-01 of `calendar`, or as files count
  io::Calendar calendar = io::Calendar::unknown;  ///< unknown: the times are no dates
  bool in_seconds = true;                         ///< else steps of no known length
};

/// An ensemble, or the runs that are tested against it. All runs have these variables and times.
struct EnsembleSummary {
  std::vector<VariableInfo> variables;
  std::vector<double> times;              ///< s since the first; one NaN where there is no time axis
  TimeScale scale = {};                   ///< origin and calendar of the times
  std::vector<RunSummary> members;        ///< runs that differ by noise alone
  std::optional<RunSummary> unperturbed;  ///< the run without noise, where there is one

  /// A time for people: "2000-01-31 06:00:00", "3600 s"; empty where there is no time axis.
  std::string time_text(std::size_t time) const;
};

/// The points of the same runs, for methods that compare fields.
class FieldSource {
 public:
  virtual ~FieldSource() = default;
  /// Values of variable number `variable` at time number `time` of run number `run` (as in
  /// EnsembleSummary::members): row-major points [first, first + values.size()) over all levels; NaN where
  /// missing. InputError.
  virtual void read(std::size_t run, std::size_t variable, std::size_t time, std::int64_t first,
                    std::span<double> values) const = 0;
  /// As read(), for EnsembleSummary::unperturbed.
  virtual void read_unperturbed(std::size_t variable, std::size_t time, std::int64_t first,
                                std::span<double> values) const = 0;
  /// Weights of points [first, first + weights.size()) of a variable: cell measures, or 1.
  virtual void read_weights(std::size_t variable, std::int64_t first, std::span<double> weights) const = 0;
};

}  // namespace ulpine::verification::consistency
