// SPDX-License-Identifier: Apache-2.0
#include "precision/emulation.hpp"

#include <algorithm>
#include <limits>

namespace ulpine {
namespace {

using Wide = unsigned __int128;

/// (significand + fraction 2^-64, and a little more) 2^unit: a magnitude with the leading bit of its
/// significand at a double's place.
struct Magnitude {
  std::uint64_t significand, fraction;
  bool more;
  int unit;
};

/// The magnitude of a number other than 0, as a double's significand times 2^unit.
Magnitude magnitude_of(double x) {
  int exponent = 0;
  auto const fraction = std::frexp(std::fabs(x), &exponent);
  return {static_cast<std::uint64_t>(std::ldexp(fraction, 53)), 0, false, exponent - 53};
}

/// Whether a magnitude between `kept` and kept + 1, by `rest` 2^-64 and more, goes up.
bool goes_up(NamedFormat const& named, std::uint64_t kept, std::uint64_t rest, bool more,
             std::uint64_t random) {
  constexpr auto half = std::uint64_t{1} << 63;
  switch (named.format.rounding) {
    case Rounding::nearest_even:
      return rest > half || (rest == half && (more || (kept & 1) != 0));
    case Rounding::nearest_away:
      return rest >= half;
    case Rounding::toward_zero:
      return false;
    default:
      return named.even_odds ? (rest != 0 || more) && random >= half : random < rest;
  }
}

/// Rounds `x` to the format.
double rounded(NamedFormat const& named, Magnitude const& x, std::uint64_t random) {
  auto const& format = named.format;
  auto const exponent = x.unit + 52, least = format.emin - (format.precision - 1);
  auto const unit = exponent >= format.emin ? exponent - (format.precision - 1)
                    : format.subnormals     ? least
                                            : format.emin;
  // Cut at the unit, in 128 bits of which 64 are the fraction.
  auto const all = Wide{x.significand} << 64 | x.fraction;
  auto const shift = unit - x.unit + 64;
  auto kept = shift < 128 ? static_cast<std::uint64_t>(all >> shift) : 0;
  Wide const below = shift < 128 ? all << (128 - shift) : shift < 256 ? all >> (shift - 128) : 0;
  auto const lost = shift >= 256 || (shift > 128 && (below << (shift - 128)) != all);
  auto const more = x.more || lost || static_cast<std::uint64_t>(below) != 0;
  kept += goes_up(named, kept, static_cast<std::uint64_t>(below >> 64), more, random) ? 1 : 0;
  auto const significands =
      (std::uint64_t{1} << format.precision) - 1 - static_cast<std::uint64_t>(format.missing_at_top);
  auto const largest = std::ldexp(static_cast<double>(significands), format.emax - (format.precision - 1));
  auto const value = std::ldexp(static_cast<double>(kept), unit);
  if (value <= largest) return value;
  if (format.overflow == Overflow::saturate || format.rounding == Rounding::toward_zero) return largest;
  return format.overflow == Overflow::infinity ? std::numeric_limits<double>::infinity()
                                               : std::numeric_limits<double>::quiet_NaN();
}

/// 1/2 <= |fraction| < 1.
struct Split {
  double fraction;
  int exponent = 0;
  explicit Split(double x) { fraction = std::frexp(x, &exponent); }
};

}  // namespace

Emulation::Emulation(NamedFormat const& named) : named_{named} {
  auto const& [precision, emin, emax, subnormals, overflow, rounding, missing] = named.format;
  auto const full_range = emin == -1022 && emax == 1023;
  narrow_ = precision < 53 || !full_range;
  dropped_bits_ = 53 - precision;
  dropped_ = (std::uint64_t{1} << dropped_bits_) - 1;
  smallest_ = to_bits(std::ldexp(1.0, emin));
  range_ = to_bits(std::ldexp(1.0, emax)) - smallest_;
  if (precision == 53 && full_range && rounding == Rounding::nearest_even) {
    way_ = Way::native;
  } else if (precision == 24 && emin == -126 && emax == 127 && rounding == Rounding::nearest_even &&
             subnormals && overflow == Overflow::infinity && missing == 0) {
    way_ = Way::single;
  } else if (precision < 53 && rounding == Rounding::nearest_even) {
    way_ = Way::nearest;
  } else if (precision <= 25 && rounding == Rounding::stochastic && !named.even_odds) {
    way_ = Way::distance;
  } else if (precision == 53 && full_range && rounding == Rounding::stochastic) {
    way_ = named.even_odds ? Way::double_even : Way::double_near;
  } else {
    way_ = Way::other;
  }
}

Emulation Emulation::to_nearest() const {
  auto named = named_;
  if (named.format.rounding == Rounding::stochastic) named.format.rounding = Rounding::nearest_even;
  return Emulation(named);
}

void Emulation::begin_launch(std::uint64_t place) {
  // 64 bits tell launches apart: half of them by the key, half by where the counter begins.
  auto const mixed = philox_2x32(place, named_.seed);
  key_ = static_cast<std::uint32_t>(mixed);
  offset_ = mixed & 0xffffffff00000000u;
  begin_point(0);
}

double Emulation::emulated_sum(double a, double b) {
  a = operand(a), b = operand(b);
  double const high = a + b;
  double rounded;
  if (of_double() && moderate(high)) {
    return up_or_down(high, math::two_sum(a, b).lo);
  }
  return quick(high, rounded) ? rounded : exact_sum(a, b);
}

double Emulation::emulated_product(double a, double b) {
  a = operand(a), b = operand(b);
  double const high = a * b;
  double rounded;
  if (of_double() && moderate(high)) return up_or_down(high, std::fma(a, b, -high));
  return quick(high, rounded) ? rounded : exact_product(a, b);
}

double Emulation::emulated_quotient(double a, double b) {
  a = operand(a), b = operand(b);
  double const high = a / b;
  double rounded;
  if (of_double() && moderate(high) && moderate(a)) {
    return up_or_down(high, std::fma(-high, b, a) / b);
  }
  return quick(high, rounded) ? rounded : exact_quotient(a, b);
}

double Emulation::emulated_root(double x) {
  x = operand(x);
  double const high = std::sqrt(x);
  double rounded;
  if (of_double() && moderate(x)) return up_or_down(high, std::fma(-high, high, x) / (2 * high));
  return quick(high, rounded) ? rounded : exact_root(x);
}

double Emulation::emulated_fused(double a, double b, double c) {
  a = operand(a), b = operand(b), c = operand(c);
  double const high = std::fma(a, b, c);
  double rounded;
  if (of_double() && moderate(high) && moderate(a * b) && std::fabs(c) < 0x1p1000) {
    auto const product = math::two_product(a, b);
    auto const with_c = math::two_sum(product.hi, c);
    auto const rest = math::two_sum(product.lo, with_c.lo);
    auto const all = math::two_sum(with_c.hi, rest.hi);
    return up_or_down(all.hi, all.lo + rest.lo);
  }
  return quick(high, rounded) ? rounded : exact_fused(a, b, c);
}

double Emulation::pair(double high, double low) {
  if (way_ == Way::native || !std::isfinite(high)) return high;
  double rounded;
  if (of_double() && moderate(high)) return up_or_down(high, low);
  return quick(high, rounded) ? rounded : exact_sum(high, low);
}

double Emulation::round_exact(Exact const& exact) {
  auto const& [high, low, lower, scale] = exact;
  auto magnitude = magnitude_of(high);
  auto const outward = (low > 0) == (high > 0);
  if (low != 0 && !outward) {
    if (magnitude.significand == std::uint64_t{1} << 52) {
      magnitude.significand <<= 1;
      --magnitude.unit;
    }
    --magnitude.significand;
  }
  auto const units = std::ldexp(std::fabs(low), 64 - magnitude.unit);
  magnitude.fraction = static_cast<std::uint64_t>(units);
  magnitude.more = static_cast<double>(magnitude.fraction) != units || lower != 0;
  if (lower != 0 && (lower > 0) != (low > 0) && static_cast<double>(magnitude.fraction) == units) {
    --magnitude.fraction;
  }
  if (low != 0 && !outward) {
    magnitude.fraction = magnitude.more ? ~magnitude.fraction : -magnitude.fraction;
  }
  magnitude.unit += scale;
  auto const random = named_.format.rounding == Rounding::stochastic ? draw() : 0;
  return std::copysign(rounded(named_, magnitude, random), high);
}

double Emulation::exact_sum(double a, double b) {
  auto const high = a + b;
  if (std::isnan(high) || std::isinf(a) || std::isinf(b)) return high;
  if (high == 0) return high;
  if (std::isinf(high)) {
    auto const halves = math::two_sum(a / 2, b / 2);
    return round_exact({halves.hi, halves.lo, 0, 1});
  }
  auto const pair = math::two_sum(a, b);
  return round_exact({pair.hi, pair.lo});
}

double Emulation::exact_product(double a, double b) {
  auto const high = a * b;
  if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) return high;
  Split const x(a), y(b);
  auto const pair = math::two_product(x.fraction, y.fraction);
  return round_exact({pair.hi, pair.lo, 0, x.exponent + y.exponent});
}

