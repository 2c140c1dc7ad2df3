// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/kernels.hpp"
#include "core/fem/row_sums.hpp"

/// Assembly visit by visit, in two kernels: the first integrates each element once and stores what its four
/// rows get; in the second a block owns consecutive rows, copies what their visits get to shared memory and
/// sums each entry from that. Both are written for a thread among others; the host runs them one after
/// another. The common order (kernels.hpp).
namespace ulpine::fem {

/// Elements whose rows are stored together: those of a warp, which writes their rows i side by side.
inline constexpr std::int32_t elements_together = 32;
/// Groups of so many that elements make.
ULPINE_HD constexpr std::int64_t groups_of(std::int64_t elements) {
  return (elements + elements_together - 1) / elements_together;
}

/// Which of the stored rows is a visit's.
ULPINE_HD inline std::int64_t stored_row(Visit visit) {
  auto const e = visit.element();
  return std::int64_t{4} * (e - e % elements_together) + elements_together * visit.local() +
         e % elements_together;
}

/// The first kernel: rows of element matrices to memory, `entry` [4 * F::width * row + F::width * turned(i,
/// j)
/// + q], and their sums, `sum` [sums_of<F> * row + k]. Thread `lane` of a group of elements_together has one
/// element; where each has written a row of its own to the group's room, all write the rows to memory.
template <ElementForm F>
struct VisitStore {
  using Real = typename F::Real;
  static constexpr int entries = 4 * F::width;
  /// Numbers between the rows of two lanes in a group's room: odd, so that lanes meet other banks.
  static constexpr int stride = (entries + sums_of<F>) | 1;

  F form;
  std::int32_t const* element_nodes;
  std::int32_t elements;
  ElementMatrices<F> store;

  ULPINE_HD std::int32_t groups() const { return static_cast<std::int32_t>(groups_of(elements)); }
  /// The nodes of a lane's element; beyond the last element those of the last.
  ULPINE_HD std::int32_t const* nodes(std::int32_t group, int lane) const {
    auto const e = elements_together * group + lane;
    return nodes_of(element_nodes, e < elements ? e : elements - 1);
  }
  /// Row i of a lane's element, to the group's room.
  ULPINE_HD void integrate(typename F::Element const& element, std::int32_t const* node, int i, Real* room,
                           int lane) const {
    auto* const to = room + stride * lane;
    auto const own = node_of(form, element, node, i);
    auto const shared = form.row(element, own, i);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      Real entry[F::width];
      form.entry(element, shared, i, j, entry);
      for (int q = 0; q < F::width; ++q) {
        to[F::width * turned(i, j) + q] = entry[q];
      }
    }
    Real sum[sums_room<F>];
    form.sums(element, own, shared, i, sum);
    for (int q = 0; q < sums_of<F>; ++q) {
      to[entries + q] = sum[q];
    }
  }
  /// A lane's share of the group's rows i, to memory.
  ULPINE_HD void write(std::int32_t group, int i, Real const* room, int lane) const {
    auto const first = elements_together * group, left = elements - first;
    auto const count = left < elements_together ? left : elements_together;
    auto const row = std::int64_t{4} * first + elements_together * i;
    for (auto x = lane; x < entries * count; x += elements_together) {
      store.entry[entries * row + x] = room[stride * (x / entries) + x % entries];
    }
    if constexpr (sums_of < F >> 0) {
      for (auto x = lane; x < sums_of<F> * count; x += elements_together) {
        store.sum[sums_of<F> * row + x] = room[stride * (x / sums_of<F>)+entries + x % sums_of<F>];
      }
    }
  }
};

/// What is copied aside at once of numbers that take `bytes`.
template <std::size_t bytes>
struct alignas(bytes % 16 == 0  ? 16
               : bytes % 8 == 0 ? 8
                                : 4) [[gnu::may_alias]] CopiedAtOnce {
  std::uint32_t word[bytes % 16 == 0 ? 4 : bytes % 8 == 0 ? 2 : 1];
};

/// The second kernel. After stage() the block waits.
template <ElementForm F>
struct VisitGather {
  using Real = typename F::Real;
  static constexpr int entries = 4 * F::width;

  RowSums<F> rows;
  ElementMatrices<F> store;

  /// Shared memory of a block.
  struct Room {
    Real *entry, *sum;  ///< of each place, as stored
    typename RowSums<F>::Room rows;
  };
  /// Where the parts of a room begin, bytes; and all of it.
  struct Layout {
    std::int32_t sum;
    typename RowSums<F>::Layout rows;
    std::int32_t bytes;
  };
  Layout layout() const {
    RoomTaker taker;
    taker.take(sizeof(Real), entries * rows.patches.most_places);
    Layout out{};
    out.sum = taker.take(sizeof(Real), sums_of<F> * rows.patches.most_places);
    out.rows = rows.layout(taker);
    out.bytes = taker.bytes;
    return out;
  }
  ULPINE_HD static Room room(unsigned char* memory, Layout const& at) {
    return {reinterpret_cast<Real*>(memory), reinterpret_cast<Real*>(memory + at.sum),
            RowSums<F>::room(memory, at.rows)};
  }

  ULPINE_HD void stage(Room room, std::int32_t patch, int t, int n) const {
    auto const from = rows.patches.start[patch], to = rows.patches.start[patch + 1];
    copy<entries>(room.entry, store.entry, from.visit, to.visit, t, n);
    if constexpr (sums_of < F >> 0) copy<sums_of<F>>(room.sum, store.sum, from.visit, to.visit, t, n);
    rows.stage(room.rows, patch, from, to, t, n);
    end_group_of_copies();
  }

  ULPINE_HD void gather(Room room, std::int32_t patch, int t, int n) const {
    rows.gather(room.rows, Kept{room.entry, room.sum}, patch, t, n);
  }

 private:
  struct Kept {
    static constexpr int each_thread = 1;  // the next thread's number is the next one in memory
    Real const *rows_of, *sums;
    ULPINE_HD KeptNumber<Real> number(int k) const {
      return k < entries ? KeptNumber<Real>{rows_of + k, entries}
                         : KeptNumber<Real>{sums + (k - entries), sums_of<F>};
    }
    ULPINE_HD Real entry(std::int32_t place, int k) const { return rows_of[entries * place + k]; }
  };

  /// Copies the `each` stored numbers of visits `base` to `end` aside.
  template <int each>
  ULPINE_HD void copy(Real* to, Real const* from, std::int32_t base, std::int32_t end, int t, int n) const {
    using Part = CopiedAtOnce<each * sizeof(Real)>;
    constexpr int parts = static_cast<int>(each * sizeof(Real) / sizeof(Part));
    auto const& mesh = rows.mesh;
    for (auto x = t; x < parts * (end - base); x += n) {
      auto const v = x / parts, part = x % parts;
      copy_aside(reinterpret_cast<Part*>(to) + parts * place_of_visit(v) + part,
                 reinterpret_cast<Part const*>(from) + parts * stored_row(mesh.visit[base + v]) + part);
    }
  }
};

}  // namespace ulpine::fem
