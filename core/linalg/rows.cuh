// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/cuda.cuh"
#include "core/exec/lanes.cuh"
#include "core/linalg/row_sum.hpp"

namespace ulpine {
namespace linalg {

/// Which partial sum of which row a thread has, and the first entries of it.
template <class Entry, int count>
struct BegunRow {
  std::int64_t row;
  std::int32_t lane, first, end;
  Entry entries[count];
};

/// A row by as many neighbouring threads as it has partial sums: they load neighbouring entries.
template <class Kernel>
struct SharedRow {
  static constexpr int at_once = sizeof(typename Kernel::Part) <= 48 ? 4 : 2;
  using Ahead = BegunRow<typename Kernel::Entry, at_once>;
  Kernel kernel;

  /// What there is to load of the matrix before the vectors are known.
  __device__ Ahead ahead(std::int64_t i) const {
    auto const& pattern = kernel.pattern;
    Ahead ahead;
    ahead.row = i >> (__ffs(pattern.lanes) - 1);
    ahead.lane = static_cast<std::int32_t>(i) & (pattern.lanes - 1);
    ahead.first = pattern.start[ahead.row] + ahead.lane;
    ahead.end = pattern.start[ahead.row + 1];
    load(ahead.first, ahead.end, ahead.entries);
    return ahead;
  }

  __device__ void operator()(std::int64_t, Ahead& ahead) const {
    auto const lanes = kernel.pattern.lanes;
    // Blocks are of whole warps and threads are counted by lanes, so a row's stay together.
    auto const group = 0xffffffffu >> (32 - lanes) << (threadIdx.x % 32 & ~(lanes - 1));
    typename Kernel::Value sum[Kernel::sums] = {};
    auto& entries = ahead.entries;
    for (auto e = ahead.first; e < ahead.end;) {
      // Several entries' loads are under way at once; they are added in their order.
      typename Kernel::Part parts[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        if (e + n * lanes < ahead.end) parts[n] = kernel.part(entries[n]);
      }
      auto const next = e + at_once * lanes;
      load(next, ahead.end, entries);
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        if (e + n * lanes < ahead.end) kernel.add(parts[n], sum);
      }
      e = next;
    }
    for (auto half = lanes / 2; half > 0; half /= 2) {
#pragma unroll
      for (int c = 0; c < Kernel::sums; ++c) sum[c] += of_other_lane(group, sum[c], half);
    }
    if (ahead.lane == 0) kernel.put(ahead.row, sum);
  }

 private:
  __device__ void load(std::int32_t e, std::int32_t end, typename Kernel::Entry (&entries)[at_once]) const {
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      auto const at = e + n * kernel.pattern.lanes;
      if (at < end) entries[n] = kernel.entry(at);
    }
  }
};

}  // namespace linalg

/// Computes the sums of all rows.
template <class Kernel>
void for_each_row(Cuda cuda, std::int64_t rows, Kernel const& kernel) {
  for_each(cuda, rows * kernel.pattern.lanes, linalg::SharedRow<Kernel>{kernel});
}

}  // namespace ulpine
