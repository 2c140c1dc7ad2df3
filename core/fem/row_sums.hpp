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
/// where the rows it adds to keep what they get. Halves of words, so that an element that is loaded ahead is
/// not taken apart, and waited for, before its turn.
struct alignas(16) PatchElement {
  static constexpr std::uint32_t elsewhere = 0xffff;  ///< a row of another patch
  std::uint32_t corner[4];                            ///< its node, and 2^16 times the place of its row

  ULPINE_HD std::int32_t node(int i) const { return static_cast<std::int32_t>(corner[i] & 0xffffU); }
  ULPINE_HD std::uint32_t place(int i) const { return corner[i] >> 16; }
};

/// Where the lists of a patch begin; those of the patch after it begin where they end.
struct alignas(16) PatchStart {
  std::int32_t element, node;  ///< of Way::patches: into Patches::element and ::node
  std::int32_t visit, entry;   ///< of its first row: visits of the mesh, entries of the matrix
};

/// Names of contributions, and starts of entries, as many as are copied at once.
struct alignas(16) EightNames {
  std::uint16_t name[8];
};
struct alignas(16) FourStarts {
  std::int32_t start[4];
};

/// The rows of the patches, and of Way::patches their elements and nodes. A view.
struct Patches {
  std::int32_t rows = 0, count = 0;
  std::int32_t most_places = 0, most_nodes = 0, most_entries = 0;  ///< of one patch
  PatchStart const* start = nullptr;                               ///< count + 1
  PatchElement const* element = nullptr;  ///< of each patch by the corners it owns (ElementsByCorners)
  std::int32_t const* node = nullptr;     ///< of each patch those that are no rows of its own, ascending
  /// Of each entry of the matrix, and the end. It begins at a multiple of 16 bytes and may be read up to one.
  std::int32_t const* entry_start = nullptr;
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
  /// Contributions to an entry off the diagonal that are loaded together: most entries have no more.
  static constexpr int together = 6;
  /// Entries off the diagonal that take about as long as a number of a node.
  static constexpr int entries_of_a_sum = 4;

  TetraConnectivity mesh;
  Target<F> target;
  Patches patches;

  /// The tables of a patch in the block's memory, as in Patches.
  struct Room {
    EightNames* names;        ///< from the last multiple of eight before the patch's first one on
    FourStarts* entry_start;  ///< of four
    std::int32_t *visit_start, *diagonal;  ///< of the rows
    PatchStart* ends;                      ///< of the patch and of the next
  };
  /// Where they begin, bytes.
  struct Layout {
    std::int32_t names, visit_start, diagonal, entry_start, ends;
  };
  Layout layout(RoomTaker& taker) const {
    Layout out{};
    out.names =
        taker.take(sizeof(EightNames), (3 * patches.most_places + 14) / 8);  // no more visits than places
    out.visit_start = taker.take(sizeof(std::int32_t), patches.rows + 1);
    out.diagonal = taker.take(sizeof(std::int32_t), patches.rows);
    out.entry_start = taker.take(sizeof(FourStarts), (patches.most_entries + 7) / 4);
    out.ends = taker.take(sizeof(PatchStart), 2);
    return out;
  }
  ULPINE_HD static Room room(unsigned char* memory, Layout const& at) {
    return {reinterpret_cast<EightNames*>(memory + at.names),
            reinterpret_cast<FourStarts*>(memory + at.entry_start),
            reinterpret_cast<std::int32_t*>(memory + at.visit_start),
            reinterpret_cast<std::int32_t*>(memory + at.diagonal),
            reinterpret_cast<PatchStart*>(memory + at.ends)};
  }

  ULPINE_HD std::int32_t first_row(std::int32_t patch) const { return patch * patches.rows; }
  ULPINE_HD std::int32_t last_row(std::int32_t patch) const {
    auto const end = first_row(patch) + patches.rows;
    return end < mesh.nodes ? end : mesh.nodes;
  }

