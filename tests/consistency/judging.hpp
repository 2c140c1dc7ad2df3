// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "consistency/trials.hpp"
#include "verification/consistency/consistency.hpp"
#include "verification/consistency/joint.hpp"
#include "verification/consistency/method.hpp"

/// Verdicts on drawn ensembles.
namespace ulpine::verification::consistency::judging {

using consistency_trials::Drawn;

inline Verdict judged(Drawn const& drawn, std::vector<std::string> methods = {},
                      std::vector<std::pair<std::string, std::string>> parameters = {},
                      std::uint64_t seed = 1) {
  Request request;
  request.ensemble.summary = &drawn.ensemble;
  request.tests.summary = &drawn.tests;
  request.methods = std::move(methods);
  request.parameters = std::move(parameters);
  request.seed = seed;
  return judge(request);
}

/// Ensemble and new runs as tables of one column for each variable.
inline Means means_in(Drawn const& drawn, bool by_level = false) {
  Request request;
  request.ensemble.summary = &drawn.ensemble;
  request.tests.summary = &drawn.tests;
  request.by_level = by_level;
  std::vector<std::string> left_out;
  return means_of(request, left_out);
}

inline Outcome const& outcome_of(Verdict const& verdict, std::string const& method) {
  auto const found = std::ranges::find(verdict.outcomes, method, &Outcome::method);
  EXPECT_NE(found, verdict.outcomes.end()) << method;
  return *found;
}

}  // namespace ulpine::verification::consistency::judging
