// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fem/row_sums.hpp"

/// Patch gather: a block owns `rows` consecutive rows. It copies the fields of all nodes that these rows'
/// elements have to shared memory, integrates each of the elements once, keeps there what its own rows get of
/// them, and sums each entry from that. The three phases are written for a thread t of n; after each the
/// block waits. The host runs them for t = 0..n - 1 in tests. The common order (kernels.hpp).
namespace ulpine::fem {

template <ElementForm F>
struct PatchGather {
  using Real = typename F::Real;
  using State = typename F::Policy::State;
  /// Numbers that are kept of a visit: its row of the element's matrix, and the sums.
  static constexpr int numbers = 4 * F::width + sums_of<F>;
  /// From one visit's numbers to the next one's: odd, so that visits meet other banks of shared memory.
  static constexpr int stride = numbers | 1;

  F form;
  RowSums<F> rows;

  /// Shared memory of a block.
  struct Room {
    State* field;  ///< fields one after the other, each [numbers a node * node + k]
    Real* number;  ///< [stride * place + number]
    typename RowSums<F>::Room rows;
  };

  /// Where the parts of a room begin, bytes; and all of it.
  struct Layout {
    std::int32_t number;
    typename RowSums<F>::Layout rows;
    std::int32_t bytes;
  };
  Layout layout() const {
    std::int32_t each = 0;
    F::fields(form, NumbersGiven{each});
    RoomTaker taker;
    taker.take(sizeof(State), each * rows.patches.most_nodes);
    Layout out{};
    out.number = taker.take(sizeof(Real), stride * rows.patches.most_places);
    out.rows = rows.layout(taker);
    out.bytes = taker.bytes;
    return out;
  }
  ULPINE_HD static Room room(unsigned char* memory, Layout const& at) {
    return {reinterpret_cast<State*>(memory), reinterpret_cast<Real*>(memory + at.number),
            RowSums<F>::room(memory, at.rows)};
  }

  /// Phase 1: copies the fields, and, as a second group, the lists that phase 3 goes by. The thread's first
  /// element, for phase 2.
  ULPINE_HD PatchElement stage(Room room, std::int32_t patch, int t, int n) const {
    auto const& patches = rows.patches;
    auto const from = patches.start[patch], after = patches.start[patch + 1];
    auto const mine = from.element + t;
    auto const element = mine < after.element ? patches.element[mine] : PatchElement{};
    auto const first = rows.first_row(patch), own = rows.last_row(patch) - first;
    auto const count = own + after.node - from.node;
    for (auto k = t; k < count; k += n) {
      std::int64_t const node = k < own ? first + k : patches.node[from.node + k - own];
      auto* to = room.field;
      F::fields(form, [&](State const* field, int each) {
        if (field == nullptr) return;
        for (int d = 0; d < each; ++d) copy_aside(to + each * k + d, field + each * node + d);
        to += each * patches.most_nodes;
      });
    }
    end_group_of_copies();
    rows.stage(room.rows, patch, from, after, t, n);
    end_group_of_copies();
    return element;
  }

  /// Phase 2: of each element the rows that belong to the patch.
  ULPINE_HD void integrate(Room room, PatchElement next, std::int32_t patch, int t, int n) const {
    auto const& patches = rows.patches;
    auto const here = staged(room);
    auto const end = patches.start[patch + 1].element;
    for (auto k = patches.start[patch].element + t; k < end; k += n) {
      auto const own = next;
      if (k + n < end) next = patches.element[k + n];  // on its way while this one is integrated
      std::int32_t const node[4] = {own.node(0), own.node(1), own.node(2), own.node(3)};
      auto const element = here.element(node);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        if (own.place(i) == PatchElement::elsewhere) continue;
        auto* const to = room.number + stride * own.place(i);
        auto const row_node = node_of(here, element, node, i);
        auto const shared = here.row(element, row_node, i);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          Real entry[F::width];
          here.entry(element, shared, i, j, entry);
          for (int q = 0; q < F::width; ++q) {
            to[F::width * turned(i, j) + q] = entry[q];
          }
        }
        Real sum[sums_room<F>];
        here.sums(element, row_node, shared, i, sum);
        for (int q = 0; q < sums_of<F>; ++q) {
          to[4 * F::width + q] = sum[q];
        }
      }
    }
  }

  /// Phase 3: a number of a thread's, to memory.
  ULPINE_HD void gather(Room room, std::int32_t patch, int t, int n) const {
    rows.gather(room.rows, Kept{room.number}, patch, t, n);
  }

 private:
  struct Kept {
    static constexpr int each_thread = F::width;
    Real const* numbers_of;
    ULPINE_HD KeptNumber<Real> number(int k) const { return {numbers_of + k, stride}; }
    ULPINE_HD Real entry(std::int32_t place, int k) const { return numbers_of[stride * place + k]; }
  };

  /// Counts the numbers a node of the fields that are given. No lambda: fields() is for devices too.
  struct NumbersGiven {
    std::int32_t& count;
    ULPINE_HD void operator()(State const* field, int each) const { count += field == nullptr ? 0 : each; }
  };

  /// The form with the fields of a room, nodes as the patch counts them.
  ULPINE_HD F staged(Room room) const {
    auto here = form;
    State const* from = room.field;
    F::fields(here, [&](State const*& field, int each) {
      if (field == nullptr) return;
      field = from;
      from += each * rows.patches.most_nodes;
    });
    return here;
  }
};

}  // namespace ulpine::fem
