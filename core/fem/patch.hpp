// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/exec/side_copy.hpp"
#include "core/fem/form.hpp"

/// Patch gather: a block owns `rows` consecutive rows. It copies the fields of all nodes that these rows'
/// elements have to shared memory, integrates each of the elements once, keeps there what its own rows get of
/// them, and sums each entry from that. The three phases are written for a thread t of n; after each the
/// block waits. The host runs them for t = 0..n - 1 in tests. The common order (kernels.hpp).
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

/// The rows, elements and nodes of the patches. A view.
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

/// Throw: std::logic_error twice, and InputError where a device has less shared memory than a patch needs.
[[noreturn]] void refuse_elements_on_device();
[[noreturn]] void refuse_way_of_rounded();
[[noreturn]] void refuse_patch(std::int64_t bytes, int most);

template <ElementForm F>
struct PatchGather {
  using Real = typename F::Real;
  using State = typename F::Policy::State;
  using Value = ValueOf<F>;
  /// Numbers that are kept of a visit: its row of the element's matrix, and the sums.
  static constexpr int numbers = 4 * F::width + sums_of<F>;
  /// Numbers that are kept of a node: its entry of the diagonal, and the sums.
  static constexpr int of_node = F::width + sums_of<F>;

  F form;
  TetraConnectivity mesh;
  Target<F> target;
  Patches patches;

  /// Shared memory of a block.
  struct Room {
    State* field;  ///< fields one after the other, each [numbers a node * node + k]
    Real* number;  ///< [number * most_places + place]
    // Tables of the last phase, as in Patches:
    EightNames* names;  ///< from the last multiple of eight before the patch's first one on
    std::int32_t *visit_start, *diagonal, *entry_start;  ///< of the rows and of the entries
  };

  /// Where the parts of a room begin, bytes; and all of it.
  struct Layout {
    std::int32_t number, names, visit_start, diagonal, entry_start, bytes;
  };
  Layout layout() const {
    std::int32_t each = 0, at = 0;
    F::fields(form, NumbersGiven{each});
    auto const after = [&](std::size_t size, std::int32_t count) {
      at += (static_cast<std::int32_t>(size) * count + 15) / 16 * 16;
      return at;
    };
    Layout out{};
    out.number = after(sizeof(State), each * patches.most_nodes);
    out.names = after(sizeof(Real), numbers * patches.most_places);
    out.visit_start =
        after(sizeof(EightNames), (3 * patches.most_places + 14) / 8);  // no more visits than places
    out.diagonal = after(sizeof(std::int32_t), patches.rows + 1);
    out.entry_start = after(sizeof(std::int32_t), patches.rows);
    out.bytes = after(sizeof(std::int32_t), patches.most_entries + 1);
    return out;
  }
  ULPINE_HD static Room room(unsigned char* memory, Layout const& at) {
    return {reinterpret_cast<State*>(memory),
            reinterpret_cast<Real*>(memory + at.number),
            reinterpret_cast<EightNames*>(memory + at.names),
            reinterpret_cast<std::int32_t*>(memory + at.visit_start),
            reinterpret_cast<std::int32_t*>(memory + at.diagonal),
            reinterpret_cast<std::int32_t*>(memory + at.entry_start)};
  }

  ULPINE_HD std::int32_t first_row(std::int32_t patch) const { return patch * patches.rows; }
  ULPINE_HD std::int32_t last_row(std::int32_t patch) const {
    auto const end = first_row(patch) + patches.rows;
    return end < mesh.nodes ? end : mesh.nodes;
  }

  /// Phase 1: copies the fields, and, as a second group, the lists that phase 3 goes by. The thread's first
  /// element, for phase 2.
  ULPINE_HD PatchElement stage(Room room, std::int32_t patch, int t, int n) const {
    auto const mine = patches.start[patch] + t;
    auto const element = mine < patches.start[patch + 1] ? patches.element[mine] : PatchElement{};
    auto const first = first_row(patch), own = last_row(patch) - first;
    auto const others = patches.node_start[patch];
    auto const count = own + patches.node_start[patch + 1] - others;
    for (auto k = t; k < count; k += n) {
      std::int64_t const node = k < own ? first + k : patches.node[others + k - own];
      auto* to = room.field;
      F::fields(form, [&](State const* field, int each) {
        if (field == nullptr) return;
        for (int d = 0; d < each; ++d) copy_aside(to + each * k + d, field + each * node + d);
        to += each * patches.most_nodes;
      });
    }
    end_group_of_copies();
    auto const copy = [&](auto* to, auto const* from, std::int32_t size) {
      for (auto k = t; k < size; k += n) copy_aside(to + k, from + k);
    };
    auto const names = first_names(first), entry = mesh.pattern.start[first];
    copy(room.names, patches.contribution + names, (3 * mesh.visit_start[first + own] + 7) / 8 - names);
    copy(room.visit_start, mesh.visit_start + first, own + 1);
    copy(room.diagonal, patches.diagonal + first, own);
    copy(room.entry_start, patches.entry_start + entry, mesh.pattern.start[first + own] - entry + 1);
    end_group_of_copies();
    return element;
  }

