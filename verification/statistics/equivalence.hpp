// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "verification/gates/rules.hpp"

namespace ulpine::verification {

/// Two ensembles compared in one number, which is held against a margin.
struct EquivalenceTest {
  std::int64_t pairs = 0;
  double difference = 0;   ///< means: test minus reference; spreads: ratio of standard deviations
  double error = 0;        ///< standard error of a difference of means
  double spread = 0;       ///< standard deviation of the reference's members
  double correlation = 0;  ///< between the members of a pair
  double margin = 0;       ///< means: limit of abs(difference); spreads: limit of the ratio, up or down
  Margin::Kind kind = Margin::Kind::spread;
  std::array<double, 2> interval{};  ///< 95 % confidence interval of the difference
  double detectable =
      0;              ///< smallest difference (ratio above 1) told from none (two-sided, 5 %) with 80 % power
  double inside = 0;  ///< confidence that the difference is inside the margin; 1 - inside: outside
};

/// Fewest pairs from which a spread is taken.
inline constexpr std::int64_t least_pairs = 8;

/// Difference of means over pairs (test[i], reference[i]), as many of each, at least three and all finite.
/// `resolution` is the unit in which the statistic counts: its square over 12 is added to the variance of the
/// differences, so that equal features give a narrow interval about zero rather than none. `inside` is
/// share_inside() for a margin in spreads, which is estimated itself; for others the confidence of the two
/// one-sided tests of Student's t together, a relative margin being taken of the reference's members with
/// their uncertainty (Fieller's linear combinations).
EquivalenceTest test_means(std::span<double const> test, std::span<double const> reference, double resolution,
                           Margin const& margin);

/// Ratio of standard deviations over pairs by Pitman's and Morgan's test: x - r y and x + r y are
/// uncorrelated where r is the ratio (Biometrika 31, 1939). `ratio` above 1 is the margin, up or down. Where
/// neither varies by more than the resolution the ratio is about 1.
EquivalenceTest test_spreads(std::span<double const> test, std::span<double const> reference,
                             double resolution, double ratio);

/// P(abs(D) < M) of the generalised pivotal quantities D = difference - T error and
/// M = margin sqrt((n - 1) / C), T of Student's t and C of chi-squared with n - 1 degrees of freedom: the
/// margin comes from a spread of n members and is as uncertain as they are few.
double share_inside(double difference, double error, double margin, std::int64_t n);

/// Most pairs that pairs_to_decide() tries.
inline constexpr std::int64_t most_pairs = 1000;
/// Fewest pairs that would answer with 80 % power: inside at 0.95, or outside at `level`, where difference
/// and spreads stay as they were found. most_pairs + 1 where even most_pairs would not do.
std::int64_t pairs_to_decide(EquivalenceTest const& found, double level);
/// As pairs_to_decide(), from the result of test_spreads().
std::int64_t pairs_to_decide_spreads(EquivalenceTest const& found, double level);

/// Two distributions compared.
struct DistributionTest {
  double distance = 0;    ///< largest difference of the empirical distribution functions
  double margin = 0;      ///< that a shift of normal distributions by the margin makes: 2 Phi(m/2) - 1
  double detectable = 0;  ///< distance that would be called beyond the margin at 5 %; above 1 there is none
  double outside = 0;     ///< bound of the chance of such a distance where the true one is the margin at most
};
/// Kolmogorov's distance of two samples of n against that of normal distributions shifted by `shift` standard
/// deviations. The bound is that of Dvoretzky, Kiefer, Wolfowitz and Massart for each sample, 4 exp(-n x^2 /
/// 2) with x the distance beyond the margin: it holds under any dependence of the pairs. It shows
/// differences, never equivalence.
DistributionTest test_distributions(std::span<double const> test, std::span<double const> reference,
                                    double shift);
/// Pairs from which on that test can call the largest distance, 1, beyond `margin`; with fewer it has no
/// power at all. Nothing for margins that no distance exceeds, or that only more than most_pairs would.
std::optional<std::int64_t> pairs_for_distributions(double margin);

}  // namespace ulpine::verification
