// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/advection.hpp"

/// Tendencies of momentum: advection, Coriolis and driving forces, buoyancy, sub-grid stresses and sponge.
/// Each kernel leaves a stored tendency (low-storage Runge-Kutta: Williamson 1980, J. Comput. Phys. 35,
/// 48-56), stored <- keep stored + tendency.
namespace ulpine::les {

/// Forces on the air from outside and from walls, SI units.
template <class T>
struct Forcing {
  T coriolis, coriolis_horizontal;   ///< 2 Omega sin and cos of the latitude, s-1
  T acceleration_x, acceleration_y;  ///< acceleration by a pressure gradient, m s-2
  T wall_drag_x, wall_drag_y;        ///< coefficients of walls that face along x and y
  /// Cells this far above a column's lowest get their flux from below from `Surface`: 0, or out of reach. One
  /// number, since g++ 12 vectorises no logic of truth values.
  std::int32_t surface_layer;
  T standing;  ///< 1 where air stands still at roofs that have no surface layer, 0 where it slips
};

/// Fluxes at the lowest face of each column, (j, i) without a halo.
template <class T>
struct Surface {
  Rows<T const> drag;           ///< stress over wind, m s-1
  Rows<T const> buoyancy_flux;  ///< upward, of theta or in moist air of theta_v, K m s-1
  Rows<T const> shear;          ///< vertical gradient of the wind's speed at the first centre, s-1
  Rows<T const> friction;       ///< friction velocity, m s-1
};

template <class T>
struct Stored {
  T keep;
  Rows<T> tendency;
  ULPINE_HD T* place(std::int32_t k, std::int32_t j, std::int32_t i) const { return &tendency(k, j, i); }
  ULPINE_HD void operator()(T* stored, T now) const {
    auto const before = *stored;
    // A stored tendency that is not kept leaves no trace, not even its sign of zero: restarts do not have it.
    *stored = keep == T(0) ? now : math::fma(keep, before, now);
  }
};

/// Places in memory that every tendency hands from a level to the one above. They are kept, since they cost a
/// device one addition from level to level and several instructions anew.
template <class T>
struct Marks {
  NearWind<T> wind;
  T* stored;
  ULPINE_HD void up(Stored<T> const& store) {
    wind.up();
    stored += store.tendency.plane;
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

/// Values that the momentum of a level hands to the level above: its line of points, the stress through the
/// face below, and the viscosity before and behind the point.
template <class T>
struct HorizontalBelow {
  Marks<T> marks;
  Near<T> viscosity;
  Ascent<T> line;
  T stress, before, here;
};

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

  static constexpr int resident_blocks = usual_resident_blocks<T>;
  using Below = HorizontalBelow<T>;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(store.place(k, j, i), tendency(i, j, k));
  }
  ULPINE_HD Below below(std::int32_t i, std::int32_t j, std::int32_t k) const {
    Marks<T> const marks{beside(grid, wind, k, j, i), store.place(k, j, i)};
    auto const& [u, v, w] = marks.wind;
    auto const m = beside(grid, viscosity, k, j, i);
    auto const lowest = ground.lowest(Variable::u, j, i);
    auto const line = ascent(
        scheme, u, {mean2(w(-1, 0, -1), w(-1, 0, 0)), vertical_fit<Ground>(lowest, grid.nz - 1, k - 1)});
    auto const strain = math::fma(line.here - line.before, grid.at(Level::per_dz_between, k - 1),
                                  (w(-1, 0, 0) - w(-1, 0, -1)) * grid.per_dx);
    auto const before = m(0, 0, -1), here = m(0, 0, 0);
    return {marks, m, line, mean4(m(-1, 0, -1), m(-1, 0, 0), before, here) * strain, before, here};
  }
  ULPINE_HD void rise(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    store(below.marks.stored, tendency(i, j, k, below));
    below.marks.up(store);
    below.viscosity.up();
  }

