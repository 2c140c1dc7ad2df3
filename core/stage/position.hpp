// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace ulpine {

/// One loop around a stage and where it stands.
struct LoopIndex {
  char const* loop = "";  ///< a string that lives as long as the program
  std::int64_t index = 0;
};

/// A point of a run, as the path of the loops around it, outermost first: model step (from 1), then whatever
/// a core loops over (tracer, Runge-Kutta stage, sub-step, iteration).
class StagePosition {
 public:
  static constexpr std::size_t deepest = 8;

  StagePosition() = default;
  explicit StagePosition(std::int64_t step) { push({"step", step}); }

  /// The model step; 0 outside steps.
  std::int64_t step() const { return depth_ == 0 ? 0 : path_[0].index; }
  std::size_t depth() const { return depth_; }
  LoopIndex const& operator[](std::size_t level) const { return path_[level]; }
  /// std::logic_error below `deepest`.
  void push(LoopIndex loop);
  void pop() { --depth_; }
  void set_index(std::int64_t index) { path_[depth_ - 1].index = index; }

  /// "step 3, tracer 1, stage 2".
  std::string text() const;
  friend bool operator==(StagePosition const& a, StagePosition const& b);

 private:
  std::array<LoopIndex, deepest> path_{};
  std::size_t depth_ = 0;
};

}  // namespace ulpine
