// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ulpine::io {

/// Why a value that was read is NaN. The reason is in the NaN's own bits, which survive as long as nothing is
/// computed with it; all are missing values to whoever asks by isnan().
enum class Absence {
  none,          ///< it is a number
  fill,          ///< marked as missing by its file (_FillValue, missing_value), or never written
  out_of_range,  ///< a number beyond valid_min, valid_max or valid_range
  nan            ///< NaN as such: computed by the program that wrote it
};

inline constexpr std::uint64_t fill_bits = 0x7ff8756c70696e01, out_of_range_bits = 0x7ff8756c70696e02;

/// The NaN that stands for a missing or a rejected value.
inline double absent(Absence why) {
  return std::bit_cast<double>(why == Absence::fill ? fill_bits : out_of_range_bits);
}

inline Absence absence_of(double value) {
  if (!std::isnan(value)) return Absence::none;
  auto const bits = std::bit_cast<std::uint64_t>(value);
  return bits == fill_bits ? Absence::fill : bits == out_of_range_bits ? Absence::out_of_range : Absence::nan;
}

/// Whether two values that are both NaN may hide a difference: a number beyond its range, or NaN as such
/// beside a value that is missing.
inline bool may_hide_difference(double a, double b) {
  auto const why_a = absence_of(a), why_b = absence_of(b);
  return why_a != why_b || why_a == Absence::out_of_range;
}

}  // namespace ulpine::io
