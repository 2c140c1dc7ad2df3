// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/domain.hpp"
#include "core/les/part.hpp"
#include "core/les/tendencies.hpp"

namespace ulpine::les {

/// Values that the momentum of a level hands to the level above: its line of points, the stress through the
/// face below, and the viscosity before and behind the point.
template <class T>
struct HorizontalBelow {
  Marks<T> marks;
  Near<T> viscosity;
  Ascent<T> line;
  T stress, before, here;
};

/// Tendency of the wind along x (`along` u) or y (v). In that direction lie what is `behind` a point and what
/// is `ahead`, across it `low` and `high`, toward smaller and larger indices.
template <class T, class Ground, Variable along>
struct HorizontalMomentum {
  static_assert(along != Variable::scalar);
  static constexpr bool of_u = along == Variable::u;
  /// Steps to the point behind, and to the next one across.
  static constexpr std::int32_t dj = of_u ? 0 : -1, di = of_u ? -1 : 0, hj = of_u ? 1 : 0, hi = of_u ? 0 : 1;

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
    auto const& w = marks.wind.w;
    auto const m = beside(grid, viscosity, k, j, i);
    auto const lowest = ground.lowest(along, j, i);
    auto const line =
        ascent(scheme, moved(marks),
               {mean2(w(-1, dj, di), w(-1, 0, 0)), vertical_fit<Ground>(lowest, grid.nz - 1, k - 1)});
    auto const strain = math::fma(line.here - line.before, grid.at(Level::per_dz_between, k - 1),
                                  (w(-1, 0, 0) - w(-1, dj, di)) * per_along());
    auto const before = m(0, dj, di), here = m(0, 0, 0);
    return {marks, m, line, mean4(m(-1, dj, di), m(-1, 0, 0), before, here) * strain, before, here};
  }
  ULPINE_HD void rise(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    store(below.marks.stored, tendency(i, j, k, below));
    below.marks.up(store);
    below.viscosity.up();
  }

 private:
  static ULPINE_HD Near<T> const& moved(Marks<T> const& marks) {
    if constexpr (of_u) {
      return marks.wind.u;
    } else {
      return marks.wind.v;
    }
  }
  /// The wind across.
  static ULPINE_HD Near<T> const& crossing(Marks<T> const& marks) {
    if constexpr (of_u) {
      return marks.wind.v;
    } else {
      return marks.wind.u;
    }
  }
  ULPINE_HD T per_along() const { return of_u ? grid.per_dx : grid.per_dy; }
  ULPINE_HD T per_across() const { return of_u ? grid.per_dy : grid.per_dx; }

  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if constexpr (Ground::built) {
      if (k < ground.lowest(along, j, i)) return T(0);
    }
    auto level = below(i, j, k);
    return tendency(i, j, k, level);
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    auto const lowest = ground.lowest(along, j, i);
    auto const& own = moved(below.marks);
    auto const& across = crossing(below.marks);
    auto const& w = below.marks.wind.w;
    auto const here = below.line.here, up = below.line.after, low_w = below.line.wind;
    auto const fit = [&](Along direction, std::int32_t jj, std::int32_t ii) {
      return ground.fit(along, direction, k, jj, ii);
    };
    // The winds through the faces behind and ahead, and through those across.
    auto const behind = [&] { return mean2(own(0, dj, di), here); };
    auto const ahead = [&] { return mean2(here, own(0, -dj, -di)); };
    auto const low = [&] { return mean2(across(0, dj, di), across(0, 0, 0)); };
    auto const high = [&] { return mean2(across(0, dj + hj, di + hi), across(0, hj, hi)); };
    Face<T> const x[] = {{of_u ? behind() : low(), fit(Along::x, j, i)},
                         {of_u ? ahead() : high(), fit(Along::x, j, i + 1)}};
    Face<T> const y[] = {{of_u ? low() : behind(), fit(Along::y, j, i)},
                         {of_u ? high() : ahead(), fit(Along::y, j + 1, i)}};
    Face<T> const above{mean2(w(0, dj, di), w(0, 0, 0)), vertical_fit<Ground>(lowest, grid.nz - 1, k)};
    auto const advection = advected(scheme, grid, own, x, y, below.line, above, grid.at(Level::per_dz, k));

