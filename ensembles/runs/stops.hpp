// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/model/model.hpp"
#include "io/multiples.hpp"

namespace ulpine::ensembles {

/// Times at which steps of a run have to end, s. All follow from the arguments and the time alone, so that a
/// run that goes on from a restart meets those of the whole run.
class Stops {
 public:
  /// For a model whose steps are `step` s (0: they vary) and end at `own` anyway, with outputs every
  /// `interval` s (0: none) until `end` s, which may be infinite. `interval` and `end` are whole steps, as
  /// time_of_steps() gives them.
  Stops(double step, double interval, double end, std::vector<Recurrence> const& own = {});
  /// For `model`, with its step and its own times.
  Stops(Model const& model, double interval, double end);

  /// The first output after `now`: the next multiple of the interval, or the end where that is sooner.
  double next_output(double now) const;
  /// How long a step that begins at `now` may take. Not beyond the next output, nor the model's own times;
  /// and where one of them follows another soon after a long pause (an end of 100.01 s after an output at
  /// 100 s), not beyond times between that make the steps before and after shorter one by one, so that none
  /// is less than a thousandth of its neighbour if the model goes by length_towards().
  double next(double now) const;
  /// Whether steps end at `time` whatever the end of the run is.
  bool recurs(double time) const;

 private:
  struct Series {
    io::Multiples times;
    double until;
  };
  /// The latest multiple of each series before `time`, or at it where `inclusive`; minus infinity where there
  /// is none.
  double latest(double time, bool inclusive) const;
  /// The first multiple of a series after `time`; infinity where there is none.
  double first_after(double time) const;

  double step_, interval_, end_;
  std::vector<Series> series_;  ///< where steps vary; the outputs' first
};

}  // namespace ulpine::ensembles
