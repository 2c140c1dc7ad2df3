// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/exec/block_window.hpp"
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

/// Adds `sum` times 2^(bit - 1074) to an accumulator, less than 2^33 a word.
inline __device__ void add_at(SumTarget target, int bit, std::int64_t sum) {
  auto const shift = bit % 32;
  auto const low = static_cast<std::uint64_t>(static_cast<std::uint32_t>(sum)) << shift;
  auto const high = (sum >> 32) * (std::int64_t{1} << shift);
  std::int64_t const words[3] = {static_cast<std::int64_t>(low & 0xffffffffu),
                                 static_cast<std::int64_t>(low >> 32) + (high & 0xffffffff), high >> 32};
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    if (words[n] != 0) target.add(bit / 32 + n, words[n]);
  }
}

/// Part n of a warp's sums, as a multiple of its unit.
template <int parts>
__device__ std::int64_t part_of_warp(BlockWindow<parts> const& window, int n) {
  auto const own = window.part(n);
  auto const low = warp_sum(static_cast<std::int32_t>(own & 0xffffff));
  auto const high = warp_sum(static_cast<std::int32_t>(own >> 24));
  return (std::int64_t{high} << 24) + low;
}

/// deposit() apart, so that the code beside a case that hardly ever comes stays short.
inline __device__ __noinline__ void deposit_apart(std::int64_t* words, double x) {
  deposit(SumTarget{words}, x);
}

/// The products of a launch of blocks of this many threads at most, by each of them for some indices.
template <class T, int own>
struct BlockProducts {
  static_assert(std::is_floating_point_v<T>, "the product of two floats has more terms than two");
  static constexpr int parts = sizeof(T) == sizeof(float) ? 3 : 4, at_once = own == 1 ? 4 : 2;
  static constexpr int warps = most_threads / 32;
  using Window = BlockWindow<parts>;

  struct Shared {
    std::int32_t exponent[2][own][warps];
    std::int64_t sum[own][parts][warps];
  };

  Shared& shared;
  SumTarget target[own];
  Window window[own];
  int held = 0, turn = 0;

  /// Numbers of a product: itself rounded and what that has lost, which is 0 for floats, at_once each.
  struct Terms {
    double product[at_once], lost[at_once];

    __device__ void set(int n, T x, T y, SumTarget target) {
      auto const a = static_cast<double>(x), b = static_cast<double>(y);
      product[n] = a * b;
      lost[n] = sizeof(T) == sizeof(float) ? 0 : math::fma(a, b, -product[n]);
      if (exponent_of(product[n]) <= Window::most_exponent) return;
      deposit_apart(target.words, product[n]);
      // Nothing is lost of what is not finite.
      if (exponent_of(product[n]) <= 1023) deposit_apart(target.words, lost[n]);
      product[n] = lost[n] = 0;
    }
    __device__ int largest_exponent() const {
      auto largest = exponent_of(product[0]);
#pragma unroll
      for (int n = 1; n < at_once; ++n) largest = math::max(largest, exponent_of(product[n]));
      return largest;
    }
  };

  static __device__ int exponent_of(double x) { return static_cast<int>(to_bits(x) >> 52 & 0x7ff) - 1023; }

  /// Adds terms of all threads of the block, which all call this.
  __device__ void add(Terms (&terms)[own]) {
    auto const lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    auto& exponents = shared.exponent[turn];
    turn = 1 - turn;  // the others may still be reading the last
#pragma unroll
    for (int k = 0; k < own; ++k) {
      auto const largest = warp_max(terms[k].largest_exponent());
      if (lane == 0) exponents[k][warp] = largest;
    }
    __syncthreads();
    int largest[own];
    auto grown = held + 2 * at_once > Window::most_held;
#pragma unroll
    for (int k = 0; k < own; ++k) {
      largest[k] = exponents[k][0];
      for (int w = 1; w < static_cast<int>(blockDim.x / 32); ++w) {
        largest[k] = math::max(largest[k], exponents[k][w]);
      }
      grown = grown || (held > 0 && largest[k] > window[k].last());
    }
    if (grown) {
      flush();
      __syncthreads();  // before the sums are written again
    }
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (held == 0) window[k].open(largest[k]);
      auto whole = true;
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        auto &product = terms[k].product[n], &lost = terms[k].lost[n];
        product = window[k].add(product);
        if (sizeof(T) != sizeof(float)) lost = window[k].add(lost);
        whole = whole && product == 0 && lost == 0;
      }
      if (whole) continue;
#pragma unroll
      for (int n = 0; n < at_once; ++n) {
        deposit_apart(target[k].words, terms[k].product[n]);
        deposit_apart(target[k].words, terms[k].lost[n]);
      }
    }
    held += 2 * at_once;
  }

  /// Takes the block's sums to the targets.
  __device__ void flush() {
    auto const lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    if (held == 0) return;
#pragma unroll
    for (int k = 0; k < own; ++k) {
#pragma unroll
      for (int n = 0; n < parts; ++n) {
        auto const sum = part_of_warp(window[k], n);
        if (lane == 0) shared.sum[k][n][warp] = sum;
      }
    }
    __syncthreads();
    // A warp a product, by turns.
#pragma unroll
    for (int k = 0; k < own; ++k) {
      if (warp != k % static_cast<int>(blockDim.x / 32) || lane >= parts) continue;
      std::int64_t sum = 0;
      for (int w = 0; w < static_cast<int>(blockDim.x / 32); ++w) sum += shared.sum[k][lane][w];
      if (sum != 0) add_at(target[k], window[k].bit(lane), sum);
    }
    held = 0;
  }
};

