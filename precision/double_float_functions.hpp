// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "precision/double_float.hpp"
#include "precision/elementary.hpp"

/// Elementary functions of DoubleFloat with the same bits on host and device, by float and integer
/// instructions alone. The bounds, relative to the true value, are of the largest errors met over random and
/// adversarial arguments, rounded up (test_double_float_functions.cpp); they hold where results are
/// above 2^-100 (below, a low part underflows and the error is a few times 2^-149); special values are those
/// of C99, Annex F.
///
/// The coefficients come from precision/tools/coefficients.py: those of terms that need more than a float are
/// two floats, the tails of the series floats.
namespace ulpine::math {

namespace detail {

using FloatPair = Pair<float>;

inline constexpr float float_infinity = from_bits(std::uint32_t{0x7f800000u});
inline constexpr float float_nan = from_bits(std::uint32_t{0x7fc00000u});
inline constexpr FloatPair pair_ln2{0x1.62e43p-1f, -0x1.05c61p-29f};
inline constexpr FloatPair pair_log2_e{0x1.715476p+0f, 0x1.4ae0cp-26f};
inline constexpr FloatPair pair_half_pi{0x1.921fb6p+0f, -0x1.777a5cp-25f};

ULPINE_HD constexpr FloatPair parts_of(DoubleFloat x) { return {x.hi(), x.lo()}; }
ULPINE_HD constexpr FloatPair times(FloatPair x, float power) { return {x.hi * power, x.lo * power}; }
/// The pair as a number: infinity and NaN of hi with lo = 0.
ULPINE_HD constexpr DoubleFloat number_of(FloatPair x) {
  return x.lo - x.lo == 0 ? DoubleFloat::of(x) : DoubleFloat(x.hi);
}
ULPINE_HD inline bool is_negative(float x) { return (to_bits(x) >> 31) != 0; }
ULPINE_HD inline DoubleFloat with_sign_of(DoubleFloat magnitude, float sign) {
  return is_negative(sign) ? -magnitude : magnitude;
}

/// a + b for numbers of one sign or a sum not much below them: error 4 u^2 of the larger.
ULPINE_HD inline FloatPair pair_sum(FloatPair a, FloatPair b) {
  auto const sum = two_sum(a.hi, b.hi);
  return fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}
/// The same where |a| >= |b| or a = 0.
ULPINE_HD inline FloatPair pair_sum_ordered(FloatPair a, FloatPair b) {
  auto const sum = fast_two_sum(a.hi, b.hi);
  return fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
}
/// a b: error 5 u^2 (DWTimesDW2 of Joldes, Muller and Popescu).
ULPINE_HD inline FloatPair pair_product(FloatPair a, FloatPair b) {
  auto const product = two_product(a.hi, b.hi);
  return fast_two_sum(product.hi, product.lo + fma(a.hi, b.lo, a.lo * b.hi));
}
/// a / b: error 11 u^2.
ULPINE_HD inline FloatPair pair_quotient(FloatPair a, FloatPair b) {
  float const quotient = a.hi / b.hi;
  return fast_two_sum(quotient, fma(-quotient, b.lo, fma(-quotient, b.hi, a.hi) + a.lo) / b.hi);
}

ULPINE_HD inline FloatPair pair_polynomial(FloatPair, FloatPair c) { return c; }
/// c0 + c1 x + c2 x^2 + ... by Horner's rule, where each term is smaller than the one before it.
template <class... Pairs>
ULPINE_HD inline FloatPair pair_polynomial(FloatPair x, FloatPair c0, Pairs... higher) {
  return pair_sum_ordered(c0, pair_product(x, pair_polynomial(x, higher...)));
}

/// x 2^k for an integer k from -300 to 128, |x| < 4.
ULPINE_HD inline DoubleFloat scaled(FloatPair x, float k) {
  return number_of(fast_two_sum(scale(x.hi, k), scale(x.lo, k)));
}

/// `regular`, which may be nonsense beyond [lowest, highest]: there 0 or infinity. Chosen last, so that loops
/// over it vectorise.
ULPINE_HD inline DoubleFloat within_range(DoubleFloat x, float lowest, float highest, DoubleFloat regular) {
  bool const outside = x.hi() < lowest || x.hi() > highest;
  return DoubleFloat::of(within_range(x.hi(), lowest, highest, regular.hi()), outside ? 0.0f : regular.lo());
}

/// exp(r), |r| <= ln(2) / 2: error below 2^-46.
ULPINE_HD inline FloatPair exp_of_pair(FloatPair r) {
  float const tail =
      polynomial(r.hi, 0x1.a01a02p-16f, 0x1.71de34p-19f, 0x1.27e4f8p-22f, 0x1.aece7p-26f, 0x1.1f2a3p-29f);
  auto const series = pair_polynomial(r, FloatPair{0x1p-1f, 0}, FloatPair{0x1.555556p-3f, -0x1.555556p-28f},
                                      FloatPair{0x1.555556p-5f, -0x1.555556p-30f},
                                      FloatPair{0x1.111112p-7f, -0x1.dddddep-32f},
                                      FloatPair{0x1.6c16c2p-10f, -0x1.27d27ep-35f},
                                      FloatPair{0x1.a01a02p-13f, -0x1.7f97fap-39f}, FloatPair{tail, 0});
  auto const above_one = pair_sum_ordered(r, pair_product(pair_product(r, r), series));
  return pair_sum_ordered({1, 0}, above_one);
}

/// exp(x) = sum 2^k for |x| <= 106.
ULPINE_HD inline ExpParts<float> exp_parts_of(DoubleFloat x) {
  using C = ExpConstants<float>;
  float const k = fma(x.hi(), C::log2_e, C::shift) - C::shift;
  // ln 2 in parts of 16, 24 and 24 bits: the fma is exact, its result 0 or not below x.lo.
  auto const first = fast_two_sum(fma(-k, 0x1.62e4p-1f, x.hi()), x.lo());
  auto const second = two_product(k, 0x1.7f7d1cp-20f);
  auto const r =
      DoubleFloat::of(first) - DoubleFloat::of(fast_two_sum(second.hi, fma(k, 0x1.ef357ap-45f, second.lo)));
  return {exp_of_pair(parts_of(r)), k};
}

/// x = m 2^k with m in [sqrt(1/2), sqrt(2)], for finite x > 0.
struct FloatFraction {
  FloatPair m;
  float k;
};

/// The exponent of a finite x > 0, subnormal or not.
ULPINE_HD inline int exponent_of(float x) {
  bool const subnormal = x < 0x1p-126f;
  return static_cast<int>(to_bits(subnormal ? x * 0x1p24f : x) >> 23) - (subnormal ? 127 + 24 : 127);
}

ULPINE_HD inline FloatFraction split(DoubleFloat x) {
  auto const exponent = static_cast<float>(exponent_of(x.hi()));
  float const m = scale(x.hi(), -exponent);
  float const k = m > 0x1.6a09e6p+0f ? exponent + 1 : exponent;
  return {{scale(x.hi(), -k), scale(x.lo(), -k)}, k};
}

/// log(m) for m in [sqrt(1/2), sqrt(2)]: 2 artanh(f / (2 + f)) with f = m - 1. Error below 2^-44.
ULPINE_HD inline FloatPair log_of_fraction(FloatPair m) {
  auto const f = fast_two_sum(m.hi - 1, m.lo);
  auto const s = pair_quotient(f, pair_sum_ordered({2, 0}, f));
  auto const w = pair_product(s, s);
  float const tail = polynomial(w.hi, 0x1.c71c72p-3f, 0x1.745d18p-3f, 0x1.3b13acp-3f, 0x1.111378p-3f,
                                0x1.e0a936p-4f, 0x1.d36e08p-4f);
  auto const series = pair_polynomial(w, FloatPair{0x1.555556p-1f, -0x1.555556p-26f},
                                      FloatPair{0x1.99999ap-2f, -0x1.99999ap-28f},
                                      FloatPair{0x1.24924ap-2f, -0x1.b6db6ep-27f}, FloatPair{tail, 0});
  return pair_sum_ordered(times(s, 2), pair_product(pair_product(s, w), series));
}

ULPINE_HD inline DoubleFloat log_special(DoubleFloat x, DoubleFloat regular) {
  if (x.hi() > 0) return x.hi() < float_infinity ? regular : x;
  return x.hi() == 0 ? DoubleFloat(-float_infinity) : DoubleFloat(float_nan);
}

/// x^y for finite x > 0 and finite y. With x = m 2^k, 2^(y k + y log2(m)): the integer nearest to the
/// exponent is taken from y k before anything is rounded.
ULPINE_HD inline DoubleFloat power_of(DoubleFloat x, DoubleFloat y) {
  using C = ExpConstants<float>;
  auto const [m, k] = split(x);
  auto const log2_m = pair_product(log_of_fraction(m), pair_log2_e);
  auto const of_m = y * DoubleFloat::of(log2_m);
  auto const of_k = two_product(y.hi(), k);
  float const exponent = of_k.hi + of_m.hi();
  if (exponent > C::highest_2) return float_infinity;
  if (exponent < C::lowest_2) return 0;
  float const whole = nearest_integer(exponent);
  auto const of_low = two_product(y.lo(), k);
  auto const low = two_sum(of_k.lo, of_low.hi);
  auto const rest = DoubleFloat::of(fast_two_sum(low.hi, low.lo + of_low.lo));
  auto const f = DoubleFloat::of(two_sum(of_k.hi, -whole)) + (of_m + rest);
  return scaled(exp_of_pair(pair_product(parts_of(f), pair_ln2)), whole);
}

/// 0: y is no integer, 1: odd, 2: even.
ULPINE_HD inline int parity(float y) {
  float const magnitude = abs(y);
  if (!(magnitude < 0x1p24f)) return 2;
  auto const whole = static_cast<std::int32_t>(magnitude);
  return static_cast<float>(whole) != magnitude ? 0 : whole % 2 == 1 ? 1 : 2;
}
ULPINE_HD inline int parity(DoubleFloat y) {
  int const high = parity(y.hi()), low = parity(y.lo());
  return high == 0 || low == 0 ? 0 : high == low ? 2 : 1;
}

/// x = q pi / 2 + r with |r| <= pi / 4, the quadrant q modulo 4.
struct ReducedPair {
  FloatPair r;
  int quadrant;
};

/// An integer of 128 bits, modulo 2^128.
struct Bits128 {
  std::uint64_t high, low;
  ULPINE_HD friend Bits128 operator+(Bits128 a, Bits128 b) {
    auto const low = a.low + b.low;
    return {a.high + b.high + (low < a.low ? 1 : 0), low};
  }
  ULPINE_HD Bits128 operator-() const { return Bits128{~high, ~low} + Bits128{0, 1}; }
  ULPINE_HD Bits128 operator<<(int n) const {  // 0 <= n < 64
    return n == 0 ? *this : Bits128{high << n | low >> (64 - n), low << n};
  }
};

/// x / (pi / 2) modulo 4 as a multiple of 2^-126, off by less than 2^-102, for finite x: the integer
/// significand times the 128 bits of 2 / pi that matter (Payne and Hanek).
ULPINE_HD inline Bits128 quadrants(float x) {
  static constexpr std::uint64_t two_over_pi[] = {
      0, 0, 0, 0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u};
  auto const bits = to_bits(x);
  int const biased = static_cast<int>(bits >> 23 & 0xff);
  int const exponent = (biased == 0 ? 1 : biased) - 150;  // |x| = significand 2^exponent
  std::uint64_t const significand = (bits & 0x7fffffu) | (biased == 0 ? 0u : 0x800000u);
  // Bit i of 2 / pi (i = 1 is one half) is table bit i + 191; bits before i = exponent - 1 give multiples
  // of 4.
  int const first_bit = exponent + 190;
  int const word = first_bit >> 6, left = first_bit & 63;
  auto const window = Bits128{two_over_pi[word], two_over_pi[word + 1]} << left;
  auto const filled = left == 0 ? window.low : window.low | two_over_pi[word + 2] >> (64 - left);
  auto const lower = (filled & 0xffffffffu) * significand;
  auto const upper = (filled >> 32) * significand + (lower >> 32);
  Bits128 const product{window.high * significand + (upper >> 32), upper << 32 | (lower & 0xffffffffu)};
  return is_negative(x) ? -product : product;
}

ULPINE_HD inline int leading_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return __clzll(static_cast<long long>(x));
#else
  return x == 0 ? 64 : __builtin_clzll(x);
#endif
}

ULPINE_HD inline ReducedPair reduce_pair(DoubleFloat x) {
  if (abs(x.hi()) <= 0x1.921fb4p-1f) return {parts_of(x), 0};
  auto const all = quadrants(x.hi()) + quadrants(x.lo());
  int const quadrant = static_cast<int>((all.high + 0x2000000000000000u) >> 62);
  auto fraction = all << 2;  // of a quadrant, as a signed number: in [-1/2, 1/2)
  bool const negative = (fraction.high >> 63) != 0;
  if (negative) fraction = -fraction;
  int zeros = leading_zeros(fraction.high);
  if (zeros == 64) {
    fraction = {fraction.low, 0};
    zeros += leading_zeros(fraction.high);
    fraction = fraction << (zeros & 63);
  } else {
    fraction = fraction << zeros;
  }
  auto const high = static_cast<float>(fraction.high >> 40);
  auto const low = static_cast<float>(static_cast<std::uint32_t>(fraction.high >> 8)) * 0x1p-32f;
  auto const k = static_cast<float>(-24 - zeros);
  auto const r = pair_product(fast_two_sum(high, low), pair_half_pi);
  float const sign = negative ? -1.0f : 1.0f;
  return {{scale(sign * r.hi, k), scale(sign * r.lo, k)}, quadrant & 3};
}

/// sin(r), cos(r) for |r| <= pi / 4: errors below 2^-45.
ULPINE_HD inline FloatPair sin_of_pair(FloatPair r) {
  auto const z = pair_product(r, r);
  float const tail = polynomial(z.hi, -0x1.ae6456p-26f, 0x1.612462p-33f, -0x1.ae7eaep-41f, 0x1.93b6f6p-49f);
  auto const series = pair_polynomial(z, FloatPair{-0x1.555556p-3f, 0x1.555556p-28f},
                                      FloatPair{0x1.111112p-7f, -0x1.dddddep-32f},
                                      FloatPair{-0x1.a01a02p-13f, 0x1.7f97fap-39f},
                                      FloatPair{0x1.71de3ap-19f, 0x1.55b1ccp-45f}, FloatPair{tail, 0});
  return pair_sum_ordered(r, pair_product(pair_product(r, z), series));
}

ULPINE_HD inline FloatPair cos_of_pair(FloatPair r) {
  auto const z = pair_product(r, r);
  float const tail = polynomial(z.hi, -0x1.27e4fcp-22f, 0x1.1eed8ep-29f, -0x1.9396ap-37f, 0x1.acc3cep-45f);
  auto const series = pair_polynomial(z, FloatPair{-0x1p-1f, 0}, FloatPair{0x1.555556p-5f, -0x1.555556p-30f},
                                      FloatPair{-0x1.6c16c2p-10f, 0x1.27d27ep-35f},
                                      FloatPair{0x1.a01a02p-16f, -0x1.7f97fap-42f}, FloatPair{tail, 0});
  return pair_sum_ordered({1, 0}, pair_product(z, series));
}

ULPINE_HD inline DoubleFloat sine_of_quadrant(ReducedPair angle, int quadrant) {
  auto const value = DoubleFloat::of((quadrant & 1) != 0 ? cos_of_pair(angle.r) : sin_of_pair(angle.r));
  return (quadrant & 2) != 0 ? -value : value;
}

/// arctan(j / 8), j = 0..8.
ULPINE_HD inline FloatPair pair_arctan_of_eighths(int j) {
  static constexpr float hi[] = {0,
                                 0x1.fd5baap-4f,
                                 0x1.f5b76p-3f,
                                 0x1.6f6194p-2f,
                                 0x1.dac67p-2f,
                                 0x1.1e00bap-1f,
                                 0x1.4978fap-1f,
                                 0x1.700a7cp-1f,
                                 0x1.921fb6p-1f};
  static constexpr float lo[] = {0,
                                 -0x1.54f424p-30f,
                                 -0x1.b4dfc8p-29f,
                                 0x1.e4defp-30f,
                                 0x1.586ed4p-28f,
                                 0x1.7bdfd6p-26f,
                                 0x1.934f7p-28f,
                                 0x1.5e118cp-27f,
                                 -0x1.777a5cp-26f};
  return {hi[j], lo[j]};
}

/// arctan(y / x) for 0 <= y <= x in [1, 2): error below 2^-44. With c = j / 8 near y / x: arctan(c) +
/// arctan((y - c x) / (x + c y)), whose argument is at most 1/16.
ULPINE_HD inline FloatPair arctan_of_ratio(FloatPair y, FloatPair x) {
  float const j = nearest_integer(8 * (y.hi / x.hi));
  FloatPair const c{0.125f * j, 0};
  auto const top = DoubleFloat::of(y) - DoubleFloat::of(pair_product(c, x));
  auto const u = pair_quotient(parts_of(top), pair_sum_ordered(x, pair_product(c, y)));
  auto const w = pair_product(u, u);
  float const tail = polynomial(w.hi, -0x1.24924ap-3f, 0x1.c71c72p-4f, -0x1.745aecp-4f, 0x1.385cdcp-4f);
  auto const series = pair_polynomial(w, FloatPair{-0x1.555556p-2f, 0x1.555556p-27f},
                                      FloatPair{0x1.99999ap-3f, -0x1.99999ap-29f}, FloatPair{tail, 0});
  auto const arctan = pair_sum_ordered(u, pair_product(pair_product(u, w), series));
  return pair_sum(pair_arctan_of_eighths(static_cast<int>(j)), arctan);
}

/// sinh(x), cosh(x) for 0 <= x <= 90, both divided by 2^k: errors below 2^-44.
struct HyperbolicPairs {
  FloatPair sinh, cosh;
  float k;
};

ULPINE_HD inline HyperbolicPairs hyperbolic_of_pair(DoubleFloat x) {
  auto const e = exp_parts_of(x);
  // exp(-x), divided by 2^k as well: nothing beside exp(x) well before k = 30.
  auto const inverse = times(pair_quotient({1, 0}, e.sum), power_of_two(-2 * min(e.k, 30.0f)));
  auto const cosh = pair_sum(e.sum, inverse);
  if (x.hi() >= 0.3f) return {pair_sum(e.sum, {-inverse.hi, -inverse.lo}), cosh, e.k - 1};
  // The series: exp(x) - exp(-x) would cancel. Doubled, as cosh is, whose k is 0 here.
  auto const r = parts_of(x), z = pair_product(r, r);
  float const tail = polynomial(z.hi, 0x1.71de3ap-19f, 0x1.ae6452p-26f, 0x1.615f2ap-33f);
  auto const series = pair_polynomial(z, FloatPair{0x1.555556p-3f, -0x1.555556p-28f},
                                      FloatPair{0x1.111112p-7f, -0x1.dddddep-32f},
                                      FloatPair{0x1.a01a02p-13f, -0x1.7f97fap-39f}, FloatPair{tail, 0});
  return {times(pair_sum_ordered(r, pair_product(pair_product(r, z), series)), 2), cosh, -1};
}

}  // namespace detail

