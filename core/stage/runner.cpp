// SPDX-License-Identifier: Apache-2.0
#include "core/stage/runner.hpp"

namespace ulpine {

char const* name_of(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::bitwise:
      return "bitwise";
    case Guarantee::run_to_run:
      return "run_to_run";
    default:
      return "none";
  }
}

Stage StageRunner::add(StageDescription description) {
  auto const number = clock_.add_stage(description.name);
  stages_.push_back(std::move(description));
  return static_cast<Stage>(number);
}

void StageRunner::report(std::size_t stage, std::span<Field const* const> writes) {
  auto const& name = stages_[stage].name;
  for (auto const* field : writes) {
    if (fault_.stage == name && fault_.field == field->name() && fault_.position == position_) {
      add_one_ulp(field->raw(), fault_.element);
    }
    if (observer_ != nullptr) {
      observer_->stage_done(position_, name.c_str(), field->name().c_str(), field->raw());
    }
  }
}

}  // namespace ulpine
