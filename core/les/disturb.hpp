// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/exec/around.hpp"
#include "core/les/boundary.hpp"
#include "core/les/grid.hpp"
#include "core/les/parameters.hpp"
#include "core/les/random_start.hpp"

namespace ulpine::les {

/// Fills the halo of up to LateralHalo::most fields along x and y, levels -1 to nz. Along axes that are cut
/// it is what it was.
template <class T, class Executor>
void wrap(Executor executor, Parameters const& p, std::span<Rows<T> const> fields) {
  if (p.cut_x() && p.cut_y()) return;
  LateralHalo<T> lateral{p.nx, p.ny, {}, 0, p.cut_x(), p.cut_y()};
  for (auto const& field : fields) lateral.fields[lateral.count++] = field;
  for_each(executor, Extent2{LateralHalo<T>::points(p.nx, p.ny), p.nz + 2}, lateral);
}

/// Disturbs a component of the wind, `key` its name_key, for the `round`-th time; `noise` and `smooth`, with
/// a halo, are overwritten.
template <class T, class Executor, class Ground>
void disturb(Executor executor, Parameters const& p, Ground const& ground, std::uint32_t round,
             std::uint32_t key, Variable variable, Rows<T> noise, Rows<T> smooth, Rows<T> wind) {
  auto const heights = p.centres();
  std::int32_t first = 0, last = -1;
  for (std::int32_t k = 0; k < p.nz; ++k) {
    auto const height = heights[static_cast<std::size_t>(k)];
    if (height < p.disturbance_bottom) first = k + 1;
    if (height <= p.disturbance_top) last = k;
  }
  // Along axes that are cut what the neighbours draw and smooth is found here too, and none of it sent.
  auto const with_rim = [&](std::int32_t rim, auto const& kernel) {
    auto const x = p.cut_x() ? rim : 0, y = p.cut_y() ? rim : 0;
    for_each(executor, Extent3{p.nx + 2 * x, p.ny + 2 * y, p.nz}, Around{kernel, x, y});
  };
  Draw const draw{p.noise_seed, round, key, p.whole_nx, p.whole_ny, p.first_x, p.first_y};
  with_rim(2, Noise<T>{draw, static_cast<T>(p.disturbance), first, last, noise});
  wrap<T>(executor, p, std::span(&noise, 1));
  with_rim(1, Smoothing<T>{p.nz, noise, smooth});
  wrap<T>(executor, p, std::span(&smooth, 1));
  with_rim(0, Smoothing<T>{p.nz, smooth, noise});
  with_rim(0, Disturbance<T, Ground>{ground, variable, noise, wind});
}

}  // namespace ulpine::les
