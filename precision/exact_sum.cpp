// SPDX-License-Identifier: Apache-2.0
#include "precision/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ulpine {

void ExactSum::add_product(double a, double b) {
  double const product = a * b;
  add(product);
  if (std::isfinite(product)) {
    add(std::fma(a, b, -product));
  }
}

void ExactSum::merge(ExactSum const& other) {
  if (deposits_ + other.deposits_ > detail::most_deposits) {
    resolve_carries();
  }
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    limbs_[i] += other.limbs_[i];
  }
  specials_ |= other.specials_;
  deposits_ += other.deposits_;
}

void ExactSum::resolve_carries() {
  std::int64_t carry = 0;
  for (std::size_t i = 0; i + 1 < limbs_.size(); ++i) {
    auto const sum = limbs_[i] + carry;
    carry = sum >> 32;
    limbs_[i] = sum & 0xffffffff;
  }
  limbs_.back() += carry;
  deposits_ = 1;
}

template <class T>
T ExactSum::rounded() const {
  using Limits = std::numeric_limits<T>;
  if (specials_ != 0) {
    return specials_ == detail::plus_infinity    ? Limits::infinity()
           : specials_ == detail::minus_infinity ? -Limits::infinity()
                                                 : Limits::quiet_NaN();
  }
  auto magnitude = *this;
  magnitude.resolve_carries();
  bool const negative = magnitude.limbs_.back() < 0;
  if (negative) {
    for (auto& limb : magnitude.limbs_) {
      limb = -limb;
    }
    magnitude.resolve_carries();
  }
  auto const bit = [&](int position) {
    return magnitude.limbs_[static_cast<std::size_t>(position / 32)] >> position % 32 & 1;
  };
  int top = detail::sum_limbs - 1;
  while (top >= 0 && magnitude.limbs_[static_cast<std::size_t>(top)] == 0) {
    --top;
  }
  if (top < 0) {
    return 0;
  }
  int const highest = 32 * top - 1 +
                      static_cast<int>(std::bit_width(
                          static_cast<std::uint64_t>(magnitude.limbs_[static_cast<std::size_t>(top)])));
  constexpr int unit = -1074;                                          // exponent of bit 0
  constexpr int least = Limits::min_exponent - Limits::digits - unit;  // bit of T's smallest subnormal
  int const last = std::max(highest - (Limits::digits - 1), least);    // bit of the result's last place
  std::uint64_t mantissa = 0;
  for (int position = highest; position >= last; --position) {
    mantissa = mantissa << 1 | static_cast<std::uint64_t>(bit(position));
  }
  if (last > 0 && bit(last - 1) != 0) {
    bool sticky = false;
    for (int position = last - 2; position >= 0 && !sticky; --position) {
      sticky = bit(position) != 0;
    }
    mantissa += sticky || mantissa % 2 == 1 ? 1 : 0;
  }
  auto const value = std::ldexp(static_cast<T>(mantissa), last + unit);
  return negative ? -value : value;
}

double ExactSum::to_double() const { return rounded<double>(); }
float ExactSum::to_float() const { return rounded<float>(); }

ExactSum ExactSum::from_words(std::int64_t const* words) {
  ExactSum sum;
  std::copy_n(words, detail::sum_limbs, sum.limbs_.begin());
  sum.specials_ = static_cast<std::uint64_t>(words[detail::special_word]);
  sum.resolve_carries();
  return sum;
}

double exact_sum(std::span<double const> values) {
  ExactSum sum;
  for (double const value : values) {
    sum.add(value);
  }
  return sum.to_double();
}

}  // namespace ulpine
