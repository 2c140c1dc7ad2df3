// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "precision/bits.hpp"
#include "precision/double_float.hpp"
#include "precision/exact_sum.hpp"
#include "precision/host_device.hpp"

/// Rounds the words of a superaccumulator (exact_sum.hpp) to a number, for both compilers.
namespace ulpine::detail {

/// How many bits an integer needs: 0 for 0. Unlike std::bit_width usable on the device.
ULPINE_HD inline int bit_width(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(x));
#else
  return static_cast<int>(std::bit_width(x));
#endif
}

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

/// What a sum is that has met infinities or NaN.
template <class T>
ULPINE_HD T special_sum(std::uint64_t specials) {
  using Format = SumFormat<T>;
  using Bits = typename Format::Bits;
  return from_bits(specials == plus_infinity    ? Format::infinity
                   : specials == minus_infinity ? static_cast<Bits>(Format::sign | Format::infinity)
                                                : Format::nan);
}

/// A sum rounded once, by the limbs of its magnitude: limb(i), in [0, 2^32) below limb `top`, which is the
/// highest that is not 0, and any_below(i), whether a limb below limb i is not 0.
template <class T, class Limb, class AnyBelow>
ULPINE_HD T round_magnitude(bool negative, int top, Limb const& limb, AnyBelow const& any_below,
                            SumRounding rounding) {
  using Format = SumFormat<T>;
  using Bits = typename Format::Bits;
  int const end = 32 * top + bit_width(limb(top));  // one above the highest bit
  int const last = end - Format::digits > Format::least ? end - Format::digits : Format::least;
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
    rest = (limb(i) & ((std::uint64_t{1} << shift) - 1)) != 0 || any_below(i);
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

/// The sum of `limbs` rounded once; `limbs` lose their meaning. All are 0 but those from `begin` to before
/// `end`, of which the last, unless it is the last of all, is 0 too: it has room for a carry.
template <class T>
ULPINE_HD T round_words(std::int64_t* limbs, std::uint64_t specials,
                        SumRounding rounding = SumRounding::nearest_even, int begin = 0,
                        int end = sum_limbs) {
  if (specials != 0) return special_sum<T>(specials);
  resolve_carries(limbs, begin, end);
  bool const negative = limbs[end - 1] < 0;
  if (negative) {
    for (int i = begin; i < end; ++i) {
      limbs[i] = -limbs[i];
    }
    resolve_carries(limbs, begin, end);
  }
  int top = end - 1;
  while (top >= begin && limbs[top] == 0) {
    --top;
  }
  if (top < begin) return T(0);
  auto const limb = [limbs](int i) { return i < sum_limbs ? static_cast<std::uint64_t>(limbs[i]) : 0; };
  auto const any_below = [limbs, begin](int i) {
    for (int below = begin; below < i; ++below) {
      if (limbs[below] != 0) return true;
    }
    return false;
  };
  return round_magnitude<T>(negative, top, limb, any_below, rounding);
}

/// Limbs that one thread adds to.
struct LimbTarget {
  std::int64_t* limbs;
  ULPINE_HD void add(int limb, std::int64_t amount) const { limbs[limb] += amount; }
  ULPINE_HD void mark(Special) const {}
};

/// The same to the nearest float and, of what that leaves, the nearest; the last arguments are unused, as all
/// limbs are looked at.
template <class T>
requires std::same_as<T, DoubleFloat> ULPINE_HD T round_words(std::int64_t* limbs, std::uint64_t specials,
                                                              SumRounding = SumRounding::nearest_even,
                                                              int = 0, int = sum_limbs) {
  std::int64_t copies[sum_limbs];
  for (int i = 0; i < sum_limbs; ++i) copies[i] = limbs[i];
  auto const hi = round_words<float>(copies, specials);
  if (!(hi - hi == 0)) return hi;
  deposit(LimbTarget{limbs}, -static_cast<double>(hi));
  return DoubleFloat(hi) + DoubleFloat(round_words<float>(limbs, 0));
}

}  // namespace ulpine::detail
