// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/fft/line_program.hpp"
#include "core/fft/row_pieces.hpp"

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
  /// Size of one buffer, in pairs.
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

/// A line's wavenumbers in pieces.
template <class T>
struct PieceLine {
  RowPieces<T> const& pieces;
  std::int64_t row;  ///< of a piece

  ULPINE_HD Complex<T>& number(std::int32_t j) const {
    std::int32_t p = 0;
    while (j >= pieces.begin[p + 1]) ++p;
    auto const begin = pieces.begin[p], size = pieces.begin[p + 1] - begin;
    return reinterpret_cast<Complex<T>*>(pieces.first[p])[row * size + (j - begin)];
  }
  ULPINE_HD Complex<T> load(std::int32_t j) const { return number(j); }
  ULPINE_HD void store(std::int32_t j, Complex<T> x) const { number(j) = x; }
};

/// Items that take a real line's wavenumbers, and those that leave them: the first of an inverse and the last
/// of a forward transform.
template <class P, class Item>
inline constexpr bool takes_wavenumbers = std::is_same_v<Item, ItemOf<P, Operation::merge>> ||
                                          std::is_same_v<Item, ItemOf<P, Operation::from_half>>;
template <class P, class Item>
inline constexpr bool leaves_wavenumbers =
    std::is_same_v<Item, ItemOf<P, Operation::split>> || std::is_same_v<Item, ItemOf<P, Operation::to_half>>;

/// Where a program begins and ends: lines in planes, transformed in place.
template <class T>
struct InPlanes {
  Complex<T>* planes;

  ULPINE_HD void begin_at(GroupLayout const& layout, std::uint32_t stretch, std::int64_t line) {
    planes += stretch * layout.per_stretch + line * layout.per_lane;
  }
  ULPINE_HD GroupLine<T> values(GroupLayout const& layout, std::int32_t lane, bool swapped) const {
    return {planes + lane * layout.per_lane, layout.per_number, 31, swapped};
  }
  ULPINE_HD GroupLine<T> wavenumbers(GroupLayout const& layout, std::int32_t lane) const {
    return values(layout, lane, false);
  }
};

/// Rows of levels and their pieces: positions in pairs.
template <class T>
struct RowsAndPieces {
  Complex<T>* rows = nullptr;
  std::int64_t row = 0, level = 0;
  std::int32_t levels = 0, rows_of_level = 0;
  Divider by_rows{};
  RowPieces<T> pieces;
};

/// Where a group's lines lie: real rows on the one side, pieces on the other.
template <class T>
struct InPieces {
  RowsAndPieces<T> const& all;
  std::int32_t first = 0;

  ULPINE_HD void begin_at(GroupLayout const&, std::uint32_t, std::int64_t line) {
    first = static_cast<std::int32_t>(line);
  }
  struct Place {
    std::int32_t level, row;
  };
  ULPINE_HD Place place(std::int32_t lane) const {
    auto const level = all.by_rows(first + lane);
    return {level, first + lane - level * all.rows_of_level};
  }
  ULPINE_HD GroupLine<T> values(GroupLayout const&, std::int32_t lane, bool swapped) const {
    auto const [level, row] = place(lane);
    return {all.rows + level * all.level + row * all.row, 1, 31, swapped};
  }
  ULPINE_HD PieceLine<T> wavenumbers(GroupLayout const&, std::int32_t lane) const {
    auto const [level, row] = place(lane);
    return {all.pieces, std::int64_t{row} * all.levels + level};
  }
};

/// A group of lines; `buffers` holds those that the program uses, one after the other.
template <class P, class Ends = InPlanes<typename P::Value>>
struct GroupSteps {
  using T = typename P::Value;
  LineProgram<T> const& program;
  GroupLayout const& layout;
  Ends ends;
  Complex<T>* buffers;
  std::int32_t lanes;

  ULPINE_HD GroupSteps(LineProgram<T> const& program, GroupLayout const& layout, Ends const& all_lines,
                       Complex<T>* buffers, std::uint32_t group)
      : program{program}, layout{layout}, ends{all_lines}, buffers{buffers} {
    auto const stretch = group / layout.groups;
    auto const line = static_cast<std::int64_t>(group - stretch * layout.groups) * layout.lanes;
    ends.begin_at(layout, stretch, line);
    auto const left = layout.lines - line;
    lanes = left < layout.lanes ? static_cast<std::int32_t>(left) : layout.lanes;
  }

  /// How many (item, line) a step has; those of lines beyond the stretch are empty.
  ULPINE_HD static std::int32_t count(Step const& step, GroupLayout const& layout) {
    return step.items * layout.lanes;
  }

  /// A thread's share of a step, which all of the step before precedes.
  [[gnu::always_inline]] ULPINE_HD inline void run(Step const& step, std::int32_t thread,
                                                   std::int32_t threads) const {
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
          group.template apply<Item>(step, item, lane);
        }
      }
    }
  };

  template <class Item>
  ULPINE_HD void apply(Step const& step, std::int32_t item, std::int32_t lane) const {
    if constexpr (takes_wavenumbers<P, Item>) {
      Item::apply(program, step, item, ends.wavenumbers(layout, lane),
                  line(step.target, lane, step.swapped_target));
    } else if constexpr (leaves_wavenumbers<P, Item>) {
      Item::apply(program, step, item, line(step.source, lane, step.swapped_source),
                  ends.wavenumbers(layout, lane));
    } else {
      Item::apply(program, step, item, line(step.source, lane, step.swapped_source),
                  line(step.target, lane, step.swapped_target));
    }
  }

  ULPINE_HD GroupLine<T> line(Place place, std::int32_t lane, bool swapped) const {
    if (place == Place::planes) return ends.values(layout, lane, swapped);
    return {buffers + (place == Place::b ? layout.buffer : 0) +
                static_cast<std::int64_t>(lane) * layout.buffer_lane,
            layout.buffer_number, layout.pad, swapped};
  }
};

}  // namespace ulpine::fft
