// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verification/sameness/run_distance.hpp"

// Whether a run is as far from the reference as the reference is from itself under noise.

namespace ulpine::verification::sameness {

/// Least number of noisy runs of the reference from which a limit is made.
inline constexpr std::int64_t fewest_members = 5;
/// False alarms that the rule allows itself, per run that is judged.
inline constexpr double false_alarm_rate = 0.004;

/// A variable at one time, held against the noisy runs.
struct NoiseCheck {
  std::size_t variable = 0, time = 0;  ///< numbers in the run's series
  double largest = 0;        ///< largest rms difference of the noisy runs, rounding of the file included
  double ratio = 0;          ///< that of the run over it
  double least_noticed = 0;  ///< relative L2 difference from which on the rule notices one; NaN where unknown
};

struct NoiseAnswer {
  std::int64_t members = 0;
  /// Ratio that may be reached. NaN where there are too few members.
  double limit = std::numeric_limits<double>::quiet_NaN();
  std::vector<NoiseCheck> checks;
  std::vector<std::string> not_held;  ///< variables that differ at a time at which noisy runs are not known
  std::string without_power;  ///< why the rule could not have told another model; empty where it could
  std::string remedy;         ///< what would give it power, or more of it

  bool applies() const { return without_power.empty(); }
  /// The check of the largest ratio; null where there is none.
  NoiseCheck const* worst() const;
  /// The earliest check beyond the limit; null where there is none.
  NoiseCheck const* first_beyond(RunDistance const& run) const;
  /// The check that notices the smallest difference; null where there is none.
  NoiseCheck const* sharpest() const;
};

/// Holds the root mean square difference to the reference of each variable at each time against the largest
/// one of the noisy runs, raised by four roundings of the stored type at the variable's size. The largest of
/// these ratios over all variables and times may be as large as the noisy runs', each held against the
/// others, let expect: their logarithms are taken for normal, and the limit is the upper prediction limit of
/// one more run at false_alarm_rate (Student's t), at least 1. The same as consistency's `tolerance` does for
/// one new run. It has power where a run that has nothing in common with the reference would be beyond the
/// limit in some variable at some time.
NoiseAnswer against_noise(RunDistance const& run, std::vector<RunDistance> const& members);

}  // namespace ulpine::verification::sameness