  /// Phase 2: of each element the rows that belong to the patch.
  ULPINE_HD void integrate(Room room, PatchElement next, std::int32_t patch, int t, int n) const {
    auto const here = staged(room);
    auto const end = patches.start[patch + 1];
    for (auto k = patches.start[patch] + t; k < end; k += n) {
      auto const own = next;
      if (k + n < end) next = patches.element[k + n];  // on its way while this one is integrated
      std::int32_t const node[4] = {own.node[0], own.node[1], own.node[2], own.node[3]};
      auto const element = here.element(node);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        if (own.place[i] == PatchElement::elsewhere) continue;
        auto* const to = room.number + own.place[i];
        auto const row_node = node_of(here, element, node, i);
        auto const shared = here.row(element, row_node, i);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          Real entry[F::width];
          here.entry(element, shared, i, j, entry);
          for (int q = 0; q < F::width; ++q) {
            to[(F::width * turned(i, j) + q) * patches.most_places] = entry[q];
          }
        }
        Real sum[sums_room<F>];
        here.sums(element, row_node, shared, i, sum);
        for (int q = 0; q < sums_of<F>; ++q) {
          to[(4 * F::width + q) * patches.most_places] = sum[q];
        }
      }
    }
  }

  /// Phase 3: a number of a thread's, to memory.
  ULPINE_HD void gather(Room room, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), own = last_row(patch) - first;
    auto const base = room.visit_start[0];
    for (auto x = t; x < of_node * own; x += n) {
      auto const r = x / of_node;
      int const q = x % of_node;
      auto const* const from = room.number + (q < F::width ? q : q + 3 * F::width) * patches.most_places;
      Value total = Value(0);
      for (auto v = room.visit_start[r]; v < room.visit_start[r + 1]; ++v) {
        total += static_cast<Value>(from[place_of_visit(v - base)]);
      }
      if (q < F::width) {
        target.value[F::width * static_cast<std::int64_t>(room.diagonal[r]) + q] = total;
      } else if (auto* const to = target.sum(first + r, q - F::width)) {
        *to = total;
      }
    }
    auto const entry = mesh.pattern.start[first], entries = mesh.pattern.start[first + own] - entry;
    auto const* const name = &room.names->name[0];
    auto const skipped = 8 * first_names(first);
    for (auto k = t; k < entries; k += n) {
      auto const begin = room.entry_start[k] - skipped, end = room.entry_start[k + 1] - skipped;
      if (begin == end) continue;  // on the diagonal
      Value total[F::width];
      for (int q = 0; q < F::width; ++q) {
        total[q] = Value(0);
      }
      for (auto c = begin; c < end; ++c) {
        int const number = name[c] & 3, place = name[c] >> 2;
        for (int q = 0; q < F::width; ++q) {
          total[q] += static_cast<Value>(room.number[(F::width * number + q) * patches.most_places + place]);
        }
      }
      for (int q = 0; q < F::width; ++q) {
        target.value[F::width * static_cast<std::int64_t>(entry + k) + q] = total[q];
      }
    }
  }

 private:
  /// Counts the numbers a node of the fields that are given. No lambda: fields() is for devices too.
  struct NumbersGiven {
    std::int32_t& count;
    ULPINE_HD void operator()(State const* field, int each) const { count += field == nullptr ? 0 : each; }
  };

  /// Where the names of the patch of a first row begin.
  ULPINE_HD std::int32_t first_names(std::int32_t first) const { return 3 * mesh.visit_start[first] / 8; }
  /// The form with the fields of a room, nodes as the patch counts them.
  ULPINE_HD F staged(Room room) const {
    auto here = form;
    State const* from = room.field;
    F::fields(here, [&](State const*& field, int each) {
      if (field == nullptr) return;
      field = from;
      from += each * patches.most_nodes;
    });
    return here;
  }
};

}  // namespace ulpine::fem
