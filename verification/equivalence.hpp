// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace ulpine::verification {

/// How a difference of means over pairs compares with a margin that is itself estimated.
struct EquivalenceTest {
  std::int64_t pairs = 0;
  double difference = 0;             ///< mean of test minus reference
  double error = 0;                  ///< standard error of that mean
  double spread = 0;                 ///< standard deviation of the reference's members
  double margin = 0;                 ///< margin_parts times that
  std::array<double, 2> interval{};  ///< of the difference, 95 %
  double detectable = 0;             ///< smallest difference told from zero (two-sided, 5 %) with 80 % power
  double inside = 0;                 ///< share of the pivotal distribution with abs(difference) < margin
};

/// Margin of a statistic's mean, in standard deviations of the reference's ensemble.
inline constexpr double margin_parts = 0.5;
/// Fewest pairs from which a spread is taken.
inline constexpr std::int64_t least_pairs = 8;

/// Pairs (test[i], reference[i]), as many of each, at least two and all finite. `resolution` is the unit in
/// which the statistic counts: its square over 12 is added to the variance of the differences, so that equal
/// features give a narrow interval about zero rather than none.
EquivalenceTest test_equivalence(std::span<double const> test, std::span<double const> reference,
                                 double resolution);

/// P(abs(D) < M) of the generalised pivotal quantities D = difference - T error and
/// M = margin sqrt((n - 1) / C), T of Student's t and C of chi-squared with n - 1 degrees of freedom: the
/// margin comes from a spread of n members and is as uncertain as they are few.
double share_inside(double difference, double error, double margin, std::int64_t n);

/// Most pairs that pairs_to_decide() tries.
inline constexpr std::int64_t most_pairs = 1000;
/// Fewest pairs that would answer with 80 % power: inside at 0.95, or outside at `level`, where difference
/// and spreads stay as they were found. most_pairs + 1 where even most_pairs would not do.
std::int64_t pairs_to_decide(EquivalenceTest const& found, double level);

}  // namespace ulpine::verification
