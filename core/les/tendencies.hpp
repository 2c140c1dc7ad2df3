// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/advection.hpp"

/// Tendencies of momentum: advection, Coriolis and driving forces, buoyancy, sub-grid stresses and sponge.
/// Each kernel leaves a stored tendency (low-storage Runge-Kutta: Williamson 1980, J. Comput. Phys. 35,
/// 48-56), stored <- keep stored + tendency.
namespace ulpine::les {

/// What acts on the air besides itself, SI units.
template <class T>
struct Forcing {
  T coriolis, coriolis_horizontal;   ///< 2 Omega sin and cos of the latitude, s-1
  T acceleration_x, acceleration_y;  ///< of a pressure gradient, m s-2
  T wall_drag_x, wall_drag_y;        ///< coefficients of walls that face along x and y
  /// Cells this far above a column's lowest get their flux from below from `Surface`: 0, or out of reach. One
  /// number, since g++ 12 vectorises no logic of truth values.
  std::int32_t surface_layer;
  T standing;  ///< 1 where air stands still at roofs that have no surface layer, 0 where it slips
};

/// Fluxes at the lowest face of each column, (j, i) without a halo.
template <class T>
struct Surface {
  Rows<T const> drag;       ///< stress over wind, m s-1
  Rows<T const> heat_flux;  ///< upward, K m s-1
  Rows<T const> shear;      ///< vertical gradient of the wind's speed at the first centre, s-1
  Rows<T const> friction;   ///< friction velocity, m s-1
};

template <class T>
struct Stored {
  T keep;
  Rows<T> tendency;
  ULPINE_HD void operator()(std::int32_t k, std::int32_t j, std::int32_t i, T now) const {
    auto& stored = tendency(k, j, i);
    auto const before = stored;
    // A stored tendency that is not kept leaves no trace, not even its sign of zero: restarts do not have it.
    stored = keep == T(0) ? now : math::fma(keep, before, now);
  }
};

/// Mean of four.
template <class T>
ULPINE_HD T mean4(T a, T b, T c, T d) {
  return T(1) / T(4) * ((a + b) + (c + d));
}
template <class T>
ULPINE_HD T mean2(T a, T b) {
  return T(1) / T(2) * (a + b);
}
template <class T>
ULPINE_HD T magnitude(T a, T b) {
  return math::sqrt(math::fma(a, a, b * b));
}

template <class T, class Ground>
struct MomentumU {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Forcing<T> forcing;
  Surface<T> surface;
  Wind<T> wind;
  Rows<T const> viscosity;
  Stored<T> store;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(k, j, i, tendency(i, j, k));
  }

