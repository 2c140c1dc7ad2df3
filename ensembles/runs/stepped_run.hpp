// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "ensembles/runs/run.hpp"

namespace ulpine::ensembles {

/// A run() that its caller takes step by step, so that several can share a thread and a GPU. Errors are those
/// of run().
class SteppedRun {
 public:
  /// Builds the model, opens the files and writes the start.
  explicit SteppedRun(RunRequest request);
  ~SteppedRun();

  /// Whether there is no step to take any more: the end is reached, the state is invalid, or it was
  /// cancelled.
  bool over() const;
  /// Takes a step. Where the model's steps are of one length it waits for a GPU only if that is four steps
  /// behind.
  void take_step();
  /// Whether there is something to look at or to write after this step.
  bool due() const;
  /// To be called after it: looks at the state and writes output where that is due, which waits for the step.
  void settle();
  /// Its steps have taken `seconds` of a device that other runs shared: what its record then says instead of
  /// the time that passed.
  void charge(double seconds);
  /// Writes what comes after the last step. To be called once, when the run is over.
  RunRecord finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ulpine::ensembles
