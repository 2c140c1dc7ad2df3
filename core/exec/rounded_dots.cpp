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

/// So many products at most are parted at a time.
constexpr std::int64_t block = 512;
/// Multiples of the unit are at most 2^43 in magnitude, so that those of a block are at most 2^52 together.
constexpr int multiple_bits = 43;
/// Binary orders by which products may grow before the unit does.
constexpr int margin = 3;
/// The fine unit in units.
constexpr double fineness = 0x1p-44;

/// Where products are parted: adding the bias rounds to a multiple of the unit.
struct Unit {
  double unit = 0, inverse = 0, bias = 0;  ///< 2^k, 2^-k, 1.5 times 2^(k + 52)
  std::uint64_t least = 0;                 ///< bits of the bias less 2^43 units
};

/// Sums of what the products of a block are parted in. Bits of `beyond` from number multiple_bits + 1 on: a
/// multiple was too large, or not a number.
struct Parted {
  double high = 0, fine = 0, low = 0;
  std::uint64_t beyond = 0;

  bool fits() const { return beyond >> (multiple_bits + 1) == 0; }
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

template <bool finely, class T>
Parted part_block(T const* x, T const* y, std::int64_t count, Unit const at) {
  double high = 0, fine = 0, low = 0;
  std::uint64_t beyond = 0;
  if constexpr (finely) {
#pragma omp simd reduction(+ : high, fine, low) reduction(| : beyond)
    for (std::int64_t i = 0; i < count; ++i) part_finely(x[i], y[i], at, high, fine, low, beyond);
  } else {
#pragma omp simd reduction(+ : high, low) reduction(| : beyond)
    for (std::int64_t i = 0; i < count; ++i) part(x[i], y[i], at, high, low, beyond);
  }
  return {high, fine, low, beyond};
}

/// Vectors whose products with one other are parted at a time.
constexpr std::size_t together = 4;
static_assert(Reducer<Host>::most_at_once % together == 0);
/// Parts the products of four vectors with y; additions of one do not wait for those of another.
template <class T>
void part_together(T const* const (&x)[together], T const* y, std::int64_t count, Unit const at,
                   Parted (&sums)[together]) {
  auto const *const x0 = x[0], *const x1 = x[1], *const x2 = x[2], *const x3 = x[3];
  double high0 = 0, high1 = 0, high2 = 0, high3 = 0, low0 = 0, low1 = 0, low2 = 0, low3 = 0;
  std::uint64_t beyond = 0;
#pragma omp simd reduction(+ : high0, high1, high2, high3, low0, low1, low2, low3) reduction(| : beyond)
  for (std::int64_t i = 0; i < count; ++i) {
    part(x0[i], y[i], at, high0, low0, beyond);
    part(x1[i], y[i], at, high1, low1, beyond);
    part(x2[i], y[i], at, high2, low2, beyond);
    part(x3[i], y[i], at, high3, low3, beyond);
  }
  sums[0] = {high0, 0, low0, beyond}, sums[1] = {high1, 0, low1, beyond};
  sums[2] = {high2, 0, low2, beyond}, sums[3] = {high3, 0, low3, beyond};
}

/// Bits of the largest magnitude among the products, rounded; NaN is larger than all.
template <class T>
std::int64_t largest_product(T const* x, T const* y, std::int64_t count) {
  std::int64_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    auto const product = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    largest = std::max(largest, static_cast<std::int64_t>(to_bits(math::abs(product))));
  }
  return largest;
}

/// The same of an eighth of the products, spread over all.
template <class T>
std::int64_t largest_of_sample(T const* x, T const* y, std::int64_t count) {
  constexpr std::int64_t some = 8, apart = 8 * some;
  std::int64_t largest = 0;
  for (std::int64_t i = 0; i < count; i += apart) {
    largest = std::max(largest, largest_product(x + i, y + i, std::min(some, count - i)));
  }
  return largest;
}

