// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ulpine::calibration {

/// A published rate of false positives and what simulation makes of the same rule.
struct PublishedRate {
  std::string rule;      ///< e.g. "26 components, 2 standard deviations"
  double published = 0;  ///< share
  bool at_most = false;  ///< published as "below"
  double simulated = 0;  ///< share
  double error = 0;      ///< its standard error
};

/// PyCECT's rule: of three runs two must be beyond `limit` standard deviations in three of `components`.
/// Standard normal scores.
double rate_of_components(int components, double limit, std::int64_t trials, std::uint64_t seed);
/// The same by formula: s = 2 (1 - Phi(limit)), p = 3 s^2 (1 - s) + s^3, P(Binomial(components, p) >= 3).
double formula_of_components(int components, double limit);

/// Distributions of a member's error.
enum class Tail { half_normal, lognormal_1, lognormal_2 };
/// probtest's rule: the error of one more draw is beyond `factor` times the largest of `members`, in one of
/// `checks` independent ones.
double rate_of_tolerance(Tail tail, int members, double factor, int checks, std::int64_t trials,
                         std::uint64_t seed);

/// Rates of rules over many variables tested by Kolmogorov and Smirnov: two ensembles of `members`,
/// `variables` standard normal ones with correlation `rho` between any two.
struct FamilyRates {
  double hochberg = 0, yekutieli = 0, uncorrected = 0;  ///< at least one, at least one, at least 13
};
FamilyRates rates_of_families(int members, double rho, int variables, std::int64_t trials,
                              std::uint64_t seed);

/// Those of sections 5 to 7 of the specification of verification, by up to `jobs` threads; `share` of the
/// usual number of trials.
std::vector<std::vector<PublishedRate>> published_rates(double share, int jobs);

}  // namespace ulpine::calibration