    auto const& sides = of_u ? y : x;
    auto const across_here = mean2(sides[0].wind, sides[1].wind), w_here = mean2(low_w, above.wind);
    auto const force = forces(k, here, across_here, w_here);
    return (advection + force) + diffusion(k, j, i, lowest, here, up, w_here, below);
  }
  /// Coriolis and driving forces and the sponge.
  ULPINE_HD T forces(std::int32_t k, T here, T across_here, T w_here) const {
    if constexpr (of_u) {
      return math::fma(forcing.coriolis, across_here - grid.at(Level::geostrophic_v, k),
                       math::fma(-forcing.coriolis_horizontal, w_here, forcing.acceleration_x)) -
             grid.at(Level::sponge, k) * (here - grid.at(Level::start_u, k));
    } else {
      return math::fma(-forcing.coriolis, across_here - grid.at(Level::geostrophic_u, k),
                       forcing.acceleration_y) -
             grid.at(Level::sponge, k) * (here - grid.at(Level::start_v, k));
    }
  }
  /// Divergence of the stress of eddies, of the ground, roofs and walls.
  ULPINE_HD T diffusion(std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t lowest, T here, T up,
                        T w_here, Below& below) const {
    auto const& own = moved(below.marks);
    auto const& across = crossing(below.marks);
    auto const& w = below.marks.wind.w;
    auto const& m = below.viscosity;
    auto const m_before = below.before, m_here = below.here;
    auto const ahead = T(2) * m_here * (own(0, -dj, -di) - here) * per_along();
    auto const behind = T(2) * m_before * (here - own(0, dj, di)) * per_along();
    auto const lateral = [&](T at_low, T at_high, std::int32_t step, T m_behind_low, T m_low, T m_behind_high,
                             T m_high) {
      auto const strain = math::fma(
          at_high - at_low, per_across(),
          (across(0, step * hj, step * hi) - across(0, step * hj + dj, step * hi + di)) * per_along());
      return mean4(m_behind_low, m_low, m_behind_high, m_high) * strain;
    };
    auto low = lateral(own(0, -hj, -hi), here, 0, m(0, dj - hj, di - hi), m(0, -hj, -hi), m_before, m_here);
    auto high = lateral(here, own(0, hj, hi), 1, m_before, m_here, m(0, dj + hj, di + hi), m(0, hj, hi));
    if constexpr (Ground::built) {
      auto const wall = (of_u ? forcing.wall_drag_y : forcing.wall_drag_x) * magnitude(here, w_here) * here;
      if (k < ground.lowest(along, j + hj, i + hi)) high = -wall;
      if (k < ground.lowest(along, j - hj, i - hi)) low = wall;
    }
    auto const strain_above =
        math::fma(up - here, grid.at(Level::per_dz_between, k), (w(0, 0, 0) - w(0, dj, di)) * per_along());
    auto const up_before = m(1, dj, di), up_here = m(1, 0, 0);
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
    auto const east = of_u ? ahead : high, west = of_u ? behind : low;
    auto const north = of_u ? high : ahead, south = of_u ? low : behind;
    return math::fma(grid.per_dx, east - west,
                     math::fma(grid.per_dy, north - south, grid.at(Level::per_dz, k) * (above - under)));
  }
  /// Drag coefficient at a point: the mean of the two columns beside it that end below, or that of the taller
  /// one.
  ULPINE_HD T drag(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const before = of_u ? surface.drag(j, grid.west(i)) : surface.drag(grid.south(j), i);
    auto const here = surface.drag(j, i);
    if constexpr (Ground::built) {
      if (ground.lowest(Variable::scalar, j + dj, i + di) < k) return here;
      if (ground.lowest(Variable::scalar, j, i) < k) return before;
    }
    return mean2(before, here);
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

/// Tendency of w at the tops of cells k from 0 to nz - 2, the lid's left out.
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

/// Tendencies of the wind: advection, forces, buoyancy and the stress of eddies, of the ground and of walls.
template <class D>
class Momentum final : public Part {
  using T = typename D::T;

 public:
  static std::vector<io::CaseKey> keys() {
    return {
        io::choice_key("advection.scheme",
                       {{"wicker_skamarock", "upwind-biased, of fifth order, lower beside walls"},
                        {"piacsek_williams", "centred, of second order, conserving kinetic energy"}},
                       "finite differences by which the wind carries momentum, heat, humidity and sub-grid "
                       "energy"),
        io::quantity_key("air.latitude", "degrees", 0, -90, 90,
                         "geographical latitude, from which both Coriolis parameters follow")
            .follows("none: air.coriolis and air.coriolis_horizontal count"),
        io::quantity_key(
            "air.coriolis", "s-1", 0, -1, 1,
            "Coriolis parameter f, 2 Omega times the sine of latitude, which turns the horizontal wind")
            .needing("no air.latitude"),
        io::quantity_key(
            "air.coriolis_horizontal", "s-1", 0, -1, 1,
            "horizontal Coriolis parameter f*, 2 Omega times the cosine of latitude, between the wind along "
            "x and the vertical wind")
            .needing("no air.latitude"),
        io::quantity_key("force.acceleration_x", "m s-2", 0, -10, 10,
                         "acceleration along x by a constant pressure gradient"),
        io::quantity_key("force.acceleration_y", "m s-2", 0, -10, 10,
                         "acceleration along y by a constant pressure gradient"),
    };
  }

  explicit Momentum(D& d) : d_{d} {
    for (auto const* name : {"stored_u", "stored_v", "stored_w"}) d.template work<T>(name, "m s-2", d.dense);
  }

  void declare_stages(Point point) override {
    if (point != Point::tendencies) return;
    of_u_ = d_.stage("tendency_u", "advection, stress and forces along x", 6);
    of_v_ = d_.stage("tendency_v", "advection, stress and forces along y", 6);
    of_w_ = d_.stage("tendency_w", "advection, stress and buoyancy", 7);
  }

  void force_wind(Pass const& pass) override {
    force<Variable::u>(pass, of_u_, *d_.stored_u);
    force<Variable::v>(pass, of_v_, *d_.stored_v);
    d_.exchange_tendencies(pass.stages, [&] {
      d_.by_height(pass.stages, of_w_, d_.ground(), d_.p.nz - 1,
                   [&]<class G>(G on) {
                     return MomentumW<T, G>{
                         d_.grid,   on,           d_.scheme(),       d_.forcing(),
                         d_.wind(), d_.theta_v(), d_.viscosity.in(), d_.store(pass, *d_.stored_w)};
                   },
                   {d_.stored_w});
    });
  }

 private:
  /// Along x or y.
  template <Variable along>
  void force(Pass const& pass, Stage stage, typename D::Values& stored) {
    d_.by_height(pass.stages, stage, d_.ground(), d_.p.nz,
                 [&]<class G>(G on) {
                   return HorizontalMomentum<T, G, along>{
                       d_.grid,      on,        d_.scheme(),       d_.forcing(),
                       d_.surface(), d_.wind(), d_.viscosity.in(), d_.store(pass, stored)};
                 },
                 {&stored});
  }

  D& d_;
  Stage of_u_{}, of_v_{}, of_w_{};
};

}  // namespace ulpine::les
