// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ensembles/cards/prediction.hpp"

namespace ulpine::ensembles::cards {

/// A stage whose time was measured.
struct MeasuredStage {
  StageLoad load;        ///< of all launches
  double seconds = 0;    ///< of all launches
  std::string run = {};  ///< name of the run that measured it
};

/// What is predicted of a stage whose time is known.
struct JudgedStage {
  std::string name, run;
  double seconds = 0, predicted = 0;
  Bound bound = Bound::memory;  ///< what it is predicted to wait for
  double error() const { return predicted / seconds - 1; }
};
/// Those that take longest first.
std::vector<JudgedStage> judge(std::span<MeasuredStage const> stages, Card const& card,
                               Efficiency const& efficiency);

/// Stages are halved by their names, so that a stage that several runs measured is in one half: of the names
/// in alphabetical order those with an even index, from 0, are fitted to, the others judged by. Loops of
/// kernels judge only where one is fitted to: else nothing tells what their kernels take.
struct Halves {
  std::vector<MeasuredStage> fitted, judged;
};
Halves halve(std::span<MeasuredStage const> stages);

/// The efficiencies with the least sum of squared logarithms of predicted over measured time: half and twice
/// the time are errors of one size. Pipes run at the card's rates; no other number is below 0. Those that no
/// stage's time depends on stay empty, that of memory 1 and of launches 0.
Efficiency fit_efficiency(std::span<MeasuredStage const> stages, Card const& card);

/// Fits to one half and judges by the other; `card` and `runs` of the judgement are the caller's. InputError
/// where either half would be empty.
MeasuredEfficiency fit_and_judge(std::span<MeasuredStage const> stages, Card const& card);

}  // namespace ulpine::ensembles::cards
