// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

struct CUstream_st;

namespace ulpine {

/// A point of a run: model step from 1; sub-step within it from 1, 0 outside sub-cycles.
struct StagePosition {
  std::int64_t step = 0;
  std::int32_t substep = 0;
  friend bool operator==(StagePosition const&, StagePosition const&) = default;
};

/// A field as a stage left it, in the memory where it lives.
struct RawField {
  void const* data = nullptr;
  std::int64_t count = 0;            ///< elements
  std::int32_t bytes_per_value = 8;  ///< 4: float, 8: double, 16: binary128
  bool on_device = false;
  CUstream_st* stream = nullptr;  ///< the stream that wrote it
};

/// Is told of every field that a stage wrote, right after the stage (in stream order). Names outlive the
/// call.
class StageObserver {
 public:
  virtual ~StageObserver() = default;
  virtual void stage_done(StagePosition position, char const* stage, char const* field,
                          RawField const& values) = 0;
};

/// Moves one element of `field` by one unit in the last place, away from zero.
void add_one_ulp(RawField const& field, std::int64_t element);

/// Test hook: after `stage` has written `field` at `position`, element `element` is moved by one unit in the
/// last place.
struct PlantedFault {
  char const* stage = nullptr;
  char const* field = nullptr;
  StagePosition position;
  std::int64_t element = 0;
};

}  // namespace ulpine
