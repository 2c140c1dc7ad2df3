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

/// A number of 168 bits and a sign, whose digits have room for the sum of 3 from each lane of a warp:
/// integers on a grid, which are added without rounding in any order.
struct WarpDigits {
  static constexpr int width = 24, count = 7, bits = width * count;
  std::int32_t digit[count] = {};

  /// The grid's unit is 2^(first - 1074) where no number has a larger exponent, as doubles encode it.
  __device__ static int first_bit(std::int32_t largest_exponent) {
    return math::max(largest_exponent + 52 - bits, 0);
  }

  /// Adds x as a multiple of 2^(first - 1074); false, with nothing added, where it is none. |x| is below
  /// 2^bits of that unit.
  __device__ bool add(double x, int first) {
    auto const pattern = to_bits(x);
    auto const exponent = static_cast<int>(pattern >> 52 & 0x7ff);
    auto const mantissa = (pattern & 0xfffffffffffffull) | (exponent == 0 ? 0 : std::uint64_t{1} << 52);
    if (mantissa == 0) return true;
    auto const place = (exponent == 0 ? 0 : exponent - 1) - first;
    if (place < 0) return false;
    constexpr std::uint64_t mask = (1u << width) - 1;
    auto const shift = place % width, begin = place / width;
    auto const low = (mantissa & mask) << shift, high = ((mantissa >> width) << shift) + (low >> width);
    std::int32_t const parts[4] = {
        static_cast<std::int32_t>(low & mask), static_cast<std::int32_t>(high & mask),
        static_cast<std::int32_t>(high >> width & mask), static_cast<std::int32_t>(high >> 2 * width)};
    auto const negative = pattern >> 63 != 0;
#pragma unroll
    for (int n = 0; n < count; ++n) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (n == begin + k) digit[n] += negative ? -parts[k] : parts[k];
      }
    }
    return true;
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
  /// The exponent, as doubles encode it, of the largest of the expansion's numbers.
  __device__ std::int32_t largest_exponent() const {
    std::int32_t largest = 0;
    for (T const part : {expansion.high, expansion.middle, expansion.low}) {
      auto const exponent = static_cast<std::int32_t>(to_bits(static_cast<double>(part)) >> 52 & 0x7ff);
      largest = math::max(largest, exponent);
    }
    return largest;
  }
  /// The expansion as multiples of 2^(first - 1074); what is none is deposited.
  __device__ WarpDigits digits(int first) const {
    WarpDigits digits;
    for (T const part : {expansion.high, expansion.middle, expansion.low}) {
      if (!digits.add(static_cast<double>(part), first)) deposit(rest, static_cast<double>(part));
    }
    return digits;
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
