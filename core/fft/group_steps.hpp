// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fft/line_program.hpp"

/// The device's schedule: a block takes a group of lines through all steps in its shared memory, or a launch
/// takes one through a step in global memory. Nothing here needs a device, so it is tested without.
namespace ulpine::fft {

/// Where lines lie in the planes, and in buffers: positions in pairs.
struct GroupLayout {
  /// Lines of a group; the last of a stretch may have fewer.
  std::int32_t lanes = 1;
  Divider by_lanes{};
  /// Neighbouring threads take neighbouring lines (columns), else neighbouring items (rows).
  bool lanes_first = false;
  /// Lines of a stretch, in which line begins after line: all rows, or a plane's columns; and its groups.
  std::int64_t lines = 0;
  std::uint32_t groups = 1;
  std::int64_t per_stretch = 0, per_lane = 0;
  std::int32_t per_number = 1;
  /// Number j lies at (j + (j >> pad)) buffer_number: so that threads write to several banks at once.
  std::int32_t pad = 31, buffer_lane = 0, buffer_number = 1;
  /// Of one buffer, in pairs.
  std::int64_t buffer = 0;
};

/// A line's numbers in the planes or a buffer.
template <class T>
struct GroupLine {
  Complex<T>* first;
  std::int32_t per_number, pad;
  bool swapped;

  ULPINE_HD Complex<T> load(std::int32_t j) const {
    auto const x = first[(j + (j >> pad)) * per_number];
    return swapped ? Complex<T>{x.im, x.re} : x;
  }
  ULPINE_HD void store(std::int32_t j, Complex<T> x) const {
    first[(j + (j >> pad)) * per_number] = swapped ? Complex<T>{x.im, x.re} : x;
  }
};

/// A group of lines; `buffers` holds those that the program uses, one after the other.
template <class P>
struct GroupSteps {
  using T = typename P::Value;
  LineProgram<T> const& program;
  GroupLayout const& layout;
  Complex<T>* planes;
  Complex<T>* buffers;
  std::int32_t lanes;

  ULPINE_HD GroupSteps(LineProgram<T> const& program, GroupLayout const& layout, Complex<T>* all_planes,
                       Complex<T>* buffers, std::uint32_t group)
      : program{program}, layout{layout}, buffers{buffers} {
    auto const stretch = group / layout.groups;
    auto const line = static_cast<std::int64_t>(group - stretch * layout.groups) * layout.lanes;
    planes = all_planes + stretch * layout.per_stretch + line * layout.per_lane;
    auto const left = layout.lines - line;
    lanes = left < layout.lanes ? static_cast<std::int32_t>(left) : layout.lanes;
  }

  /// How many (item, line) a step has; those of lines beyond the stretch are empty.
  ULPINE_HD static std::int32_t count(Step const& step, GroupLayout const& layout) {
    return step.items * layout.lanes;
  }

  /// A thread's share of a step, which all of the step before precedes.
  ULPINE_HD void run(Step const& step, std::int32_t thread, std::int32_t threads) const {
    visit_items<P>(step, Share{*this, step, thread, threads});
  }

 private:
  struct Share {
    GroupSteps const& group;
    Step const& step;
    std::int32_t thread, threads;

    template <class Item>
    ULPINE_HD void operator()(Item) const {
      auto const& layout = group.layout;
      for (auto i = thread; i < count(step, layout); i += threads) {
        auto const whole = layout.lanes_first ? layout.by_lanes(i) : step.by_items(i);
        auto const rest = i - whole * (layout.lanes_first ? layout.lanes : step.items);
        auto const lane = layout.lanes_first ? rest : whole, item = layout.lanes_first ? whole : rest;
        if (lane < group.lanes) {
          Item::apply(group.program, step, item, group.line(step.source, lane, step.swapped_source),
                      group.line(step.target, lane, step.swapped_target));
        }
      }
    }
  };

  ULPINE_HD GroupLine<T> line(Place place, std::int32_t lane, bool swapped) const {
    if (place == Place::planes) {
      return {planes + lane * layout.per_lane, layout.per_number, 31, swapped};
    }
    return {buffers + (place == Place::b ? layout.buffer : 0) +
                static_cast<std::int64_t>(lane) * layout.buffer_lane,
            layout.buffer_number, layout.pad, swapped};
  }
};

}  // namespace ulpine::fft
