// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/parameters.hpp"
#include "core/les/tendencies.hpp"

namespace ulpine::les {

inline constexpr Global von_karman = 0.4;  // bare: a constant

/// What similarity needs of the ground.
template <class T>
struct Similarity {
  T roughness, heat_roughness, heat_flux;
  bool temperature_given;
};
template <class T>
Similarity<T> similarity(Parameters const& p) {
  return {static_cast<T>(p.roughness), static_cast<T>(p.heat_roughness), static_cast<T>(p.heat_flux),
          p.surface_temperature_given};
}

template <class T, class Ground>
struct SurfaceFluxes {
  Grid<T> grid;
  Ground ground;
  Similarity<T> similarity;
  Global const* surface_theta;
  Rows<T const> u, v, theta;
  Rows<T> drag, heat_flux, shear, friction, inverse_obukhov;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    auto const k = ground.lowest(Variable::scalar, j, i);
    auto const u_here = mean2(u(k, j, i), u(k, j, i + 1)), v_here = mean2(v(k, j, i), v(k, j + 1, i));
    auto const speed = magnitude(u_here, v_here);
    auto const z = T(1) / (T(2) * grid.at(Level::per_dz, k));
    auto const k_over_log = T(4) / T(10) / math::log(z / similarity.roughness);
    auto const u_star = k_over_log * speed;
    drag(j, i) = u_star * k_over_log;
    friction(j, i) = u_star;
    shear(j, i) = u_star / (T(4) / T(10) * z);
    heat_flux(j, i) = similarity.heat_flux;
    inverse_obukhov(j, i) = T(0);
  }
};

}  // namespace ulpine::les
