// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "precision/exact_sum.hpp"
#include "verification/consistency/data.hpp"

namespace ulpine::verification::consistency {

/// The weights of a level's points: the exact sum of those above 0.
ExactSum positive_sum(std::span<double const> weights);

/// What a level's values come to, added in parts; the same bits whatever the parts.
class LevelSums {
 public:
  /// Values, NaN where missing, and their weights; no weights: 1 each. Points whose weight is not above 0
  /// count for the smallest and largest value alone.
  void add(std::span<double const> values, std::span<double const> weights);
  /// `whole`: the exact sum of the weights above 0 of all points of the level, missing ones included.
  LevelSummary summary(ExactSum const& whole) const;
  /// The exact sums of weight times value, each product rounded, and of the weights of what is not missing.
  ExactSum const& sum() const { return sum_; }
  ExactSum total(ExactSum const& whole) const;

 private:
  void add_block(double const* values, double const* weights, std::size_t count);
  LevelSummary level_;
  ExactSum sum_, missing_;  ///< missing: negative weights of missing points
};

}  // namespace ulpine::verification::consistency