double Emulation::exact_quotient(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) return a / b;
  Split const x(a), y(b);
  auto const high = x.fraction / y.fraction;
  auto const rest = std::fma(-high, y.fraction, x.fraction);
  auto const low = rest / y.fraction;
  auto const lower = std::fma(-low, y.fraction, rest);
  return round_exact({high, low, lower * y.fraction, x.exponent - y.exponent});
}

double Emulation::exact_root(double x) {
  if (!(x > 0) || std::isinf(x)) return std::sqrt(x);
  Split const split(x);
  auto const odd = (split.exponent & 1) != 0;
  auto const square = odd ? 2 * split.fraction : split.fraction;
  auto const high = std::sqrt(square);
  auto const rest = std::fma(-high, high, square);
  auto const low = rest / (2 * high);
  // The root is below its tangent.
  return round_exact(
      {high, low, low == 0 ? 0 : -std::fabs(low) * 0x1p-53, (split.exponent - (odd ? 1 : 0)) / 2});
}

double Emulation::exact_fused(double a, double b, double c) {
  auto const plain = std::fma(a, b, c);
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return plain;
  if (a == 0 || b == 0) return c == 0 ? plain : exact_sum(c, 0);
  if (c == 0) return exact_product(a, b);
  Split const x(a), y(b), z(c);
  auto const of_product = x.exponent + y.exponent, scale = std::max(of_product, z.exponent);
  // Beyond 53 bits and more below the larger, the smaller one's sign is all that shows.
  constexpr int negligible = -400;
  auto const product = math::two_product(x.fraction, y.fraction);
  auto const down = std::max(of_product - scale, negligible);
  auto const sum = math::two_sum(std::ldexp(product.hi, down),
                                 std::ldexp(z.fraction, std::max(z.exponent - scale, negligible)));
  auto const rest = math::two_sum(std::ldexp(product.lo, down), sum.lo);
  auto const high = math::two_sum(sum.hi, rest.hi);
  auto const low = math::two_sum(high.lo, rest.lo);
  if (high.hi != 0) return round_exact({high.hi, low.hi, low.lo, scale});
  return low.hi == 0 ? plain : round_exact({low.hi, 0, 0, scale});
}

double Emulation::operand_of_wider(double x) const {
  auto format = named_.format;
  format.rounding = Rounding::nearest_even;
  return round_to(format, x);
}

double Emulation::multiplicand(double x) const {
  return named_.multiplicand ? round_to(*named_.multiplicand, x) : x;
}

double Emulation::result(double y) {
  if (way_ == Way::native) return y;
  if (!of_double()) return round(y);
  auto const magnitude = std::fabs(y);
  if (!(magnitude > std::numeric_limits<double>::min()) || magnitude == 1 ||
      magnitude >= std::numeric_limits<double>::max()) {
    return y;
  }
  auto const random = draw() >> 62;
  return random == 0 ? from_bits(to_bits(y) + 1) : random == 1 ? from_bits(to_bits(y) - 1) : y;
}

}  // namespace ulpine
