// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "precision/host_device.hpp"

namespace ulpine {

/// One axis of a field: `extent` owned points, `stride` values apart in memory, of `global_extent` in all,
/// the first of them number `begin`.
struct LayoutAxis {
  std::int64_t extent = 1, stride = 0, global_extent = 1, begin = 0;
};

/// Where the values of a field sit and how they lie in memory. Up to four axes, slowest first; unused ones
/// come first and have extent 1. The *dense index* counts the points of the whole domain row-major, without
/// halo and padding: it is all that hashes, traces, noise, files and messages ever see.
class Layout {
 public:
  static constexpr int most_axes = 4;

  Layout() = default;
  /// `axes`, slowest first, at most most_axes; the first owned point is value `offset` of `allocated`.
  constexpr Layout(std::initializer_list<LayoutAxis> axes, std::int64_t offset, std::int64_t allocated)
      : Layout(std::span(axes.begin(), axes.size()), offset, allocated) {}
  constexpr Layout(std::span<LayoutAxis const> axes, std::int64_t offset, std::int64_t allocated)
      : rank_{static_cast<int>(axes.size())}, offset_{offset}, allocated_{allocated} {
    auto at = most_axes - rank_;
    for (auto const& axis : axes) axes_[at++] = axis;
  }
  /// Points without halo, row-major.
  static constexpr Layout dense(std::int64_t ny, std::int64_t nx) {
    return {{{ny, nx, ny}, {nx, 1, nx}}, 0, ny * nx};
  }
  static constexpr Layout dense(std::int64_t nz, std::int64_t ny, std::int64_t nx) {
    return {{{nz, ny * nx, nz}, {ny, nx, ny}, {nx, 1, nx}}, 0, nz * ny * nx};
  }
  /// Points with `halo` more at both ends of every axis, in rows of a multiple of `row_multiple` values.
  static constexpr Layout with_halo(std::int64_t nz, std::int64_t ny, std::int64_t nx, std::int64_t halo,
                                    std::int64_t row_multiple = 1) {
    auto const row = (nx + 2 * halo + row_multiple - 1) / row_multiple * row_multiple;
    auto const plane = (ny + 2 * halo) * row;
    return {{{nz, plane, nz}, {ny, row, ny}, {nx, 1, nx}}, halo * (plane + row + 1), (nz + 2 * halo) * plane};
  }
  /// `count` entities of a mesh that are stored as numbered; see with_numbers() where they are not.
  static constexpr Layout entities(std::int64_t count) { return {{{count, 1, count}}, 0, count}; }

  /// This layout with mesh entities stored in another order: `position[n]` is where entity n lies, both
  /// counted along the last axis. The table is in the field's memory and outlives the layout.
  constexpr Layout with_positions(std::int64_t const* position) const {
    auto copy = *this;
    copy.position_ = position;
    return copy;
  }

  /// This layout with only some mesh entities owned, in any pattern: the n-th of them is number `number[n]`
  /// of the last axis, ascending, and lies at position[n] of with_positions(). Of the two tables one is in
  /// the field's memory, the other in the host's (the same one of a field of the host); both outlive the
  /// layout.
  constexpr Layout with_numbers(std::int64_t const* number, std::int64_t const* number_on_host) const {
    auto copy = *this;
    copy.number_ = number;
    copy.number_on_host_ = number_on_host;
    return copy;
  }
  /// This layout with its mesh entities owned and stored as those of `other`.
  constexpr Layout with_entities_of(Layout const& other) const {
    return with_positions(other.position_).with_numbers(other.number_, other.number_on_host_);
  }

  /// Null where owned entities are numbered one after the other.
  ULPINE_HD constexpr std::int64_t const* numbers() const {
#if defined(__CUDA_ARCH__)
    return number_;
#else
    return number_on_host_;
#endif
  }
  /// Null where entities are stored as numbered.
  ULPINE_HD constexpr std::int64_t const* positions() const { return position_; }
  ULPINE_HD constexpr int rank() const { return rank_; }
  /// Axis number `axis` of rank(), slowest first.
  ULPINE_HD constexpr LayoutAxis const& axis(int axis) const { return axes_[most_axes - rank_ + axis]; }
  /// Where the first owned point lies, mesh entities as numbered.
  ULPINE_HD constexpr std::int64_t offset() const { return offset_; }
  /// Values in memory, halo and padding included.
  ULPINE_HD constexpr std::int64_t allocated() const { return allocated_; }
  /// Number of owned points.
  ULPINE_HD constexpr std::int64_t count() const {
    return axes_[0].extent * axes_[1].extent * axes_[2].extent * axes_[3].extent;
  }
  /// Number of points of the whole domain.
  ULPINE_HD constexpr std::int64_t global_count() const {
    return axes_[0].global_extent * axes_[1].global_extent * axes_[2].global_extent * axes_[3].global_extent;
  }
  /// Whether owned points lie one after the other.
  ULPINE_HD constexpr bool contiguous() const {
    std::int64_t stride = 1;
    for (int a = most_axes; a-- > 0;) {
      if (axes_[a].extent != 1 && axes_[a].stride != stride) return false;
      stride *= axes_[a].extent;
    }
    return position_ == nullptr;
  }