/// Error below 2^-46. 190 instructions.
ULPINE_HD inline DoubleFloat exp(DoubleFloat x) {
  using C = detail::ExpConstants<float>;
  auto const e = detail::exp_parts_of(x);
  return detail::within_range(x, C::lowest, C::highest, detail::scaled(e.sum, e.k));
}

/// Error below 2^-46.
ULPINE_HD inline DoubleFloat exp2(DoubleFloat x) {
  using C = detail::ExpConstants<float>;
  float const k = detail::nearest_integer(x.hi());
  auto const f = fast_two_sum(x.hi() - k, x.lo());
  auto const sum = detail::exp_of_pair(detail::pair_product(f, detail::pair_ln2));
  return detail::within_range(x, C::lowest_2, C::highest_2, detail::scaled(sum, k));
}

/// Error below 2^-44. 160 instructions.
ULPINE_HD inline DoubleFloat log(DoubleFloat x) {
  auto const [m, k] = detail::split(x);
  auto const leading = two_product(k, detail::pair_ln2.hi);
  auto const k_ln2 = fast_two_sum(leading.hi, fma(k, detail::pair_ln2.lo, leading.lo));
  auto const sum = detail::pair_sum(k_ln2, detail::log_of_fraction(m));
  return detail::log_special(x, DoubleFloat::of(sum));
}

