// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {

/// Differences of one variable that must be excluded before groups of runs are called consistent.
struct Margins {
  double shift = 1.5;  ///< tolerated shift of the mean, in standard deviations of the ensemble
  double spread = 3;   ///< tolerated factor of the spread, up or down; above 1
};

/// A difference as large as a margin, or larger, that the runs do not exclude.
struct Unexcluded {
  std::string variable;
  std::string what;  ///< "a mean higher by 1.5 standard deviations", "a spread 3 times as large" ...
  double p = 1;      ///< p-value of the test that would exclude it
  std::int64_t runs_needed =
      0;  ///< members, and as many new runs, that would with 80 % chance, judged by these runs
};

/// Each variable by itself is tested against each margin: what such a difference would have done is taken off
/// the new runs (a shift is subtracted, a spread divided out about the median), and where the difference is
/// as large as supposed, what is left is distributed as the ensemble. It is excluded where what is left is
/// off to the other side beyond what relabelled runs are at the rate `alpha`, in means or normal scores, in
/// variances or those of scores: whatever the distribution, a difference of just a margin is excluded with a
/// chance of alpha, and so are all of them (an intersection-union test: Berger 1982, Technometrics 24, 295).
/// A shift counts in standard deviations that are estimated: it is taken smaller by what their error and the
/// means' make together (first order, with the ensemble's kurtosis). Worst first; empty where all are
/// excluded. At least 3 runs a group.
std::vector<Unexcluded> not_excluded(Table const& ensemble, Table const& tests, Margins const& margins,
                                     double alpha, std::uint64_t seed);

}  // namespace ulpine::verification::consistency
