// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ulpine::test {

/// Residuals of two solves of a system, equal but for rounding: an iteration changes one by roundoff times
/// the condition.
inline void expect_same_history(std::vector<double> const& ours, std::vector<double> const& petsc,
                                double condition) {
  auto const common = std::min(ours.size(), petsc.size());
  ASSERT_GT(common, 4u);
  EXPECT_LE(std::max(ours.size(), petsc.size()) - common, 1u);
  for (std::size_t k = 0; k < common; ++k) {
    auto const iterations = static_cast<double>(k + 1);
    EXPECT_NEAR(ours[k], petsc[k], iterations * condition * 0x1p-53 * petsc[0]) << "iteration " << k;
  }
}

}  // namespace ulpine::test
