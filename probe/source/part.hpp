// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ulpine.h"

namespace ulpine::probe {

/// What one call tells of a field, in one form for all languages: axes slowest first, a complex number as one more
/// fastest axis of 2 (real and imaginary part), places in the domain as dense indices (row-major over the whole domain,
/// so that a Fortran array and the C array with reversed axes have the same).
struct Part {
  static constexpr int most_axes = ULPINE_MOST_AXES + 1;
  /// `extent` elements, `stride` bytes apart, at places first, first + 1, ... of `whole`, or at `numbers` where not null.
  struct Axis {
    std::int64_t extent = 1, stride = 0, first = 0, whole = 1;
    std::int64_t const* numbers = nullptr;
  };

  std::byte* data = nullptr;
  ulpine_type type = ULPINE_F64;  ///< of an element: ULPINE_F32 or ULPINE_F64 of complex numbers
  int rank = 0;
  std::array<Axis, most_axes> axes = {};  ///< slowest first
  bool fastest_first = false;             ///< how the caller counts: for messages only
  bool complex = false;
  bool replicated = false, on_device = false;
  void* stream = nullptr;

  std::int64_t count() const {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= axes[a].extent;
    return n;
  }
  std::int64_t whole_count() const {
    std::int64_t n = 1;
    for (int a = 0; a < rank; ++a) n *= axes[a].whole;
    return n;
  }
};

/// The array of a call as a part. Throws UseError (one line: what is wrong, and what to do) for a rank, type, extent, stride
/// or place that cannot be, for places outside the domain, and for products beyond 2^62 elements.
Part part_of(char const* name, std::size_t length, ulpine_array const& array);

/// Calls f(index, address, count, stride) for rows of the part that are evenly spaced in memory and whose dense indices are
/// index, index + 1, ...: axes that lie one after the other in memory and in the domain are merged first.
template <class F>
void for_each_row(Part const& part, F&& f);

}  // namespace ulpine::probe
