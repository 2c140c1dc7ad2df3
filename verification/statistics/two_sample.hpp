// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "verification/statistics/statistics.hpp"

namespace ulpine::verification {

/// Kolmogorov-Smirnov with the limiting distribution of D sqrt(n_a n_b / (n_a + n_b)) (Kolmogorov 1933; p = 2
/// sum
/// (-1)^(k-1) exp(-2 k^2 x^2), both terms of the series as the argument asks for). For samples too large for
/// the exact one; too small p below some 20 members a side.
TwoSampleTest kolmogorov_smirnov_asymptotic(std::span<double const> a, std::span<double const> b);

/// Cramer-von Mises: T of Anderson (1962, Ann. Math. Statist. 33, 1148), tied values at their mean rank.
/// Exact p, by counting all orderings (Xiao, Gordon and Yakovlev 2007), up to 20 members a side where none
/// are tied; else the limiting distribution with mean and variance of the finite samples. No verdict below 3
/// members on a side.
TwoSampleTest cramer_von_mises(std::span<double const> a, std::span<double const> b);

/// The middle value; the mean of the two middle ones of an even number. At least one value.
double median_of(std::vector<double> values);

/// Equal spread, by Brown and Forsythe (1974, JASA 69, 364): Student's t of the distances to each sample's
/// median, whose square is their F. No verdict below 4 members on a side or without spread.
TwoSampleTest brown_forsythe(std::span<double const> a, std::span<double const> b);

/// The correction of a family of tests for their number.
enum class Correction {
  none,
  holm,                 ///< the chance of any false rejection, under any dependence
  benjamini_hochberg,   ///< the share of false ones among rejections, of independent or positively dependent
                        ///< tests
  benjamini_yekutieli,  ///< the share of false ones under any dependence of the tests
};

/// p such that a test is rejected at level alpha where its adjusted p is at most alpha. NaN (no verdict)
/// counts as a member of the family and stays NaN.
std::vector<double> adjusted_p(std::span<double const> p, Correction correction);

}  // namespace ulpine::verification
