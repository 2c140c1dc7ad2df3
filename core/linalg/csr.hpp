// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/host_device.hpp"

namespace ulpine {

/// Where the values of a sparse matrix stand: row r holds the columns column[start[r]] to column[start[r + 1]
/// - 1], ascending. A view: it owns nothing.
struct CsrPattern {
  std::int32_t rows = 0, columns = 0;
  std::int32_t const* start = nullptr;   ///< rows + 1
  std::int32_t const* column = nullptr;  ///< start[rows]

  ULPINE_HD std::int32_t entries() const { return start[rows]; }
};

/// A matrix on a pattern; `value` has as many entries as `pattern.column`.
template <class T>
struct CsrView {
  CsrPattern pattern;
  T* value = nullptr;
};

}  // namespace ulpine
