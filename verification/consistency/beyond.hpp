// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

// How far beyond an ensemble new runs may lie, told by its members alone: each member is held against the
// others as a new run is held against all of them. New runs do not help to calibrate their own limit.

namespace ulpine::verification::consistency {

/// The tail of a positive statistic of single runs. `members` are its values for members, each held against
/// the others. Their logarithms have a tail that is taken for exponential (Hill 1975, Ann. Statist. 3, 1163):
/// exact where the statistic's own is a power, as Student's, and careful where it is lighter. The upper half
/// of the members tells the rate of decay. Some excesses of a tail of power 3 are added to theirs, so that
/// few members leave a limit that can be reached.
class Tail {
 public:
  /// At least 2 members; infinite values count as very large ones.
  explicit Tail(std::span<double const> members);

  /// A bound of the chance that among `runs` runs like the members some `beyond` have at least `value`. Both
  /// the position of the tail and its decay are as uncertain as so few members leave them: the number of
  /// choices, C(runs, beyond), times the mean of (B exp(-lambda t))^beyond over B of a beta distribution and
  /// lambda of a gamma distribution, in closed form.
  double chance(double value, std::size_t runs, std::size_t beyond) const;
  /// The value that has the chance `rate`.
  double limit(double rate, std::size_t runs, std::size_t beyond) const;

 private:
  double members_ = 0, excesses_ = 0;
  double first_ = 0;  ///< logarithm that the excesses are beyond
  double sum_ = 0;    ///< of the excesses
};

/// The verdict of a tail on some new runs.
struct BeyondTail {
  double p = 1;             ///< over single runs and all of them together
  std::size_t beyond = 1;   ///< number of runs that has the smallest chance: 1, or all
  double value = 0;         ///< that so many reach
  double limit = 0;         ///< that so many would exceed at the rate
  double limit_of_one = 0;  ///< that one run would
};
/// One run beyond the members, or all of a few (at most 5): the less likely of both, for two comparisons.
BeyondTail beyond_tail(std::span<double const> members, std::span<double const> runs, double rate);

}  // namespace ulpine::verification::consistency
