// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/cuda.cuh"
#include "core/linalg/row_sum.hpp"

namespace ulpine {
namespace linalg {

/// A row by as many neighbouring threads as it has partial sums: they load neighbouring entries.
template <class Kernel>
struct SharedRow {
  static constexpr int at_once = sizeof(typename Kernel::Part) <= 96 ? 4 : 2;
  Kernel kernel;

  __device__ void operator()(std::int64_t i) const {
    auto const lanes = kernel.pattern.lanes;
    auto const row = i / lanes;
    auto const lane = static_cast<std::int32_t>(i % lanes);
    // Blocks are of whole warps and threads are counted by lanes, so a row's stay together.
    auto const first = threadIdx.x % 32 / lanes * lanes;
    auto const group = 0xffffffffu >> (32 - lanes) << first;
    typename Kernel::Value sum[Kernel::sums] = {};
    auto const end = kernel.pattern.start[row + 1];
    // Several entries' loads are under way at once; they are added in their order.
    for (auto e = kernel.pattern.start[row] + lane; e < end; e += at_once * lanes) {
      typename Kernel::Part parts[at_once];
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        if (e + n * lanes < end) parts[n] = kernel.part(e + n * lanes);
      }
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        if (e + n * lanes < end) kernel.add(parts[n], sum);
      }
    }
    for (auto half = lanes / 2; half > 0; half /= 2) {
#pragma unroll
      for (int c = 0; c < Kernel::sums; ++c) sum[c] += __shfl_xor_sync(group, sum[c], half);
    }
    if (lane == 0) kernel.put(row, sum);
  }
};

}  // namespace linalg

/// Computes the sums of all rows.
template <class Kernel>
void for_each_row(Cuda cuda, std::int64_t rows, Kernel const& kernel) {
  for_each(cuda, rows * kernel.pattern.lanes, linalg::SharedRow<Kernel>{kernel});
}

}  // namespace ulpine
