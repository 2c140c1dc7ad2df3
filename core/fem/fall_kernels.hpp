// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/linalg/kernels.hpp"

namespace ulpine::fem {

/// The median dual of the mesh: around each node a cell of volume int N_i, whose face towards the neighbour j
/// has the area int N_i grad N_j - N_j grad N_i. Keeps the faces' vertical components, which are positive
/// where j is above, on the pattern (m2, antisymmetric to the bit), and for each cell the area through which
/// things fall out of it a volume, m-1. `gradient` has int N_i d_d N_j, 3 an entry; `ground` the area of the
/// boundary below a node, m2.
template <class T>
struct DualFaces {
  CsrPattern pattern;
  T const *gradient, *ground, *volume;
  T *face, *below;

  ULPINE_HD void operator()(std::int64_t row) const {
    auto out = ground[row];
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const column = pattern.column[e];
      auto const mirror = linalg::entry_of(pattern, column, static_cast<std::int32_t>(row));
      auto const up = gradient[std::int64_t{3} * e + 2] - gradient[std::int64_t{3} * mirror + 2];
      face[e] = up;
      if (up < T(0)) out -= up;
    }
    below[row] = out / volume[row];
  }
};

/// Flux of rain out of a node's cell through its lower faces, in a sub-step of `step` s: rho r V, kg m-2 s-1;
/// where more than half of a cell's water would leave, half of it leaves.
template <class T>
struct Falling {
  T step;
  T const *below, *dry_density, *speed, *rain;
  T* flux;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const fastest = T(1) / (T(2) * step * below[n]);
    flux[n] = dry_density[n] * rain[n] * (speed[n] < fastest ? speed[n] : fastest);
  }
};

/// The first-order upwind flux (Godunov's) between cells of the dual, a row a call: in from above, out below;
/// nothing comes in through the boundary. What leaves through the ground is added to `fallen`, kg m-2 there.
/// Given nodes keep their rain.
template <class T>
struct Fallen {
  CsrPattern pattern;
  std::uint8_t const* given;
  T step;
  T const *face, *below, *ground, *volume, *dry_density, *flux;
  T *rain, *fallen;

  ULPINE_HD void operator()(std::int64_t row) const {
    if (ground[row] > T(0)) fallen[row] = math::fma(step, flux[row], fallen[row]);
    if (given[row] != 0) return;
    auto in = T(0);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      if (face[e] > T(0)) in = math::fma(face[e], flux[pattern.column[e]], in);
    }
    auto const gain = in / volume[row] - below[row] * flux[row];
    rain[row] = math::fma(step / dry_density[row], gain, rain[row]);
  }
};

}  // namespace ulpine::fem
