// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/field/raw_field.hpp"
#include "core/stage/position.hpp"

namespace ulpine {

/// Is told of every field that a stage wrote, right after the stage (in stream order). Names outlive the
/// call.
class StageObserver {
 public:
  virtual ~StageObserver() = default;
  virtual void stage_done(StagePosition const& position, char const* stage, char const* field,
                          RawField const& values) = 0;
};

/// Plants a fault: moves the value of dense index `element` by one unit in the last place, away from zero
/// (the largest finite value towards zero), if the field owns it. Waits for the device. InputError where the
/// domain has no such element or it is not finite.
void add_one_ulp(RawField const& field, std::int64_t element);

/// Test hook: after `stage` has written `field` at `position`, element `element` is moved by one unit in the
/// last place.
struct PlantedFault {
  std::string stage = {}, field = {};
  StagePosition position = {};
  std::int64_t element = 0;
};

}  // namespace ulpine
