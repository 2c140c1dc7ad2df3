// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/grid.hpp"

/// Mixing and damping, once a step, of the state in which it begins.
namespace ulpine::fdm {

/// Strengths of diffusion and of computational mixing.
template <class T>
struct MixingLaw {
  T diffusivity;    ///< m2 s-1
  T computational;  ///< of fourth order along the levels: per second and difference of fourth order
};

/// K (d2/dx2 + d2/dy2 + 1/rho d/dz rho d/dz) phi - c (delta_x^4 + delta_y^4) phi - R (phi - phi_0), per
/// second, second and fourth derivatives along the levels. Nothing passes through the ground and the lid.
template <class T, class Ground, Place place>
struct Mixing {
  Grid<T> grid;
  Ground ground;
  MixingLaw<T> law;
  Rows<T const> phi;
  Rows<T> rate;

  static constexpr std::int32_t first_level = place == Place::w ? 1 : 0;

  /// Computes level `level` + first_level.
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t level) const {
    auto const k = level + first_level;
    auto const at = beside(grid, phi, k, j, i);
    auto const here = at(0, 0, 0);
    auto const second = [&](std::int32_t dj, std::int32_t di, T per_length) {
      return (at(0, dj, di) - here - (here - at(0, -dj, -di))) * (per_length * per_length);
    };
    auto const sides = second(0, 1, grid.per_dx) + second(1, 0, grid.per_dy);
    auto const mixed = law.diffusivity * (sides + across(at, k, j, i));
    auto const fourth = [&](std::int32_t dj, std::int32_t di) {
      auto const far = at(0, 2 * dj, 2 * di) + at(0, -2 * dj, -2 * di);
      auto const near = at(0, dj, di) + at(0, -dj, -di);
      return math::fma(T(-4), near, math::fma(T(6), here, far));
    };
    auto const smoothed = math::fma(-law.computational, fourth(0, 1) + fourth(1, 0), mixed);
    auto const draw = ground.at(place == Place::w ? Metric::sponge_w : Metric::sponge, k, j, i);
    rate(k, j, i) = math::fma(-draw, here - reference(k, j, i), smoothed);
  }

 private:
  ULPINE_HD T reference(std::int32_t k, std::int32_t j, std::int32_t i) const {
    if constexpr (place == Place::u) return ground.at(Metric::start_u, k, j, i);
    if constexpr (place == Place::v) return ground.at(Metric::start_v, k, j, i);
    return T(0);
  }
  ULPINE_HD T across(Near<T> const& at, std::int32_t k, std::int32_t j, std::int32_t i) const {
    if constexpr (place == Place::w) {
      auto const flux = [&](std::int32_t cell, T difference) {
        auto const per_j3 = ground.at(Metric::per_j3, cell, j, i);
        return ground.at(Metric::mass, cell, j, i) * (per_j3 * per_j3) * difference;
      };
      auto const above = flux(k, at(1, 0, 0) - at(0, 0, 0)), below = flux(k - 1, at(0, 0, 0) - at(-1, 0, 0));
      return (above - below) * (grid.per_dzeta * grid.per_dzeta) * ground.at(Metric::per_mass_w, k, j, i);
    } else {
      auto const flux = [&](std::int32_t face, T difference) {
        auto const per_j3 = ground.at(Metric::per_j3_w, face, j, i);
        return ground.at(Metric::mass_w, face, j, i) * (per_j3 * per_j3) * difference;
      };
      auto const above = flux(k + 1, at(1, 0, 0) - at(0, 0, 0)), below = flux(k, at(0, 0, 0) - at(-1, 0, 0));
      return (above - below) * (grid.per_dzeta * grid.per_dzeta) * ground.at(Metric::per_mass, k, j, i);
    }
  }
};

}  // namespace ulpine::fdm
