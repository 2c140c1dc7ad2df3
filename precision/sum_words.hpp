// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/bits.hpp"
#include "precision/exact_sum.hpp"
#include "precision/host_device.hpp"

/// Rounds the words of a superaccumulator (exact_sum.hpp) to a number, for both compilers.
namespace ulpine::detail {

/// Leaves the sum of the limbs from `begin` to before `end` as it is and each of them but the last in
/// [0, 2^32).
ULPINE_HD inline void resolve_carries(std::int64_t* limbs, int begin = 0, int end = sum_limbs) {
  std::int64_t carry = 0;
  for (int i = begin; i + 1 < end; ++i) {
    auto const sum = limbs[i] + carry;
    carry = sum >> 32;
    limbs[i] = sum & 0xffffffff;
  }
  limbs[end - 1] += carry;
}

/// Limbs, which change, and marks to words that can be added (ExactSum::shared_words), and back.
ULPINE_HD inline void share_words(std::int64_t* limbs, std::uint64_t specials, std::uint64_t* shared) {
  resolve_carries(limbs);
  for (int i = 0; i < sum_limbs; ++i) shared[i] = static_cast<std::uint64_t>(limbs[i]);
  for (int mark = 0; mark < 3; ++mark) shared[sum_limbs + mark] = specials >> mark & 1;
}
ULPINE_HD inline std::uint64_t unshare_words(std::uint64_t const* shared, std::int64_t* limbs) {
  for (int i = 0; i < sum_limbs; ++i) limbs[i] = static_cast<std::int64_t>(shared[i]);
  std::uint64_t specials = 0;
  for (int mark = 0; mark < 3; ++mark) {
    if (shared[sum_limbs + mark] != 0) specials |= std::uint64_t{1} << mark;
  }
  return specials;
}

template <class T>
struct SumFormat;
template <>
struct SumFormat<double> {
  using Bits = std::uint64_t;
  static constexpr int digits = 53;
  static constexpr int least = 0;  ///< bit of the accumulator that is the smallest subnormal
  static constexpr Bits infinity = 0x7ff0000000000000u, nan = 0x7ff8000000000000u, sign = Bits{1} << 63;
};
template <>
struct SumFormat<float> {
  using Bits = std::uint32_t;
  static constexpr int digits = 24;
  static constexpr int least = 1074 - 149;
  static constexpr Bits infinity = 0x7f800000u, nan = 0x7fc00000u, sign = Bits{1} << 31;
};

/// To the nearest number, ties to even, infinite beyond the largest; or, where anything is lost, to that of
/// the two neighbours whose last bit is 1, the largest number at most.
enum class SumRounding { nearest_even, odd };

/// The sum of `limbs` rounded once; `limbs` lose their meaning. All are 0 but those from `begin` to before
/// `end_limb`, of which the last, unless it is the last of all, is 0 too: it has room for a carry.
template <class T>
ULPINE_HD T round_words(std::int64_t* limbs, std::uint64_t specials,
                        SumRounding rounding = SumRounding::nearest_even, int begin = 0,
                        int end_limb = sum_limbs) {
  using Format = SumFormat<T>;
  using Bits = typename Format::Bits;
  if (specials != 0) {
    return from_bits(specials == plus_infinity    ? Format::infinity
                     : specials == minus_infinity ? static_cast<Bits>(Format::sign | Format::infinity)
                                                  : Format::nan);
  }
  resolve_carries(limbs, begin, end_limb);
  bool const negative = limbs[end_limb - 1] < 0;
  if (negative) {
    for (int i = begin; i < end_limb; ++i) {
      limbs[i] = -limbs[i];
    }
    resolve_carries(limbs, begin, end_limb);
  }
  int top = end_limb - 1;
  while (top >= begin && limbs[top] == 0) {
    --top;
  }
  if (top < begin) {
    return from_bits(Bits{0});
  }
  int end = 32 * top;  // one above the highest bit
  for (auto rest = static_cast<std::uint64_t>(limbs[top]); rest != 0; rest >>= 1) {
    ++end;
  }
  int const last = end - Format::digits > Format::least ? end - Format::digits : Format::least;
  auto const limb = [limbs](int i) { return i < sum_limbs ? static_cast<std::uint64_t>(limbs[i]) : 0; };
  std::uint64_t mantissa = 0;
  if (end > last) {
    int const i = last / 32, shift = last % 32;
    auto const low = limb(i) | limb(i + 1) << 32;
    mantissa = shift == 0 ? low : low >> shift | limb(i + 2) << (64 - shift);
    mantissa &= (std::uint64_t{1} << (end - last)) - 1;
  }
  bool half = false, rest = false;
  if (last > 0) {
    int const i = (last - 1) / 32, shift = (last - 1) % 32;
    half = (limb(i) >> shift & 1) != 0;
    rest = (limb(i) & ((std::uint64_t{1} << shift) - 1)) != 0;
    for (int below = begin; below < i && !rest; ++below) {
      rest = limbs[below] != 0;
    }
  }
  if (rounding == SumRounding::odd) {
    mantissa |= half || rest ? 1 : 0;
  } else {
    mantissa += half && (rest || mantissa % 2 == 1) ? 1 : 0;
  }
  // The mantissa's leading bit, where there is one, adds 1 to the exponent, and so does a carry out of it.
  auto bits = (static_cast<std::uint64_t>(last - Format::least) << (Format::digits - 1)) + mantissa;
  if (bits >= Format::infinity) {
    bits = rounding == SumRounding::odd ? Format::infinity - 1 : Format::infinity;
  }
  return from_bits(static_cast<Bits>(negative ? bits | Format::sign : bits));
}

}  // namespace ulpine::detail
