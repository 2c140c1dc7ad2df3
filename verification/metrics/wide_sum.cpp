// SPDX-License-Identifier: Apache-2.0
#include "verification/metrics/wide_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace ulpine::verification {
namespace {

constexpr std::int64_t most_deposits = std::int64_t{1} << 30;
constexpr std::uint64_t limb_mask = 0xffffffff;

}  // namespace

Scaled Scaled::of(double value) {
  Scaled result;
  result.mantissa = std::frexp(value, &result.exponent);
  return result;
}

double Scaled::value() const {
  auto const value = std::ldexp(mantissa, exponent);
  return value == 0 && mantissa != 0 ? std::copysign(std::numeric_limits<double>::denorm_min(), mantissa)
                                     : value;
}

Scaled Scaled::half() const { return {mantissa, mantissa == 0 ? 0 : exponent - 1}; }

namespace {

/// The number with its mantissa in its range again.
Scaled normalised(double mantissa, int exponent) {
  auto result = Scaled::of(mantissa);
  result.exponent = mantissa == 0 ? 0 : result.exponent + exponent;
  return result;
}

}  // namespace

Scaled operator*(Scaled a, Scaled b) { return normalised(a.mantissa * b.mantissa, a.exponent + b.exponent); }

Scaled operator/(Scaled a, Scaled b) { return normalised(a.mantissa / b.mantissa, a.exponent - b.exponent); }

Scaled operator+(Scaled a, Scaled b) {
  if (a.mantissa == 0 || b.mantissa == 0) return a.mantissa == 0 ? b : a;
  if (a.exponent < b.exponent) std::swap(a, b);
  return normalised(a.mantissa + std::ldexp(b.mantissa, b.exponent - a.exponent), a.exponent);
}

Scaled square_root(Scaled a) {
  auto const odd = a.exponent % 2 != 0;
  return normalised(std::sqrt(odd ? 2 * a.mantissa : a.mantissa), (a.exponent - (odd ? 1 : 0)) / 2);
}

Binary Binary::of(double value, double low) {
  auto const bits = std::bit_cast<std::uint64_t>(value);
  auto const exponent = static_cast<int>(bits >> 52 & 0x7ff);
  auto const fraction = bits & 0xfffffffffffffull;
  Binary result{exponent == 0 ? fraction : fraction | 1ull << 52, exponent == 0 ? -1074 : exponent - 1075,
                bits >> 63 != 0};
  if (low != 0) {
    // An integer beyond 2^53 within 64 bits: its exponent is positive, and 2^64 may be its nearest double.
    auto const integer = static_cast<Uint128>(result.magnitude) << result.exponent;
    auto const rest = static_cast<std::int64_t>(result.negative ? -low : low);
    result.magnitude = static_cast<std::uint64_t>(integer + static_cast<Uint128>(rest));
    result.exponent = 0;
  }
  return result;
}

void WideSum::deposit(Uint128 magnitude, int exponent, bool negative) {
  if (magnitude == 0) return;  // dry air, equal fields
  if (deposits_ >= most_deposits) resolve_carries();
  ++deposits_;
  auto const position = static_cast<unsigned>(exponent - first_exponent);
  auto* limb = limbs_.data() + position / 32;
  auto const shift = position % 32;
  auto const lowest = static_cast<std::int64_t>(static_cast<std::uint64_t>(magnitude) << shift & limb_mask);
  auto rest = magnitude >> (32 - shift);
  auto const sign = negative ? -1 : 1;
  *limb += sign * lowest;
  while (rest != 0) {
    *++limb += sign * static_cast<std::int64_t>(static_cast<std::uint64_t>(rest) & limb_mask);
    rest >>= 32;
  }
}

void WideSum::add(double value, int exponent) {
  auto const term = Binary::of(value);
  deposit(term.magnitude, term.exponent + exponent, term.negative);
}

void WideSum::add(Binary const& a) { deposit(a.magnitude, a.exponent, a.negative); }

void WideSum::add_product(Binary const& a, Binary const& b) {
  deposit(static_cast<Uint128>(a.magnitude) * b.magnitude, a.exponent + b.exponent, a.negative != b.negative);
}

void WideSum::add_product(Binary const& a, Binary const& b, Binary const& c) {
  auto const product = static_cast<Uint128>(a.magnitude) * b.magnitude;
  auto const exponent = a.exponent + b.exponent + c.exponent;
  auto const negative = (a.negative != b.negative) != c.negative;
  deposit(static_cast<Uint128>(static_cast<std::uint64_t>(product)) * c.magnitude, exponent, negative);
  deposit((product >> 64) * c.magnitude, exponent + 64, negative);
}

void WideSum::subtract(WideSum const& other) {
  auto theirs = other;
  theirs.resolve_carries();
  resolve_carries();
  for (std::size_t i = 0; i < limbs_.size(); ++i) limbs_[i] -= theirs.limbs_[i];
  ++deposits_;
}

void WideSum::resolve_carries() {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < limbs_.size(); ++i) {
    auto const sum = limbs_[i] + carry;
    carry = sum >> 32;
    limbs_[i] = sum & 0xffffffff;
  }
  limbs_.back() += carry;
  deposits_ = 1;
}

WideSum::Digits WideSum::digits() const {
  auto magnitude = *this;
  magnitude.resolve_carries();
  auto const negative = magnitude.limbs_.back() < 0;
  if (negative) {
    for (auto& limb : magnitude.limbs_) limb = -limb;
    magnitude.resolve_carries();
  }
  return {magnitude.limbs_, negative};
}

Scaled WideSum::rounded() const {
  auto const [limbs, negative] = digits();
  auto const top = std::find_if(limbs.rbegin(), limbs.rend(), [](auto limb) { return limb != 0; });
  if (top == limbs.rend()) return {};
  auto const highest = static_cast<int>(limbs.rend() - top) - 1;
  // Three limbs hold at least 65 bits from the highest on; the rest tells only whether there is one.
  Uint128 head = 0;
  for (int i = highest; i > highest - 3; --i) {
    head = head << 32 | static_cast<Uint128>(i < 0 ? 0 : limbs[static_cast<std::size_t>(i)]);
  }
  auto const rest = std::any_of(limbs.begin(), limbs.begin() + std::max(highest - 2, 0),
                                [](auto limb) { return limb != 0; });
  auto const shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(*top)));
  auto const below = (head & ((static_cast<Uint128>(1) << shift) - 1)) != 0;
  auto const bits = static_cast<std::uint64_t>(head >> shift) | (rest || below ? 1 : 0);
  auto const mantissa = static_cast<double>(bits);  // the last of 64 bits stands for all below
  return normalised(negative ? -mantissa : mantissa, first_exponent + 32 * (highest - 2) + shift);
}

void WideMoments::add(Binary const& x, Binary const& y) {
  w.add(1);
  wx.add(x);
  wy.add(y);
  wxx.add_product(x, x);
  wyy.add_product(y, y);
  wxy.add_product(x, y);
}

void WideMoments::add(Binary const& x, Binary const& y, Binary const& weight) {
  w.add(weight);
  wx.add_product(x, weight);
  wy.add_product(y, weight);
  wxx.add_product(x, x, weight);
  wyy.add_product(y, y, weight);
  wxy.add_product(x, y, weight);
}

}  // namespace ulpine::verification
