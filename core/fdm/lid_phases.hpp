// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "core/exec/memory.hpp"
#include "core/fdm/lid.hpp"
#include "core/fft/plane_transform.hpp"
#include "core/poisson/plane_phases.hpp"
#include "core/poisson/shared_phases.hpp"

/// The waves of a radiative lid (lid.hpp), which ranks share. The launches need the executor's for_each
/// before this is included.
namespace ulpine::fdm {

/// All waves, or those of some wavenumbers along x, where ranks share them: what a column of one level has.
template <class T, class Executor>
class LidColumns final : public ColumnSolver<T> {
 public:
  /// `impedance` as lid_impedance() has it, `stiffness` on the executor while this lives.
  LidColumns(Executor executor, PoissonGrid const& plane, Modes modes, std::vector<double> const& impedance,
             T const* stiffness)
      : executor_{executor},
        modes_{modes},
        ny_{plane.ny},
        scale_{T(1) / (static_cast<T>(plane.nx) * static_cast<T>(plane.ny))},
        impedance_(executor, std::int64_t{plane.ny} * modes.count),
        stiffness_{stiffness} {
    std::vector<T> values;
    for (std::int32_t n = 0; n < ny_; ++n) {
      auto const row = impedance.begin() + std::int64_t{n} * plane.modes_x() + modes.first;
      std::transform(row, row + modes.count, std::back_inserter(values),
                     [](double z) { return static_cast<T>(z); });
    }
    impedance_.from_host(values.data());
  }

  void solve(T* planes) override {
    for_each(executor_, Extent2{modes_.count, ny_},
             LidWaves<T>{scale_, impedance_.view().data(), stiffness_, modes_.first == 0,
                         Rows<T>(planes, 0, 2 * modes_.count)});
  }
  std::int64_t work_bytes() const override { return impedance_.bytes(); }

 private:
  Executor executor_;
  Modes modes_;
  std::int32_t ny_;
  T scale_;
  Array<T, Executor> impedance_;
  T const* stiffness_;
};

/// The transforms of planes; other executors than the host's and the device's specialise it.
template <class T, class Executor>
struct LidTransform {
  static std::unique_ptr<PlaneTransform<T>> make(Executor executor, std::int32_t planes, std::int32_t ny,
                                                 std::int32_t nx, PlaneLines lines) {
    return make_portable_transform<T, Exact>(executor, planes, ny, nx, lines);
  }
};

/// From a plane of points, right-hand sides, to w at the lid: of all ranks together, on `share` of it where
/// they are several. `stiffness` as LidColumns has it, `impedance` is of the whole lid.
template <class T, class Executor>
std::unique_ptr<PoissonPhases<T>> make_lid_phases(Executor executor, PoissonGrid const& plane,
                                                  PoissonShare const& share,
                                                  std::shared_ptr<Link<Executor>> const& link,
                                                  std::vector<double> const& impedance, T const* stiffness) {
  auto const transform = [executor](auto... sizes) {
    return LidTransform<T, Executor>::make(executor, sizes...);
  };
  auto const columns = [&](Modes modes) {
    return std::make_unique<LidColumns<T, Executor>>(executor, plane, modes, impedance, stiffness);
  };
  if (link->several()) {
    return std::make_unique<SharedPlanePhases<T, Executor>>(executor, plane, share, link, Guarantee::bitwise,
                                                            transform, no_pieces, columns);
  }
  return std::make_unique<PlanePhases<T>>(plane, columns(all_modes(plane)),
                                          transform(plane.nz, plane.ny, plane.nx, PlaneLines::all),
                                          Guarantee::bitwise);
}

}  // namespace ulpine::fdm
