// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/form.hpp"

/// Patch gather: a block owns `rows` consecutive rows, integrates each element that touches them once into
/// shared memory, and sums there. The three phases are written for a thread t of n; between them the block
/// waits. The host runs them for t = 0..n - 1 in tests. The common order (kernels.hpp).
namespace ulpine::fem {

/// The rows and elements of the patches. A view.
struct Patches {
  std::int32_t rows = 0, count = 0;
  std::int32_t most_elements = 0, most_entries = 0;  ///< of one patch
  std::int32_t const* start = nullptr;               ///< count + 1: into `element`
  std::int32_t const* element = nullptr;             ///< of each patch, ascending
  std::uint16_t const* visit =
      nullptr;  ///< of each visit: 4 times its element's place in the patch, plus its local node
};

/// How many numbers an element is.
template <class F>
inline constexpr int numbers_of = static_cast<int>(sizeof(typename F::Element) / sizeof(typename F::Real));

/// Throw: std::logic_error, and InputError where a device has less shared memory than a patch needs.
[[noreturn]] void refuse_elements_on_device();
[[noreturn]] void refuse_patch(std::int64_t bytes, int most);

template <ElementForm F>
struct PatchGather {
  using Real = typename F::Real;
  using Value = ValueOf<F>;
  static constexpr int numbers = numbers_of<F>;
  static_assert(sizeof(typename F::Element) == numbers * sizeof(Real), "an element is nothing but Reals");

  F form;
  TetraConnectivity mesh;
  Target<F> target;
  Patches patches;

  /// What a patch needs of shared memory, bytes.
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(sizeof(Value)) *
               (F::width * patches.most_entries + sums_of<F> * patches.rows) +
           static_cast<std::int64_t>(sizeof(Real)) * numbers * stride();
  }
  /// Odd, so that neighbouring elements' numbers lie in different banks.
  ULPINE_HD std::int32_t stride() const { return patches.most_elements | 1; }

  /// One patch's part of a block's shared memory.
  struct Room {
    Value *entries, *sums;
    Real* elements;
  };
  ULPINE_HD Room room(void* memory) const {
    auto* const entries = static_cast<Value*>(memory);
    auto* const sums = entries + F::width * patches.most_entries;
    return {entries, sums, reinterpret_cast<Real*>(sums + sums_of<F> * patches.rows)};
  }

  ULPINE_HD std::int32_t first_row(std::int32_t patch) const { return patch * patches.rows; }
  ULPINE_HD std::int32_t last_row(std::int32_t patch) const {
    auto const end = first_row(patch) + patches.rows;
    return end < mesh.nodes ? end : mesh.nodes;
  }

  /// Phase 1: elements into shared memory, one number a plane; sums to zero.
  ULPINE_HD void stage(Room const& room, std::int32_t patch, int t, int n) const {
    auto const begin = patches.start[patch], count = patches.start[patch + 1] - begin;
    for (auto k = t; k < count; k += n) {
      union {
        typename F::Element element;
        Real number[numbers];
      } u = {form.element(patches.element[begin + k])};
#pragma GCC unroll 64
      for (int q = 0; q < numbers; ++q) {
        room.elements[q * stride() + k] = u.number[q];
      }
    }
    auto const first = first_row(patch), last = last_row(patch);
    auto const entries = F::width * (mesh.pattern.start[last] - mesh.pattern.start[first]);
    for (auto k = t; k < entries; k += n) {
      room.entries[k] = Value(0);
    }
  }

  /// Phase 2: each row's visits in order, by one thread, so that no sum is split.
  ULPINE_HD void gather(Room const& room, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), rows = last_row(patch) - first;
    for (auto local = t; local < rows; local += n) {
      auto const r = first + local;
      auto* const row = room.entries + F::width * (mesh.pattern.start[r] - mesh.pattern.start[first]);
      Value total[sums_room<F>];
      for (int k = 0; k < sums_of<F>; ++k) {
        total[k] = Value(0);
      }
      auto const own = form.node(r);
      for (auto v = mesh.visit_start[r]; v < mesh.visit_start[r + 1]; ++v) {
        int const place = patches.visit[v] >> 2, i = patches.visit[v] & 3;
        auto const slots = mesh.slot[v];
        union {
          Real number[numbers];
          typename F::Element element;
        } u;
#pragma GCC unroll 64
        for (int q = 0; q < numbers; ++q) {
          u.number[q] = room.elements[q * stride() + place];
        }
        auto const shared = form.row(u.element, own, i);
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
          Real entry[F::width];
          form.entry(u.element, shared, i, j, entry);
          auto* const slot = row + F::width * static_cast<int>((slots >> (8 * j)) & 255U);
          for (int k = 0; k < F::width; ++k) {
            slot[k] += static_cast<Value>(entry[k]);
          }
        }
        Real sum[sums_room<F>];
        form.sums(u.element, own, shared, i, sum);
        for (int k = 0; k < sums_of<F>; ++k) {
          total[k] += static_cast<Value>(sum[k]);
        }
      }
      for (int k = 0; k < sums_of<F>; ++k) {
        room.sums[sums_of<F> * local + k] = total[k];
      }
    }
  }

  /// Phase 3: to memory, each number once.
  ULPINE_HD void write(Room const& room, std::int32_t patch, int t, int n) const {
    auto const first = first_row(patch), last = last_row(patch);
    auto const begin = F::width * static_cast<std::int64_t>(mesh.pattern.start[first]);
    auto const entries = F::width * (mesh.pattern.start[last] - mesh.pattern.start[first]);
    for (auto k = t; k < entries; k += n) {
      target.value[begin + k] = room.entries[k];
    }
    for (auto k = t; k < sums_of<F> * (last - first); k += n) {
      if (auto* const place = target.sum(first + k / sums_room<F>, k % sums_room<F>)) *place = room.sums[k];
    }
  }
};

}  // namespace ulpine::fem
