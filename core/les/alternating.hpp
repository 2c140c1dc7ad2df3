// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/field/field.hpp"
#include "core/les/runge_kutta.hpp"

namespace ulpine::les {

/// A scalar that the first two Runge-Kutta stages carry to another place and back, where its tendency is
/// computed, which saves a pass over memory each; the last stage carries in place, so that a step begins and
/// ends with the scalar's own field.
template <class T, class Executor>
class Alternating {
  using Values = FieldOf<T, Executor>;

 public:
  /// One that is carried.
  Alternating(Values& own, Values& other, Values& stored) : places_{&own, &other}, stored_{&stored} {}
  /// One that stays as it is.
  explicit Alternating(Values& own) : places_{&own, &own} {}

  Values& own() const { return *places_[0]; }
  Values& now() const { return *places_[present_]; }
  Values& stored() const { return *stored_; }
  /// Where a kernel of tendencies puts the values at the end of a Runge-Kutta stage of length `length`.
  Carrying<T> carrying(StageLength<T> length, bool in_place) const {
    return {length, in_place ? Rows<T>{} : Rows<T>(next().grid())};
  }
  /// The fields that such a kernel writes.
  std::vector<Field const*> written(bool in_place) const {
    if (in_place) return {stored_};
    return {stored_, &next()};
  }
  void turn(bool in_place) { present_ = in_place ? 0 : 1 - present_; }

 private:
  Values& next() const { return *places_[1 - present_]; }

  Values *places_[2], *stored_ = nullptr;
  int present_ = 0;
};

}  // namespace ulpine::les
