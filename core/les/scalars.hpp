// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/runge_kutta.hpp"
#include "core/les/tendencies.hpp"

/// Tendencies of the scalars that the wind carries.
namespace ulpine::les {

/// Values that a scalar's level hands to the level above: its line of points, the diffusive gain through the
/// face below (0 at the ground is the caller's), and the diffusivity.
template <class T>
struct ScalarBelow {
  Near<T> phi, diffusivity;
  Ascent<T> line;
  T gain, here_d;
  ULPINE_HD void up() {
    phi.up();
    diffusivity.up();
  }
};

/// Diffusive flux between two points at a distance of 1 / per_length.
template <class T>
ULPINE_HD T diffused(T here, T there, T here_d, T there_d, T per_length) {
  return mean2(here_d, there_d) * (there - here) * per_length;
}

template <class Ground, class T>
ULPINE_HD ScalarBelow<T> scalar_below(Grid<T> const& grid, Scheme<T> const& scheme, T w_below,
                                      Near<T> const& phi, Near<T> const& diffusivity, std::int32_t k,
                                      std::int32_t lowest) {
  auto const line = ascent(scheme, phi, {w_below, vertical_fit<Ground>(lowest, grid.nz - 1, k - 1)});
  auto const here_d = diffusivity(0, 0, 0);
  return {
      phi, diffusivity, line,
      diffused(line.here, line.before, here_d, diffusivity(-1, 0, 0), grid.at(Level::per_dz_between, k - 1)),
      here_d};
}

/// Advection and diffusion of a scalar. Diffusivity at a face is `factor` times the mean of the two cells';
/// nothing passes a wall, `from_below` (upward, per s) comes in at the lowest face.
template <class T, class Ground>
ULPINE_HD T transported(Grid<T> const& grid, Ground const& ground, Scheme<T> const& scheme,
                        NearWind<T> const& wind, T factor, std::int32_t k, std::int32_t j, std::int32_t i,
                        std::int32_t lowest, T from_below, ScalarBelow<T>& level) {
  auto const& [u, v, w] = wind;
  auto const fit = [&](Along along, std::int32_t jj, std::int32_t ii) {
    return ground.fit(Variable::scalar, along, k, jj, ii);
  };
  Face<T> const x[] = {{u(0, 0, 0), fit(Along::x, j, i)}, {u(0, 0, 1), fit(Along::x, j, i + 1)}};
  Face<T> const y[] = {{v(0, 0, 0), fit(Along::y, j, i)}, {v(0, 1, 0), fit(Along::y, j + 1, i)}};
  Face<T> const top{w(0, 0, 0), vertical_fit<Ground>(lowest, grid.nz - 1, k)};
  auto const here = level.line.here, up = level.line.after, here_d = level.here_d;
  auto const &phi = level.phi, &diffusivity = level.diffusivity;
  auto const per_dz = grid.at(Level::per_dz, k);
  auto const advection = advected(scheme, grid, phi, x, y, level.line, top, per_dz);

  auto const gain = [&](std::int32_t dj, std::int32_t di, T per_length) {
    return diffused(here, phi(0, dj, di), here_d, diffusivity(0, dj, di), per_length);
  };
  auto west = gain(0, -1, grid.per_dx), east = gain(0, 1, grid.per_dx);
  auto south = gain(-1, 0, grid.per_dy), north = gain(1, 0, grid.per_dy);
  if constexpr (Ground::built) {
    if (k < ground.lowest(Variable::scalar, j, i - 1)) west = T(0);
    if (k < ground.lowest(Variable::scalar, j, i + 1)) east = T(0);
    if (k < ground.lowest(Variable::scalar, j - 1, i)) south = T(0);
    if (k < ground.lowest(Variable::scalar, j + 1, i)) north = T(0);
  }
  auto const up_d = diffusivity(1, 0, 0);
  auto const above = diffused(here, up, here_d, up_d, grid.at(Level::per_dz_between, k));
  auto const below = is_at<Ground>(k, lowest) ? T(0) : level.gain;
  // Diffusion through the top: the cell above loses what this one gains.
  level.gain = -above;
  level.here_d = up_d;
  auto const diffusion =
      math::fma(grid.per_dx, east + west, math::fma(grid.per_dy, north + south, per_dz * (above + below)));
  auto const surface = is_at<Ground>(k, lowest) ? per_dz * from_below : T(0);
  return advection + math::fma(factor, diffusion, surface);
}

/// Values that the tendency of a scalar of a level hands to the level above.
template <class T>
struct TransportedBelow {
  Marks<T> marks;
  ScalarBelow<T> scalar;
};

/// Tendency of temperature or humidity.
template <class T, class Ground>
struct ScalarTendency {
  Grid<T> grid;
  Ground ground;
  Scheme<T> scheme;
  Wind<T> wind;
  Rows<T const> phi, diffusivity;
  Rows<T const> from_below;  ///< upward flux at the lowest face of each column, (j, i) without a halo
  Level start;               ///< to which the sponge draws
  Stored<T> store;
  Carrying<T> carry;

  static constexpr int resident_blocks = usual_resident_blocks<T>;
  using Below = TransportedBelow<T>;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto* const stored = store.place(k, j, i);
    store(stored, tendency(i, j, k));
    put(&phi(k, j, i), stored);
  }
  ULPINE_HD Below below(std::int32_t i, std::int32_t j, std::int32_t k) const {
    Marks<T> const marks{beside(grid, wind, k, j, i), store.place(k, j, i)};
    return {marks, scalar_below<Ground>(grid, scheme, marks.wind.w(-1, 0, 0), beside(grid, phi, k, j, i),
                                        beside(grid, diffusivity, k, j, i), k,
                                        ground.lowest(Variable::scalar, j, i))};
  }
  ULPINE_HD void rise(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    store(below.marks.stored, tendency(i, j, k, below));
    put(below.scalar.phi.at, below.marks.stored);
    below.marks.up(store);
    below.scalar.up();
  }

 private:
  ULPINE_HD void put(T const* at, T const* stored) const {
    if (carry.next.first != nullptr) {
      carry(at, phi.first, math::fma(carry.stage.of_tendencies(), *stored, *at));
    }
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if constexpr (Ground::built) {
      if (k < ground.lowest(Variable::scalar, j, i)) return T(0);
    }
    auto level = below(i, j, k);
    return tendency(i, j, k, level);
  }
  ULPINE_HD T tendency(std::int32_t i, std::int32_t j, std::int32_t k, Below& below) const {
    auto const here = below.scalar.line.here;
    auto const moved = transported(grid, ground, scheme, below.marks.wind, T(1), k, j, i,
                                   ground.lowest(Variable::scalar, j, i), from_below(j, i), below.scalar);
    return moved - grid.at(Level::sponge, k) * (here - grid.at(start, k));
  }
};

/// phi <- phi + length stored, for what is no velocity.
template <class T>
struct Carried {
  Grid<T> grid;
  StageLength<T> stage;
  Provisional<T> phi;

  static constexpr int points_at_once = 4;
  ULPINE_HD T value(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return phi(stage.of_tendencies(), place_of(grid, k, j, i));
  }
  ULPINE_HD void put(std::int32_t i, std::int32_t j, std::int32_t k, T value) const {
    phi.now[place_of(grid, k, j, i).in_halo] = value;
  }
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    put(i, j, k, value(i, j, k));
  }
};

}  // namespace ulpine::les
