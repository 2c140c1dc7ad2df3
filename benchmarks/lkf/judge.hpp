// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "lkf/scenes.hpp"
#include "verification/lkf/detector.hpp"

namespace ulpine::lkf::judging {

/// Two places this near to each other are the same one: the width of a feature, cells.
inline constexpr double tolerance = 2;
/// What false features are counted against where there are no true ones: those of a network.
inline constexpr double nominal_features = 12;
inline constexpr double nominal_length = 480;  ///< cells

/// What a detector made of one scene, or of several on average. NaN where it means nothing.
struct Judgement {
  double recall = 0;     ///< share of the true length within `tolerance` of a detected feature
  double precision = 0;  ///< share of the detected length within `tolerance` of a true feature
  double pieces = 0;     ///< detected features, at least half on true ones, per true feature
  double bias = 0;       ///< detected length / true length - 1
  double features = 0;   ///< detected, true and false
  /// 1 - length found / (true length + false length + length counted more than once): 0 to 1, and nothing
  /// cancels as it does in the bias.
  double length_error = 0;
  /// 1 - the lesser of true features and pieces / (the greater of the two + false features).
  double count_error = 0;

  double error() const { return (length_error + count_error) / 2; }
};

Judgement judge(Scene const& scene, Detection const& detection);

/// Mean, least and greatest of each number over scenes, NaN left out.
struct Judgements {
  Judgement mean, least, greatest;
};
Judgements summarise(std::vector<Judgement> const& scenes);

}  // namespace ulpine::lkf::judging
