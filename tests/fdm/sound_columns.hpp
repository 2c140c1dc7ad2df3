// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/out_of_core/out_of_core.hpp"
#include "core/fdm/sound_coefficients.hpp"
#include "support/random_values.hpp"

/// Arrays of the sound coefficients and how they are cut, for tests on the host and a device.
namespace fdm_test {

using ulpine::fdm::ArpsCoefficients;
using ulpine::fdm::ArpsFactors;

/// Random columns of plausible size: `levels` w levels of (ny, nx) points, coefficients from level 2 to the
/// last but two, as ARPS has them with one level of ghosts below and above.
template <class T>
struct SoundColumns {
  static constexpr std::int32_t lowest = 2;
  std::int32_t levels, ny, nx;
  ArpsFactors<T> factors;
  std::vector<T> r, x5, x4, t1, t2, a, b, c;

  SoundColumns(ulpine::test::RandomValues& random, std::int32_t levels, std::int32_t ny, std::int32_t nx)
      : levels{levels},
        ny{ny},
        nx{nx},
        factors{ArpsFactors<T>::of(T(6) / T(10), T(98) / T(14), T(500))},
        r{values(random, 0.95, 1.05)},
        x5{values(random, 5e-6, 2e-5)},
        x4{values(random, 0.8, 4)},
        t1{values(random, 1, 6)},
        t2{values(random, 30, 300)},
        a(r.size(), T(-1)),
        b(r.size(), T(-2)),
        c(r.size(), T(-3)) {}

  std::int64_t plane() const { return std::int64_t{ny} * nx; }
  std::int32_t computed() const { return levels - 4; }
  ulpine::Extent3 extent() const { return {nx, ny, computed()}; }
  ArpsCoefficients<T> kernel() {
    return {factors,   lowest,    plane(),   nx,       r.data(), x5.data(),
            x4.data(), t1.data(), t2.data(), a.data(), b.data(), c.data()};
  }

  /// Cut along y (axis 1) or x (axis 2), whole columns, or along the levels (axis 0); only what is computed
  /// is written.
  std::vector<ulpine::TiledArray> arrays(int axis) {
    std::int64_t const skipped = lowest * plane();
    auto const slabs = ulpine::slabs_of({computed(), ny, nx}, axis);
    // T1 and T2 also of the level below: a slab more along the levels, else a level more in each column.
    auto const more = axis == 0 ? ulpine::slabs_of({computed() + 1, ny, nx}, 0, -1)
                                : ulpine::slabs_of({computed() + 1, ny, nx}, axis);
    ulpine::SlabHalo const halo{axis == 0 ? 1 : 0, 0};
    return {ulpine::reads(r.data() + skipped, slabs),
            ulpine::reads(x5.data() + skipped, slabs),
            ulpine::reads(x4.data() + skipped, slabs),
            ulpine::reads(t1.data() + skipped - plane(), more, halo),
            ulpine::reads(t2.data() + skipped - plane(), more, halo),
            ulpine::writes(a.data() + skipped, slabs),
            ulpine::writes(b.data() + skipped, slabs),
            ulpine::writes(c.data() + skipped, slabs)};
  }
  /// The kernel and what it is called for in a tile of arrays(axis).
  static ArpsCoefficients<T> kernel(ArpsFactors<T> const& factors, ulpine::Tile const& tile, int axis,
                                    ulpine::Extent3& extent) {
    auto const at = [&](std::size_t n) { return tile.view<T const>(n).data; };
    auto const to = [&](std::size_t n) { return tile.view<T>(n).data; };
    auto const positions = static_cast<std::int32_t>(tile.positions());
    (axis == 0 ? extent.nz : axis == 1 ? extent.ny : extent.nx) = positions;
    auto const plane = std::int64_t{extent.nx} * extent.ny;
    return {factors,       0,     plane, extent.nx, at(0), at(1), at(2), at(3) + plane,
            at(4) + plane, to(5), to(6), to(7)};
  }

 private:
  std::vector<T> values(ulpine::test::RandomValues& random, double low, double high) const {
    std::vector<T> all(static_cast<std::size_t>(levels * plane()));
    for (auto& value : all) value = static_cast<T>(random.between(low, high));
    return all;
  }
};

/// In place of `kernels`: all tiles' coefficients by launch(executor, extent, kernel).
template <class T, class Executor, class Launch>
void run_tiled(Executor executor, SoundColumns<T>& columns, int axis, ulpine::Tiling tiling,
               Launch const& launch) {
  auto const extent = columns.extent();
  tiling.length = axis == 0 ? extent.nz : axis == 1 ? extent.ny : extent.nx;
  ulpine::OutOfCore<Executor> run(executor, columns.arrays(axis), tiling);
  run.run([&](auto where, ulpine::Tile const& tile) {
    auto part = extent;
    auto const kernel = SoundColumns<T>::kernel(columns.factors, tile, axis, part);
    launch(where, part, kernel);
  });
}

}  // namespace fdm_test
