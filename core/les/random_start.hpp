// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/exec/random.hpp"
#include "core/les/grid.hpp"
#include "precision/elementary.hpp"

/// Disturbances that make a flow turbulent, as PALM has them: uniform noise on the horizontal wind in a range
/// of levels, smoothed twice, added where there is no wall near. A pass of Smoothing reads the neighbours'
/// columns: its source needs a halo of 1, or to be a whole plane whose halo is filled by then.
namespace ulpine::les {

/// Which numbers a call draws: `field` tells u from v (name_key), `round` one time from the next. By global
/// index, so that neither threads nor the part of the domain that a process owns matter.
struct Draw {
  std::uint64_t seed = 1;
  std::uint32_t round = 0, field = 0;
  std::int32_t nx = 0, ny = 0;            ///< columns of the whole domain
  std::int32_t first_i = 0, first_j = 0;  ///< global indices of the kernel's first column
};

/// 3 A (r - 1/2), r uniform in [0, 1), in the levels [first, last]; 0 elsewhere. Also around a part of the
/// domain, up to a period away.
template <class T>
struct Noise {
  Draw draw;
  T amplitude;  ///< A, m s-1
  std::int32_t first, last;
  Rows<T> noise;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const around = [](std::int32_t at, std::int32_t extent) {
      return at < 0 ? at + extent : at >= extent ? at - extent : at;
    };
    auto const column = static_cast<std::int64_t>(around(draw.first_j + j, draw.ny)) * draw.nx +
                        around(draw.first_i + i, draw.nx);
    auto const index = static_cast<std::int64_t>(k) * draw.ny * draw.nx + column;
    auto const within = k >= first && k <= last;
    auto const drawn = static_cast<T>(uniform_symmetric(draw.seed, draw.round, draw.field, index));
    noise(k, j, i) = within ? T(3) / T(2) * amplitude * drawn : T(0);
  }
};

/// (6 centre + 6 neighbours) / 12; nothing beyond the ground and the lid.
template <class T>
struct Smoothing {
  std::int32_t nz;
  Rows<T const> source;
  Rows<T> target;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const below = k == 0 ? T(0) : source(k - 1, j, i);
    auto const above = k + 1 == nz ? T(0) : source(k + 1, j, i);
    auto const lateral =
        (source(k, j, i - 1) + source(k, j, i + 1)) + (source(k, j - 1, i) + source(k, j + 1, i));
    target(k, j, i) = math::fma(T(6), source(k, j, i), lateral + (below + above)) / T(12);
  }
};

/// Adds the noise to u or v at least one cell above the ground and roofs.
template <class T, class Ground>
struct Disturbance {
  Ground ground;
  Variable variable;
  Rows<T const> noise;
  Rows<T> wind;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if (k > ground.lowest(variable, j, i)) wind(k, j, i) += noise(k, j, i);
  }
};

}  // namespace ulpine::les
