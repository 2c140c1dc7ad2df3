// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "benchmarks/out_of_core/out_of_core.hpp"
#include "core/exec/executor.hpp"
#include "core/exec/extent.hpp"
#include "core/fdm/sound_coefficients.hpp"

/// loop_14 of ARPS as its GPU paper measures it: alone, on n x n x n points.
namespace ulpine::bench {

/// The arrays in the order r, X5, X4, T1, T2 (read), A, B, C (written), each n^3 values.
inline constexpr int arrays_read = 5, arrays_written = 3, arrays = arrays_read + arrays_written;

/// Levels below the first that is computed: the ghosts' and the ground's. As many lie above the last.
inline constexpr std::int32_t lowest = 2;

template <class T>
using Loop14 = fdm::ArpsCoefficients<T>;

/// Values of array number `array` that look like a storm's, the same on every machine and however far apart
/// rows of n values begin; for (index).
template <class T>
struct Fill {
  int array;
  T* to;
  std::int64_t n, row;
  ULPINE_HD void operator()(std::int64_t place) const {
    auto const index = place / row * n + place % row;
    constexpr double least[arrays_read] = {0.95, 5e-6, 0.8, 1, 30};
    constexpr double range[arrays_read] = {0.1, 1.5e-5, 3.2, 5, 270};
    auto const mixed = static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15u + static_cast<unsigned>(array);
    auto const part = static_cast<double>((mixed ^ (mixed >> 29)) >> 40) * 0x1p-24;
    to[place] = static_cast<T>(least[array] + range[array] * part);
  }
};

/// The computed levels of all arrays, `at` the first value of each; rows begin every `row` values.
template <class T>
Loop14<T> loop14(std::int64_t n, std::int64_t row, T* const (&at)[arrays]) {
  auto const factors = fdm::ArpsFactors<T>::of(T(6) / T(10), T(98) * T(717) / (T(10) * T(1004)), T(500));
  return {factors, lowest, n * row, row, at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
}
inline Extent3 extent_of(std::int32_t n) { return {n, n, n - 2 * lowest}; }

/// loop_14 a point at a time, which reads T1 and T2 of two levels.
template <class T>
struct PointByPoint {
  Loop14<T> loop;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const { loop(i, j, k); }
};

/// Whole columns, cut along y: only the levels that are read or written.
template <class T>
std::vector<TiledArray> tiled_arrays(std::int64_t n, T* const (&at)[arrays]) {
  auto const skipped = lowest * n * n;
  auto const slabs = slabs_of({n - 2 * lowest, n, n}, 1), more = slabs_of({n - 2 * lowest + 1, n, n}, 1);
  std::vector<TiledArray> all;
  for (int array = 0; array < 3; ++array) all.push_back(reads(at[array] + skipped, slabs));
  for (int array = 3; array < arrays_read; ++array) all.push_back(reads(at[array] + skipped - n * n, more));
  for (int array = arrays_read; array < arrays; ++array) all.push_back(writes(at[array] + skipped, slabs));
  return all;
}
/// loop_14 of a tile's columns, their first computed level number 0.
template <class T>
Loop14<T> loop14(std::int64_t n, Tile const& tile) {
  T* at[arrays];
  for (std::size_t array = 0; array < arrays; ++array) {
    at[array] = reinterpret_cast<T*>(tile.parts[array].data);
  }
  auto loop = loop14(n, n, at);
  loop.lowest = 0;
  loop.plane = tile.positions() * n;
  loop.t1 += loop.plane, loop.t2 += loop.plane;
  return loop;
}

/// Launches, in loop14.cu.
template <class T>
void fill(Cuda cuda, std::int64_t count, Fill<T> const& kernel);
template <class Kernel>
void launch(Cuda cuda, Extent3 extent, Kernel const& kernel);

}  // namespace ulpine::bench
