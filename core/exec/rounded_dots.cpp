// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "core/exec/reduce.hpp"
#include "core/exec/reduce_arithmetic.hpp"

/// Inner products on the host, as the exact sum rounded once, at hardly more operations than a plain loop.
///
/// Each product xy is parted in a multiple q of a power of two (unit) and a small remainder xy - q (Rump,
/// Ogita, Oishi, SIAM J. Sci. Comput. 31, 2008, doi:10.1137/050645671). The multiples add up without
/// rounding, in any order. The remainders are added as doubles, with a bound of what that loses. If both ends
/// of the interval in which the sum lies then round to one number, that is the exact sum rounded (Ziv, ACM
/// Trans. Math. Softw. 17, 1991, doi:10.1145/114697.116813). Otherwise, after much cancellation or near the
/// middle between two numbers, remainders are parted once more, by a fine unit; where that too leaves a
/// doubt, the sum is taken without any loss.
namespace ulpine {
namespace {

/// So many products are taken with one unit, in four blocks side by side.
constexpr std::int64_t chunk = 1024, blocks = 4;
/// Multiples of the unit are less than 2^44 in magnitude, so that those of a block are less than 2^52
/// together.
constexpr int multiple_bits = 44;
/// Binary orders by which products may grow before the unit does.
constexpr int margin = 3;

/// The fine unit in units.
constexpr double fineness = 0x1p-44;

/// Where products are parted: adding the bias rounds to a multiple of the unit.
struct Unit {
  double unit = 0, inverse = 0, bias = 0;  ///< 2^k, 2^-k, 1.5 times 2^(k + 52)
  std::uint64_t least = 0;                 ///< bits of the bias less 2^44 units
};

/// Sums of what products are parted in. Bits of `beyond` from number multiple_bits + 1 on: a multiple was too
/// large, or not a number.
struct Parted {
  double high[blocks] = {}, fine[blocks] = {}, low[blocks] = {};
  std::uint64_t beyond = 0;
};

/// Adds the product's multiple of the unit to `high` and what remains to `low`.
template <class T>
inline void part(T x, T y, Unit const& at, double& high, double& low, std::uint64_t& beyond) {
  auto const a = static_cast<double>(x), b = static_cast<double>(y);
  auto const biased = math::fma(a, b, at.bias);
  auto const multiple = biased - at.bias;
  high += multiple;
  low += math::fma(a, b, -multiple);
  beyond |= to_bits(biased) - at.least;
}
/// Adds up the same with the multiples of the fine unit in the product's remainder, and in the product's
/// rounding error.
template <class T>
inline void part_finely(T x, T y, Unit const& at, double& high, double& fine, double& low,
                        std::uint64_t& beyond) {
  auto const a = static_cast<double>(x), b = static_cast<double>(y);
  auto const fine_bias = at.bias * fineness;
  auto const product = a * b;
  auto const error = math::fma(a, b, -product);
  auto const biased = product + at.bias;
  auto const multiple = biased - at.bias;
  auto const remainder = product - multiple;
  auto const of_remainder = (remainder + fine_bias) - fine_bias, of_error = (error + fine_bias) - fine_bias;
  high += multiple;
  fine += of_remainder + of_error;
  low += (remainder - of_remainder) + (error - of_error);
  beyond |= to_bits(biased) - at.least;
}

/// Parts four blocks of `count` products one after the other; additions of one do not wait for those of
/// another.
template <class T>
Parted part_blocks(T const* x, T const* y, std::int64_t count, Unit const at) {
  auto const *const x1 = x + count, *const x2 = x1 + count, *const x3 = x2 + count;
  auto const *const y1 = y + count, *const y2 = y1 + count, *const y3 = y2 + count;
  double high = 0, high1 = 0, high2 = 0, high3 = 0, low = 0, low1 = 0, low2 = 0, low3 = 0;
  std::uint64_t beyond = 0;
#pragma omp simd reduction(+ : high, high1, high2, high3, low, low1, low2, low3) reduction(| : beyond)
  for (std::int64_t i = 0; i < count; ++i) {
    part(x[i], y[i], at, high, low, beyond);
    part(x1[i], y1[i], at, high1, low1, beyond);
    part(x2[i], y2[i], at, high2, low2, beyond);
    part(x3[i], y3[i], at, high3, low3, beyond);
  }
  return {{high, high1, high2, high3}, {}, {low, low1, low2, low3}, beyond};
}
template <class T>
Parted part_blocks_finely(T const* x, T const* y, std::int64_t count, Unit const at) {
  Parted sums;
  for (int block = 0; block < blocks; ++block, x += count, y += count) {
    double high = 0, fine = 0, low = 0;
    std::uint64_t beyond = 0;
#pragma omp simd reduction(+ : high, fine, low) reduction(| : beyond)
    for (std::int64_t i = 0; i < count; ++i) part_finely(x[i], y[i], at, high, fine, low, beyond);
    sums.high[block] = high, sums.fine[block] = fine, sums.low[block] = low, sums.beyond |= beyond;
  }
  return sums;
}

/// The sum of one inner product so far: what lies on multiples of the unit, what remains, and all that is
/// kept without loss.
template <bool finely>
class PartialDot {
 public:
  /// Adds the products of x and y, at most `chunk` of them.
  template <class T>
  void add(T const* x, T const* y, std::int64_t count) {
    if (at_.unit != 0 && add_parted(x, y, count)) return;
    std::int64_t largest = 0;  // bits of doubles of one sign are ordered as these are, NaN last
    for (std::int64_t i = 0; i < count; ++i) {
      auto const product = static_cast<double>(x[i]) * static_cast<double>(y[i]);
      largest = std::max(largest, static_cast<std::int64_t>(to_bits(math::abs(product))));
    }
    if (largest == 0) return;
    if (open(largest) && add_parted(x, y, count)) return;
    is_exact_needed_ = true;
    for (std::int64_t i = 0; i < count; ++i) {
      exact_.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
    }
  }
  void merge(PartialDot& other) {
    keep();
    other.keep();
    exact_.merge(other.exact_);
    error_ += other.error_;
    is_exact_needed_ = true;
  }
  /// Rounds the sum, or returns false where it may be either of two numbers.
  bool round(double& result) {
    if (finely || is_exact_needed_) {
      keep();
      return round_exact(&ExactSum::to_double, result);
    }
    auto const low_units = units_ & 0xffffffff;
    auto const high = static_cast<double>(units_ - low_units) * at_.unit;
    auto const middle = static_cast<double>(low_units) * at_.unit;
    // The sum is that of `sum` and `tail` but for `bound`.
    auto sum = high;
    auto const first_loss = detail::two_sum(sum, middle);
    auto const second_loss = detail::two_sum(sum, low_);
    auto const tail = detail::two_sum(sum, first_loss + second_loss + lost_);
    auto const bound = error_ * (1 + 0x1p-40) + math::abs(tail) * 0x1p-52 +
                       (math::abs(high) + middle + math::abs(low_)) * 0x1p-100;
    auto const least = sum + (tail - bound), most = sum + (tail + bound);
    result = least;
    return least == most;
  }
  bool round(float& result) {
    keep();
    return round_exact(&ExactSum::to_float, result);
  }