/// Error below 2^-44.
ULPINE_HD inline DoubleFloat log2(DoubleFloat x) {
  auto const [m, k] = detail::split(x);
  auto const log_m = detail::pair_product(detail::log_of_fraction(m), detail::pair_log2_e);
  return detail::log_special(x, DoubleFloat::of(detail::pair_sum({k, 0}, log_m)));
}

/// Error below 2^-44 (1 + the smaller of 0.35 |y| and |y log(x)|).
ULPINE_HD inline DoubleFloat pow(DoubleFloat x, DoubleFloat y) {
  auto const magnitude = abs(x);
  float const infinity = detail::float_infinity;
  if (y == 0 || x == 1 || (x == -1 && abs(y) == infinity)) return 1;  // also where the other argument is NaN
  if (x != x || y != y) return detail::float_nan;
  int const y_parity = detail::parity(y);
  if (x < 0 && y_parity == 0 && magnitude < infinity) return detail::float_nan;
  bool const negative = detail::is_negative(x.hi()) && y_parity == 1;
  auto const power = [&]() -> DoubleFloat {
    if (magnitude == 0 || magnitude == infinity) return (magnitude == 0) == (y < 0) ? infinity : 0.0f;
    if (abs(y) == infinity) return (magnitude > 1) == (y > 0) ? infinity : 0.0f;
    return detail::power_of(magnitude, y);
  };
  return negative ? -power() : power();
}

