// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/form.hpp"

/// Patch gather: a block owns `rows` consecutive rows, integrates each element that touches them once, keeps
/// the element matrices in shared memory, and sums each entry from there. The two phases are written for a
/// thread t of n; between them the block waits. The host runs them for t = 0..n - 1 in tests. The common
/// order (kernels.hpp).
namespace ulpine::fem {

/// The rows and elements of the patches. A view.
struct Patches {
  std::int32_t rows = 0, count = 0;
  std::int32_t most_elements = 0;             ///< of one patch
  std::int32_t const* start = nullptr;        ///< count + 1: into `element`
  std::int32_t const* element = nullptr;      ///< of each patch, ascending
  std::int32_t const* entry_start = nullptr;  ///< of each entry of the matrix, and the end
  std::uint16_t const* contribution =
      nullptr;                           ///< 16 times the element's place in the patch + 4 i + j, ascending
  std::uint16_t const* visit = nullptr;  ///< of each visit: 4 times the element's place + i
};

/// Throw: std::logic_error, and InputError where a device has less shared memory than a patch needs.
[[noreturn]] void refuse_elements_on_device();
[[noreturn]] void refuse_patch(std::int64_t bytes, int most);

template <ElementForm F>
struct PatchGather {
  using Real = typename F::Real;
  using Value = ValueOf<F>;
  static constexpr int entries_kept = 16 * F::width;
  /// Numbers that shared memory holds of an element: its matrix and its sums.
  static constexpr int numbers = entries_kept + 4 * sums_of<F>;

  F form;
  TetraConnectivity mesh;
  Target<F> target;
  Patches patches;

  /// What a patch needs of shared memory, bytes.
  std::int64_t bytes() const { return static_cast<std::int64_t>(sizeof(Real)) * numbers * stride(); }
  /// Number q of the element at `place` is room[q * stride() + place].
  ULPINE_HD std::int32_t stride() const { return patches.most_elements; }

  ULPINE_HD std::int32_t first_row(std::int32_t patch) const { return patch * patches.rows; }
  ULPINE_HD std::int32_t last_row(std::int32_t patch) const {
    auto const end = first_row(patch) + patches.rows;
    return end < mesh.nodes ? end : mesh.nodes;
  }

  /// Phase 1: of each element the rows that belong to the patch.
  ULPINE_HD void stage(Real* room, std::int32_t patch, int t, int n) const {
    auto const begin = patches.start[patch], count = patches.start[patch + 1] - begin;
    auto const first = first_row(patch), last = last_row(patch);
    for (auto k = t; k < count; k += n) {
      auto const e = patches.element[begin + k];
      auto const* const node = nodes_of(mesh.element, e);
      auto const element = form.element(e);
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        if (node[i] < first || node[i] >= last) continue;
        auto const own = form.node(node[i]);
        auto const shared = form.row(element, own, i);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          Real entry[F::width];
          form.entry(element, shared, i, j, entry);
          for (int q = 0; q < F::width; ++q) {
            room[(F::width * (4 * i + j) + q) * stride() + k] = entry[q];
          }
        }
        Real sum[sums_room<F>];
        form.sums(element, own, shared, i, sum);
        for (int q = 0; q < sums_of<F>; ++q) {
          room[(entries_kept + sums_of<F> * i + q) * stride() + k] = sum[q];
        }
      }
    }
  }

  /// Phase 2: an entry or a node's sums a thread, to memory.
  ULPINE_HD void gather(Real const* room, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), last = last_row(patch);
    auto const end = mesh.pattern.start[last];
    for (auto at = mesh.pattern.start[first] + t; at < end; at += n) {
      Value total[F::width];
      for (int q = 0; q < F::width; ++q) {
        total[q] = Value(0);
      }
      for (auto c = patches.entry_start[at]; c < patches.entry_start[at + 1]; ++c) {
        int const number = patches.contribution[c] & 15, place = patches.contribution[c] >> 4;
        for (int q = 0; q < F::width; ++q) {
          total[q] += static_cast<Value>(room[(F::width * number + q) * stride() + place]);
        }
      }
      for (int q = 0; q < F::width; ++q) {
        target.value[F::width * static_cast<std::int64_t>(at) + q] = total[q];
      }
    }
    for (auto x = t; x < sums_of<F> * (last - first); x += n) {
      auto const r = first + x / sums_room<F>, q = x % sums_room<F>;
      Value total = Value(0);
      for (auto v = mesh.visit_start[r]; v < mesh.visit_start[r + 1]; ++v) {
        int const i = patches.visit[v] & 3, place = patches.visit[v] >> 2;
        total += static_cast<Value>(room[(entries_kept + sums_of<F> * i + q) * stride() + place]);
      }
      if (auto* const to = target.sum(r, q)) *to = total;
    }
  }
};

}  // namespace ulpine::fem
