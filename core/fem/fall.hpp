// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/linalg/kernels.hpp"
#include "core/ranks/list_exchange.hpp"
#include "io/error.hpp"

/// The fall of rain through a mesh without columns: from cell to cell of the mesh's median dual.
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

/// The dual of a mesh on an executor, through which things fall.
template <class T, class Executor>
class Fall {
 public:
  /// On `pattern`; `gradient` has int N_i d_d N_j, 3 an entry, `volume` int N_i (m3), `given` says where rain
  /// is given: the executor's memory, the last three outlive this. `ground` is the area of the boundary below
  /// the nodes, m2. Where ranks share the mesh, `ghosts` brings values of nodes; collective then.
  Fall(Executor executor, CsrPattern const& pattern, std::int64_t entries, T const* gradient, T const* volume,
       std::uint8_t const* given, std::vector<double> const& ground, ListExchange<Executor>* ghosts = nullptr)
      : executor_{executor},
        pattern_{pattern},
        volume_{volume},
        given_{given},
        ghosts_{ghosts},
        ground_(executor, pattern.rows),
        below_(executor, pattern.rows),
        flux_(executor, pattern.rows),
        face_(executor, entries) {
    std::vector<T> values;
    for (auto const area : ground) values.push_back(static_cast<T>(area));
    ground_.from_host(values.data());
    for_each(executor, pattern.rows,
             DualFaces<T>{pattern, gradient, ground_.view().data(), volume, face_.view().data(),
                          below_.view().data()});
    if (ghosts_ != nullptr) (*ghosts_)(below_.view().data());
    below_.to_host(values.data());
    for (auto const& share : values) most_below_ = std::max(most_below_, static_cast<double>(share));
    if (ghosts_ == nullptr) return;
    // Doubles that are not negative are in the order of their bits.
    auto bits = std::bit_cast<std::int64_t>(most_below_);
    ghosts_->link().ranks()->largest({&bits, 1});
    most_below_ = std::bit_cast<double>(bits);
  }

  /// Sub-steps of a step of `step` s, of which none takes more than half of a cell's water at `speed` m s-1.
  /// InputError where they would be more than `most_sub_steps`.
  int sub_steps(double step, double speed) const {
    auto const least = 2 * step * speed * most_below_;
    if (!(least <= most_sub_steps)) {
      throw InputError(
          "time.step: rain would fall in " + std::to_string(least) +
          " sub-steps of it (as it crosses the thinnest cell; a run would not end) choose a shorter "
          "step, or thicker cells");
    }
    return least > 1 ? static_cast<int>(std::ceil(least)) : 1;
  }
  static constexpr double most_sub_steps = 1e5;
  T const* ground() const { return ground_.view().data(); }

  /// A sub-step of `step` s of what has the mixing ratio `rain` and falls at `speed` (m s-1, downward)
  /// through dry air of that density; `fallen` takes what leaves through the ground, kg m-2.
  void take(T step, T const* dry_density, T const* speed, T* rain, T* fallen) {
    for_each(
        executor_, pattern_.rows,
        Falling<T>{step, std::as_const(below_).view().data(), dry_density, speed, rain, flux_.view().data()});
    for_each(executor_, pattern_.rows,
             Fallen<T>{pattern_, given_, step, std::as_const(face_).view().data(),
                       std::as_const(below_).view().data(), ground(), volume_, dry_density,
                       std::as_const(flux_).view().data(), rain, fallen});
    if (ghosts_ != nullptr) (*ghosts_)(rain);
  }

 private:
  Executor executor_;
  CsrPattern pattern_;
  T const* volume_;
  std::uint8_t const* given_;
  ListExchange<Executor>* ghosts_;
  Array<T, Executor> ground_, below_, flux_, face_;
  double most_below_ = 0;  ///< m-1
};

}  // namespace ulpine::fem