/// Error below 2^-45.
ULPINE_HD inline DoubleFloat sin(DoubleFloat x) {
  if (!(abs(x.hi()) < detail::float_infinity)) return detail::float_nan;
  if (abs(x.hi()) < 0x1p-26f) return x;
  auto const angle = detail::reduce_pair(x);
  return detail::sine_of_quadrant(angle, angle.quadrant);
}

/// Error below 2^-45.
ULPINE_HD inline DoubleFloat cos(DoubleFloat x) {
  if (!(abs(x.hi()) < detail::float_infinity)) return detail::float_nan;
  if (abs(x.hi()) < 0x1p-26f) return 1;
  auto const angle = detail::reduce_pair(x);
  return detail::sine_of_quadrant(angle, angle.quadrant + 1);
}

/// Error below 2^-44.
ULPINE_HD inline DoubleFloat tan(DoubleFloat x) {
  if (!(abs(x.hi()) < detail::float_infinity)) return detail::float_nan;
  if (abs(x.hi()) < 0x1p-26f) return x;
  auto const angle = detail::reduce_pair(x);
  auto const sine = detail::sin_of_pair(angle.r), cosine = detail::cos_of_pair(angle.r);
  return (angle.quadrant & 1) != 0 ? -DoubleFloat::of(detail::pair_quotient(cosine, sine))
                                   : DoubleFloat::of(detail::pair_quotient(sine, cosine));
}

