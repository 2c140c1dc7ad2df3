// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/grid.hpp"

/// Sub-grid closures: Deardorff 1980 (Boundary-Layer Meteorol. 18, 495-527) with the constants and limits of
/// PALM, and Smagorinsky 1963 with a Richardson number (Lilly 1962).
namespace ulpine::les {

/// Gradients of the wind's speed next to walls: 1 / (distance ln(distance / roughness)), m-1.
template <class T>
struct WallShear {
  T facing_x, facing_y;
  std::int32_t surface_layer;  ///< as Forcing::surface_layer
  T mirrored;  ///< wind below a roof, over that above it: -1 where air stands still, 1 where it slips
};

/// Vertical gradient at the centre of a cell, over two cells; at the lowest over the one face above.
template <class Ground, class T>
ULPINE_HD T gradient_of(Grid<T> const& grid, T below, T here, T above, std::int32_t k, std::int32_t lowest) {
  auto const one_sided = (above - here) * grid.at(Level::per_dz_between, k);
  auto const centred = (above - below) * grid.at(Level::per_dz_centred, k);
  return is_at<Ground>(k, lowest) ? one_sided : centred;
}
template <class Ground, class T>
ULPINE_HD T gradient_of(Grid<T> const& grid, Near<T> const& phi, std::int32_t k, std::int32_t lowest) {
  return gradient_of<Ground>(grid, phi(-1, 0, 0), phi(0, 0, 0), phi(1, 0, 0), k, lowest);
}

/// Values that the strain of a level shares with that of the level above: sums of the wind at the two faces
/// of a cell, of the level below and this one, and the wind through the faces below the cell and its
/// neighbours.
template <class T>
struct StrainBelow {
  T u_below, u_here, v_below, v_here;
  T w, w_west, w_east, w_south, w_north;
};
template <class T>
ULPINE_HD StrainBelow<T> strain_below(NearWind<T> const& wind) {
  auto const& [u, v, w] = wind;
  return {u(-1, 0, 0) + u(-1, 0, 1),
          u(0, 0, 0) + u(0, 0, 1),
          v(-1, 0, 0) + v(-1, 1, 0),
          v(0, 0, 0) + v(0, 1, 0),
          w(-1, 0, 0),
          w(-1, 0, -1),
          w(-1, 0, 1),
          w(-1, -1, 0),
          w(-1, 1, 0)};
}

/// 2 S_ij S_ij at the centre of a cell, s-2; S_ij as (du_i/dx_j + du_j/dx_i) / 2.
template <class T, class Ground>
ULPINE_HD T squared_strain(Grid<T> const& grid, Ground const& ground, WallShear<T> const& walls,
                           NearWind<T> const& wind, T surface_shear, std::int32_t k, std::int32_t j,
                           std::int32_t i, std::int32_t lowest, StrainBelow<T>& level) {
  auto const& [u, v, w] = wind;
  auto const quarter = T(1) / T(4), half = T(1) / T(2);
  auto const before = level;
  level = {before.u_here, u(1, 0, 0) + u(1, 0, 1),
           before.v_here, v(1, 0, 0) + v(1, 1, 0),
           w(0, 0, 0),    w(0, 0, -1),
           w(0, 0, 1),    w(0, -1, 0),
           w(0, 1, 0)};
  auto const u_sum = before.u_here, v_sum = before.v_here, w_sum = level.w + before.w;
  auto const u_x = (u(0, 0, 1) - u(0, 0, 0)) * grid.per_dx;
  auto const v_y = (v(0, 1, 0) - v(0, 0, 0)) * grid.per_dy;
  auto const w_z = (level.w - before.w) * grid.at(Level::per_dz, k);
  auto const u_at = [&](std::int32_t dj) { return u(0, dj, 0) + u(0, dj, 1); };
  auto const v_at = [&](std::int32_t di) { return v(0, 0, di) + v(0, 1, di); };
  auto u_y = (u_at(1) - u_at(-1)) * (quarter * grid.per_dy);
  auto v_x = (v_at(1) - v_at(-1)) * (quarter * grid.per_dx);
  auto w_x = ((level.w_east + before.w_east) - (level.w_west + before.w_west)) * (quarter * grid.per_dx);
  auto w_y = ((level.w_north + before.w_north) - (level.w_south + before.w_south)) * (quarter * grid.per_dy);
  auto const u_here = half * u_sum, v_here = half * v_sum;
  auto const speed = math::sqrt(math::fma(u_here, u_here, v_here * v_here));
  auto const share = speed > T(0) ? surface_shear / speed : T(0);
  auto const per_length = half * grid.at(Level::per_dz_centred, k);
  auto u_inside = (level.u_here - before.u_below) * per_length;
  auto v_inside = (level.v_here - before.v_below) * per_length;
  if constexpr (Ground::built) {
    // Roofs hold no wind that could mirror what is above, as the ground's halo does.
    auto const per_mirrored = half * grid.at(Level::per_dz_mirrored, k);
    auto const on_roof = is_at<Ground>(k, lowest);
    auto const u_roof = math::fma(-walls.mirrored, u_sum, level.u_here) * per_mirrored;
    auto const v_roof = math::fma(-walls.mirrored, v_sum, level.v_here) * per_mirrored;
    u_inside = on_roof ? u_roof : u_inside;
    v_inside = on_roof ? v_roof : v_inside;
  }
  auto const at_surface = is_at<Ground>(k, lowest, walls.surface_layer);
  auto const u_z = at_surface ? share * u_here : u_inside, v_z = at_surface ? share * v_here : v_inside;
  if constexpr (Ground::built) {
    auto const wall = [&](std::int32_t jj, std::int32_t ii) {
      return k < ground.lowest(Variable::scalar, jj, ii);
    };
    if (auto const north = wall(j + 1, i); north || wall(j - 1, i)) {
      auto const gradient = north ? -walls.facing_y : walls.facing_y;
      u_y = gradient * half * u_sum;
      w_y = gradient * half * w_sum;
    }
    if (auto const east = wall(j, i + 1); east || wall(j, i - 1)) {
      auto const gradient = east ? -walls.facing_x : walls.facing_x;
      v_x = gradient * half * v_sum;
      w_x = gradient * half * w_sum;
    }
  }
  auto const xy = u_y + v_x, xz = u_z + w_x, yz = v_z + w_y;
  auto const normal = math::fma(u_x, u_x, math::fma(v_y, v_y, w_z * w_z));
  return math::fma(T(2), normal, math::fma(xy, xy, math::fma(xz, xz, yz * yz)));
}

}  // namespace ulpine::les