 private:
  /// Chunks until the multiples are kept: of each they are less than 5 times 2^52.
  static constexpr int most_chunks = 256;

  template <class T>
  bool add_parted(T const* x, T const* y, std::int64_t count) {
    auto const length = count / (4 * blocks) * 4;
    double high = 0, fine = 0, low = 0;
    Parted sums;
    if constexpr (finely) {
      sums = part_blocks_finely(x, y, length, at_);
      for (auto i = blocks * length; i < count; ++i) {
        part_finely(x[i], y[i], at_, high, fine, low, sums.beyond);
      }
    } else {
      sums = part_blocks(x, y, length, at_);
      for (auto i = blocks * length; i < count; ++i) part(x[i], y[i], at_, high, low, sums.beyond);
    }
    if (sums.beyond >> (multiple_bits + 1) != 0) return false;
    add_sums(high, fine, low);
    for (int block = 0; block < blocks; ++block) {
      add_sums(sums.high[block], sums.fine[block], sums.low[block]);
    }
    // A remainder is at most half a unit, its rounding error at most 2^-54 of one, and adding n of them in
    // any order errs by at most (n - 1) 2^-53 times the sum of their magnitudes. Twice that covers what low_
    // and lost_ lose, and the error that a product's rounding error has itself where it is subnormal.
    // Remainders by the fine unit are two of a product, rounded once when they are added up.
    auto const scale = finely ? 4 * fineness : 1;
    error_ += static_cast<double>(count * (length + 4 * blocks + 1)) * at_.unit * scale * 0x1p-53;
    if (++chunks_ == most_chunks) {
      keep();
      is_exact_needed_ = true;
    }
    return true;
  }
  void add_sums(double high, double fine, double low) {
    units_ += static_cast<std::int64_t>(high * at_.inverse);
    if constexpr (finely) fine_units_ += static_cast<std::int64_t>(fine * at_.inverse / fineness);
    lost_ += detail::two_sum(low_, low);
  }
  /// Chooses a unit for products that are at most the number of these bits, or returns false.
  bool open(std::int64_t largest) {
    keep();
    auto const exponent = static_cast<int>(largest >> 52) - 1023;
    constexpr int least = -840, most = 960;  // units, their multiples and 2^-54 units are normal numbers
    if (exponent < least || exponent > most) {
      at_ = {};
      return false;
    }
    auto const unit = exponent + 1 + margin - multiple_bits;
    auto const power = [](int n) { return from_bits(static_cast<std::uint64_t>(n + 1023) << 52); };
    at_ = {power(unit), power(-unit), 1.5 * power(unit + 52), 0};
    at_.least = to_bits(at_.bias) - (std::uint64_t{1} << multiple_bits);
    return true;
  }
  /// Takes what is held to the exact sum.
  void keep() {
    if (chunks_ == 0) return;
    add_exactly(units_, at_.unit);
    if constexpr (finely) add_exactly(fine_units_, at_.unit * fineness);
    exact_.add(low_);
    exact_.add(lost_);
    units_ = fine_units_ = 0, low_ = lost_ = 0, chunks_ = 0;
    is_exact_needed_ = true;
  }
  void add_exactly(std::int64_t units, double unit) {
    auto const low_units = units & 0xffffffff;
    exact_.add(static_cast<double>(units - low_units) * unit);
    exact_.add(static_cast<double>(low_units) * unit);
  }
  template <class R>
  bool round_exact(R (ExactSum::*rounded)() const, R& result) {
    keep();
    auto least = exact_, most = exact_;
    least.add(-error_);
    most.add(error_);
    result = (least.*rounded)();
    return to_bits(result) == to_bits((most.*rounded)());
  }