/// The angle of the point (x, y) in [-pi, pi]. Error below 2^-44.
ULPINE_HD inline DoubleFloat atan2(DoubleFloat y, DoubleFloat x) {
  if (x != x || y != y) return detail::float_nan;
  auto ay = abs(y), ax = abs(x);
  float const infinity = detail::float_infinity;
  if (ay == infinity || ax == infinity) {
    bool const infinite_y = ay == infinity;
    ax = ax == infinity ? 1 : 0;
    ay = infinite_y ? 1 : 0;
  }
  bool const steep = ay > ax, left = detail::is_negative(x.hi());
  auto const larger = steep ? ay : ax, smaller = steep ? ax : ay;
  DoubleFloat angle = 0;
  if (larger > 0) {
    auto const k = static_cast<float>(-detail::exponent_of(larger.hi()));
    auto const bottom = detail::scaled(detail::parts_of(larger), k);
    auto const top = detail::scaled(detail::parts_of(smaller), k);
    angle = top < DoubleFloat(0x1p-26f)
                ? top / bottom
                : DoubleFloat::of(detail::arctan_of_ratio(detail::parts_of(top), detail::parts_of(bottom)));
  }
  if (steep) angle = DoubleFloat::of(detail::pair_half_pi) - angle;
  if (left) angle = DoubleFloat::of(detail::times(detail::pair_half_pi, 2)) - angle;
  return detail::with_sign_of(angle, y.hi());
}

