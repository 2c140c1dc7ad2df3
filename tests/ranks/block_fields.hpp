// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/field/rows.hpp"
#include "core/ranks/blocks.hpp"

namespace ulpine::test {

/// A value that names its point.
inline double value_at(int field, std::int32_t k, std::int32_t j, std::int32_t i) {
  return field * 1e9 + k * 1e6 + j * 1e3 + i;
}
inline constexpr double untouched = -1;

/// Three fields of a block with `room` columns around.
struct BlockFields {
  static constexpr std::int32_t room = 5, levels = 3;
  explicit BlockFields(Blocks const& all) : blocks{all}, values(3 * size(), untouched) {
    for (int f = 0; f < 3; ++f) {
      for (std::int32_t k = 0; k < levels; ++k) {
        for (std::int32_t j = 0; j < blocks.ny(); ++j) {
          for (std::int32_t i = 0; i < blocks.nx(); ++i) {
            rows(f)(k, j, i) = value_at(f, k, blocks.first_y() + j, blocks.first_x() + i);
          }
        }
      }
    }
  }
  std::size_t row() const { return static_cast<std::size_t>(blocks.nx() + 2 * room); }
  std::size_t plane() const { return row() * static_cast<std::size_t>(blocks.ny() + 2 * room); }
  std::size_t size() const { return plane() * levels; }
  Rows<double> rows(int f) {
    return {values.data() + static_cast<std::size_t>(f) * size() + room * row() + room,
            static_cast<std::int64_t>(plane()), static_cast<std::int64_t>(row())};
  }
  Blocks blocks;
  std::vector<double> values;
};

}  // namespace ulpine::test
