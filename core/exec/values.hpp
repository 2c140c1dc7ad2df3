// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/exec/view.hpp"
#include "precision/host_device.hpp"

namespace ulpine {

/// Which values of an array count: up to four axes of `extent` points that lie `stride` values apart, slowest
/// first, the first of them `first` values from the array's beginning. Halo and padding are what is left out.
struct Points {
  static constexpr int axes = 4;

  std::int64_t extent[axes] = {1, 1, 1, 0};
  std::int64_t stride[axes] = {0, 0, 0, 1};
  std::int64_t first = 0;
  /// Where point n of the last axis lies, in strides; null: the n-th. In the array's memory.
  std::int64_t const* position = nullptr;

  ULPINE_HD constexpr std::int64_t count() const { return extent[0] * extent[1] * extent[2] * extent[3]; }
  /// Whether the points lie one after the other.
  ULPINE_HD constexpr bool contiguous() const {
    std::int64_t next = 1;
    for (int a = axes; a-- > 0;) {
      if (extent[a] != 1 && stride[a] != next) return false;
      next *= extent[a];
    }
    return position == nullptr;
  }
  /// How many points from number i on lie one after the other in a row.
  ULPINE_HD constexpr std::int64_t run(std::int64_t i) const {
    auto const last = axes - 1;
    return stride[last] == 1 && position == nullptr ? extent[last] - i % extent[last] : 1;
  }
  /// Where point number i, counted row-major, lies.
  ULPINE_HD constexpr std::int64_t at(std::int64_t i) const {
    // Divisions of 32 bits are several times faster on a GPU, and enough for most.
    return count() <= 0xffffffffll ? at(static_cast<std::uint32_t>(i)) : at<std::int64_t>(i);
  }

 private:
  template <class Integer>
  ULPINE_HD constexpr std::int64_t at(Integer rest) const {
    auto index = first;
    for (int a = axes - 1; a > 0; --a) {
      auto const points = static_cast<Integer>(extent[a]);
      auto const next = rest / points;
      auto const point = static_cast<std::int64_t>(rest - next * points);
      index += (a == axes - 1 && position != nullptr ? position[point] : point) * stride[a];
      rest = next;
    }
    return index + static_cast<std::int64_t>(rest) * stride[0];
  }
};

/// Numbers in an executor's memory that a reduction reads.
template <class T>
struct Values {
  T const* data = nullptr;
  Points points;
};

/// All of a view. Whatever else is to be reduced has a values_of in its own header (fields:
/// core/field/values.hpp).
template <class T>
ULPINE_HD constexpr Values<std::remove_const_t<T>> values_of(View<T> view) {
  return {view.data(), {.extent = {1, 1, 1, view.size()}}};
}
template <class T>
ULPINE_HD constexpr Values<T> values_of(Values<T> values) {
  return values;
}

/// Values i to i + count in the order of the points: where they lie if those are contiguous, or copied to
/// `buffer`.
template <class T>
T const* in_order(Values<T> const& x, bool contiguous, std::int64_t i, std::int64_t count, T* buffer) {
  if (contiguous) return x.data + x.points.first + i;
  auto* to = buffer;
  for (auto const end = i + count; i < end;) {
    auto const run = std::min(x.points.run(i), end - i);
    to = std::copy_n(x.data + x.points.at(i), run, to);
    i += run;
  }
  return buffer;
}

}  // namespace ulpine
