// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verification/consistency/method.hpp"

namespace ulpine::verification::consistency {

/// One comparison of the joint test.
struct JointFinding {
  std::string variable;
  std::string what;    ///< "mean", "spread", "mean given the others", "spread given the others"
  double deviate = 0;  ///< as of a standard normal variable, were the runs normal
  double p = 1;        ///< adjusted: the share of relabelled runs whose largest deviate is as large
};

struct JointTest {
  std::vector<JointFinding> findings;  ///< worst first
  double p = 1;                        ///< of the worst
  double limit = 0;                    ///< deviate that relabelled runs exceed at the rate
  std::int64_t relabellings = 0;
  bool conditional = false;  ///< there were runs enough to see each variable given the others
};

/// Are two groups of runs of one distribution? The largest of these deviates over all variables: Student's t
/// of the means, the ratio of variances, and both again of what the other variables do not explain
/// (regression within the groups; F of a single variable's part in Hotelling's T^2, Rao 1973, section 8c).
/// How large it may be is told by relabelling runs at random (Westfall and Young 1993, single-step max T),
/// all variables of a run together: the rate holds whatever the distribution and the correlations. At least
/// 40 / rate relabellings, fewer where it is plain early on that nothing is to be found. At least 2 runs a
/// group.
JointTest joint_test(Table const& ensemble, Table const& tests, double rate, std::uint64_t seed);

}  // namespace ulpine::verification::consistency
