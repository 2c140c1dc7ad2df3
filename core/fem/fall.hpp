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
#include "core/fem/fall_kernels.hpp"
#include "core/ranks/list_exchange.hpp"
#include "io/error.hpp"

/// The fall of rain through a mesh without columns: from cell to cell of the mesh's median dual.
namespace ulpine::fem {

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
