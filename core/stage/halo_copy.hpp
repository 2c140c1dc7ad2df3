// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/field/rows.hpp"
#include "core/ranks/blocks.hpp"
#include "precision/host_device.hpp"

/// The parts of a block's fields that go to its neighbours' halos (halo.hpp), and their copies.
namespace ulpine {

/// How far a halo reaches: columns below 0 and from the block's extent on, along x and y alike.
struct HaloWidth {
  std::int32_t low = 1, high = 1;
};
/// Levels from `first` to before `end`.
struct HaloLevels {
  std::int32_t first = 0, end = 1;
  ULPINE_HD constexpr std::int32_t count() const { return end - first; }
};

namespace detail {

/// Columns of a block that go to, or come from, a neighbour.
struct HaloBox {
  std::int32_t first_x = 0, first_y = 0, nx = 0, ny = 0;
  std::int32_t before = 0;  ///< columns of the boxes before it
  ULPINE_HD constexpr std::int32_t columns() const { return nx * ny; }
};

struct HaloBoxes {
  static constexpr int most = static_cast<int>(directions.size());
  HaloBox boxes[most];
  int count = 0;

  constexpr void add(HaloBox box) {
    box.before = columns();
    boxes[count++] = box;
  }
  constexpr std::int32_t columns() const {
    return count == 0 ? 0 : boxes[count - 1].before + boxes[count - 1].columns();
  }
};

/// Column n of the boxes at level first_level + k of some fields to its place in a buffer, or back: box after
/// box, in each field after field, level after level, row after row.
template <class T>
struct HaloCopy {
  static constexpr int most = 16;
  HaloBoxes boxes;
  Rows<T> fields[most];
  int count = 0;
  HaloLevels levels;
  T* buffer = nullptr;
  bool packs = false;

  ULPINE_HD void operator()(std::int32_t n, std::int32_t k) const {
    int b = 0;
    while (b + 1 < boxes.count && n >= boxes.boxes[b + 1].before) ++b;
    auto const& box = boxes.boxes[b];
    auto const column = n - box.before, columns = box.columns();
    auto const j = box.first_y + column / box.nx, i = box.first_x + column % box.nx;
    auto const each = std::int64_t{levels.count()} * columns;
    auto* place =
        buffer + (std::int64_t{box.before} * levels.count() * count + std::int64_t{k} * columns + column);
    for (int f = 0; f < count; ++f, place += each) {
      auto& value = fields[f](levels.first + k, j, i);
      packs ? void(*place = value) : void(value = *place);
    }
  }
};

}  // namespace detail

}  // namespace ulpine
