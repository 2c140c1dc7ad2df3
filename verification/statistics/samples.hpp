// SPDX-License-Identifier: Apache-2.0
// Checks that every test of samples makes first.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "verification/statistics/statistics.hpp"

namespace ulpine::verification {

inline bool all_finite(std::span<double const> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// A test of a against b without p yet: its method, the sizes, and a reason where members are too few or not
/// finite.
inline TwoSampleTest begun(char const* method, std::span<double const> a, std::span<double const> b,
                           std::size_t least) {
  TwoSampleTest test;
  test.method = method;
  test.n = {std::int64_t(a.size()), std::int64_t(b.size())};
  if (std::min(a.size(), b.size()) < least) {
    test.reason = "too few members: " + std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                  ", at least " + std::to_string(least) + " each needed";
  }
  if (!all_finite(a) || !all_finite(b)) test.reason = "a member is not finite";
  return test;
}

}  // namespace ulpine::verification
