// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/extent.hpp"
#include "core/seaice/scalars.hpp"
#include "core/seaice/setup.hpp"
#include "core/stage/runner.hpp"
#include "precision/host_device.hpp"

/// Kernels that add to shared targets, run in passes within which no two points meet: without atomics, in an
/// order that the mesh fixes. For comparison with gathering (Jendersie et al. 2025, Figure 9).
namespace ulpine::seaice {

/// Where passes are built: elsewhere they would only cost compilation.
template <class Types, class S, class Executor>
inline constexpr bool passes_offered = ComparedTypes<Types> && !S::spherical && !Staged<Executor>;

/// Adds as the executors do, for kernels that share no target.
struct PlainAdd {
  template <class T>
  ULPINE_HD static void atomic_add(T& target, T value) {
    target += value;
  }
};

/// Whether neighbours along x and along y write to a common target.
struct Meets {
  bool along_x, along_y;
};

/// One pass of a body: point (ix, iy) of it is `length` points of the body along x, from left to right.
template <class Body>
struct Pass {
  static constexpr bool scatters = true;

  Body body;
  std::int32_t first_x, first_y, step_x, step_y, length;

  ULPINE_HD void operator()(std::int32_t ix, std::int32_t iy) const {
    for (std::int32_t k = 0; k < length; ++k) body(first_x + step_x * ix + k, first_y + step_y * iy);
  }
};

/// Calls run(extent, kernel, last) for every pass of `body` over `extent`, in their order.
template <class Body, class Run>
void for_passes(SumOrder order, Extent2 extent, Meets meets, Body const& body, Run const& run) {
  auto const every = [](std::int32_t step, std::int32_t first, std::int32_t count) {
    return (count - first + step - 1) / step;
  };
  bool const by_rows = order == SumOrder::rowwise;
  std::int32_t const length = by_rows ? extent.nx : 1;
  std::int32_t const step_x = by_rows ? extent.nx : meets.along_x ? 2 : 1, passes_x = by_rows ? 1 : step_x;
  std::int32_t const step_y = meets.along_y ? 2 : 1;
  for (std::int32_t y = 0; y < step_y; ++y) {
    for (std::int32_t x = 0; x < passes_x; ++x) {
      run(Extent2{every(step_x, x, extent.nx), every(step_y, y, extent.ny)},
          Pass<Body>{body, x, y, step_x, step_y, length}, x + 1 == passes_x && y + 1 == step_y);
    }
  }
}

}  // namespace ulpine::seaice
