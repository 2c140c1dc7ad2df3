// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/cuda.cuh"
#include "core/linalg/kernels.hpp"

namespace ulpine {
namespace linalg {

/// A row by four neighbouring threads, each with one of the sums of Product: they load neighbouring entries.
template <class Product>
struct SharedRow {
  Product product;

  __device__ void operator()(std::int64_t i) const {
    static_assert(row_lanes == 4);
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(product.y)>>;
    auto const row = i / row_lanes;
    auto const lane = static_cast<int>(i % row_lanes);
    // Blocks are of whole warps and threads are counted by fours, so a row's four stay together.
    auto const group = 0xfu << (threadIdx.x % 32 / row_lanes * row_lanes);
    T sum[Product::components] = {};
    auto const end = product.pattern.start[row + 1];
    for (auto e = product.pattern.start[row] + lane; e < end; e += row_lanes) product.add(e, sum);
#pragma unroll
    for (int c = 0; c < Product::components; ++c) {
      sum[c] += __shfl_xor_sync(group, sum[c], 2);
      sum[c] += __shfl_xor_sync(group, sum[c], 1);
    }
    if (lane == 0) product.put(row, sum);
  }
};

}  // namespace linalg

/// body(row) for every row.
template <class Product>
void for_each_row(Cuda cuda, std::int64_t rows, Product const& product) {
  for_each(cuda, rows * linalg::row_lanes, linalg::SharedRow<Product>{product});
}

}  // namespace ulpine
