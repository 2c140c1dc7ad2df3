// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/arithmetic.hpp"
#include "precision/bits.hpp"
#include "precision/host_device.hpp"

namespace ulpine::detail {

/// A thread's part of a sum of doubles, none of them beyond an exponent that all threads of a block agree on:
/// as a multiple of a unit, the rest of each number as multiples of a smaller unit, and so on. Each part is
/// held by a double that begins at 1.5 times 2^52 units, whose last place is the unit, so that what an
/// addition rounds off is the rest, nothing is lost, and the parts of threads are added as integers (the
/// windows of Demmel and Nguyen, IEEE Trans. Comput. 64, 2015, doi:10.1109/TC.2014.2345391, one for a block).
template <int parts>
class BlockWindow {
 public:
  /// Numbers it takes before they have to be taken out: parts are of at most 2^47 units then.
  static constexpr int most_held = 128;
  /// It is for no numbers of larger exponents.
  static constexpr int most_exponent = 959;
  /// Binary orders by which later numbers may be larger than those that it was opened for.
  static constexpr int margin = 3;

  /// Empties it for numbers whose exponents (of the highest bit; less than -1022 counts as that) are at most
  /// `exponent` + margin.
  ULPINE_HD void open(int exponent) {
    last_ = exponent + margin;
    ULPINE_UNROLL
    for (int n = 0; n < parts; ++n) sum_[n] = bias(n);
  }
  /// The largest exponent of numbers that it takes.
  ULPINE_HD int last() const { return last_; }
  /// Returns what of x is below the last unit, usually 0.
  ULPINE_HD double add(double x) {
    ULPINE_UNROLL
    for (int n = 0; n < parts; ++n) {
      double const sum = sum_[n] + x;
      x -= sum - sum_[n];
      sum_[n] = sum;
    }
    return x;
  }
  /// Part n, as a multiple of its unit.
  ULPINE_HD std::int64_t part(int n) const {
    return static_cast<std::int64_t>(to_bits(sum_[n]) - to_bits(bias(n)));
  }
  /// Part n's unit is 2^(bit - 1074).
  ULPINE_HD int bit(int n) const { return unit(n) + 1074; }

 private:
  static constexpr int first_bits = 40, part_bits = 41, all_bits = first_bits + part_bits * (parts - 1);

  /// The last unit is no smaller than the smallest double.
  ULPINE_HD int unit(int n) const {
    return math::max(last_ + 1, all_bits - 1074) - first_bits - part_bits * n;
  }
  ULPINE_HD double bias(int n) const {
    return from_bits(static_cast<std::uint64_t>(unit(n) + 52 + 1023) << 52 | std::uint64_t{1} << 51);
  }

  int last_ = 0;
  double sum_[parts] = {};
};

}  // namespace ulpine::detail
