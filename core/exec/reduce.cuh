// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "core/exec/pair_terms.hpp"
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

__device__ inline std::int32_t warp_sum(std::int32_t x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(0xffffffffu, x);
#else
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(0xffffffffu, x, distance);
  return x;
#endif
}
__device__ inline std::int32_t warp_max(std::int32_t x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, x);
#else
  for (int distance = 16; distance > 0; distance /= 2) {
    x = math::max(x, __shfl_xor_sync(0xffffffffu, x, distance));
  }
  return x;
#endif
}

/// How a part of a sum takes numbers to the accumulator.
struct DepositedAsDouble {
  template <class T>
  __device__ static void deposit_to(SumTarget target, T x) {
    deposit(target, static_cast<double>(x));
  }
};
/// Without double instructions, and apart, so that the code beside a case that hardly ever comes stays short.
struct DepositedByBits {
  __device__ __noinline__ static void deposit_to(SumTarget target, float x) { deposit(target, widened(x)); }
  __device__ __noinline__ static void deposit_product_to(SumTarget target, float a, float b) {
    deposit_product(target, a, b);
  }
};

/// One thread's part of a sum.
template <class T, class Deposited = DepositedAsDouble>
struct SumPart {
  Expansion<T> expansion;
  SumTarget rest;

  __device__ void add_small(T x) {
    T const lost = expansion.add(x);
    if (lost != T(0)) {
      Deposited::deposit_to(rest, lost);
    }
  }
  __device__ void add(T x) {
    if (math::abs(x) < most_in_expansion<T>) {
      add_small(x);
    } else {
      Deposited::deposit_to(rest, x);
    }
  }
  __device__ void add_product(T a, T b) {
    T const product = a * b;
    add(product);
    if (math::abs(product) < T(INFINITY)) {
      add(math::fma(a, b, -product));
    }
  }
  /// Of numbers of two floats each.
  __device__ void add_product(DoubleFloat a, DoubleFloat b) {
    for_floats_of_product(
        a, b, [this](float term) { add_small(term); },
        [this](float p, float q) { Deposited::deposit_product_to(rest, p, q); });
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
    Deposited::deposit_to(rest, expansion.high);
    Deposited::deposit_to(rest, expansion.middle);
    Deposited::deposit_to(rest, expansion.low);
  }
};

/// Resolves the carries of limbs that lanes 0, the lowest, to `last` of a warp have, one each: all but the
/// last are then in [0, 2^32), and their sum is as it was.
__device__ inline std::int64_t carried(std::int64_t limb, int last) {
  auto const lane = static_cast<int>(threadIdx.x % 32);
  for (;;) {
    auto const carry = lane < last ? limb >> 32 : 0;
    if (__ballot_sync(0xffffffffu, carry != 0) == 0) return limb;
    auto const from_below = __shfl_up_sync(0xffffffffu, carry, 1);
    limb = (lane < last ? limb & 0xffffffff : limb) + (lane > 0 ? from_below : 0);
  }
}

/// The sum, rounded once, of limbs from `begin` on that lanes 0 to `last` of a warp have, one each; the last
/// is 0, and so are those of further lanes.
template <class R>
__device__ R rounded_limbs(std::int64_t own, int begin, int last) {
  auto const lane = static_cast<int>(threadIdx.x % 32);
  own = carried(own, last);
  auto const negative = __shfl_sync(0xffffffffu, own, last) < 0;
  if (negative) own = carried(-own, last);
  auto const used = __ballot_sync(0xffffffffu, own != 0);
  if (used == 0) return R(0);
  auto const limb = [&](int i) {
    auto const at = i - begin;
    auto const value = __shfl_sync(0xffffffffu, own, math::max(at, 0));
    return at < 0 || at > 31 ? std::uint64_t{0} : static_cast<std::uint64_t>(value);
  };
  auto const any_below = [&](int i) { return __ballot_sync(0xffffffffu, begin + lane < i && own != 0) != 0; };
  return round_magnitude<R>(negative, begin + 31 - __clz(static_cast<int>(used)), limb, any_below,
                            SumRounding::nearest_even);
}

/// round_words() apart, so that the code beside a case that hardly ever comes stays short.
template <class R>
__device__ __noinline__ R round_words_apart(std::int64_t* words, std::uint64_t specials, int begin, int end) {
  return round_words<R>(words, specials, SumRounding::nearest_even, begin, end);
}

/// The sum in a superaccumulator's words in shared memory, rounded once, to lane 0 of the whole warp that
/// calls this. Only words that are not 0 are looked at. The words lose their meaning.
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
  auto const specials = static_cast<std::uint64_t>(words[special_word]);
  if (specials == 0 && end <= begin) return R(0);
  if (specials == 0 && end - begin < 32) {
    return rounded_limbs<R>(begin + lane < end ? words[begin + lane] : 0, begin, end - begin);
  }
  __syncwarp();
  if (lane != 0) return R(0);
  // One limb more has room for the last carry.
  end = math::min(end + 1, sum_limbs);
  begin = math::min(begin, end - 1);
  return round_words_apart<R>(words, specials, begin, end);
}
/// The sum of limbs as round_words() has it, which lose their meaning.
template <class R>
__device__ R rounded_words(std::int64_t* limbs, std::uint64_t specials) {
  return round_words<R>(limbs, specials);
}
/// Without its double instructions.
template <class R>
requires std::same_as<R, DoubleFloat> __device__ __noinline__ R rounded_words(std::int64_t* limbs,
                                                                              std::uint64_t specials) {
  std::int64_t copies[sum_limbs];
  for (int i = 0; i < sum_limbs; ++i) copies[i] = limbs[i];
  auto const hi = round_words<float>(copies, specials);
  if (!(hi - hi == 0)) return hi;
  deposit(LimbTarget{limbs}, widened(-hi));
  return DoubleFloat(hi) + DoubleFloat(round_words<float>(limbs, 0));
}
/// By one thread.
template <class R>
requires std::same_as<R, DoubleFloat> __device__ R rounded_by_warp(std::int64_t* words) {
  if (threadIdx.x % 32 != 0) return 0;
  return rounded_words<R>(words, static_cast<std::uint64_t>(words[special_word]));
}

}  // namespace ulpine::detail
