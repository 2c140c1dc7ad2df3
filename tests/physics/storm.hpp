// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "physics/rain_kernels.hpp"
#include "support/random_values.hpp"

namespace physics_test {

using ulpine::Extent2;
using ulpine::Extent3;

inline constexpr Extent3 storm_extent{67, 23, 41};
inline constexpr std::int64_t storm_plane = std::int64_t{storm_extent.nx} * storm_extent.ny;
enum FieldName {
  density,
  pressure,
  exner,
  base_theta,
  thickness,
  theta,
  vapour,
  cloud,
  rain,
  velocity,
  fallen,
  field_count
};

/// A storm: dry columns, negative water, layers of any thickness.
template <class T>
std::array<std::vector<T>, field_count> storm() {
  std::array<std::vector<T>, field_count> fields;
  ulpine::test::RandomValues random(13);
  for (std::int64_t n = 0; n < storm_extent.size(); ++n) {
    auto const height = double(n / storm_plane) / storm_extent.nz;
    auto const p = 1e5 * std::exp(-1.3 * height), temperature = 303 - 70 * height + random.normal();
    auto const pi = std::pow(p / 1e5, 287.0 / 1004);
    auto const base = n % 2 == 0 ? 300 : 0;
    auto const water = [&] { return n % 67 == 5 || random.uniform() < 0.3 ? 0 : random.ugly(-30, -8); };
    fields[density].push_back(T(p / (287 * temperature)));
    fields[pressure].push_back(T(p));
    fields[exner].push_back(T(pi));
    fields[base_theta].push_back(T(base));
    fields[thickness].push_back(T(20 * std::exp(4 * random.uniform())));
    fields[theta].push_back(T(temperature / pi - base));
    fields[vapour].push_back(T(0.025 * std::exp(-3 * height) * random.uniform()));
    fields[cloud].push_back(T(water()));
    fields[rain].push_back(T(water()));
  }
  fields[velocity].resize(static_cast<std::size_t>(storm_extent.size()));
  fields[fallen].resize(static_cast<std::size_t>(storm_plane));
  return fields;
}

/// A step on the fields that begin at `first`.
template <class T, class Launch>
void rain_step(std::array<T*, field_count> const& first, Launch const& launch_one) {
  auto const read = [&](FieldName name) {
    return GridView<T const>{first[name], storm_plane, storm_extent.nx};
  };
  auto const write = [&](FieldName name) { return GridView<T>{first[name], storm_plane, storm_extent.nx}; };
  AirFields<T> const air{read(density), read(pressure), read(exner), read(base_theta)};
  MoistFields<T> const state{write(theta), write(vapour), write(cloud), write(rain)};
  auto const dt = T(12);
  launch_one(storm_extent, RainFormation<T>{dt, air, state, write(velocity)});
  launch_one(Extent2{storm_extent.nx, storm_extent.ny},
             ulpine::physics::Sedimentation<T>{storm_extent.nz, dt, read(density), read(thickness),
                                               read(velocity), write(rain), write(fallen)});
  launch_one(storm_extent, Saturation<T>{air, state});
}

}  // namespace physics_test
