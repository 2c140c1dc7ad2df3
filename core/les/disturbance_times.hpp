// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/les/parameters.hpp"
#include "core/model/model.hpp"
#include "io/multiples.hpp"

namespace ulpine::les {

/// When disturbances come: at the start and at multiples of an interval. Steps that vary end there; of steps
/// of one length, which go past, the first that begins at or after a multiple has it.
class DisturbanceTimes {
 public:
  explicit DisturbanceTimes(Parameters const& p)
      : any_{p.disturbance > 0},
        every_{p.disturb_every},
        until_{p.disturb_until},
        step_{p.step},
        last_{every_.count(until_)} {}

  /// Which multiple the step that begins at `time` s has, if any: of several the last.
  std::optional<std::uint32_t> round_of(double time) const {
    if (!any_) return {};
    auto const round = std::min(begun(time), last_);
    auto const now = step_ > 0 ? time < step_ || round > begun(time - step_) : time == every_.at(round);
    if (!now) return {};
    return static_cast<std::uint32_t>(round);
  }
  /// The next one, s; infinity where there is none.
  double next_after(double time) const {
    return any_ && every_.count(time) < last_ ? every_.next_after(time)
                                              : std::numeric_limits<double>::infinity();
  }
  /// The times of disturbances that steps have to end at; none where steps are of one length.
  std::vector<Recurrence> recurrences() const {
    if (!any_ || step_ > 0) return {};
    return {{every_.interval(), until_}};
  }

 private:
  /// How many multiples lie between 0 and the begin of a step at `time`. Begins of steps of one length are
  /// products, a rounding or two from what they stand for.
  std::int64_t begun(double time) const { return every_.count(step_ > 0 ? time * (1 + 0x1p-48) : time); }

  bool any_;
  io::Multiples every_;
  double until_, step_;  ///< s; no step: they vary
  std::int64_t last_;
};

}  // namespace ulpine::les
