// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// Adds `sum` times 2^(bit - 1074) to an accumulator.
inline __device__ void add_digit(SumTarget target, int bit, std::int64_t sum) {
  auto const low = (static_cast<std::uint64_t>(sum) & 0xffffffffu) << bit % 32;
  auto const high = (sum >> 32) * (std::int64_t{1} << bit % 32);
  target.add(bit / 32, static_cast<std::int64_t>(low & 0xffffffffu));
  target.add(bit / 32 + 1, static_cast<std::int64_t>(low >> 32) + high);
}

/// The threads of a block bring their expansions to digits of one grid, and add these to one of the copies in
/// `scratch`; the block that comes last of all rounds the sums and leaves the scratch as it was.
template <class T, class R, int count, class Body, class After>
__global__ void __launch_bounds__(most_threads)
    run_with_products(std::int64_t size, Body const body, ProductSet<T, R, count> const set,
                      After const after, std::int64_t* scratch) {
  // Without a body the products need not be by the same threads: then each has blocks of its own.
  constexpr bool apart = std::is_same_v<Body, NoWork>;
  constexpr int own = apart ? 1 : count, digits = WarpDigits::count, warps = most_threads / 32;
  auto const first_own = apart ? static_cast<int>(blockIdx.y) : 0;
  __shared__ std::int64_t words[count][sum_words];
  __shared__ std::int32_t largest[own], of_warp[own][warps][digits];
  __shared__ bool last;
  auto const me = static_cast<int>(threadIdx.x), all = static_cast<int>(blockDim.x);
  if (me < own) largest[me] = 0;
  __syncthreads();
  auto const copy = static_cast<int>(blockIdx.x % product_copies);
  SumPart<double> part[own];
#pragma unroll
  for (int k = 0; k < own; ++k) part[k].rest = {words_of_product(scratch, first_own + k, copy)};
  auto const stride = static_cast<std::int64_t>(gridDim.x) * all;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * all + me; i < size; i += stride) {
    body(i);
    if (i < set.first || i >= set.end) continue;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      auto const a = static_cast<double>(set.x[first_own + k][i]),
                 b = static_cast<double>(set.y[first_own + k][i]);
      if constexpr (sizeof(T) == sizeof(float)) {
        part[k].add(a * b);  // exact
      } else {
        part[k].add_product(a, b);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < own; ++k) {
    auto const exponent = warp_max(part[k].largest_exponent());
    if (me % 32 == 0) atomicMax(&largest[k], exponent);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < own; ++k) {
    auto const number = part[k].digits(WarpDigits::first_bit(largest[k]));
#pragma unroll
    for (int n = 0; n < digits; ++n) {
      auto const sum = warp_sum(number.digit[n]);
      if (me % 32 == 0) of_warp[k][me / 32][n] = sum;
    }
  }
  __syncthreads();
  for (int d = me; d < own * digits; d += all) {
    auto const k = d / digits, n = d % digits;
    std::int64_t sum = 0;
    for (int warp = 0; warp < all / 32; ++warp) sum += of_warp[k][warp][n];
    if (sum != 0) {
      add_digit({words_of_product(scratch, first_own + k, copy)},
                WarpDigits::first_bit(largest[k]) + WarpDigits::width * n, sum);
    }
  }
  __threadfence();
  __syncthreads();
  auto* const arrived = reinterpret_cast<unsigned*>(words_of_product(scratch, most_products_at_once, 0));
  if (me == 0) last = atomicAdd(arrived, 1u) == gridDim.x * gridDim.y - 1;
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
  dim3 const blocks(scratch.blocks(size, cuda.block), std::is_same_v<Body, NoWork> ? count : 1);
  detail::run_with_products<<<blocks, block, 0, cuda.stream>>>(size, body, set, after, scratch.words());
  check_cuda(cudaGetLastError(), "inner products");
}

}  // namespace ulpine