  /// A point by its indices along the four axes, counted from the first owned point.
  struct Point {
    std::int64_t at[most_axes];
  };
  /// Owned point number `owned`, counted row-major.
  ULPINE_HD constexpr Point point(std::int64_t owned) const {
    Point p{};
    // Most fields have fewer than 2^32 points, and 32-bit divisions are several times faster on a GPU.
    if (count() <= 0xffffffffll) {
      auto rest = static_cast<std::uint32_t>(owned);
      for (int a = most_axes - 1; a > 0; --a) {
        auto const extent = static_cast<std::uint32_t>(axes_[a].extent);
        auto const next = rest / extent;
        p.at[a] = rest - next * extent;
        rest = next;
      }
      p.at[0] = rest;
    } else {
      auto rest = owned;
      for (int a = most_axes - 1; a > 0; --a) {
        auto const next = rest / axes_[a].extent;
        p.at[a] = rest - next * axes_[a].extent;
        rest = next;
      }
      p.at[0] = rest;
    }
    return p;
  }
  ULPINE_HD constexpr std::int64_t memory_index(Point const& p) const {
    auto index = offset_;
    for (int a = 0; a < most_axes - 1; ++a) index += p.at[a] * axes_[a].stride;
    auto const last = most_axes - 1;
    return index + (position_ == nullptr ? p.at[last] : position_[p.at[last]]) * axes_[last].stride;
  }
  ULPINE_HD constexpr std::int64_t dense_index(Point const& p) const {
    auto const last = most_axes - 1;
    std::int64_t index = 0;
    for (int a = 0; a < last; ++a) index = index * axes_[a].global_extent + axes_[a].begin + p.at[a];
    auto const at = numbers() == nullptr ? axes_[last].begin + p.at[last] : numbers()[p.at[last]];
    return index * axes_[last].global_extent + at;
  }
  /// Where owned point number `owned` lies.
  ULPINE_HD constexpr std::int64_t memory_index(std::int64_t owned) const {
    return memory_index(point(owned));
  }
  /// Dense index of an owned point.
  ULPINE_HD constexpr std::int64_t dense_index(std::int64_t owned) const {
    return whole() ? owned : dense_index(point(owned));
  }
  /// Number of the owned point of that dense index (of a point of the domain); -1 where it is not owned.
  ULPINE_HD constexpr std::int64_t owned(std::int64_t dense_index) const {
    std::int64_t number = 0, points = 1;
    for (int a = most_axes; a-- > 0;) {
      auto const along = dense_index % axes_[a].global_extent;
      auto const listed = a == most_axes - 1 && numbers() != nullptr;
      auto const at = listed ? place_in_list(along) : along - axes_[a].begin;
      if (at < 0 || at >= axes_[a].extent) return -1;
      number += at * points;
      points *= axes_[a].extent;
      dense_index /= axes_[a].global_extent;
    }
    return number;
  }
  /// Whether all points of the domain are owned.
  ULPINE_HD constexpr bool whole() const { return count() == global_count(); }

 private:
  /// Which owned entity has that number; -1: none.
  ULPINE_HD constexpr std::int64_t place_in_list(std::int64_t number) const {
    auto const extent = axes_[most_axes - 1].extent;
    std::int64_t low = 0, high = extent;
    while (low < high) {
      auto const middle = low + (high - low) / 2;
      if (numbers()[middle] < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < extent && numbers()[low] == number ? low : -1;
  }

  // Without braces: g++ 12 evaluates them once for all and overwrites them in later constant expressions.
  LayoutAxis axes_[most_axes];
  int rank_ = 0;
  std::int64_t offset_ = 0, allocated_ = 0;
  std::int64_t const *position_ = nullptr, *number_ = nullptr, *number_on_host_ = nullptr;
};

}  // namespace ulpine
