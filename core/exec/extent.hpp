// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "precision/host_device.hpp"

/// Extents of a launch: kernel(i), kernel(ix, iy) or kernel(ix, iy, iz) is called once for every point, each
/// index counted from 0, in any order and concurrently. x runs fastest in memory. Empty where one is 0.
namespace ulpine {

struct Extent1 {
  std::int64_t n = 0;
  ULPINE_HD constexpr std::int64_t size() const { return n; }
};

/// A lattice of nx times ny points.
struct Extent2 {
  std::int32_t nx = 0, ny = 0;
  ULPINE_HD constexpr std::int64_t size() const { return static_cast<std::int64_t>(nx) * ny; }
};

/// A lattice of nx times ny times nz points; their number may exceed 2^31.
struct Extent3 {
  std::int32_t nx = 0, ny = 0, nz = 0;
  ULPINE_HD constexpr std::int64_t rows() const { return static_cast<std::int64_t>(ny) * nz; }
  ULPINE_HD constexpr std::int64_t size() const { return rows() * nx; }
};

}  // namespace ulpine
