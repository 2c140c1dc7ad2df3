// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

/// The rows, elements and nodes of the patches. A view.
struct Patches {
  std::int32_t rows = 0, count = 0;
  std::int32_t most_places = 0, most_nodes = 0;  ///< of one patch
  std::int32_t const* start = nullptr;           ///< count + 1: into `element`
  PatchElement const* element = nullptr;         ///< of each patch, ascending
  std::int32_t const* node_start = nullptr;      ///< count + 1: into `node`
  std::int32_t const* node = nullptr;         ///< of each patch those that are no rows of its own, ascending
  std::int32_t const* entry_start = nullptr;  ///< of each entry of the matrix, and the end
  /// 4 times the place + turned(i, j) of each contribution to an entry off the diagonal, in the order of the
  /// elements.
  std::uint16_t const* contribution = nullptr;
};

/// Where the n-th visit of a patch keeps its numbers. A place in sixteen stays free: rows of equally many
/// visits would else begin at the same bank of shared memory.
ULPINE_HD constexpr std::int32_t place_of_visit(std::int32_t n) { return n + n / 16; }
/// Column j as row i counts the columns of an element: its own is 0.
ULPINE_HD constexpr int turned(int i, int j) { return (j - i) & 3; }

/// Throw: std::logic_error, and InputError where a device has less shared memory than a patch needs.
[[noreturn]] void refuse_elements_on_device();
[[noreturn]] void refuse_patch(std::int64_t bytes, int most);

template <ElementForm F>
struct PatchGather {
  using Real = typename F::Real;
  using State = typename F::Policy::State;
  using Value = ValueOf<F>;
  /// Numbers that are kept of a visit: its row of the element's matrix, and the sums.
  static constexpr int numbers = 4 * F::width + sums_of<F>;
  /// Those of a node: its entry of the diagonal, and the sums.
  static constexpr int of_node = F::width + sums_of<F>;

  F form;
  TetraConnectivity mesh;
  Target<F> target;
  Patches patches;

  /// What a block has in shared memory.
  struct Room {
    State* field;  ///< fields one after the other, each [numbers a node * node + k]
    Real* number;  ///< [number * most_places + place]
  };

  /// Numbers of State, and of Real, in a room.
  ULPINE_HD std::int64_t field_numbers() const {
    std::int64_t each = 0;
    F::fields(form, [&](State const* field, int count) { each += field == nullptr ? 0 : count; });
    return each * patches.most_nodes;
  }
  std::int64_t kept_numbers() const { return static_cast<std::int64_t>(numbers) * patches.most_places; }

  ULPINE_HD std::int32_t first_row(std::int32_t patch) const { return patch * patches.rows; }
  ULPINE_HD std::int32_t last_row(std::int32_t patch) const {
    auto const end = first_row(patch) + patches.rows;
    return end < mesh.nodes ? end : mesh.nodes;
  }

  /// Phase 1: the fields.
  ULPINE_HD void stage(Room room, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), own = last_row(patch) - first;
    auto const others = patches.node_start[patch];
    auto const count = own + patches.node_start[patch + 1] - others;
    for (auto k = t; k < count; k += n) {
      std::int64_t const node = k < own ? first + k : patches.node[others + k - own];
      auto* to = room.field;
      F::fields(form, [&](State const* field, int each) {
        if (field == nullptr) return;
        for (int d = 0; d < each; ++d) to[each * k + d] = field[each * node + d];
        to += each * patches.most_nodes;
      });
    }
  }

  /// Phase 2: of each element the rows that belong to the patch.
  ULPINE_HD void integrate(Room room, std::int32_t patch, int t, int n) const {
    auto const here = staged(room);
    for (auto k = patches.start[patch] + t; k < patches.start[patch + 1]; k += n) {
      auto const own = patches.element[k];
      std::int32_t const node[4] = {own.node[0], own.node[1], own.node[2], own.node[3]};
      auto const element = here.element(node);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        if (own.place[i] == PatchElement::elsewhere) continue;
        auto* const to = room.number + own.place[i];
        auto const row_node = here.node(node[i]);
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
    auto const first = first_row(patch), last = last_row(patch), base = mesh.visit_start[first];
    for (auto x = t; x < of_node * (last - first); x += n) {
      auto const r = first + x / of_node;
      int const q = x % of_node;
      auto const* const from = room.number + (q < F::width ? q : q + 3 * F::width) * patches.most_places;
      auto const begin = mesh.visit_start[r];
      Value total = Value(0);
      for (auto v = begin; v < mesh.visit_start[r + 1]; ++v) {
        total += static_cast<Value>(from[place_of_visit(v - base)]);
      }
      if (q >= F::width) {
        if (auto* const to = target.sum(r, q - F::width)) *to = total;
      } else {
        auto const slot = mesh.slot[begin] >> (8 * mesh.visit[begin].local()) & 255U;
        target.value[F::width * static_cast<std::int64_t>(mesh.pattern.start[r] + slot) + q] = total;
      }
    }
    auto const end = mesh.pattern.start[last];
    for (auto at = mesh.pattern.start[first] + t; at < end; at += n) {
      auto const begin = patches.entry_start[at], stop = patches.entry_start[at + 1];
      if (begin == stop) continue;  // on the diagonal
      Value total[F::width];
      for (int q = 0; q < F::width; ++q) {
        total[q] = Value(0);
      }
      for (auto c = begin; c < stop; ++c) {
        int const number = patches.contribution[c] & 3, place = patches.contribution[c] >> 2;
        for (int q = 0; q < F::width; ++q) {
          total[q] += static_cast<Value>(room.number[(F::width * number + q) * patches.most_places + place]);
        }
      }
      for (int q = 0; q < F::width; ++q) {
        target.value[F::width * static_cast<std::int64_t>(at) + q] = total[q];
      }
    }
  }

 private:
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
