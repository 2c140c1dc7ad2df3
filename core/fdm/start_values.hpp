// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/field/field.hpp"
#include "core/field/values.hpp"

namespace ulpine::fdm {

/// Sets the points of the lowest `levels` of a field in (z, y, x) to value(k, j, i).
template <class Value>
void write_points(Field const& field, std::int32_t levels, Value const& value) {
  auto const &rows = field.layout().axis(1), &columns = field.layout().axis(2);
  auto const ny = static_cast<std::int32_t>(rows.extent), nx = static_cast<std::int32_t>(columns.extent);
  std::vector<double> level(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
  for (std::int32_t k = 0; k < levels; ++k) {
    auto next = level.begin();
    for (std::int32_t j = 0; j < ny; ++j) {
      for (std::int32_t i = 0; i < nx; ++i) *next++ = value(k, j, i);
    }
    auto const count = static_cast<std::int64_t>(level.size());
    write_values(field.raw(), k * count, count, ValueType::float64, level.data());
  }
}

/// `look_up` of a height, which is called anew where the height is another: over flat ground once a level.
template <class LookUp>
auto by_height(LookUp look_up) {
  return [look_up, last = std::numeric_limits<double>::quiet_NaN(), value = 0.0](double z) mutable {
    if (z != last) {
      last = z;
      value = look_up(z);
    }
    return value;
  };
}

}  // namespace ulpine::fdm
