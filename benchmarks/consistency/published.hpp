// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ulpine::consistency_trials {

/// How often "any of `checks` values of a new run is beyond `factor` times the largest of `members`" holds
/// where all are absolute values of one distribution.
enum class Error { half_normal, lognormal1, lognormal2 };
double rate_of_largest(Error error, std::int64_t members, double factor, std::int64_t checks,
                       std::int64_t draws, std::uint64_t seed, int threads);

/// How often a family of exact Kolmogorov-Smirnov tests of equal samples rejects: by Benjamini-Hochberg and
/// Benjamini-Yekutieli at least one, and at least 13 without correction, at 5 %.
struct FamilyRates {
  double benjamini_hochberg = 0, benjamini_yekutieli = 0, thirteen = 0;
};
FamilyRates rates_of_family(std::int64_t members, double correlation, std::int64_t variables,
                            std::int64_t trials, std::uint64_t seed, int threads);

/// The published rules' rates as tables.
void print_published(int threads);

}  // namespace ulpine::consistency_trials
