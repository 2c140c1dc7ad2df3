// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {

/// One comparison of the joint test.
struct JointFinding {
  std::string variable;
  std::string
      what;  ///< "mean", "location by ranks", "spread", "spread by ranks", "mean given the others" ...
  double deviate = 0;  ///< as of a standard normal variable, were the runs normal
  double limit = 0;    ///< that relabelled runs exceed at the rate
  double p =
      1;  ///< adjusted: the share of relabelled runs in which some comparison is as far beyond its limit
};

struct JointTest {
  std::vector<JointFinding> findings;  ///< worst first
  double p = 1;                        ///< of the worst finding
  double limit_of_means = 0;           ///< deviate of a mean that relabelled runs exceed at the rate
  std::int64_t relabellings = 0;
  bool conditional = false;  ///< there were runs enough to see each variable given the others
};

/// Are two groups of runs of one distribution? Three families of deviates over all variables. Locations:
/// Student's t of the means, the same of normal scores (van der Waerden), and both given the other
/// variables (the part of a single variable in Hotelling's T^2, Rao 1973, section 8c). Spreads: the ratio of
/// variances, and that of what the ensemble's regression on the other variables leaves. Spreads by ranks: the
/// ratio of variances of normal scores (Klotz 1962, about each group's own mean). Means and variances
/// see most where values are normal, scores where tails are heavy.
///
/// How large each family may be is told by relabelling runs at random, all variables of a run together
/// (relabel()): the rate holds whatever the distribution and the correlations. At least 2 runs a group. The
/// columns `of_times` (in order) are compared by themselves alone, not given the others.
JointTest joint_test(Table const& ensemble, Table const& tests, double rate, std::uint64_t seed,
                     std::span<std::size_t const> of_times = {});

}  // namespace ulpine::verification::consistency