  /// Copies the tables aside: thread t of n. `from` and `to` are the starts of the patch and of the next.
  ULPINE_HD void stage(Room room, std::int32_t patch, PatchStart from, PatchStart to, int t, int n) const {
    auto const first = first_row(patch), own = last_row(patch) - first;
    auto const copy = [&](auto* to, auto const* from, std::int32_t size) {
      for (auto k = t; k < size; k += n) copy_aside(to + k, from + k);
    };
    copy(room.ends, patches.start + patch, 2);
    copy(room.visit_start, mesh.visit_start + first, own + 1);
    copy(room.diagonal, patches.diagonal + first, own);
    auto const starts = from.entry / 4;
    copy(room.entry_start, reinterpret_cast<FourStarts const*>(patches.entry_start) + starts,
         to.entry / 4 - starts + 1);
    auto const names = 3 * from.visit / 8;
    copy(room.names, patches.contribution + names, (3 * to.visit + 7) / 8 - names);
  }

  /// Numbers of a thread's, to memory. `kept` has the visits' numbers: number(k), k = width * turned + q of
  /// the row of the element's matrix, then the sums; entry(place, k) is such a k of the row.
  /// Kept::each_thread of an entry's numbers are one thread's.
  template <class Kept>
  ULPINE_HD void gather(Room room, Kept const& kept, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), own = last_row(patch) - first, sums = of_node * own;
    auto const from = room.ends[0], to = room.ends[1];
    for (auto x = t; x < sums; x += n) {
      auto const r = x / of_node;
      int const q = x % of_node;
      KeptNumber<Real> const number = kept.number(q < F::width ? q : q + 3 * F::width);
      Value total = Value(0);
      for (auto v = room.visit_start[r]; v < room.visit_start[r + 1]; ++v) {
        total += static_cast<Value>(number.first[number.step * place_of_visit(v - from.visit)]);
      }
      if (q < F::width) {
        target.value[F::width * static_cast<std::int64_t>(room.diagonal[r]) + q] = total;
      } else if (auto* const sum = target.sum(first + r, q - F::width)) {
        *sum = total;
      }
    }
    // Threads that had a node's number less begin with entries of their own.
    constexpr int parts = F::width / Kept::each_thread;
    auto busy = sums;
    while (busy >= n) busy -= n;
    auto const all = parts * (to.entry - from.entry), idle = n - busy;
    auto const ahead = entries_of_a_sum * idle < all ? entries_of_a_sum * idle : all;
    for (auto x = t < busy ? ahead + t : t - busy; x < all;) {
      sum_entry(room, kept, from, x / parts, x % parts);
      if (x >= ahead) {
        x += n;
      } else {
        x = x + idle < ahead ? x + idle : ahead + t;
      }
    }
  }

 private:
  /// A thread's part of the numbers of the k-th entry of the patch.
  template <class Kept>
  ULPINE_HD void sum_entry(Room room, Kept const& kept, PatchStart from, std::int32_t k, int part) const {
    constexpr int each = Kept::each_thread;
    auto const* const name = &room.names->name[0];
    auto const* const start = &room.entry_start->start[0] + from.entry % 4 + k;
    auto const skipped = 8 * (3 * from.visit / 8);
    auto const begin = start[0] - skipped, end = start[1] - skipped;
    if (begin == end) return;  // on the diagonal
    static_assert(together == 6, "as the loops are unrolled");
    Value total[each];
    for (int q = 0; q < each; ++q) {
      total[q] = Value(0);
    }
    for (auto c = begin; c < end; c += together) {
      Real value[together][each];
#pragma GCC unroll 6
      for (int u = 0; u < together; ++u) {
        if (c + u >= end) continue;
        int const number = name[c + u] & 3, place = name[c + u] >> 2;
        for (int q = 0; q < each; ++q) {
          value[u][q] = kept.entry(place, F::width * number + each * part + q);
        }
      }
#pragma GCC unroll 6
      for (int u = 0; u < together; ++u) {
        if (c + u >= end) continue;
        for (int q = 0; q < each; ++q) {
          total[q] += static_cast<Value>(value[u][q]);
        }
      }
    }
    for (int q = 0; q < each; ++q) {
      target.value[F::width * static_cast<std::int64_t>(from.entry + k) + each * part + q] = total[q];
    }
  }
};

}  // namespace ulpine::fem