 private:
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(Variable::u, j, i);
    if constexpr (Ground::built) {
      if (k < lowest) return T(0);
    }
    auto const [u, v, w] = beside(grid, wind, k, j, i);
    auto const here = u(0, 0, 0);
    auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
      return ground.fit(Variable::u, along, k, jj, ii);
    };
    auto const top = grid.nz - 1;
    Face<T> const x[] = {{mean2(u(0, 0, -1), here), fit(Along::x, j, i)},
                         {mean2(here, u(0, 0, 1)), fit(Along::x, j, i + 1)}};
    Face<T> const y[] = {{mean2(v(0, 0, -1), v(0, 0, 0)), fit(Along::y, j, i)},
                         {mean2(v(0, 1, -1), v(0, 1, 0)), fit(Along::y, j + 1, i)}};
    Face<T> const z[] = {{mean2(w(-1, 0, -1), w(-1, 0, 0)), vertical_fit<Ground>(lowest, top, k - 1)},
                         {mean2(w(0, 0, -1), w(0, 0, 0)), vertical_fit<Ground>(lowest, top, k)}};
    auto const advection = advected(scheme, grid, u, x, y, z, grid.at(Level::per_dz, k));

    auto const v_here = mean2(y[0].wind, y[1].wind), w_here = mean2(z[0].wind, z[1].wind);
    auto const forces = math::fma(forcing.coriolis, v_here - grid.at(Level::geostrophic_v, k),
                                  math::fma(-forcing.coriolis_horizontal, w_here, forcing.acceleration_x)) -
                        grid.at(Level::sponge, k) * (here - grid.at(Level::start_u, k));
    return (advection + forces) + diffusion(k, j, i, lowest, here, w_here);
  }
  ULPINE_HD T diffusion(std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t lowest, T here,
                        T w_here) const {
    auto const [u, v, w] = beside(grid, wind, k, j, i);
    auto const m = beside(grid, viscosity, k, j, i);
    auto const east = T(2) * m(0, 0, 0) * (u(0, 0, 1) - here) * grid.per_dx;
    auto const west = T(2) * m(0, 0, -1) * (here - u(0, 0, -1)) * grid.per_dx;
    auto const lateral = [&](std::int32_t dj) {
      auto const strain =
          math::fma(u(0, dj, 0) - u(0, dj - 1, 0), grid.per_dy, (v(0, dj, 0) - v(0, dj, -1)) * grid.per_dx);
      return mean4(m(0, dj - 1, -1), m(0, dj - 1, 0), m(0, dj, -1), m(0, dj, 0)) * strain;
    };
    auto const vertical = [&](std::int32_t dk) {
      auto const strain = math::fma(u(dk + 1, 0, 0) - u(dk, 0, 0), grid.at(Level::per_dz_between, k + dk),
                                    (w(dk, 0, 0) - w(dk, 0, -1)) * grid.per_dx);
      return mean4(m(dk, 0, -1), m(dk, 0, 0), m(dk + 1, 0, -1), m(dk + 1, 0, 0)) * strain;
    };
    auto south = lateral(0), north = lateral(1);
    if constexpr (Ground::built) {
      auto const wall = forcing.wall_drag_y * magnitude(here, w_here) * here;
      if (k < ground.lowest(Variable::u, j + 1, i)) north = -wall;
      if (k < ground.lowest(Variable::u, j - 1, i)) south = wall;
    }
    auto const above = vertical(0);
    auto const stress = drag(k, j, i) * here;
    auto inside = vertical(-1);
    if constexpr (Ground::built) {
      // Over half a cell, by the viscosity above the roof alone.
      auto const roof = forcing.standing * (m(0, 0, -1) + m(0, 0, 0)) * here * grid.at(Level::per_dz, k);
      inside = is_at<Ground>(k, lowest) ? roof : inside;
    }
    auto const below = is_at<Ground>(k, lowest, forcing.surface_layer) ? stress : inside;
    return math::fma(grid.per_dx, east - west,
                     math::fma(grid.per_dy, north - south, grid.at(Level::per_dz, k) * (above - below)));
  }
  /// Of the columns that end below the point: both, or the taller.
  ULPINE_HD T drag(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const west = surface.drag(j, grid.west(i)), east = surface.drag(j, i);
    if constexpr (Ground::built) {
      if (ground.lowest(Variable::scalar, j, i - 1) < k) return east;
      if (ground.lowest(Variable::scalar, j, i) < k) return west;
    }
    return mean2(west, east);
  }
};

