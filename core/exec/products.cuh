// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/exec/cuda.cuh"
#include "core/exec/products.hpp"
#include "core/exec/reduce.cuh"
#include "core/exec/reduce.hpp"

namespace ulpine {
namespace detail {

/// Products over the indices from `first` to before `end`.
template <class T, class R, int count>
struct ProductSet {
  T const *x[count], *y[count];
  R* result[count];
  std::int64_t first, end;
};

/// Where a block of the scratch's words lies: of one copy of one product's accumulator.
inline __device__ std::int64_t* words_of_product(std::int64_t* scratch, int product, int copy) {
  return scratch + std::int64_t{product * product_copies + copy} * sum_words;
}

/// Each block adds what its threads' expansions hold in shared memory first, then to one of the copies in
/// `scratch`; the block that comes last of all rounds the sums and leaves the scratch as it was.
template <class T, class R, int count, class Body, class After>
__global__ void __launch_bounds__(most_threads)
    run_with_products(std::int64_t size, Body const body, ProductSet<T, R, count> const set,
                      After const after, std::int64_t* scratch) {
  __shared__ std::int64_t words[count][sum_words];
  __shared__ bool last;
  auto const me = static_cast<int>(threadIdx.x), all = static_cast<int>(blockDim.x);
  for (int w = me; w < count * sum_words; w += all) words[w / sum_words][w % sum_words] = 0;
  __syncthreads();
  SumPart<double> part[count];
#pragma unroll
  for (int k = 0; k < count; ++k) part[k].rest = {words[k]};
  auto const stride = static_cast<std::int64_t>(gridDim.x) * all;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * all + me; i < size; i += stride) {
    body(i);
    if (i < set.first || i >= set.end) continue;
#pragma unroll
    for (int k = 0; k < count; ++k) {
      auto const a = static_cast<double>(set.x[k][i]), b = static_cast<double>(set.y[k][i]);
      if constexpr (sizeof(T) == sizeof(float)) {
        part[k].add(a * b);  // exact
      } else {
        part[k].add_product(a, b);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < count; ++k) part[k].deposit_warp();
  __syncthreads();
  auto const copy = static_cast<int>(blockIdx.x % product_copies);
  for (int w = me; w < count * sum_words; w += all) {
    auto const value = words[w / sum_words][w % sum_words];
    if (value == 0) continue;
    SumTarget const target{words_of_product(scratch, w / sum_words, copy)};
    if (w % sum_words == special_word) {
      target.mark(static_cast<Special>(value));
    } else {
      target.add(w % sum_words, value);
    }
  }
  __threadfence();
  __syncthreads();
  auto* const arrived = reinterpret_cast<unsigned*>(words_of_product(scratch, most_products_at_once, 0));
  if (me == 0) last = atomicAdd(arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int w = me; w < count * sum_words; w += all) {
    auto const word = w % sum_words;
    std::int64_t sum = 0;
    for (int c = 0; c < product_copies; ++c) {
      auto* const place = words_of_product(scratch, w / sum_words, c) + word;
      auto const value = static_cast<std::int64_t>(__ldcg(reinterpret_cast<long long const*>(place)));
      sum = word == special_word ? sum | value : sum + value;
      *place = 0;
    }
    words[w / sum_words][word] = sum;
  }
  __syncthreads();
  for (int k = me / 32; k < count; k += all / 32) {
    auto const sum = rounded_by_warp<R>(words[k]);
    if (me % 32 == 0) *set.result[k] = sum;
  }
  __syncthreads();
  if (me == 0) {
    *arrived = 0;
    after(std::int64_t{0});
  }
}

}  // namespace detail

/// body(i) for every i in [0, size), then `count` inner products, whose vectors begin at index `first` of
/// that range, have the same length and may be what the body writes at the same index, and then after(0),
/// which finds the results: one launch. size <= most_product_terms. In stream order; neither allocates nor
/// waits.
template <class T, class R, std::size_t count, class Body, class After>
void for_each_with_products(Cuda cuda, ProductScratch& scratch, std::int64_t size, Body const& body,
                            std::array<InnerProduct<T, R>, count> const& products, std::int64_t first,
                            After const& after) {
  static_assert(count >= 1 && count <= most_products_at_once);
  detail::ProductSet<T, R, static_cast<int>(count)> set{};
  for (std::size_t k = 0; k < count; ++k) {
    set.x[k] = products[k].x.data() - first;
    set.y[k] = products[k].y.data() - first;
    set.result[k] = products[k].result;
  }
  set.first = first;
  set.end = first + products[0].x.size();
  DeviceGuard const guard(cuda.ordinal);
  auto const block = static_cast<unsigned>(cuda.block);
  detail::run_with_products<<<scratch.blocks(size, cuda.block), block, 0, cuda.stream>>>(
      size, body, set, after, scratch.words());
  check_cuda(cudaGetLastError(), "inner products");
}

}  // namespace ulpine
