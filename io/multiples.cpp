// SPDX-License-Identifier: Apache-2.0
#include "io/multiples.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace ulpine::io {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr auto most_digits = 15;  // of which any two decimals read as different doubles
constexpr auto most_multiples = std::int64_t{1} << 53;

/// The double nearest to `digits` times 10^`exponent`; infinity where it is too large.
double nearest(Wide digits, int exponent) {
  std::string text = "e" + std::to_string(exponent);
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(digits % 10)));
    digits /= 10;
  } while (digits > 0);
  auto value = std::numeric_limits<double>::infinity();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

Multiples::Multiples(double interval) : interval_{interval} {
  assert(interval > 0 && std::isfinite(interval));
  char buffer[32];  // "7.5e-01"
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, interval, std::chars_format::scientific).ptr;
  std::string_view const text(buffer, static_cast<std::size_t>(end - buffer));
  auto const mark = text.find('e');
  auto const digits = mark == 1 ? 1 : static_cast<int>(mark) - 1;
  if (digits > most_digits) return;
  for (auto const c : text.substr(0, mark)) {
    if (c != '.') digits_ = 10 * digits_ + static_cast<std::uint64_t>(c - '0');
  }
  auto const sign = text[mark + 1] == '+' ? 2u : 1u;  // from_chars takes no plus
  std::from_chars(text.data() + mark + sign, text.data() + text.size(), exponent_);
  exponent_ -= digits - 1;
}

double Multiples::at(std::int64_t k) const {
  if (digits_ == 0) return static_cast<double>(k) * interval_;
  // Below 10^15 * 2^63 < 2^113, so that the product is exact; reading it rounds once, to nearest.
  return nearest(Wide{digits_} * static_cast<Wide>(k), exponent_);
}

std::int64_t Multiples::count(double time) const {
  auto const quotient = time / interval_;
  if (!(quotient < static_cast<double>(most_multiples))) return most_multiples;
  // The quotient is off by a part in 2^51 at most: the interval is off its decimal, the quotient and the
  // multiple are rounded. Below 2^53 that is four at most, and the loops are as short.
  auto k = static_cast<std::int64_t>(quotient);
  while (k > 0 && at(k) > time) --k;
  while (k < most_multiples && at(k + 1) <= time) ++k;
  return k;
}

double Multiples::next_after(double time) const {
  auto const k = count(time);
  return k < most_multiples ? at(k + 1) : std::numeric_limits<double>::infinity();
}

}  // namespace ulpine::io
