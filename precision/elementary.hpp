// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/double_double.hpp"

/// Elementary functions with the same bits on host and device, for float and double: exp, exp2, log, log2,
/// pow, sin, cos, tan, atan2, sinh, cosh, tanh, cbrt, hypot. Only + - * /, fma, square root, comparisons and
/// integer operations on bits, so every IEEE machine gives the same result as long as nothing is contracted.
/// All errors are below one unit in the last place (measured bounds: docs/results/bits.md); special values
/// are those of C99, Annex F. exp, exp2 and log have no branches and vectorise. float functions other than
/// exp and exp2 are computed in double.
///
/// The coefficients come from precision/tools/coefficients.py.
namespace ulpine::math {

namespace detail {

inline constexpr double infinity = __builtin_bit_cast(double, std::uint64_t{0x7ff0000000000000u});
inline constexpr double not_a_number = __builtin_bit_cast(double, std::uint64_t{0x7ff8000000000000u});
inline constexpr double ln2_hi = 0x1.62e42fefa39efp-1, ln2_lo = 0x1.abc9e3b39803fp-56;
inline constexpr double half_pi_hi = 0x1.921fb54442d18p+0, half_pi_lo = 0x1.1a62633145c07p-54;

template <class T>
ULPINE_HD inline T polynomial(T, T c) {
  return c;
}
/// c0 + c1 x + c2 x^2 + ... by Horner's rule.
template <class T, class... Ts>
ULPINE_HD inline T polynomial(T x, T c0, Ts... higher) {
  return fma(x, polynomial(x, higher...), c0);
}

ULPINE_HD inline bool is_nan(double x) { return x != x; }
ULPINE_HD inline bool is_negative(double x) { return (to_bits(x) >> 63) != 0; }
ULPINE_HD inline double with_sign_of(double magnitude, double sign) {
  return from_bits((to_bits(magnitude) & 0x7fffffffffffffffu) | (to_bits(sign) & 0x8000000000000000u));
}

template <class T>
struct ExpConstants;

template <>
struct ExpConstants<double> {
  static constexpr double log2_e = 0x1.71547652b82fep+0, ln2_hi = detail::ln2_hi, ln2_lo = detail::ln2_lo;
  static constexpr double shift = 0x1.8p52;  // x + shift has the integer nearest to x in its last bits
  static constexpr int bias = 1023, fraction_bits = 52;
  static constexpr double lowest = -746, highest = 710;        // exp underflows to 0, overflows beyond these
  static constexpr double lowest_2 = -1076, highest_2 = 1025;  // the same for exp2
  ULPINE_HD static double tail(double r) {                     // (exp(r) - 1 - r) / r^2, |r| <= ln(2) / 2
    return polynomial(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100dfp-7,
                      0x1.6c16c16c162d6p-10, 0x1.a01a01abe6323p-13, 0x1.a01a01a6d7831p-16,
                      0x1.71de0237484cdp-19, 0x1.27e4db67ac2b0p-22, 0x1.af4ddda1c08cdp-26,
                      0x1.1f72fc83bcbc7p-29);
  }
};

template <>
struct ExpConstants<float> {
  static constexpr float log2_e = 0x1.715476p+0f, ln2_hi = 0x1.62e43p-1f, ln2_lo = -0x1.05c61p-29f;
  static constexpr float shift = 0x1.8p23f;
  static constexpr int bias = 127, fraction_bits = 23;
  static constexpr float lowest = -105, highest = 89;
  static constexpr float lowest_2 = -151, highest_2 = 129;
  ULPINE_HD static float tail(float r) {
    return polynomial(r, 0x1p-1f, 0x1.555556p-3f, 0x1.5554eap-5f, 0x1.1110e0p-7f, 0x1.6d4316p-10f,
                      0x1.a124e4p-13f);
  }
};

/// The integer nearest to x, |x| < 2^51 (float: 2^22).
template <class T>
ULPINE_HD inline T nearest_integer(T x) {
  return (x + ExpConstants<T>::shift) - ExpConstants<T>::shift;
}

/// 2^k for an integer k for which it is a normal number.
template <class T>
ULPINE_HD inline T power_of_two(T k) {
  using C = ExpConstants<T>;
  return from_bits((to_bits(k + C::shift) + C::bias) << C::fraction_bits);
}

/// x 2^k for an integer k, in two steps so that 2^k itself may overflow or underflow.
template <class T>
ULPINE_HD inline T scale(T x, T k) {
  T const half = nearest_integer(k * T(0.5));
  return x * power_of_two(half) * power_of_two(k - half);
}

/// exp(hi + lo) = sum 2^k, sum within [0.7, 1.42]: relative error of the sum below 2^-58 (float: 2^-28).
template <class T>
struct ExpParts {
  Pair<T> sum;
  T k;
};

/// exp(r + r_lo), |r| <= ln(2) / 2, |r_lo| at most half a unit in the last place of r.
template <class T>
ULPINE_HD inline Pair<T> exp_reduced(T r, T r_lo) {
  T const hi = T(1) + r;
  return fast_two_sum(hi, (r - (hi - T(1))) + fma(r * r, ExpConstants<T>::tail(r), fma(r_lo, r, r_lo)));
}

template <class T>
ULPINE_HD inline ExpParts<T> exp_parts(T x, T x_lo) {
  using C = ExpConstants<T>;
  T const k = fma(x, C::log2_e, C::shift) - C::shift;
  auto const r = fast_two_sum(fma(-k, C::ln2_hi, x), x_lo - k * C::ln2_lo);  // the fma is exact
  return {exp_reduced(r.hi, r.lo), k};
}

/// `regular`, the result of a computation that may be nonsense beyond [lowest, highest]: there 0 or infinity.
/// NaN stays. Chosen last, so that loops over it vectorise.
template <class T>
ULPINE_HD inline T within_range(T x, T lowest, T highest, T regular) {
  T const above = x > highest ? static_cast<T>(infinity) : regular;
  return x < lowest ? T(0) : above;
}

template <class T>
ULPINE_HD inline T exp_of(T x) {
  using C = ExpConstants<T>;
  auto const e = exp_parts(x, T(0));
  return within_range(x, C::lowest, C::highest, scale(e.sum.hi, e.k));
}

template <class T>
ULPINE_HD inline T exp2_of(T x) {
  using C = ExpConstants<T>;
  T const k = nearest_integer(x);
  T const f = x - k;
  auto const r = two_product(f, C::ln2_hi);
  return within_range(x, C::lowest_2, C::highest_2, scale(exp_reduced(r.hi, fma(f, C::ln2_lo, r.lo)).hi, k));
}

/// x = m 2^k with m in [sqrt(1/2), sqrt(2)], for finite x > 0.
struct Fraction {
  double m, k;
};

ULPINE_HD inline Fraction split(double x) {
  bool const subnormal = x < 0x1p-1022;
  auto const bits = to_bits(subnormal ? x * 0x1p54 : x);
  double const exponent =
      from_bits((bits >> 52) | 0x4330000000000000u) - (subnormal ? 0x1p52 + 1077 : 0x1p52 + 1023);
  double const m = from_bits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  bool const upper = m > 0x1.6a09e667f3bcdp+0;
  return {upper ? 0.5 * m : m, upper ? exponent + 1 : exponent};
}

/// log(x) for a finite x > 0, relative error below 2^-64: 2 artanh(f / (2 + f)) + k log(2) with f = m - 1.
ULPINE_HD inline DoubleDouble log_pair(double x) {
  auto const [m, k] = split(x);
  double const f = m - 1;
  auto const s = divide({f, 0.0}, fast_two_sum(2.0, f));
  auto const w = multiply(s, s);
  double const tail =
      polynomial(w.hi, 0x1.c71c71c71c725p-3, 0x1.745d1745cae42p-3, 0x1.3b13b148fcf4ep-3, 0x1.1111060688d8dp-3,
                 0x1.e1ea35dcff411p-4, 0x1.ad8d54ace554ap-4, 0x1.ad0474b230f9bp-4);
  auto series = add({0x1.2492492492492p-2, 0x1.2492492492492p-56}, {w.hi * tail, 0.0});  // 2/7 + ...
  series = add({0x1.999999999999ap-2, -0x1.999999999999ap-56}, multiply(w, series));     // 2/5 + ...
  series = add({0x1.5555555555555p-1, 0x1.5555555555555p-55}, multiply(w, series));      // 2/3 + ...
  auto const log_m = add({2 * s.hi, 2 * s.lo}, multiply(multiply(s, w), series));
  return add(multiply({ln2_hi, ln2_lo}, {k, 0.0}), log_m);
}

ULPINE_HD inline double log_special(double x, double regular) {
  double const positive = x < infinity ? regular : x;  // infinity and NaN stay
  double const above = x == 0 ? -infinity : positive;
  return x < 0 ? not_a_number : above;
}

/// x = q pi / 2 + r with |r| <= pi / 4 (and a hair), the quadrant q modulo 4.
struct ReducedAngle {
  DoubleDouble r;
  int quadrant;
};

/// |x| up to 2^20: pi / 2 in three parts of 53 bits (Cody and Waite's reduction with fma).
ULPINE_HD inline ReducedAngle reduce_moderate(double x) {
  double const shifted = fma(x, 0x1.45f306dc9c883p-1, ExpConstants<double>::shift);
  double const q = shifted - ExpConstants<double>::shift;
  double const first =
      fma(-q, half_pi_hi, x);  // exact: both are multiples of 2^-53, the difference is below 1
  auto const second = two_product(q, half_pi_lo);
  auto const sum = two_sum(first, -second.hi);
  return {fast_two_sum(sum.hi, sum.lo - fma(q, -0x1.f1976b7ed8fbcp-110, second.lo)),
          static_cast<int>(to_bits(shifted) & 3)};
}

/// Any finite |x| >= 1: the product of the integer significand with those 192 bits of 2 / pi that matter
/// modulo 4 (Payne and Hanek).
ULPINE_HD inline ReducedAngle reduce_large(double x) {
  static constexpr std::uint64_t two_over_pi[] = {0,
                                                  0xa2f9836e4e441529u,
                                                  0xfc2757d1f534ddc0u,
                                                  0xdb6295993c439041u,
                                                  0xfe5163abdebbc561u,
                                                  0xb7246e3a424dd2e0u,
                                                  0x06492eea09d1921cu,
                                                  0xfe1deb1cb129a73eu,
                                                  0xe88235f52ebb4484u,
                                                  0xe99c7026b45f7e41u,
                                                  0x3991d639835339f4u,
                                                  0x9c845f8bbdf9283bu,
                                                  0x1ff897ffde05980fu,
                                                  0xef2f118b5a0a6d1fu,
                                                  0x6d367ecf27cb09b7u,
                                                  0x4f463f669e5fea2du,
                                                  0x7527bac7ebe5f17bu,
                                                  0x3d0739f78a5292eau,
                                                  0x6bfb5fb11f8d5d08u,
                                                  0x56033046fc7b6babu};
  using Wide = unsigned __int128;
  auto const bits = to_bits(x);
  int const exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1075;  // |x| = significand 2^exponent
  std::uint64_t const significand = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  // Bit i of 2 / pi (i = 1 is one half) is table bit i + 63; bits before i = exponent - 1 give multiples
  // of 4.
  int const first_bit = exponent + 62;
  int const word = first_bit >> 6, left = first_bit & 63;
  std::uint64_t window[3];
  for (int i = 0; i < 3; ++i) {
    window[i] = left == 0 ? two_over_pi[word + i]
                          : (two_over_pi[word + i] << left) | (two_over_pi[word + i + 1] >> (64 - left));
  }
  Wide const low = Wide(significand) * window[2];
  Wide const middle = Wide(significand) * window[1] + static_cast<std::uint64_t>(low >> 64);
  // The product modulo 4 as top.middle.low in 192 bits, two of them before the point.
  std::uint64_t top = significand * window[0] + static_cast<std::uint64_t>(middle >> 64);
  std::uint64_t mid = static_cast<std::uint64_t>(middle), bottom = static_cast<std::uint64_t>(low);
  int quadrant = static_cast<int>((top + 0x2000000000000000u) >> 62);
  top = (top << 2) | (mid >> 62);  // the fraction as a signed number: in [-1/2, 1/2)
  mid = (mid << 2) | (bottom >> 62);
  bottom <<= 2;
  bool const negative = (top >> 63) != 0;
  if (negative) {
    bottom = ~bottom + 1;
    mid = ~mid + (bottom == 0 ? 1 : 0);
    top = ~top + (bottom == 0 && mid == 0 ? 1 : 0);
  }
  auto const upper =
      two_sum(static_cast<double>(top >> 32) * 0x1p-32, static_cast<double>(top & 0xffffffffu) * 0x1p-64);
  auto const lower =
      two_sum(static_cast<double>(mid >> 32) * 0x1p-96, static_cast<double>(mid & 0xffffffffu) * 0x1p-128);
  auto const leading = two_sum(upper.hi, lower.hi);
  auto const fraction = fast_two_sum(
      leading.hi, (upper.lo + leading.lo) + (lower.lo + static_cast<double>(bottom >> 32) * 0x1p-160));
  auto r = multiply(fraction, {half_pi_hi, half_pi_lo});
  if (negative != is_negative(x)) {
    r = {-r.hi, -r.lo};
  }
  if (is_negative(x)) {
    quadrant = -quadrant;
  }
  return {r, quadrant & 3};
}

ULPINE_HD inline ReducedAngle reduce_angle(double x) {
  return abs(x) <= 0x1p20 ? reduce_moderate(x) : reduce_large(x);
}

/// sin(r), cos(r) for a reduced angle; relative error below 2^-55.
ULPINE_HD inline DoubleDouble sin_reduced(DoubleDouble r) {
  double const z = r.hi * r.hi;
  double const series = polynomial(z, -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a019936p-13,
                                   0x1.71de3a5460533p-19, -0x1.ae64541251e39p-26, 0x1.61217eaffbfdbp-33,
                                   -0x1.ab179e14267cdp-41);
  return fast_two_sum(r.hi, fma(r.hi * z, series, fma(-0.5 * z, r.lo, r.lo)));
}

ULPINE_HD inline DoubleDouble cos_reduced(DoubleDouble r) {
  auto const z = two_product(r.hi, r.hi);
  double const series = polynomial(z.hi, 0x1.5555555555555p-5, -0x1.6c16c16c16966p-10, 0x1.a01a019f4e7d9p-16,
                                   -0x1.27e4fa179895fp-22, 0x1.1eeb68a508535p-29, -0x1.907d724680d4ep-37);
  auto const leading = fast_two_sum(1.0, -0.5 * z.hi);
  return fast_two_sum(leading.hi, leading.lo + fma(z.hi * z.hi, series, -fma(r.hi, r.lo, 0.5 * z.lo)));
}

ULPINE_HD inline double sine_of_quadrant(DoubleDouble r, int quadrant) {
  double const value = (quadrant & 1) ? cos_reduced(r).hi : sin_reduced(r).hi;
  return (quadrant & 2) ? -value : value;
}

/// sinh(x), cosh(x) for x >= 0, both divided by 2^k.
struct HyperbolicParts {
  DoubleDouble sinh, cosh;
  double k;
};

ULPINE_HD inline HyperbolicParts hyperbolic_parts(double x) {
  if (x < 0.3) {  // the series: exp(x) - exp(-x) would cancel
    auto const z = two_product(x, x);
    double const odd =
        polynomial(z.hi, 1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800.0);
    double const even = polynomial(z.hi, 1.0 / 24, 1.0 / 720, 1.0 / 40320, 1.0 / 3628800, 1.0 / 479001600);
    auto const cosh_leading = fast_two_sum(1.0, 0.5 * z.hi);
    return {fast_two_sum(x, x * z.hi * odd),
            fast_two_sum(cosh_leading.hi, cosh_leading.lo + fma(z.hi * z.hi, even, 0.5 * z.lo)), 0.0};
  }
  auto const e = exp_parts(min(x, 750.0), 0.0);
  auto inverse = divide({1.0, 0.0}, e.sum);
  double const factor =
      power_of_two(-2 * min(e.k, 60.0));  // exp(-x) is nothing beside exp(x) well before k = 60
  inverse = {inverse.hi * factor, inverse.lo * factor};
  return {subtract(e.sum, inverse), add(e.sum, inverse), e.k - 1};
}

/// 0: y is no integer, 1: odd, 2: even (as are all |y| >= 2^53).
ULPINE_HD inline int parity(double y) {
  auto const bits = to_bits(y);
  int const exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  if (exponent > 52) {
    return 2;
  }
  if (exponent < 0) {
    return y == 0 ? 2 : 0;
  }
  auto const significand = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  int const fraction_bits = 52 - exponent;
  if ((significand & ((std::uint64_t{1} << fraction_bits) - 1)) != 0) {
    return 0;
  }
  return ((significand >> fraction_bits) & 1) != 0 ? 1 : 2;
}

ULPINE_HD inline double log_of(double x) {
  auto const [m, k] = split(x);
  double const f = m - 1;
  double const s = f / (2 + f), w = s * s;
  double const series = w * polynomial(w, 0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476bf2p-2,
                                       0x1.c71c7201712d2p-3, 0x1.745cf8fa80a6ep-3, 0x1.3b1c377d3240fp-3,
                                       0x1.0fbe5ca9fd6f9p-3, 0x1.0c05f222f1ac5p-3);
  // log(1 + f) = f - f^2/2 + s (f^2/2 + series), the first two terms and k log(2) without rounding errors.
  auto const half_square = two_product(0.5 * f, f);
  auto const leading = fast_two_sum(f, -half_square.hi);
  auto const k_ln2 = two_product(k, ln2_hi);
  auto const sum = two_sum(k_ln2.hi, leading.hi);
  double const tail = fma(s, half_square.hi + series, leading.lo - half_square.lo);
  return log_special(x, sum.hi + (sum.lo + (fma(k, ln2_lo, k_ln2.lo) + tail)));
}

/// The special cases of pow around `power(|x|, y)`, which sees finite |x| > 0 other than 1 and any y but 0
/// and NaN.
template <class Power>
ULPINE_HD inline double pow_around(double x, double y, Power power) {
  double const magnitude = abs(x);
  if (y == 0 || x == 1 || (x == -1 && abs(y) == infinity)) {
    return 1;  // also where the other argument is NaN
  }
  if (is_nan(x) || is_nan(y)) {
    return not_a_number;
  }
  int const y_parity = parity(y);
  if (x < 0 && y_parity == 0 && magnitude < infinity) {
    return not_a_number;
  }
  double const sign = is_negative(x) && y_parity == 1 ? -1.0 : 1.0;
  if (magnitude == 0 || magnitude == infinity) {
    return sign * ((magnitude == 0) == (y < 0) ? infinity : 0.0);
  }
  return sign * power(magnitude, y);
}

struct PowerInDoubleDouble {
  ULPINE_HD double operator()(double x, double y) const {
    auto const logarithm = log_pair(x);
    auto const estimate = two_product(y, logarithm.hi);
    auto const e = exp_parts(estimate.hi, fma(y, logarithm.lo, estimate.lo));
    return within_range(estimate.hi, ExpConstants<double>::lowest, ExpConstants<double>::highest,
                        scale(e.sum.hi, e.k));
  }
};

/// For float arguments: |y log(x)| matters up to 104, so the error of the logarithm costs 2^-45 of the
/// result.
struct PowerInDouble {
  ULPINE_HD double operator()(double x, double y) const { return exp_of(y * log_of(x)); }
};

/// arctan(j / 8), j = 0..8.
ULPINE_HD inline DoubleDouble arctan_of_eighths(int j) {
  static constexpr double hi[] = {0.0,
                                  0x1.fd5ba9aac2f6ep-4,
                                  0x1.f5b75f92c80ddp-3,
                                  0x1.6f61941e4def1p-2,
                                  0x1.dac670561bb4fp-2,
                                  0x1.1e00babdefeb4p-1,
                                  0x1.4978fa3269ee1p-1,
                                  0x1.700a7c5784634p-1,
                                  0x1.921fb54442d18p-1};
  static constexpr double lo[] = {0.0,
                                  -0x1.cd37686760c17p-59,
                                  0x1.8ab6e3cf7afbdp-57,
                                  -0x1.c63aae6f6e918p-56,
                                  0x1.a2b7f222f65e2p-56,
                                  -0x1.928df287a668fp-58,
                                  0x1.2419a87f2a458p-56,
                                  -0x1.8c34d25aadef6p-56,
                                  0x1.1a62633145c07p-55};
  return {hi[j], lo[j]};
}

/// arctan(y / x) for 0 <= y <= x, x > 0, both far from overflow and underflow (y may be tiny).
/// With c = j / 8 near y / x: arctan(c) + arctan((y - c x) / (x + c y)), whose argument is at most 1/16.
ULPINE_HD inline DoubleDouble arctan_of_ratio(double y, double x) {
  double const j = nearest_integer(8 * (y / x));
  double const c = 0.125 * j;
  auto const cx = two_product(c, x), cy = two_product(c, y);
  auto const top = two_sum(y, -cx.hi), bottom = fast_two_sum(x, cy.hi);
  auto const u = divide({top.hi, top.lo - cx.lo}, {bottom.hi, bottom.lo + cy.lo});
  double const w = u.hi * u.hi;
  double const series = polynomial(w, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15);
  return add(arctan_of_eighths(static_cast<int>(j)), fast_two_sum(u.hi, fma(u.hi * w, series, u.lo)));
}

}  // namespace detail

ULPINE_HD inline double exp(double x) { return detail::exp_of(x); }
ULPINE_HD inline float exp(float x) { return detail::exp_of(x); }

ULPINE_HD inline double exp2(double x) { return detail::exp2_of(x); }
ULPINE_HD inline float exp2(float x) { return detail::exp2_of(x); }

ULPINE_HD inline double log(double x) { return detail::log_of(x); }
ULPINE_HD inline float log(float x) { return static_cast<float>(log(static_cast<double>(x))); }

ULPINE_HD inline double log2(double x) {
  auto const fraction = detail::split(x);
  auto const log_m = multiply(detail::log_pair(fraction.m), {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  return detail::log_special(x, add({fraction.k, 0.0}, log_m).hi);
}
ULPINE_HD inline float log2(float x) { return static_cast<float>(log2(static_cast<double>(x))); }

ULPINE_HD inline double pow(double x, double y) {
  return detail::pow_around(x, y, detail::PowerInDoubleDouble{});
}
ULPINE_HD inline float pow(float x, float y) {
  return static_cast<float>(detail::pow_around(x, y, detail::PowerInDouble{}));
}

ULPINE_HD inline double sin(double x) {
  if (!(abs(x) < detail::infinity)) {
    return detail::not_a_number;
  }
  auto const angle = detail::reduce_angle(x);
  return abs(x) < 0x1p-27 ? x : detail::sine_of_quadrant(angle.r, angle.quadrant);
}
ULPINE_HD inline float sin(float x) { return static_cast<float>(sin(static_cast<double>(x))); }

ULPINE_HD inline double cos(double x) {
  if (!(abs(x) < detail::infinity)) {
    return detail::not_a_number;
  }
  auto const angle = detail::reduce_angle(x);
  return detail::sine_of_quadrant(angle.r, angle.quadrant + 1);
}
ULPINE_HD inline float cos(float x) { return static_cast<float>(cos(static_cast<double>(x))); }

ULPINE_HD inline double tan(double x) {
  if (!(abs(x) < detail::infinity)) {
    return detail::not_a_number;
  }
  if (abs(x) < 0x1p-27) {
    return x;
  }
  auto const angle = detail::reduce_angle(x);
  auto const sine = detail::sin_reduced(angle.r), cosine = detail::cos_reduced(angle.r);
  return (angle.quadrant & 1) ? -divide(cosine, sine).hi : divide(sine, cosine).hi;
}
ULPINE_HD inline float tan(float x) { return static_cast<float>(tan(static_cast<double>(x))); }

/// The angle of the point (x, y) in [-pi, pi].
ULPINE_HD inline double atan2(double y, double x) {
  if (detail::is_nan(x) || detail::is_nan(y)) {
    return detail::not_a_number;
  }
  double ay = abs(y), ax = abs(x);
  if (ay == detail::infinity || ax == detail::infinity) {
    double const infinite_y = ay == detail::infinity ? 1.0 : 0.0;
    ax = ax == detail::infinity ? 1.0 : 0.0;
    ay = infinite_y;
  }
  bool const steep = ay > ax, left = detail::is_negative(x);
  double const larger = steep ? ay : ax, smaller = steep ? ax : ay;
  if (!left && !steep && larger > 0 && smaller <= larger * 0x1p-60) {
    return detail::with_sign_of(ay / ax, y);  // arctan(t) = t to the last bit; may be subnormal
  }
  double const factor = larger < 0x1p-500 ? 0x1p600 : larger > 0x1p500 ? 0x1p-600 : 1.0;
  DoubleDouble angle = {0.0, 0.0};
  if (larger > 0) {
    angle = detail::arctan_of_ratio(smaller * factor, larger * factor);
  }
  if (steep) {
    angle = subtract({detail::half_pi_hi, detail::half_pi_lo}, angle);
  }
  if (left) {
    angle = subtract({2 * detail::half_pi_hi, 2 * detail::half_pi_lo}, angle);
  }
  return detail::with_sign_of(angle.hi, y);
}
ULPINE_HD inline float atan2(float y, float x) {
  return static_cast<float>(atan2(static_cast<double>(y), static_cast<double>(x)));
}

ULPINE_HD inline double sinh(double x) {
  double const magnitude = abs(x);
  if (!(magnitude < detail::infinity) || magnitude < 0x1p-27) {
    return x;
  }
  auto const parts = detail::hyperbolic_parts(magnitude);
  return detail::with_sign_of(detail::scale(parts.sinh.hi, parts.k), x);
}
ULPINE_HD inline float sinh(float x) { return static_cast<float>(sinh(static_cast<double>(x))); }

ULPINE_HD inline double cosh(double x) {
  double const magnitude = abs(x);
  if (!(magnitude < detail::infinity)) {
    return magnitude;
  }
  auto const parts = detail::hyperbolic_parts(magnitude);
  return detail::scale(parts.cosh.hi, parts.k);
}
ULPINE_HD inline float cosh(float x) { return static_cast<float>(cosh(static_cast<double>(x))); }

ULPINE_HD inline double tanh(double x) {
  double const magnitude = abs(x);
  if (detail::is_nan(x) || magnitude < 0x1p-27) {
    return x;
  }
  if (magnitude > 22) {
    return detail::with_sign_of(1.0, x);
  }
  auto const parts = detail::hyperbolic_parts(magnitude);
  return detail::with_sign_of(divide(parts.sinh, parts.cosh).hi, x);
}
ULPINE_HD inline float tanh(float x) { return static_cast<float>(tanh(static_cast<double>(x))); }

ULPINE_HD inline double cbrt(double x) {
  double const magnitude = abs(x);
  if (!(magnitude < detail::infinity) || magnitude == 0) {
    return x;
  }
  bool const subnormal = magnitude < 0x1p-1022;
  auto const bits = to_bits(subnormal ? magnitude * 0x1p54 : magnitude);
  // magnitude = m 2^(3 third), m in [1, 8); 3072 = 3 * 1024 keeps the division positive.
  int const exponent = static_cast<int>(bits >> 52) - 1023 - (subnormal ? 54 : 0) + 3072;
  int const third = exponent / 3;
  double const m = from_bits((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u) *
                   static_cast<double>(1 << (exponent - 3 * third));
  double y = detail::polynomial(m, 0x1.4ecb7ee28e2bcp-1, 0x1.a612e6bf7887bp-2, -0x1.166aa5a8ad33bp-4,
                                0x1.ca0ace5bab84dp-8, -0x1.2e387317addddp-12);
  for (int step = 0; step < 2; ++step) {  // Halley: the error 5e-3 becomes 1e-7, then the rounding error
    double const cube = y * y * y;
    y = y * ((cube + 2 * m) / (2 * cube + m));
  }
  auto const square = two_product(y, y);
  auto const cube = two_product(square.hi, y);
  double const residual = (m - cube.hi) - fma(square.lo, y, cube.lo);
  double const root = y + residual / (3 * square.hi);
  return detail::with_sign_of(root * detail::power_of_two(static_cast<double>(third - 1024)), x);
}
ULPINE_HD inline float cbrt(float x) { return static_cast<float>(cbrt(static_cast<double>(x))); }

/// sqrt(x^2 + y^2) without overflow or underflow on the way.
ULPINE_HD inline double hypot(double x, double y) {
  double const ax = abs(x), ay = abs(y);
  if (ax == detail::infinity || ay == detail::infinity) {
    return detail::infinity;  // even where the other is NaN
  }
  if (detail::is_nan(x) || detail::is_nan(y)) {
    return detail::not_a_number;
  }
  double const larger = max(ax, ay);
  double const factor = larger < 0x1p-450 ? 0x1p600 : larger > 0x1p450 ? 0x1p-600 : 1.0;
  double const back = larger < 0x1p-450 ? 0x1p-600 : larger > 0x1p450 ? 0x1p600 : 1.0;
  double const a = factor * larger, b = factor * min(ax, ay);
  auto const aa = two_product(a, a), bb = two_product(b, b);
  auto const sum = fast_two_sum(aa.hi, bb.hi);
  double const root = sqrt(sum.hi);
  double const residual = fma(-root, root, sum.hi) + (sum.lo + (aa.lo + bb.lo));
  return back * (root > 0 ? root + residual / (2 * root) : root);
}
ULPINE_HD inline float hypot(float x, float y) {
  return static_cast<float>(hypot(static_cast<double>(x), static_cast<double>(y)));
}

}  // namespace ulpine::math
