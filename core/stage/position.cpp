// SPDX-License-Identifier: Apache-2.0
#include "core/stage/position.hpp"

#include <cstring>
#include <stdexcept>

namespace ulpine {

void StagePosition::push(LoopIndex loop) {
  if (depth_ == deepest) {
    throw std::logic_error("loops around a stage are nested deeper than a position can say");
  }
  path_[depth_++] = loop;
}

std::string StagePosition::text() const {
  std::string text;
  for (std::size_t level = 0; level < depth_; ++level) {
    text +=
        (level == 0 ? "" : ", ") + std::string(path_[level].loop) + " " + std::to_string(path_[level].index);
  }
  return text;
}

bool operator==(StagePosition const& a, StagePosition const& b) {
  if (a.depth_ != b.depth_) return false;
  for (std::size_t level = 0; level < a.depth_; ++level) {
    if (a.path_[level].index != b.path_[level].index ||
        std::strcmp(a.path_[level].loop, b.path_[level].loop) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace ulpine
