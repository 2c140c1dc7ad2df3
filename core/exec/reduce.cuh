// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/reduce_arithmetic.hpp"
#include "precision/exact_sum.hpp"
#include "precision/sum_words.hpp"

/// A device's part of exact sums, for the kernels that add up.
namespace ulpine::detail {

/// The words of a superaccumulator to which many threads add.
struct SumTarget {
  std::int64_t* words;
  __device__ void add(int limb, std::int64_t amount) const {
    atomicAdd(reinterpret_cast<unsigned long long*>(words + limb), static_cast<unsigned long long>(amount));
  }
  __device__ void mark(Special special) const {
    atomicOr(reinterpret_cast<unsigned long long*>(words + special_word),
             static_cast<unsigned long long>(special));
  }
};

/// One thread's part of a sum.
template <class T>
struct SumPart {
  Expansion<T> expansion;
  SumTarget rest;

  __device__ void add_small(T x) {
    T const lost = expansion.add(x);
    if (lost != T(0)) {
      deposit(rest, static_cast<double>(lost));
    }
  }
  __device__ void add(T x) {
    if (math::abs(x) < most_in_expansion<T>) {
      add_small(x);
    } else {
      deposit(rest, static_cast<double>(x));
    }
  }
  __device__ void add_product(T a, T b) {
    T const product = a * b;
    add(product);
    if (math::abs(product) < T(INFINITY)) {
      add(math::fma(a, b, -product));
    }
  }
  /// Adds the parts of the other lanes to lane 0's.
  __device__ void gather_lanes() {
    for (int distance = 16; distance > 0; distance /= 2) {
      auto const high = __shfl_down_sync(0xffffffffu, expansion.high, distance);
      auto const middle = __shfl_down_sync(0xffffffffu, expansion.middle, distance);
      auto const low = __shfl_down_sync(0xffffffffu, expansion.low, distance);
      if (static_cast<int>(threadIdx.x % 32) < distance) {  // the others' values would be counted again
        add_small(high);
        add_small(middle);
        add_small(low);
      }
    }
  }
  /// Deposits what the expansion holds.
  __device__ void deposit_expansion() const {
    deposit(rest, static_cast<double>(expansion.high));
    deposit(rest, static_cast<double>(expansion.middle));
    deposit(rest, static_cast<double>(expansion.low));
  }
};

/// The sum in a superaccumulator's words in shared memory, rounded once, to lane 0 of the whole warp that
/// calls this. Only words that are not 0 are looked at one by one. The words lose their meaning.
template <class R>
__device__ R rounded_by_warp(std::int64_t* words) {
  auto const lane = static_cast<int>(threadIdx.x % 32);
  int begin = sum_limbs, end = 0;
  for (int first = 0; first < sum_limbs; first += 32) {
    auto const limb = first + lane;
    auto const used = __ballot_sync(0xffffffffu, limb < sum_limbs && words[limb] != 0);
    if (used == 0) continue;
    begin = math::min(begin, first + __ffs(static_cast<int>(used)) - 1);
    end = first + 32 - __clz(static_cast<int>(used));
  }
  __syncwarp();
  if (lane != 0) return R(0);
  // One limb more has room for the last carry.
  end = math::min(end + 1, sum_limbs);
  begin = math::min(begin, end - 1);
  return round_words<R>(words, static_cast<std::uint64_t>(words[special_word]), SumRounding::nearest_even,
                        begin, end);
}

}  // namespace ulpine::detail
