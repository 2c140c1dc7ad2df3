// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/netcdf.hpp"
#include "verification/comparison/compare.hpp"
#include "verification/consistency/reading.hpp"

namespace ulpine::verification::sameness {

/// How far a variable of a run is from the reference's at one output time. Differences are in the variable's
/// unit.
struct Distance {
  /// s since 1970-01-01 of the calendar, or as CommonTime::time_s where there are no dates; NaN without time.
  double time = std::numeric_limits<double>::quiet_NaN();
  std::string text = {};       ///< the time for people; "-" without one
  std::int64_t differing = 0;  ///< places whose values differ
  std::int64_t one_sided = 0;  ///< of these, places with a value in one file only
  double rms = 0;              ///< root mean square difference, weighted
  double rms_reference = 0;    ///< root mean square of the reference; 0 where nothing differs
  double largest = 0;          ///< largest absolute difference
  double ulps = 0;             ///< the same in units in the last place of the stored type
  double one_minus_r = 0;      ///< 1 - Pearson's correlation; NaN where a field is constant
  std::string failure = {};    ///< why the fields cannot be compared then, as infinite values
};

/// A variable of a run beside the reference's, over all output times in the order of time.
struct Series {
  std::string name;
  io::StoredType type = {};  ///< the coarser of the two that are stored
  bool in_seconds = false;   ///< whether times count seconds
  std::string refusal = {};  ///< why it cannot be compared at any time
  std::vector<Distance> times = {};

  /// Whether differences of one unit in the last place are rounding: of floating point and packed numbers.
  bool rounds() const { return type.relative_rounding > 0 || (type.step > 0 && type.step != 1); }
  /// The first time with a difference; times.size() where there is none.
  std::size_t first_difference() const;
};

/// A run beside the reference.
struct RunDistance {
  std::string name;
  std::vector<Series> variables;
  bool same_bits = true;  ///< all that was compared has the same bits
  std::int64_t files = 0, coordinates = 0;
  std::vector<std::string> stored_otherwise;  ///< the same values of another type
  std::vector<std::string> other_places;      ///< coordinates that differ, and how
  std::vector<std::string> not_compared;      ///< what could not be, or is in one of the runs only
  std::vector<std::string> notes;

  bool differs() const;
  Series const* find(std::string const& variable) const;
};

/// The output of a run: a file, all parts of the output in the folder of a run of Ulpine, or all NetCDF files
/// of a folder. InputError where there is none.
consistency::RunFiles outputs_of(std::filesystem::path const& path);

/// Compares the output of a run with the reference's by the rules of compare(). Single files go together
/// whatever their names, several by their names. A variable whose times are spread over files is one series.
/// `variables`: those asked for; empty: all. InputError where no file goes with another.
RunDistance distance_of(consistency::RunFiles const& reference, consistency::RunFiles const& run,
                        std::vector<std::string> const& variables, Weighting const& weighting);

}  // namespace ulpine::verification::sameness