/// Error below 2^-44.
ULPINE_HD inline DoubleFloat sinh(DoubleFloat x) {
  auto const magnitude = abs(x);
  if (!(magnitude.hi() < detail::float_infinity) || magnitude.hi() < 0x1p-26f) return x;
  auto const parts = detail::hyperbolic_of_pair(min(magnitude, DoubleFloat(90)));
  return detail::with_sign_of(detail::scaled(parts.sinh, parts.k), x.hi());
}

/// Error below 2^-45.
ULPINE_HD inline DoubleFloat cosh(DoubleFloat x) {
  auto const magnitude = abs(x);
  if (!(magnitude.hi() < detail::float_infinity)) return magnitude;
  auto const parts = detail::hyperbolic_of_pair(min(magnitude, DoubleFloat(90)));
  return detail::scaled(parts.cosh, parts.k);
}

/// Error below 2^-44.
ULPINE_HD inline DoubleFloat tanh(DoubleFloat x) {
  auto const magnitude = abs(x);
  if (x != x || magnitude.hi() < 0x1p-26f) return x;
  if (magnitude > 18) return detail::with_sign_of(DoubleFloat(1), x.hi());
  auto const parts = detail::hyperbolic_of_pair(magnitude);
  return detail::with_sign_of(DoubleFloat::of(detail::pair_quotient(parts.sinh, parts.cosh)), x.hi());
}

