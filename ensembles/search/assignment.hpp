// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verification/results/results.hpp"

namespace ulpine::ensembles::search {

/// The precision of every stage, by number: 0 is the reference's, k the k-th of the precisions tried.
using Assignment = std::vector<int>;

/// The verdict on one run, with its largest error.
struct Outcome {
  verification::Answer answer = verification::Answer::undecided;  ///< by errors and gates alone
  /// Error over the tolerated perturbation's, of the worst field, time and level, or a statistic's shift over
  /// its margin, whichever is larger; empty where there is none, as of a run that failed.
  std::optional<double> ratio = {};
  std::optional<std::array<double, 2>> interval = {};  ///< 95 % confidence interval of the ratio
  std::string field = {};                              ///< the worst, or a statistic
  std::optional<double> time_s = {};                   ///< likewise
  std::string problem = {};                            ///< why the run failed; empty where it did not
  double wall_s = 0;                                   ///< duration of the run, s
};

/// An assignment that was tried.
struct Trial {
  Assignment assignment;
  double cost = 0;  ///< cost of a run; the reference's is 1
  Outcome outcome;
};

/// The stages and precisions that a search may combine, and the cost of a combination.
struct Space {
  std::size_t stages = 0;
  /// Bits in which a number of each precision is stored, by the numbers of Assignment: [0] of the
  /// reference's.
  std::vector<int> bits;
  std::function<bool(std::size_t stage, int precision)> possible;
  std::function<double(Assignment const&)> cost;
};

/// Which of `trials` no other one beats in cost or ratio without losing in the other, by cost; of equal ones
/// the first. Trials without a ratio are not among them.
std::vector<std::size_t> pareto_front(std::span<Trial const> trials);

}  // namespace ulpine::ensembles::search
