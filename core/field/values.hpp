// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/values.hpp"
#include "core/field/field.hpp"

namespace ulpine {

/// The points that `layout` owns.
constexpr Points points_of(Layout const& layout) {
  Points points{.extent = {1, 1, 1, 1}, .first = layout.offset(), .position = layout.positions()};
  for (int axis = 0; axis < layout.rank(); ++axis) {
    auto const place = Points::axes - layout.rank() + axis;
    points.extent[place] = layout.axis(axis).extent;
    points.stride[place] = layout.axis(axis).stride;
  }
  return points;
}

/// The owned values of a field, so that `reducer.sum_to(field, scalar)` leaves halo and padding out.
template <class T, class Executor>
Values<T> values_of(FieldOf<T, Executor> const& field) {
  return {field.view().data(), points_of(field.layout())};
}

}  // namespace ulpine
