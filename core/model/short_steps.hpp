// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/table.hpp"

namespace ulpine {

/// Ends a run whose varying steps become so short that it would come to no end. All ranks make the same
/// calls.
class ShortSteps {
 public:
  /// Step number `step` went from `begin` to `end` s, and might have gone to `latest` s. NotSolved, one line
  /// with the step's length and the fastest velocity, where it and the one before were shorter than 1e-9 of
  /// the longest or than 1e-10 of the time left to `latest`; InputError where it took no time. Whenever a
  /// step is not half as long as the shortest before, the state is looked at: NotSolved where it is invalid,
  /// rather than at the next output, which may never come.
  void look_at(FieldTable const& fields, std::int64_t step, double begin, double end, double latest);

 private:
  double longest_ = 0, shortest_ = 0;  ///< s; shortest 0: none yet
  int in_a_row_ = 0;                   ///< that were too short
};

}  // namespace ulpine