template <class T, class Ground>
struct MomentumV {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Forcing<T> forcing;
  Surface<T> surface;
  Wind<T> wind;
  Rows<T const> viscosity;
  Stored<T> store;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(k, j, i, tendency(i, j, k));
  }

 private:
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(Variable::v, j, i);
    if constexpr (Ground::built) {
      if (k < lowest) return T(0);
    }
    auto const [u, v, w] = beside(grid, wind, k, j, i);
    auto const here = v(0, 0, 0);
    auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
      return ground.fit(Variable::v, along, k, jj, ii);
    };
    auto const top = grid.nz - 1;
    Face<T> const x[] = {{mean2(u(0, -1, 0), u(0, 0, 0)), fit(Along::x, j, i)},
                         {mean2(u(0, -1, 1), u(0, 0, 1)), fit(Along::x, j, i + 1)}};
    Face<T> const y[] = {{mean2(v(0, -1, 0), here), fit(Along::y, j, i)},
                         {mean2(here, v(0, 1, 0)), fit(Along::y, j + 1, i)}};
    Face<T> const z[] = {{mean2(w(-1, -1, 0), w(-1, 0, 0)), vertical_fit<Ground>(lowest, top, k - 1)},
                         {mean2(w(0, -1, 0), w(0, 0, 0)), vertical_fit<Ground>(lowest, top, k)}};
    auto const advection = advected(scheme, grid, v, x, y, z, grid.at(Level::per_dz, k));

    auto const u_here = mean2(x[0].wind, x[1].wind), w_here = mean2(z[0].wind, z[1].wind);
    auto const forces =
        math::fma(-forcing.coriolis, u_here - grid.at(Level::geostrophic_u, k), forcing.acceleration_y) -
        grid.at(Level::sponge, k) * (here - grid.at(Level::start_v, k));
    return (advection + forces) + diffusion(k, j, i, lowest, here, w_here);
  }
  ULPINE_HD T diffusion(std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t lowest, T here,
                        T w_here) const {
    auto const [u, v, w] = beside(grid, wind, k, j, i);
    auto const m = beside(grid, viscosity, k, j, i);
    auto const north = T(2) * m(0, 0, 0) * (v(0, 1, 0) - here) * grid.per_dy;
    auto const south = T(2) * m(0, -1, 0) * (here - v(0, -1, 0)) * grid.per_dy;
    auto const lateral = [&](std::int32_t di) {
      auto const strain =
          math::fma(v(0, 0, di) - v(0, 0, di - 1), grid.per_dx, (u(0, 0, di) - u(0, -1, di)) * grid.per_dy);
      return mean4(m(0, -1, di - 1), m(0, 0, di - 1), m(0, -1, di), m(0, 0, di)) * strain;
    };
    auto const vertical = [&](std::int32_t dk) {
      auto const strain = math::fma(v(dk + 1, 0, 0) - v(dk, 0, 0), grid.at(Level::per_dz_between, k + dk),
                                    (w(dk, 0, 0) - w(dk, -1, 0)) * grid.per_dy);
      return mean4(m(dk, -1, 0), m(dk, 0, 0), m(dk + 1, -1, 0), m(dk + 1, 0, 0)) * strain;
    };
    auto west = lateral(0), east = lateral(1);
    if constexpr (Ground::built) {
      auto const wall = forcing.wall_drag_x * magnitude(here, w_here) * here;
      if (k < ground.lowest(Variable::v, j, i + 1)) east = -wall;
      if (k < ground.lowest(Variable::v, j, i - 1)) west = wall;
    }
    auto const above = vertical(0);
    auto const stress = drag(k, j, i) * here;
    auto inside = vertical(-1);
    if constexpr (Ground::built) {
      // Over half a cell, by the viscosity above the roof alone.
      auto const roof = forcing.standing * (m(0, -1, 0) + m(0, 0, 0)) * here * grid.at(Level::per_dz, k);
      inside = is_at<Ground>(k, lowest) ? roof : inside;
    }
    auto const below = is_at<Ground>(k, lowest, forcing.surface_layer) ? stress : inside;
    return math::fma(grid.per_dx, east - west,
                     math::fma(grid.per_dy, north - south, grid.at(Level::per_dz, k) * (above - below)));
  }
  ULPINE_HD T drag(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const south = surface.drag(grid.south(j), i), north = surface.drag(j, i);
    if constexpr (Ground::built) {
      if (ground.lowest(Variable::scalar, j - 1, i) < k) return north;
      if (ground.lowest(Variable::scalar, j, i) < k) return south;
    }
    return mean2(south, north);
  }
};

