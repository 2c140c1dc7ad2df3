// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exec/side_copy.hpp"
#include "core/fem/form.hpp"

/// What the ways have in common whose blocks own consecutive rows (patch.hpp, visits.hpp): the lists of the
/// rows, and their sums from what the visits' numbers are in the block's memory. The common order
/// (kernels.hpp).
namespace ulpine::fem {

/// An element of a patch: its nodes as the patch counts them (own rows, then the others, ascending), and
/// where the rows it adds to keep what they get.
struct alignas(16) PatchElement {
  static constexpr std::uint16_t elsewhere = 0xffff;  ///< a row of another patch
  std::uint16_t node[4], place[4];
};

/// Names of contributions, as many as are copied at once.
struct alignas(16) EightNames {
  std::uint16_t name[8];
};

/// The rows of the patches, and of Way::patches their elements and nodes. A view.
struct Patches {
  std::int32_t rows = 0, count = 0;
  std::int32_t most_places = 0, most_nodes = 0, most_entries = 0;  ///< of one patch
  std::int32_t const* start = nullptr;                             ///< count + 1: into `element`
  PatchElement const* element = nullptr;                           ///< of each patch, ascending
  std::int32_t const* node_start = nullptr;                        ///< count + 1: into `node`
  std::int32_t const* node = nullptr;         ///< of each patch those that are no rows of its own, ascending
  std::int32_t const* entry_start = nullptr;  ///< of each entry of the matrix, and the end
  /// 4 times the place + turned(i, j) of each contribution to an entry off the diagonal, in the order of the
  /// elements: three a visit.
  EightNames const* contribution = nullptr;
  std::int32_t const* diagonal = nullptr;  ///< of each row its entry
};

/// Where the n-th visit of a patch keeps its numbers. A place in sixteen stays free: rows of equally many
/// visits would else begin at the same bank of shared memory.
ULPINE_HD constexpr std::int32_t place_of_visit(std::int32_t n) { return n + n / 16; }
/// Column j as row i counts the columns of an element: its own is 0.
ULPINE_HD constexpr int turned(int i, int j) { return (j - i) & 3; }

/// Throws InputError where a device has less shared memory than a patch needs.
[[noreturn]] void refuse_patch(std::int64_t bytes, int most);

/// Gives parts of a block's memory one after the other; each begins at a multiple of 16 bytes.
struct RoomTaker {
  std::int32_t bytes = 0;  ///< taken so far

  /// Where `count` objects of a size begin.
  std::int32_t take(std::size_t size, std::int32_t count) {
    auto const begin = bytes;
    bytes += (static_cast<std::int32_t>(size) * count + 15) / 16 * 16;
    return begin;
  }
};

/// One of the numbers that are kept of each visit: at a place it is first[step * place].
template <class Real>
struct KeptNumber {
  Real const* first;
  std::int32_t step;
};

template <ElementForm F>
struct RowSums {
  using Real = typename F::Real;
  using Value = ValueOf<F>;
  /// Numbers that are kept of a node: its entry of the diagonal, and the sums.
  static constexpr int of_node = F::width + sums_of<F>;

  TetraConnectivity mesh;
  Target<F> target;
  Patches patches;

  /// The tables of a patch in the block's memory, as in Patches.
  struct Room {
    EightNames* names;  ///< from the last multiple of eight before the patch's first one on
    std::int32_t *visit_start, *diagonal, *entry_start;  ///< of the rows and of the entries
  };
  /// Where they begin, bytes.
  struct Layout {
    std::int32_t names, visit_start, diagonal, entry_start;
  };
  Layout layout(RoomTaker& taker) const {
    Layout out{};
    out.names =
        taker.take(sizeof(EightNames), (3 * patches.most_places + 14) / 8);  // no more visits than places
    out.visit_start = taker.take(sizeof(std::int32_t), patches.rows + 1);
    out.diagonal = taker.take(sizeof(std::int32_t), patches.rows);
    out.entry_start = taker.take(sizeof(std::int32_t), patches.most_entries + 1);
    return out;
  }
  ULPINE_HD static Room room(unsigned char* memory, Layout const& at) {
    return {reinterpret_cast<EightNames*>(memory + at.names),
            reinterpret_cast<std::int32_t*>(memory + at.visit_start),
            reinterpret_cast<std::int32_t*>(memory + at.diagonal),
            reinterpret_cast<std::int32_t*>(memory + at.entry_start)};
  }