/// The sum of one inner product so far: what lies on multiples of the unit, what remains, and all that is
/// kept without loss.
template <bool finely>
class PartialDot {
 public:
  /// Adds the products of x and y, at most `block` of them.
  template <class T>
  void add(T const* x, T const* y, std::int64_t count) {
    if (at_.unit == 0) open(largest_of_sample(x, y, count));
    if (at_.unit != 0 && add_parted(x, y, count)) return;
    auto const largest = largest_product(x, y, count);
    if (largest == 0 || (open(largest) && add_parted(x, y, count))) return;
    is_exact_needed_ = true;
    for (std::int64_t i = 0; i < count; ++i) {
      exact_.add_product(static_cast<double>(x[i]), static_cast<double>(y[i]));
    }
  }
  /// Adds the products of four vectors with y to four sums.
  template <class T>
  static void add_together(PartialDot* sums, T const* const (&x)[together], T const* y, std::int64_t count) {
    if (sums[0].at_.unit == 0) open_together(sums, largest_among(x, y, count, largest_of_sample<T>));
    if (add_parted_together(sums, x, y, count)) return;
    auto const largest = largest_among(x, y, count, largest_product<T>);
    if (largest == 0) return;
    if (open_together(sums, largest) && add_parted_together(sums, x, y, count)) return;
    for (std::size_t k = 0; k < together; ++k) sums[k].add(x[k], y, count);
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
    auto const tail = detail::two_sum(sum, first_loss + second_loss);
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
  /// Blocks until sums are kept: of each the multiples are at most 2^52, and remainders of as many blocks as
  /// a block has products lose no more when they are added up than those within the blocks.
  static constexpr int most_blocks = 512;

  template <class T, class Largest>
  static std::int64_t largest_among(T const* const (&x)[together], T const* y, std::int64_t count,
                                    Largest const& largest_of) {
    std::int64_t largest = 0;
    for (auto const* const vector : x) largest = std::max(largest, largest_of(vector, y, count));
    return largest;
  }
  static bool open_together(PartialDot* sums, std::int64_t largest) {
    bool opened = true;
    for (std::size_t k = 0; k < together; ++k) opened = sums[k].open(largest) && opened;
    return opened;
  }
  template <class T>
  bool add_parted(T const* x, T const* y, std::int64_t count) {
    auto const sums = part_block<finely>(x, y, count, at_);
    if (!sums.fits()) return false;
    add_sums(sums, count);
    return true;
  }
  template <class T>
  static bool add_parted_together(PartialDot* sums, T const* const (&x)[together], T const* y,
                                  std::int64_t count) {
    auto const& at = sums[0].at_;
    if (at.unit == 0) return false;
    for (std::size_t k = 1; k < together; ++k) {
      if (sums[k].at_.unit != at.unit) return false;
    }
    Parted parted[together];
    part_together(x, y, count, at, parted);
    if (!parted[0].fits()) return false;
    for (std::size_t k = 0; k < together; ++k) sums[k].add_sums(parted[k], count);
    return true;
  }
  void add_sums(Parted const& sums, std::int64_t count) {
    units_ += static_cast<std::int64_t>(sums.high * at_.inverse);
    if constexpr (finely) fine_units_ += static_cast<std::int64_t>(sums.fine * at_.inverse / fineness);
    low_ += sums.low;
    // A remainder is at most half a unit, its rounding error at most 2^-54 of one, and adding n of them in
    // any order errs by at most (n - 1) 2^-53 times the sum of their magnitudes. Twice that covers what
    // adding to low_ loses, and the error that a product's rounding error has itself where it is subnormal.
    // Remainders by the fine unit are two of a product, rounded once when they are added up.
    constexpr auto scale = finely ? 4 * fineness : 1;
    error_ += static_cast<double>(count * (count + 1)) * at_.unit * (scale * 0x1p-53);
    if (++held_ == most_blocks) keep();
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
    if (held_ == 0) return;
    add_exactly(units_, at_.unit);
    if constexpr (finely) add_exactly(fine_units_, at_.unit * fineness);
    exact_.add(low_);
    units_ = fine_units_ = 0, low_ = 0, held_ = 0;
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
  double low_ = 0;                           ///< remainders
  double error_ = 0;                         ///< bound of all that was lost
  int held_ = 0;                             ///< blocks whose sums are not in exact_
  bool is_exact_needed_ = false;             ///< whether exact_ has a part of the sum
  ExactSum exact_;
};

/// Adds the products of `dots` from number `begin` to `end` on to `sums`.
template <bool finely, class Dots>
void add_range(Dots dots, std::int64_t begin, std::int64_t end, PartialDot<finely>* sums) {
  using T = std::remove_const_t<std::remove_pointer_t<decltype(dots[0].x.data)>>;
  auto const goes_with_next = [dots](std::size_t k) {
    auto const &dot = dots[k], &next = dots[k + 1];
    return dot.y.data == next.y.data && dot.y.points.first == next.y.points.first &&
           dot.x.points.count() == next.x.points.count() && dot.x.points.contiguous() &&
           next.x.points.contiguous() && dot.y.points.contiguous() && next.y.points.contiguous();
  };
  for (std::size_t k = 0; k < dots.size();) {
    auto const& [x, y, result] = dots[k];
    auto const last = std::min(end, x.points.count());
    if constexpr (!finely) {
      if (k + together <= dots.size() && goes_with_next(k) && goes_with_next(k + 1) &&
          goes_with_next(k + 2)) {
        for (auto i = begin; i < last; i += block) {
          T const* vectors[together];
          for (std::size_t n = 0; n < together; ++n) {
            vectors[n] = dots[k + n].x.data + dots[k + n].x.points.first + i;
          }
          PartialDot<finely>::add_together(sums + k, vectors, y.data + y.points.first + i,
                                           std::min(block, last - i));
        }
        k += together;
        continue;
      }
    }
    auto const x_contiguous = x.points.contiguous(), y_contiguous = y.points.contiguous();
    T x_buffer[block], y_buffer[block];
    for (auto i = begin; i < last; i += block) {
      auto const count = std::min(block, last - i);
      sums[k].add(in_order(x, x_contiguous, i, count, x_buffer),
                  in_order(y, y_contiguous, i, count, y_buffer), count);
    }
    ++k;
  }
}

/// Adds up the products of each of `dots`.
template <bool finely, class Dots>
void add_up(Host host, Dots dots, PartialDot<finely>* sums) {
  std::int64_t longest = 0;
  for (auto const& dot : dots) {
    assert(dot.x.points.count() == dot.y.points.count());
    longest = std::max(longest, dot.x.points.count());
  }
  if (host.threads == 1) return add_range(dots, 0, longest, sums);
  auto const share = (longest / host.threads / block + 1) * block;
#pragma omp parallel for schedule(static) num_threads(host.threads)
  for (int thread = 0; thread < host.threads; ++thread) {
    std::array<PartialDot<finely>, Reducer<Host>::most_at_once> own;
    add_range(dots, thread * share, (thread + 1) * share, own.data());
#pragma omp critical(ulpine_reduce)
    for (std::size_t k = 0; k < dots.size(); ++k) sums[k].merge(own[k]);
  }
}

}  // namespace

template <class T, class R>
void Reducer<Host>::round_dots(std::span<Dot<T, R> const> dots) const {
  assert(dots.size() <= most_at_once);
  auto const round_some = [this]<std::size_t most>(std::span<Dot<T, R> const> some, bool cancels) {
    std::array<PartialDot<false>, most> sums;
    if (!cancels) add_up(host_, some, sums.data());
    std::size_t doubtful = 0;
    for (std::size_t k = 0; k < some.size(); ++k) {
      R rounded;
      if (cancels || !sums[k].round(rounded)) {
        ++doubtful;
        PartialDot<true> sum;
        add_up(host_, some.subspan(k, 1), &sum);
        if (!sum.round(rounded)) round(dot_of(some[k].x, some[k].y), rounded);
      }
      *some[k].result = rounded;
    }
    return doubtful == some.size();
  };
  // Where all of some cancel, as products with a vector made orthogonal do, the others may as well.
  bool cancel = false;
  for (; dots.size() > 1; dots = dots.subspan(std::min(dots.size(), together))) {
    cancel = round_some.template operator()<together>(dots.first(std::min(dots.size(), together)), cancel);
  }
  if (!dots.empty()) round_some.template operator()<1>(dots, cancel);
}

template void Reducer<Host>::round_dots(std::span<Dot<double, double> const>) const;
template void Reducer<Host>::round_dots(std::span<Dot<double, float> const>) const;
template void Reducer<Host>::round_dots(std::span<Dot<float, double> const>) const;
template void Reducer<Host>::round_dots(std::span<Dot<float, float> const>) const;

}  // namespace ulpine