 private:
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if constexpr (Ground::built) {
      if (k < ground.lowest(Variable::u, j, i)) return T(0);
    }
    auto level = below(i, j, k);
    return tendency(i, j, k, level);
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    auto const lowest = ground.lowest(Variable::u, j, i);
    auto const& [u, v, w] = below.marks.wind;
    auto const here = below.line.here, up = below.line.after, low_w = below.line.wind;
    auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
      return ground.fit(Variable::u, along, k, jj, ii);
    };
    Face<T> const x[] = {{mean2(u(0, 0, -1), here), fit(Along::x, j, i)},
                         {mean2(here, u(0, 0, 1)), fit(Along::x, j, i + 1)}};
    Face<T> const y[] = {{mean2(v(0, 0, -1), v(0, 0, 0)), fit(Along::y, j, i)},
                         {mean2(v(0, 1, -1), v(0, 1, 0)), fit(Along::y, j + 1, i)}};
    Face<T> const above{mean2(w(0, 0, -1), w(0, 0, 0)), vertical_fit<Ground>(lowest, grid.nz - 1, k)};
    auto const advection = advected(scheme, grid, u, x, y, below.line, above, grid.at(Level::per_dz, k));

    auto const v_here = mean2(y[0].wind, y[1].wind), w_here = mean2(low_w, above.wind);
    auto const forces = math::fma(forcing.coriolis, v_here - grid.at(Level::geostrophic_v, k),
                                  math::fma(-forcing.coriolis_horizontal, w_here, forcing.acceleration_x)) -
                        grid.at(Level::sponge, k) * (here - grid.at(Level::start_u, k));
    return (advection + forces) + diffusion(k, j, i, lowest, here, up, w_here, below);
  }
  ULPINE_HD T diffusion(std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t lowest, T here, T up,
                        T w_here, Below& below) const {
    auto const& [u, v, w] = below.marks.wind;
    auto const& m = below.viscosity;
    auto const m_before = below.before, m_here = below.here;
    auto const east = T(2) * m_here * (u(0, 0, 1) - here) * grid.per_dx;
    auto const west = T(2) * m_before * (here - u(0, 0, -1)) * grid.per_dx;
    auto const lateral = [&](T u_south, T u_north, std::int32_t dj, T m_southwest, T m_southeast,
                             T m_northwest, T m_northeast) {
      auto const strain =
          math::fma(u_north - u_south, grid.per_dy, (v(0, dj, 0) - v(0, dj, -1)) * grid.per_dx);
      return mean4(m_southwest, m_southeast, m_northwest, m_northeast) * strain;
    };
    auto south = lateral(u(0, -1, 0), here, 0, m(0, -1, -1), m(0, -1, 0), m_before, m_here);
    auto north = lateral(here, u(0, 1, 0), 1, m_before, m_here, m(0, 1, -1), m(0, 1, 0));
    if constexpr (Ground::built) {
      auto const wall = forcing.wall_drag_y * magnitude(here, w_here) * here;
      if (k < ground.lowest(Variable::u, j + 1, i)) north = -wall;
      if (k < ground.lowest(Variable::u, j - 1, i)) south = wall;
    }
    auto const strain_above =
        math::fma(up - here, grid.at(Level::per_dz_between, k), (w(0, 0, 0) - w(0, 0, -1)) * grid.per_dx);
    auto const up_before = m(1, 0, -1), up_here = m(1, 0, 0);
    auto const above = mean4(m_before, m_here, up_before, up_here) * strain_above;
    auto inside = below.stress;
    below.stress = above;
    below.before = up_before;
    below.here = up_here;
    if constexpr (Ground::built) {
      // Over half a cell, by the viscosity above the roof alone.
      auto const roof = forcing.standing * (m_before + m_here) * here * grid.at(Level::per_dz, k);
      inside = is_at<Ground>(k, lowest) ? roof : inside;
    }
    auto const stress = drag(k, j, i) * here;
    auto const under = is_at<Ground>(k, lowest, forcing.surface_layer) ? stress : inside;
    return math::fma(grid.per_dx, east - west,
                     math::fma(grid.per_dy, north - south, grid.at(Level::per_dz, k) * (above - under)));
  }
  /// Drag coefficient at a point of u: the mean of the two columns beside it that end below, or that of the
  /// taller one.
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

  static constexpr int resident_blocks = usual_resident_blocks<T>;
  using Below = HorizontalBelow<T>;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(store.place(k, j, i), tendency(i, j, k));
  }
  ULPINE_HD Below below(std::int32_t i, std::int32_t j, std::int32_t k) const {
    Marks<T> const marks{beside(grid, wind, k, j, i), store.place(k, j, i)};
    auto const& [u, v, w] = marks.wind;
    auto const m = beside(grid, viscosity, k, j, i);
    auto const lowest = ground.lowest(Variable::v, j, i);
    auto const line = ascent(
        scheme, v, {mean2(w(-1, -1, 0), w(-1, 0, 0)), vertical_fit<Ground>(lowest, grid.nz - 1, k - 1)});
    auto const strain = math::fma(line.here - line.before, grid.at(Level::per_dz_between, k - 1),
                                  (w(-1, 0, 0) - w(-1, -1, 0)) * grid.per_dy);
    auto const before = m(0, -1, 0), here = m(0, 0, 0);
    return {marks, m, line, mean4(m(-1, -1, 0), m(-1, 0, 0), before, here) * strain, before, here};
  }
  ULPINE_HD void rise(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    store(below.marks.stored, tendency(i, j, k, below));
    below.marks.up(store);
    below.viscosity.up();
  }

 private:
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if constexpr (Ground::built) {
      if (k < ground.lowest(Variable::v, j, i)) return T(0);
    }
    auto level = below(i, j, k);
    return tendency(i, j, k, level);
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    auto const lowest = ground.lowest(Variable::v, j, i);
    auto const& [u, v, w] = below.marks.wind;
    auto const here = below.line.here, up = below.line.after, low_w = below.line.wind;
    auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
      return ground.fit(Variable::v, along, k, jj, ii);
    };
    Face<T> const x[] = {{mean2(u(0, -1, 0), u(0, 0, 0)), fit(Along::x, j, i)},
                         {mean2(u(0, -1, 1), u(0, 0, 1)), fit(Along::x, j, i + 1)}};
    Face<T> const y[] = {{mean2(v(0, -1, 0), here), fit(Along::y, j, i)},
                         {mean2(here, v(0, 1, 0)), fit(Along::y, j + 1, i)}};
    Face<T> const above{mean2(w(0, -1, 0), w(0, 0, 0)), vertical_fit<Ground>(lowest, grid.nz - 1, k)};
    auto const advection = advected(scheme, grid, v, x, y, below.line, above, grid.at(Level::per_dz, k));

    auto const u_here = mean2(x[0].wind, x[1].wind), w_here = mean2(low_w, above.wind);
    auto const forces =
        math::fma(-forcing.coriolis, u_here - grid.at(Level::geostrophic_u, k), forcing.acceleration_y) -
        grid.at(Level::sponge, k) * (here - grid.at(Level::start_v, k));
    return (advection + forces) + diffusion(k, j, i, lowest, here, up, w_here, below);
  }
  ULPINE_HD T diffusion(std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t lowest, T here, T up,
                        T w_here, Below& below) const {
    auto const& [u, v, w] = below.marks.wind;
    auto const& m = below.viscosity;
    auto const m_before = below.before, m_here = below.here;
    auto const north = T(2) * m_here * (v(0, 1, 0) - here) * grid.per_dy;
    auto const south = T(2) * m_before * (here - v(0, -1, 0)) * grid.per_dy;
    auto const lateral = [&](T v_west, T v_east, std::int32_t di, T m_southwest, T m_northwest, T m_southeast,
                             T m_northeast) {
      auto const strain = math::fma(v_east - v_west, grid.per_dx, (u(0, 0, di) - u(0, -1, di)) * grid.per_dy);
      return mean4(m_southwest, m_northwest, m_southeast, m_northeast) * strain;
    };
    auto west = lateral(v(0, 0, -1), here, 0, m(0, -1, -1), m(0, 0, -1), m_before, m_here);
    auto east = lateral(here, v(0, 0, 1), 1, m_before, m_here, m(0, -1, 1), m(0, 0, 1));
    if constexpr (Ground::built) {
      auto const wall = forcing.wall_drag_x * magnitude(here, w_here) * here;
      if (k < ground.lowest(Variable::v, j, i + 1)) east = -wall;
      if (k < ground.lowest(Variable::v, j, i - 1)) west = wall;
    }
    auto const strain_above =
        math::fma(up - here, grid.at(Level::per_dz_between, k), (w(0, 0, 0) - w(0, -1, 0)) * grid.per_dy);
    auto const up_before = m(1, -1, 0), up_here = m(1, 0, 0);
    auto const above = mean4(m_before, m_here, up_before, up_here) * strain_above;
    auto inside = below.stress;
    below.stress = above;
    below.before = up_before;
    below.here = up_here;
    if constexpr (Ground::built) {
      // Over half a cell, by the viscosity above the roof alone.
      auto const roof = forcing.standing * (m_before + m_here) * here * grid.at(Level::per_dz, k);
      inside = is_at<Ground>(k, lowest) ? roof : inside;
    }
    auto const stress = drag(k, j, i) * here;
    auto const under = is_at<Ground>(k, lowest, forcing.surface_layer) ? stress : inside;
    return math::fma(grid.per_dx, east - west,
                     math::fma(grid.per_dy, north - south, grid.at(Level::per_dz, k) * (above - under)));
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

/// Values that w of a level hands to the level above, with those of wind, buoyancy and viscosity that both
/// share.
template <class T>
struct VerticalBelow {
  Marks<T> marks;
  Near<T> theta, viscosity;
  Ascent<T> line;
  T stress;
  T u_west, u_east, v_south, v_north;  ///< at the centre's height
  T buoyancy;
  T here, west, east, south, north;  ///< viscosity
};

/// Tendency of w at the faces k from 0 to nz - 2, the lid's left out.
template <class T, class Ground>
struct MomentumW {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Forcing<T> forcing;
  Wind<T> wind;
  Rows<T const> theta, viscosity;
  Stored<T> store;

  static constexpr int resident_blocks = usual_resident_blocks<T>;
  using Below = VerticalBelow<T>;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    store(store.place(k, j, i), tendency(i, j, k));
  }
  ULPINE_HD Below below(std::int32_t i, std::int32_t j, std::int32_t k) const {
    Marks<T> const marks{beside(grid, wind, k, j, i), store.place(k, j, i)};
    auto const& [u, v, w] = marks.wind;
    auto const m = beside(grid, viscosity, k, j, i);
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    // The ground and the lid hold points of w, of value 0.
    auto const line = ascent(
        scheme, w, {mean2(w(-1, 0, 0), w(0, 0, 0)), vertical_fit<Ground>(lowest - 1, grid.nz - 1, k - 1)});
    auto const here = m(0, 0, 0);
    auto const t = beside(grid, theta, k, j, i);
    return {marks,
            t,
            m,
            line,
            T(2) * here * (line.here - line.before) * grid.at(Level::per_dz, k),
            u(0, 0, 0),
            u(0, 0, 1),
            v(0, 0, 0),
            v(0, 1, 0),
            buoyancy(k, t(0, 0, 0)),
            here,
            m(0, 0, -1),
            m(0, 0, 1),
            m(0, -1, 0),
            m(0, 1, 0)};
  }
  ULPINE_HD void rise(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    store(below.marks.stored, tendency(i, j, k, below));
    below.marks.up(store);
    below.theta.up();
    below.viscosity.up();
  }

 private:
  /// Buoyancy of air at the centre of cell k, m s-2.
  ULPINE_HD T buoyancy(std::int32_t k, T t) const {
    return grid.at(Level::gravity_per_reference, k) * (t - grid.at(Level::reference, k));
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if constexpr (Ground::built) {
      if (k < ground.lowest(Variable::scalar, j, i)) return T(0);
    }
    auto level = below(i, j, k);
    return tendency(i, j, k, level);
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    auto const lowest = ground.lowest(Variable::scalar, j, i);
    auto const& [u, v, w] = below.marks.wind;
    auto const& m = below.viscosity;
    auto const before = below;
    auto const here = before.line.here, up = before.line.after;
    below.u_west = u(1, 0, 0);
    below.u_east = u(1, 0, 1);
    below.v_south = v(1, 0, 0);
    below.v_north = v(1, 1, 0);
    auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
      return ground.fit(Variable::scalar, along, k, jj, ii);
    };
    Face<T> const x[] = {{mean2(before.u_west, below.u_west), fit(Along::x, j, i)},
                         {mean2(before.u_east, below.u_east), fit(Along::x, j, i + 1)}};
    Face<T> const y[] = {{mean2(before.v_south, below.v_south), fit(Along::y, j, i)},
                         {mean2(before.v_north, below.v_north), fit(Along::y, j + 1, i)}};
    Face<T> const above{mean2(here, up), vertical_fit<Ground>(lowest - 1, grid.nz - 1, k)};
    auto const between = grid.at(Level::per_dz_between, k);
    auto const advection = advected(scheme, grid, w, x, y, below.line, above, between);

    below.buoyancy = buoyancy(k + 1, below.theta(1, 0, 0));
    auto const u_here = mean2(x[0].wind, x[1].wind), v_here = mean2(y[0].wind, y[1].wind);
    auto const forces =
        math::fma(forcing.coriolis_horizontal, u_here, mean2(before.buoyancy, below.buoyancy)) -
        grid.at(Level::sponge_at_face, k) * here;

    below.here = m(1, 0, 0);
    below.west = m(1, 0, -1);
    below.east = m(1, 0, 1);
    below.south = m(1, -1, 0);
    below.north = m(1, 1, 0);
    auto const sheared = [&](T from, T to, T per_length, T low, T high, T from_low, T to_low, T from_high,
                             T to_high) {
      auto const strain = math::fma(to - from, per_length, (high - low) * between);
      return mean4(from_low, to_low, from_high, to_high) * strain;
    };
    auto west = sheared(w(0, 0, -1), here, grid.per_dx, before.u_west, below.u_west, before.west, before.here,
                        below.west, below.here);
    auto east = sheared(here, w(0, 0, 1), grid.per_dx, before.u_east, below.u_east, before.here, before.east,
                        below.here, below.east);
    auto south = sheared(w(0, -1, 0), here, grid.per_dy, before.v_south, below.v_south, before.south,
                         before.here, below.south, below.here);
    auto north = sheared(here, w(0, 1, 0), grid.per_dy, before.v_north, below.v_north, before.here,
                         before.north, below.here, below.north);
    if constexpr (Ground::built) {
      auto const wall = [&](std::int32_t jj, std::int32_t ii) {
        return k < ground.lowest(Variable::scalar, jj, ii);
      };
      auto const facing_x = forcing.wall_drag_x * magnitude(here, v_here) * here;
      auto const facing_y = forcing.wall_drag_y * magnitude(here, u_here) * here;
      if (wall(j, i + 1)) east = -facing_x;
      if (wall(j, i - 1)) west = facing_x;
      if (wall(j + 1, i)) north = -facing_y;
      if (wall(j - 1, i)) south = facing_y;
    }
    below.stress = T(2) * below.here * (up - here) * grid.at(Level::per_dz, k + 1);
    auto const diffusion =
        math::fma(grid.per_dx, east - west,
                  math::fma(grid.per_dy, north - south, between * (below.stress - before.stress)));
    return (advection + forces) + diffusion;
  }
};

}  // namespace ulpine::les