/// Error below 2^-44.
ULPINE_HD inline DoubleFloat cbrt(DoubleFloat x) {
  auto const magnitude = abs(x);
  if (!(magnitude.hi() < detail::float_infinity) || magnitude.hi() == 0) return x;
  // magnitude = m 2^(3 third), m in [1, 8); 153 = 3 * 51 keeps the division positive.
  int const third = (detail::exponent_of(magnitude.hi()) + 153) / 3 - 51;
  auto const k = static_cast<float>(third);
  auto const m = detail::parts_of(detail::scaled(detail::parts_of(magnitude), -3 * k));
  float y = detail::polynomial(m.hi, 0x1.4ecb7ep-1f, 0x1.a612e6p-2f, -0x1.166aa6p-4f, 0x1.ca0acep-8f,
                               -0x1.2e3874p-12f);
  for (int step = 0; step < 2; ++step) {  // Halley: the error 5e-3 becomes 1e-7, then the rounding error
    float const cube = y * y * y;
    y = y * ((cube + 2 * m.hi) / (2 * cube + m.hi));
  }
  auto const square = two_product(y, y);
  auto const cube = detail::pair_product(square, {y, 0});
  float const residual = (m.hi - cube.hi) + (m.lo - cube.lo);
  float const step = residual / (3 * square.hi);
  auto const root = fast_two_sum(y, fma(-step, step / y, step));
  return detail::with_sign_of(detail::scaled(root, k), x.hi());
}

/// sqrt(x^2 + y^2) without overflow or underflow on the way. Error below 2^-45.
ULPINE_HD inline DoubleFloat hypot(DoubleFloat x, DoubleFloat y) {
  auto const ax = abs(x), ay = abs(y);
  float const infinity = detail::float_infinity;
  if (ax == infinity || ay == infinity) return infinity;  // even where the other is NaN
  if (x != x || y != y) return detail::float_nan;
  auto const larger = max(ax, ay), smaller = min(ax, ay);
  if (larger == 0) return 0;
  auto const k = static_cast<float>(detail::exponent_of(larger.hi()));
  auto const a = detail::parts_of(detail::scaled(detail::parts_of(larger), -k));
  auto const b = detail::parts_of(detail::scaled(detail::parts_of(smaller), -k));
  auto const sum = detail::pair_sum_ordered(detail::pair_product(a, a), detail::pair_product(b, b));
  return detail::scaled(detail::parts_of(sqrt(DoubleFloat::of(sum))), k);
}

}  // namespace ulpine::math
