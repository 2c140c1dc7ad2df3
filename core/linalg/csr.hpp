// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/host_device.hpp"

namespace ulpine {

/// Into how many partial sums rows are parted that have so many entries in all: about a sixth of a row's
/// entries, a power of two from 4 to 32.
ULPINE_HD constexpr std::int32_t lanes_for(std::int64_t rows, std::int64_t entries) {
  std::int32_t lanes = 4;
  while (lanes < 32 && 6 * lanes * rows < entries) lanes *= 2;
  return lanes;
}

/// Where the values of a sparse matrix stand: row r holds the columns column[start[r]] to column[start[r + 1]
/// - 1], ascending. A view: it owns nothing.
struct CsrPattern {
  std::int32_t rows = 0, columns = 0;
  std::int32_t const* start = nullptr;   ///< rows + 1
  std::int32_t const* column = nullptr;  ///< start[rows]
  std::int32_t lanes = 4;                ///< into how many partial sums a row is parted (row_sum.hpp)

  ULPINE_HD std::int32_t entries() const { return start[rows]; }
};

/// A matrix on a pattern; `value` has as many entries as `pattern.column`.
template <class T>
struct CsrView {
  CsrPattern pattern;
  T* value = nullptr;
};

}  // namespace ulpine