  ULPINE_HD std::int32_t first_row(std::int32_t patch) const { return patch * patches.rows; }
  ULPINE_HD std::int32_t last_row(std::int32_t patch) const {
    auto const end = first_row(patch) + patches.rows;
    return end < mesh.nodes ? end : mesh.nodes;
  }

  /// Copies the tables aside: thread t of n.
  ULPINE_HD void stage(Room room, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), own = last_row(patch) - first;
    auto const copy = [&](auto* to, auto const* from, std::int32_t size) {
      for (auto k = t; k < size; k += n) copy_aside(to + k, from + k);
    };
    auto const names = first_names(first), entry = mesh.pattern.start[first];
    copy(room.names, patches.contribution + names, (3 * mesh.visit_start[first + own] + 7) / 8 - names);
    copy(room.visit_start, mesh.visit_start + first, own + 1);
    copy(room.diagonal, patches.diagonal + first, own);
    copy(room.entry_start, patches.entry_start + entry, mesh.pattern.start[first + own] - entry + 1);
  }

  /// Numbers of a thread's, to memory. `kept` has the visits' numbers: number(k), k = width * turned + q of
  /// the row of the element's matrix, then the sums; entry(place, k) is such a k of the row.
  /// Kept::each_thread of an entry's numbers are one thread's.
  template <class Kept>
  ULPINE_HD void gather(Room room, Kept const& kept, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), own = last_row(patch) - first;
    auto const base = room.visit_start[0];
    for (auto x = t; x < of_node * own; x += n) {
      auto const r = x / of_node;
      int const q = x % of_node;
      KeptNumber<Real> const from = kept.number(q < F::width ? q : q + 3 * F::width);
      Value total = Value(0);
      for (auto v = room.visit_start[r]; v < room.visit_start[r + 1]; ++v) {
        total += static_cast<Value>(from.first[from.step * place_of_visit(v - base)]);
      }
      if (q < F::width) {
        target.value[F::width * static_cast<std::int64_t>(room.diagonal[r]) + q] = total;
      } else if (auto* const to = target.sum(first + r, q - F::width)) {
        *to = total;
      }
    }
    constexpr int each = Kept::each_thread, parts = F::width / each;
    auto const entry = mesh.pattern.start[first], entries = mesh.pattern.start[first + own] - entry;
    auto const* const name = &room.names->name[0];
    auto const skipped = 8 * first_names(first);
    for (auto x = t; x < parts * entries; x += n) {
      auto const k = x / parts;
      int const from = each * (x % parts);
      auto const begin = room.entry_start[k] - skipped, end = room.entry_start[k + 1] - skipped;
      if (begin == end) continue;  // on the diagonal
      Value total[each];
      for (int q = 0; q < each; ++q) {
        total[q] = Value(0);
      }
      for (auto c = begin; c < end; ++c) {
        int const number = name[c] & 3, place = name[c] >> 2;
        for (int q = 0; q < each; ++q) {
          total[q] += static_cast<Value>(kept.entry(place, F::width * number + from + q));
        }
      }
      for (int q = 0; q < each; ++q) {
        target.value[F::width * static_cast<std::int64_t>(entry + k) + from + q] = total[q];
      }
    }
  }

 private:
  /// Where the names of the patch of a first row begin.
  ULPINE_HD std::int32_t first_names(std::int32_t first) const { return 3 * mesh.visit_start[first] / 8; }
};

}  // namespace ulpine::fem