/// Every block adds its products to one of the copies in `scratch`; the block that comes last of all rounds
/// the sums and leaves the scratch as it was.
template <class T, class R, int count, class Body, class After>
__global__ void __launch_bounds__(most_threads)
    run_with_products(std::int64_t size, Body const body, ProductSet<T, R, count> const set,
                      After const after, std::int64_t* scratch) {
  // Without a body the products need not be by the same threads: then each has blocks of its own.
  constexpr bool apart = std::is_same_v<Body, NoWork>;
  constexpr int own = apart ? 1 : count;
  using Products = BlockProducts<T, own>;
  constexpr int at_once = Products::at_once;
  auto const first_own = apart ? static_cast<int>(blockIdx.y) : 0;
  __shared__ typename Products::Shared shared;
  __shared__ std::int64_t words[count][sum_words];
  __shared__ bool last;
  auto const me = static_cast<int>(threadIdx.x), all = static_cast<int>(blockDim.x);
  Products products{shared};
  auto const copy = static_cast<int>(blockIdx.x % product_copies);
#pragma unroll
  for (int k = 0; k < own; ++k) products.target[k] = {words_of_product(scratch, first_own + k, copy)};
  wait_for_kernel_before();
  auto const stride = static_cast<std::int64_t>(gridDim.x) * all;
  auto const block = static_cast<std::int64_t>(blockIdx.x) * all;
  for (auto begin = block; begin < size; begin += at_once * stride) {
    typename Products::Terms terms[own];
    T x[own][at_once], y[own][at_once];
#pragma unroll
    for (int n = 0; n < at_once; ++n) {
      auto const i = begin + n * stride + me;
      if (i < size) body(i);
      auto const counts = i >= set.first && i < set.end;
#pragma unroll
      for (int k = 0; k < own; ++k) {
        x[k][n] = counts ? set.x[first_own + k][i] : T(0);
        y[k][n] = counts ? set.y[first_own + k][i] : T(0);
      }
    }
#pragma unroll
    for (int k = 0; k < own; ++k) {
#pragma unroll
      for (int n = 0; n < at_once; ++n) terms[k].set(n, x[k][n], y[k][n], products.target[k]);
    }
    products.add(terms);
  }
  products.flush();
  __threadfence();
  __syncthreads();
  auto* const arrived = reinterpret_cast<unsigned*>(words_of_product(scratch, most_products_at_once, 0));
  if (me == 0) last = atomicAdd(arrived, 1u) == gridDim.x * gridDim.y - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for (int w = me; w < count * sum_words; w += all) {
    auto const word = w % sum_words;
    std::int64_t value[product_copies];
#pragma unroll
    for (int c = 0; c < product_copies; ++c) {
      auto const* const place = words_of_product(scratch, w / sum_words, c) + word;
      value[c] = static_cast<std::int64_t>(__ldcg(reinterpret_cast<long long const*>(place)));
    }
    std::int64_t sum = 0;
#pragma unroll
    for (int c = 0; c < product_copies; ++c) {
      sum = word == special_word ? sum | value[c] : sum + value[c];
      if (value[c] != 0) words_of_product(scratch, w / sum_words, c)[word] = 0;
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
  constexpr int apart = std::is_same_v<Body, NoWork> ? static_cast<int>(count) : 1;
  auto* words = scratch.words();
  void* arguments[] = {&size, const_cast<Body*>(&body), &set, const_cast<After*>(&after), &words};
  detail::launch_waiting(
      cuda, detail::address(&detail::run_with_products<T, R, static_cast<int>(count), Body, After>),
      {scratch.blocks(size, cuda.block, apart), static_cast<unsigned>(apart)},
      {static_cast<unsigned>(cuda.block)}, arguments);
}

}  // namespace ulpine
