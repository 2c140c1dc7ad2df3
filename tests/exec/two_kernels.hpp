// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "benchmarks/out_of_core/out_of_core.hpp"
#include "core/exec/host.hpp"
#include "exec/kernels.hpp"
#include "support/random_values.hpp"

/// What tests of tiles run, on a fake device and on a real one.
namespace exec_test {

using namespace ulpine;

inline Extent3 lattice_of(Slabs const& slabs, std::int64_t positions) {
  return {static_cast<std::int32_t>(slabs.inner), static_cast<std::int32_t>(positions),
          static_cast<std::int32_t>(slabs.outer)};
}

template <class T>
std::vector<T> random_values(ulpine::test::RandomValues& random, Slabs const& slabs) {
  std::vector<T> values(static_cast<std::size_t>(slabs.outer * slabs.count * slabs.inner));
  for (auto& value : values) value = static_cast<T>(random.ugly(-20, 20));
  return values;
}

template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// A smoothing with a halo and then an update in place by faces, one array more than positions.
template <class T>
struct TwoKernels {
  Slabs slabs, faces;
  std::vector<T> source, face, smooth, state;

  TwoKernels(ulpine::test::RandomValues& random, std::int64_t outer, std::int64_t length, std::int64_t inner)
      : slabs{outer, length, inner},
        faces{outer, length + 1, inner},
        source{random_values<T>(random, slabs)},
        face{random_values<T>(random, faces)},
        smooth(source.size(), T(7)),
        state{random_values<T>(random, slabs)} {}

  std::vector<TiledArray> arrays() {
    return {writes(smooth.data(), slabs), reads(source.data(), slabs, {2, 2}), updates(state.data(), slabs),
            reads(face.data(), faces, {0, 1})};
  }
  void at_once() {
    auto const extent = lattice_of(slabs, slabs.count);
    for_each(
        Host{}, extent,
        Smooth<T>{0, slabs.count, slab_view<T const>(source.data(), slabs), slab_view(smooth.data(), slabs)});
    for_each(
        Host{}, extent,
        Advance<T>{0, T(3) / T(7), slab_view<T const>(face.data(), faces), slab_view(state.data(), slabs)});
  }
  /// For launch(executor, extent, kernel).
  template <class Launch>
  auto kernel(Launch const& launch) const {
    return [slabs = slabs, launch](auto executor, Tile const& tile) {
      auto const extent = lattice_of(slabs, tile.positions());
      launch(executor, extent, Smooth<T>{tile.begin, slabs.count, tile.view<T const>(1), tile.view<T>(0)});
      launch(executor, extent, Advance<T>{tile.begin, T(3) / T(7), tile.view<T const>(3), tile.view<T>(2)});
    };
  }
};

inline Tiling tiling_of(std::int64_t length, std::int64_t positions, int streams,
                        Transfers transfers = Transfers::staged) {
  Tiling tiling;
  tiling.length = length;
  tiling.positions = positions;
  tiling.streams = streams;
  tiling.transfers = transfers;
  return tiling;
}

}  // namespace exec_test