  Unit at_;
  std::int64_t units_ = 0, fine_units_ = 0;  ///< multiples of the units
  double low_ = 0, lost_ = 0;                ///< remainders, and what adding them to low_ lost
  double error_ = 0;                         ///< bound of all that was lost
  int chunks_ = 0;                           ///< that are held
  bool is_exact_needed_ = false;             ///< whether exact_ has a part of the sum
  ExactSum exact_;
};

/// Adds up the products of each of `dots`.
template <bool finely, class Dots>
void add_up(Host host, Dots dots, PartialDot<finely>* sums) {
  std::int64_t longest = 0;
  for (auto const& dot : dots) {
    assert(dot.x.points.count() == dot.y.points.count());
    longest = std::max(longest, dot.x.points.count());
  }
  auto const chunks = (longest + chunk - 1) / chunk;
  auto const add_chunk = [dots](std::int64_t n, PartialDot<finely>* to) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(dots[0].x.data)>>;
    T x_buffer[chunk], y_buffer[chunk];
    for (std::size_t k = 0; k < dots.size(); ++k) {
      auto const& [x, y, result] = dots[k];
      auto const count = std::min(chunk, x.points.count() - chunk * n);
      if (count <= 0) continue;
      to[k].add(in_order(x, x.points.contiguous(), chunk * n, count, x_buffer),
                in_order(y, y.points.contiguous(), chunk * n, count, y_buffer), count);
    }
  };
  if (host.threads == 1) {
    for (std::int64_t n = 0; n < chunks; ++n) add_chunk(n, sums);
    return;
  }
#pragma omp parallel num_threads(host.threads)
  {
    std::array<PartialDot<finely>, Reducer<Host>::most_at_once> own;
#pragma omp for schedule(static) nowait
    for (std::int64_t n = 0; n < chunks; ++n) add_chunk(n, own.data());
#pragma omp critical(ulpine_reduce)
    for (std::size_t k = 0; k < dots.size(); ++k) sums[k].merge(own[k]);
  }
}

}  // namespace

template <class T, class R>
void Reducer<Host>::round_dots(std::span<Dot<T, R> const> dots) const {
  assert(dots.size() <= most_at_once);
  std::array<PartialDot<false>, most_at_once> sums;
  add_up(host_, dots, sums.data());
  for (std::size_t k = 0; k < dots.size(); ++k) {
    R rounded;
    if (!sums[k].round(rounded)) {
      PartialDot<true> sum;
      add_up(host_, dots.subspan(k, 1), &sum);
      if (!sum.round(rounded)) round(dot_of(dots[k].x, dots[k].y), rounded);
    }
    *dots[k].result = rounded;
  }
}

template void Reducer<Host>::round_dots(std::span<Dot<double, double> const>) const;
template void Reducer<Host>::round_dots(std::span<Dot<double, float> const>) const;
template void Reducer<Host>::round_dots(std::span<Dot<float, double> const>) const;
template void Reducer<Host>::round_dots(std::span<Dot<float, float> const>) const;

}  // namespace ulpine
