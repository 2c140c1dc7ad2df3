// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ulpine::verification {

/// How noise grows in a field: a run with it against the same run without.
struct NoiseGrowth {
  std::string field;
  std::vector<double> time_s = {};  ///< s, of the outputs
  std::vector<double> error = {};   ///< relative L2 error at these times
  double resolution =
      0;  ///< relative rounding of the type that the field is stored in; 0 where that is exact
  double saturation = 0;  ///< relative L2 error of states of this field that have nothing in common
};

/// The exponential part of a growth.
struct GrowthRate {
  double per_s = 0;               ///< exponent, 1/s
  double begin_s = 0, end_s = 0;  ///< of the part that it was fitted to
};

/// What a study may be made with, from one growth at one amplitude.
struct Suggestion {
  double amplitude = 0;  ///< of the noise
  int members = 0;
  std::optional<double> until_s = {};  ///< end of the runs, s; nothing: as it is
  std::vector<std::string> reasons;    ///< a sentence each
};

/// Fits an exponential to the errors from ten times the resolution to a tenth of saturation, by least squares
/// of their logarithms; nothing where fewer than three outputs lie there or they do not grow.
std::optional<GrowthRate> growth_rate(NoiseGrowth const& growth);

/// Members of each of two ensembles that are needed for two one-sided tests at level `alpha` each to show,
/// with probability `power` where both are equal, that their means differ by less than `margin` standard
/// deviations of a member: 2 (z(1 - alpha) + z(1 - (1 - power) / 2))^2 / margin^2, rounded up (normal
/// approximation: Julious, Statistics in Medicine 23, 2004, doi:10.1002/sim.1783, section 5).
int members_for_equivalence(double margin, double alpha = 0.05, double power = 0.9);

/// From the growth of noise of `amplitude`: the least power of ten at which errors at the first output are a
/// hundred times what files resolve, no more than makes them a hundredth of saturation; the time at which the
/// last field that grows comes to half of saturation. `growths` has a field at least.
Suggestion suggest(std::vector<NoiseGrowth> const& growths, double amplitude, double margin = 1);

}  // namespace ulpine::verification
