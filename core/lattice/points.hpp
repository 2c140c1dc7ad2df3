// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/field/field.hpp"
#include "core/field/values.hpp"

namespace ulpine {

/// Sets a field in (z, y, x) to value(k, j, i) by the block's own indices, level by level, so that it is
/// never whole on the host; values are formed in V.
template <class V = double, class Value>
void write_points(Field const& field, Value const& value) {
  auto const& layout = field.layout();
  auto const along = [&](int axis) { return static_cast<std::int32_t>(layout.axis(axis).extent); };
  auto const nz = along(0), ny = along(1), nx = along(2);
  std::vector<V> level(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
  auto const count = static_cast<std::int64_t>(level.size());
  for (std::int32_t k = 0; k < nz; ++k) {
    auto next = level.begin();
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) *next++ = static_cast<V>(value(k, j, i));
    }
    write_values(field.raw(), k * count, count, value_type_of<V>, level.data());
  }
}

}  // namespace ulpine
