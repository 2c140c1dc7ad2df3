// SPDX-License-Identifier: Apache-2.0
#include "verification/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace ulpine::verification {
namespace {

constexpr int digit_bits = 32;
constexpr std::int64_t digit_mask = 0xffffffff;
constexpr int least_exponent = -1074;  // of the smallest double

}  // namespace

void ExactSum::add(double term) {
  auto const bits = std::bit_cast<std::uint64_t>(term);
  int const biased = int(bits >> 52) & 0x7ff;
  std::uint64_t mantissa = bits & 0xfffffffffffffULL;
  bool const negative = bits >> 63;
  if (biased == 0x7ff) {
    if (mantissa != 0) {
      nan_ = true;
    } else {
      (negative ? negative_infinity_ : positive_infinity_) = true;
    }
    return;
  }
  if (biased != 0) {
    mantissa |= 1ULL << 52;
  }
  int const position = biased == 0 ? 0 : biased - 1;
  int const index = position / digit_bits, shift = position % digit_bits;
  auto const low = (mantissa & digit_mask) << shift;
  auto const high = (mantissa >> digit_bits) << shift;
  std::int64_t const part[3] = {std::int64_t(low & digit_mask),
                                std::int64_t(low >> digit_bits) + std::int64_t(high & digit_mask),
                                std::int64_t(high >> digit_bits)};
  for (int i = 0; i < 3; ++i) {
    digit_[index + i] += negative ? -part[i] : part[i];
  }
  // Each addition moves a digit by less than 2^33 from within 2^32, so that 2^29 of them stay far within
  // 2^63.
  if (++pending_ == 1 << 29) {
    carry();
  }
}

void ExactSum::add_product(double a, double b) {
  double const product = a * b;
  add(product);
  if (product != 0) {
    add(std::fma(a, b, -product));
  }
}

void ExactSum::add(ExactSum const& other) {
  ExactSum carried = other;
  carried.carry();
  carry();
  for (int i = 0; i < digits; ++i) {
    digit_[i] += carried.digit_[i];
  }
  pending_ = 1;
  nan_ |= other.nan_;
  positive_infinity_ |= other.positive_infinity_;
  negative_infinity_ |= other.negative_infinity_;
}

void ExactSum::carry() {
  for (int i = 0; i + 1 < digits; ++i) {
    std::int64_t const over = digit_[i] >> digit_bits;  // rounds down, so that the digit left is not negative
    digit_[i] -= over * (digit_mask + 1);
    digit_[i + 1] += over;
  }
  pending_ = 0;
}

double ExactSum::value() const {
  if (nan_ || (positive_infinity_ && negative_infinity_)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (positive_infinity_ || negative_infinity_) {
    return positive_infinity_ ? std::numeric_limits<double>::infinity()
                              : -std::numeric_limits<double>::infinity();
  }
  ExactSum sum = *this;
  sum.carry();
  bool const negative = sum.digit_[digits - 1] < 0;
  if (negative) {
    for (auto& digit : sum.digit_) {
      digit = -digit;
    }
    sum.carry();
  }
  int highest = digits - 1;
  while (highest >= 0 && sum.digit_[highest] == 0) {
    --highest;
  }
  if (highest < 0) {
    return 0;
  }
  // The leading 65 to 96 bits hold the 53 of the result; what lies below only breaks ties.
  int const lowest = highest < 2 ? 0 : highest - 2;
  unsigned __int128 leading = 0;
  for (int i = highest; i >= lowest; --i) {
    leading = (leading << digit_bits) | std::uint64_t(sum.digit_[i]);
  }
  bool below = false;
  for (int i = 0; i < lowest; ++i) {
    below |= sum.digit_[i] != 0;
  }
  int bits = 0;
  for (auto rest = leading; rest != 0; rest >>= 1) {
    ++bits;
  }
  int const dropped = bits > 53 ? bits - 53 : 0;
  auto mantissa = std::uint64_t(leading >> dropped);
  if (dropped > 0) {
    auto const rest = leading - (static_cast<unsigned __int128>(mantissa) << dropped);
    auto const half = static_cast<unsigned __int128>(1) << (dropped - 1);
    if (rest > half || (rest == half && (below || mantissa % 2 == 1))) {
      ++mantissa;
    }
  }
  double const magnitude = std::ldexp(double(mantissa), dropped + digit_bits * lowest + least_exponent);
  return negative ? -magnitude : magnitude;
}

double exact_sum(std::span<double const> values) {
  ExactSum sum;
  for (double const value : values) {
    sum.add(value);
  }
  return sum.value();
}

}  // namespace ulpine::verification
