// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/les/parameters.hpp"

namespace ulpine::les {

/// When disturbances come: at the start and at multiples of an interval. Steps that vary end there; of steps
/// of one length, which go past, the first that begins at or after a multiple has it.
class DisturbanceTimes {
 public:
  explicit DisturbanceTimes(Parameters const& p)
      : any_{p.disturbance > 0}, every_{p.disturb_every}, until_{p.disturb_until}, step_{p.step} {}

  /// Which multiple the step that begins at `time` s has, if any: of several the last.
  std::optional<std::uint32_t> round_of(double time) const {
    auto const round = std::min(multiples(time), multiples(until_));
    auto const now = step_ > 0 ? round > multiples(time - step_) : time == round * every_;
    if (!any_ || !now) return {};
    return static_cast<std::uint32_t>(round);
  }
  /// The next one, s; infinity where there is none.
  double next_after(double time) const {
    auto const next = multiples(time) + 1;
    return any_ && next <= multiples(until_) ? next * every_ : std::numeric_limits<double>::infinity();
  }

 private:
  /// How many lie between 0 and `time`. Times are products, a rounding or two from what they stand for.
  double multiples(double time) const { return std::floor(time / every_ * (1 + 0x1p-48)); }

  bool any_;
  double every_, until_, step_;  ///< s; no step: they vary
};

}  // namespace ulpine::les
