// SPDX-License-Identifier: Apache-2.0
// The one source that includes Boost.Multiprecision, whose headers take long to compile.
#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <iterator>
#include <vector>

#include "verification/metrics/wide_sum.hpp"

namespace ulpine::verification {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Wide = boost::multiprecision::cpp_bin_float_100;

/// integer 2^exponent.
struct Exact {
  Integer integer;
  int exponent = 0;
};

Exact exact(WideSum const& sum) {
  auto const [digits, negative] = sum.digits();
  auto const used = [](std::int64_t digit) { return digit != 0; };
  auto const first = std::find_if(digits.begin(), digits.end(), used);
  if (first == digits.end()) return {0, 0};
  auto const last = std::find_if(digits.rbegin(), digits.rend(), used).base();
  std::vector<std::uint32_t> const words(first, last);
  Exact result{0, WideSum::first_exponent + 32 * static_cast<int>(first - digits.begin())};
  import_bits(result.integer, words.begin(), words.end(), 32, false);
  if (negative) result.integer = -result.integer;
  return result;
}

Exact operator*(Exact const& a, Exact const& b) { return {a.integer * b.integer, a.exponent + b.exponent}; }

Exact operator-(Exact a, Exact b) {
  if (a.integer == 0) a.exponent = b.exponent;
  if (b.integer == 0) b.exponent = a.exponent;
  auto const exponent = std::min(a.exponent, b.exponent);
  a.integer <<= a.exponent - exponent;
  b.integer <<= b.exponent - exponent;
  return {a.integer - b.integer, exponent};
}

/// The exact number rounded from its leading 384 bits, which are more than Wide holds.
Wide wide(Exact const& a) {
  if (a.integer == 0) return 0;
  Integer const magnitude = abs(a.integer);
  auto const shift = std::max(static_cast<int>(msb(magnitude)) - 383, 0);
  std::vector<std::uint64_t> words;
  export_bits(Integer(magnitude >> shift), std::back_inserter(words), 64);
  Wide result = 0;
  for (auto const word : words) result = ldexp(result, 64) + word;
  return ldexp(a.integer < 0 ? Wide(-result) : result, a.exponent + shift);
}

}  // namespace

Scaled WideMoments::one_minus_r() const {
  auto const total = exact(w), x = exact(wx), y = exact(wy);
  auto const of_x = total * exact(wxx) - x * x, of_y = total * exact(wyy) - y * y;
  auto const of_both = total * exact(wxy) - x * y;
  auto const product = of_x * of_y;
  Wide const root = sqrt(wide(product)), covariance = wide(of_both);
  Wide const result = covariance > 0 ? Wide(wide(product - of_both * of_both) / (root * (root + covariance)))
                                     : Wide(1 - covariance / root);
  if (result == 0) return {};
  int exponent = 0;
  auto const mantissa = static_cast<double>(Wide(frexp(result, &exponent)));
  auto rounded = Scaled::of(mantissa);
  rounded.exponent += exponent;
  return rounded;
}

}  // namespace ulpine::verification
