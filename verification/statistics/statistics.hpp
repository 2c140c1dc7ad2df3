// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ulpine::verification {

/// Mean and sample standard deviation (n - 1); sd is 0 for one value, both are NaN for none.
struct Moments {
  double mean = 0, sd = 0;
  std::int64_t n = 0;
};
Moments moments(std::span<double const> values);

/// A two-sample test, two-sided. Without `p`, `reason` says why there is no verdict.
struct TwoSampleTest {
  std::string method;  ///< "KS", "Mann-Whitney", "Welch t", "Student t", "paired t"
  std::optional<double> statistic, p;
  std::string reason;
  std::array<std::int64_t, 2> n{};
};

/// Kolmogorov-Smirnov: D = max |F_a - F_b| with tied values counted together; exact p by lattice paths (for
/// ties an upper bound), O(n_a n_b). No verdict where even D = 1 would not reach p = 0.05 (2/C(n_a+n_b,
/// n_a)).
TwoSampleTest kolmogorov_smirnov(std::span<double const> a, std::span<double const> b);
/// Mann-Whitney U of `a`, normal approximation with tie and continuity correction; no verdict below 8 members
/// on a side.
TwoSampleTest mann_whitney(std::span<double const> a, std::span<double const> b);
/// Student's t without and with the assumption of equal variances; no verdict below 3 members on a side or
/// without spread.
TwoSampleTest welch_t(std::span<double const> a, std::span<double const> b);
TwoSampleTest student_t(std::span<double const> a, std::span<double const> b);
/// Student's t of the differences a_i - b_i, for members that share their perturbation: what that alone does
/// to both cancels. No verdict below 8 pairs, for unequal sizes or where all differences are equal.
TwoSampleTest paired_t(std::span<double const> a, std::span<double const> b);

/// Which hypotheses of a family are rejected at false discovery rate `alpha`, in the order given;
/// Benjamini-Hochberg, and Benjamini-Yekutieli, which holds under any dependence. NaN (no verdict) counts as
/// a member and is never rejected.
std::vector<bool> benjamini_hochberg(std::span<double const> p, double alpha = 0.05);
std::vector<bool> benjamini_yekutieli(std::span<double const> p, double alpha = 0.05);

/// Least members on each side with which a Kolmogorov-Smirnov test can be the single rejection of a family of
/// `tests`: 2/C(2n, n) <= alpha/tests (divided by the harmonic sum too for Benjamini-Yekutieli).
std::int64_t members_needed(std::int64_t tests, double alpha = 0.05, bool any_dependence = false);

}  // namespace ulpine::verification