/// At faces k of 0 to nz - 2, the lid's left out.
template <class T, class Ground>
struct MomentumW {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Forcing<T> forcing;
  Wind<T> wind;
  Rows<T const> theta, viscosity;
  Stored<T> store;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(k, j, i, tendency(i, j, k));
  }

 private:
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    if constexpr (Ground::built) {
      if (k < lowest) return T(0);
    }
    auto const [u, v, w] = beside(grid, wind, k, j, i);
    auto const here = w(0, 0, 0);
    auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
      return ground.fit(Variable::scalar, along, k, jj, ii);
    };
    auto const top = grid.nz - 1;
    Face<T> const x[] = {{mean2(u(0, 0, 0), u(1, 0, 0)), fit(Along::x, j, i)},
                         {mean2(u(0, 0, 1), u(1, 0, 1)), fit(Along::x, j, i + 1)}};
    Face<T> const y[] = {{mean2(v(0, 0, 0), v(1, 0, 0)), fit(Along::y, j, i)},
                         {mean2(v(0, 1, 0), v(1, 1, 0)), fit(Along::y, j + 1, i)}};
    // The ground and the lid hold points of w, of value 0.
    Face<T> const z[] = {{mean2(w(-1, 0, 0), here), vertical_fit<Ground>(lowest - 1, top, k - 1)},
                         {mean2(here, w(1, 0, 0)), vertical_fit<Ground>(lowest - 1, top, k)}};
    auto const per_dz = grid.at(Level::per_dz_between, k);
    auto const advection = advected(scheme, grid, w, x, y, z, per_dz);

    auto const t = beside(grid, theta, k, j, i);
    auto const lightness = [&](std::int32_t dk) {
      return grid.at(Level::gravity_per_reference, k + dk) *
             (t(dk, 0, 0) - grid.at(Level::reference, k + dk));
    };
    auto const u_here = mean2(x[0].wind, x[1].wind), v_here = mean2(y[0].wind, y[1].wind);
    auto const forces = math::fma(forcing.coriolis_horizontal, u_here, mean2(lightness(0), lightness(1))) -
                        grid.at(Level::sponge_at_face, k) * here;
    return (advection + forces) + diffusion(k, j, i, here, u_here, v_here);
  }
  ULPINE_HD T diffusion(std::int32_t k, std::int32_t j, std::int32_t i, T here, T u_here, T v_here) const {
    auto const [u, v, w] = beside(grid, wind, k, j, i);
    auto const m = beside(grid, viscosity, k, j, i);
    auto const between = grid.at(Level::per_dz_between, k);
    auto const along_x = [&](std::int32_t di) {
      auto const strain =
          math::fma(w(0, 0, di) - w(0, 0, di - 1), grid.per_dx, (u(1, 0, di) - u(0, 0, di)) * between);
      return mean4(m(0, 0, di - 1), m(0, 0, di), m(1, 0, di - 1), m(1, 0, di)) * strain;
    };
    auto const along_y = [&](std::int32_t dj) {
      auto const strain =
          math::fma(w(0, dj, 0) - w(0, dj - 1, 0), grid.per_dy, (v(1, dj, 0) - v(0, dj, 0)) * between);
      return mean4(m(0, dj - 1, 0), m(0, dj, 0), m(1, dj - 1, 0), m(1, dj, 0)) * strain;
    };
    auto west = along_x(0), east = along_x(1), south = along_y(0), north = along_y(1);
    if constexpr (Ground::built) {
      auto const lowest = [&](std::int32_t jj, std::int32_t ii) {
        return ground.lowest(Variable::scalar, jj, ii);
      };
      auto const facing_x = forcing.wall_drag_x * magnitude(here, v_here) * here;
      auto const facing_y = forcing.wall_drag_y * magnitude(here, u_here) * here;
      if (k < lowest(j, i + 1)) east = -facing_x;
      if (k < lowest(j, i - 1)) west = facing_x;
      if (k < lowest(j + 1, i)) north = -facing_y;
      if (k < lowest(j - 1, i)) south = facing_y;
    }
    auto const above = T(2) * m(1, 0, 0) * (w(1, 0, 0) - here) * grid.at(Level::per_dz, k + 1);
    auto const below = T(2) * m(0, 0, 0) * (here - w(-1, 0, 0)) * grid.at(Level::per_dz, k);
    return math::fma(grid.per_dx, east - west,
                     math::fma(grid.per_dy, north - south, between * (above - below)));
  }
};

}  // namespace ulpine::les
