// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/fft/group_steps.hpp"

namespace ulpine::fft {

/// Memory of a device that transforms may use, bytes.
struct DeviceSchedule {
  /// Shared memory of a block; 0: all that the device gives.
  std::int64_t shared_bytes = 0;
  /// Planes that are transformed in both directions before the next are begun: they stay in the cache.
  std::int64_t cached_bytes = std::int64_t{25} << 20;
};

/// How lines are grouped: in shared memory where even a single line fits, else in global scratch.
struct GroupPlan {
  GroupLayout layout;
  bool shared = true;
  /// Size of all buffers.
  std::int64_t bytes = 0;
};

namespace detail {

template <class T>
std::int32_t buffers_of(LineProgram<T> const& program) {
  std::int32_t buffers = 0;
  for (std::int32_t s = 0; s < program.count; ++s) {
    buffers = std::max(buffers, static_cast<std::int32_t>(program.steps[s].target));
  }
  return buffers;
}

/// Size of one buffer of so many lines, in pairs.
inline std::int64_t buffer_pairs(std::int32_t numbers, std::int32_t pad, std::int32_t lanes) {
  return std::int64_t{numbers - 1 + ((numbers - 1) >> pad) + 1} * lanes;
}

}  // namespace detail

/// The most lines of a group in global scratch: 2^24 numbers, or one line.
inline std::int32_t lanes_in_scratch(std::int64_t lines, std::int32_t numbers) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>((1 << 24) / numbers, 1, lines));
}

/// `wanted` lines to a group, or fewer: halved while they take more than `bytes` and are more than `least`,
/// and while they take more than `limit`.
template <class T>
GroupPlan plan_groups(LineProgram<T> const& program, GroupLayout layout, std::int32_t wanted,
                      std::int32_t least, std::int64_t bytes, std::int64_t limit) {
  auto const buffers = detail::buffers_of(program);
  auto const numbers = program.buffered;
  auto const taken = [&](std::int32_t lanes, std::int32_t pad) {
    return buffers * detail::buffer_pairs(numbers, pad, lanes) *
           static_cast<std::int64_t>(sizeof(Complex<T>));
  };
  GroupPlan plan{.layout = layout};
  auto lanes = static_cast<std::int32_t>(std::min<std::int64_t>(wanted, layout.lines));
  while (lanes > 1 &&
         (taken(lanes, layout.pad) > limit || (lanes > least && taken(lanes, layout.pad) > bytes))) {
    lanes = (lanes + 1) / 2;
  }
  plan.shared = taken(lanes, layout.pad) <= limit;
  if (!plan.shared) {
    lanes = lanes_in_scratch(layout.lines, numbers);
    plan.layout.pad = 31;
  }
  plan.layout.lanes = lanes;
  plan.layout.by_lanes = Divider(lanes);
  plan.layout.buffer = detail::buffer_pairs(numbers, plan.layout.pad, lanes);
  plan.layout.buffer_number = layout.lanes_first ? lanes : 1;
  plan.layout.buffer_lane = layout.lanes_first ? 1 : static_cast<std::int32_t>(plan.layout.buffer / lanes);
  plan.layout.groups = static_cast<std::uint32_t>((layout.lines + lanes - 1) / lanes);
  plan.bytes = taken(lanes, plan.layout.pad);
  return plan;
}

/// Rows of `count` planes: so many that each thread has about one butterfly of radix 8, three blocks to a
/// multiprocessor.
template <class T>
GroupPlan plan_rows(LineProgram<T> const& program, std::int32_t count, std::int32_t ny, std::int32_t pairs,
                    std::int32_t threads, std::int64_t limit) {
  // Shared memory serves 128 bytes at once.
  GroupLayout const layout{
      .lines = std::int64_t{count} * ny, .per_lane = pairs, .pad = sizeof(T) == 4 ? 4 : 3};
  return plan_groups(program, layout, std::max(1, threads * 8 / program.buffered), 1, limit / 3, limit);
}

/// Columns of a plane: a tile of rows of 64 bytes, or 32, what memory moves at once, where those take too
/// much.
template <class T>
GroupPlan plan_columns(LineProgram<T> const& program, std::int32_t ny, std::int32_t pairs,
                       std::int64_t limit) {
  auto const per_sector = static_cast<std::int32_t>(32 / sizeof(Complex<T>));
  GroupLayout const layout{.lanes_first = true,
                           .lines = pairs,
                           .per_stretch = std::int64_t{ny} * pairs,
                           .per_lane = 1,
                           .per_number = pairs,
                           .pad = 3};
  return plan_groups(program, layout, 2 * per_sector, per_sector, limit / 2, limit);
}

}  // namespace ulpine::fft
