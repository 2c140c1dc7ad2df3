// SPDX-License-Identifier: Apache-2.0
#include "precision/exact_terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ulpine {
namespace {

using Vector [[gnu::vector_size(32)]] = double;
using Words [[gnu::vector_size(32)]] = long long;
constexpr std::size_t lanes = sizeof(Vector) / sizeof(double);
/// Sums of so many parts of `part_bits` bits need no more than the 53 bits of double.
constexpr std::size_t block = 1024;
constexpr int carry_bits = 10, part_bits = 42;
static_assert(block <= std::size_t{1} << carry_bits && part_bits + carry_bits < 53);

/// Sums of the parts of `count` terms, a multiple of `lanes`.
struct Parts {
  double largest = 0;  ///< size of the largest term; not more than it if there are NaN
  double high = 0, low = 0;
  bool rest = false;                   ///< whether some term has further bits; or is not finite
  double high_unit = 0, low_unit = 0;  ///< adding and subtracting them rounds to a multiple
};

[[gnu::always_inline]] inline double largest_in(double const* terms, std::size_t count) {
  Vector largest = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    Vector term;
    std::memcpy(&term, terms + i, sizeof term);
    auto const size = term < 0 ? -term : term;
    largest = size > largest ? size : largest;
  }
  double result = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) result = std::max<double>(result, largest[lane]);
  return result;
}

[[gnu::always_inline]] inline void split(double const* terms, std::size_t count, Parts& parts) {
  Vector const high_unit = Vector{} + parts.high_unit, low_unit = Vector{} + parts.low_unit;
  Vector high = {}, low = {};
  Words rest = {};
  for (std::size_t i = 0; i < count; i += lanes) {
    Vector term;
    std::memcpy(&term, terms + i, sizeof term);
    auto const first = (term + high_unit) - high_unit;
    auto const left = term - first;
    auto const second = (left + low_unit) - low_unit;
    high += first;
    low += second;
    rest |= left != second;
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    parts.high += high[lane];
    parts.low += low[lane];
    parts.rest = parts.rest || rest[lane] != 0;
  }
}

using Largest = double (*)(double const*, std::size_t);
using Split = void (*)(double const*, std::size_t, Parts&);
double largest_of(double const* terms, std::size_t count) { return largest_in(terms, count); }
void split_of(double const* terms, std::size_t count, Parts& parts) { split(terms, count, parts); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] double largest_of_avx2(double const* terms, std::size_t count) {
  return largest_in(terms, count);
}
[[gnu::target("avx2")]] void split_of_avx2(double const* terms, std::size_t count, Parts& parts) {
  split(terms, count, parts);
}
Largest const find_largest = __builtin_cpu_supports("avx2") ? largest_of_avx2 : largest_of;
Split const split_terms = __builtin_cpu_supports("avx2") ? split_of_avx2 : split_of;
#else
Largest const find_largest = largest_of;
Split const split_terms = split_of;
#endif

/// A number that makes of a sum with it and the difference again the multiple of 2^exponent that is next.
double unit_of(int exponent) { return std::ldexp(1.5, exponent + 52); }

void add_each(ExactSum& sum, double const* terms, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sum.add(terms[i]);
}

void add_block(ExactSum& sum, double const* terms, std::size_t count) {
  Parts parts;
  parts.largest = find_largest(terms, count);
  constexpr double least_split = 0x1p-800, most_split = 0x1p+900;
  if (!(parts.largest >= least_split && parts.largest <= most_split)) {
    add_each(sum, terms, count);
    return;
  }
  auto const high = std::ilogb(parts.largest) + 1 - part_bits;
  parts.high_unit = unit_of(high);
  parts.low_unit = unit_of(high - part_bits);
  split_terms(terms, count, parts);
  if (!std::isfinite(parts.high)) {
    add_each(sum, terms, count);
    return;
  }
  sum.add(parts.high);
  sum.add(parts.low);
  if (!parts.rest) return;
  for (std::size_t i = 0; i < count; ++i) {
    auto const left = terms[i] - ((terms[i] + parts.high_unit) - parts.high_unit);
    auto const rest = left - ((left + parts.low_unit) - parts.low_unit);
    if (rest != 0) sum.add(rest);
  }
}

}  // namespace

void add_terms(ExactSum& sum, std::span<double const> terms) {
  constexpr std::size_t fewest = 32;
  while (terms.size() >= fewest) {
    auto const count = std::min(terms.size() / lanes * lanes, block);
    add_block(sum, terms.data(), count);
    terms = terms.subspan(count);
  }
  add_each(sum, terms.data(), terms.size());
}

}  // namespace ulpine
