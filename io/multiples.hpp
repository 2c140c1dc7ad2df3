// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ulpine::io {

/// The times 0, 1, 2, ... times an interval that somebody wrote as a decimal, such as 0.7 s.
///
/// Sums and products of the double nearest to 0.7 miss the multiples of 0.7 by some units in the last place,
/// on either side: 3 * 0.7 < 2.1. Here multiple k is the double nearest to k times the decimal, so that it is
/// the double that the decimal itself reads as (at(3) of 0.7 is 2.1), multiples of two intervals that are
/// equal as decimals are equal as doubles, and a greater k never gives a smaller double. The decimal is the
/// shortest one that reads back to the interval: where somebody wrote up to 15 significant digits, theirs,
/// because no two of those share a double. Longer decimals share doubles; for such an interval the double
/// itself is what is multiplied, and its product is rounded once, too.
class Multiples {
 public:
  /// Multiples of `interval` s, positive and finite.
  explicit Multiples(double interval);

  double interval() const { return interval_; }
  /// Multiple `k`, 0 up, s.
  double at(std::int64_t k) const;
  /// The largest k whose multiple is `time` s or before; `time` is 0 up. Multiples beyond 2^53 are not
  /// counted: neighbours there are no longer told apart in double.
  std::int64_t count(double time) const;
  /// The first multiple after `time` s; infinity where there is none up to 2^53.
  double next_after(double time) const;

 private:
  double interval_;
  std::uint64_t digits_ = 0;  ///< significand of the decimal; 0: multiply the double itself
  int exponent_ = 0;          ///< power of ten of its last digit
};

}  // namespace ulpine::io
