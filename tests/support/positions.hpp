// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "core/stage/position.hpp"

namespace ulpine::test {

/// The position within `loops`, outermost first, of model step `step`.
inline StagePosition at(std::int64_t step, std::initializer_list<LoopIndex> loops = {}) {
  StagePosition position(step);
  for (auto const& loop : loops) position.push(loop);
  return position;
}

}  // namespace ulpine::test
