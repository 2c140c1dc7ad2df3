// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/mixing.hpp"
#include "core/fdm/rates.hpp"

/// Sub-grid mixing by an eddy viscosity. Over sloping levels d/dx = d/dx along them + J1 / J3 d/dzeta, and
/// the divergence of a flux F is (d(J3 F_x)/dx + d(J3 F_y)/dy + d(J1 F_x + J2 F_y + F_z)/dzeta) / J3.
namespace ulpine::fdm {

/// Change from level to level of what sits at centres' levels, to one side at the ground and the lid.
template <class T>
ULPINE_HD T across_levels(std::int32_t nz, Rows<T const> const& phi, std::int32_t k, std::int32_t j,
                          std::int32_t i) {
  auto const low = k == 0 ? k : k - 1, high = k == nz - 1 ? k : k + 1;
  return (phi(high, j, i) - phi(low, j, i)) / static_cast<T>(high - low);
}
/// J1 (along x) or J2 at a centre.
template <class T, class Ground>
ULPINE_HD T centre_slope(Ground const& ground, bool x, std::int32_t k, std::int32_t j, std::int32_t i) {
  auto const slope = x ? Metric::j1 : Metric::j2;
  auto const jj = x ? j : j + 1, ii = x ? i + 1 : i;
  return mean4(ground.at(slope, k, j, i), ground.at(slope, k, jj, ii), ground.at(slope, k + 1, j, i),
               ground.at(slope, k + 1, jj, ii));
}

/// Derivatives of the wind around a centre, s-1.
template <class T, class Ground>
struct Strain {
  Grid<T> grid;
  Ground ground;
  Rows<T const> u, v, w;

  ULPINE_HD T xx(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const along = (u(k, j, i + 1) - u(k, j, i)) * grid.per_dx;
    if constexpr (!Ground::terrain) {
      return along;
    } else {
      return along + tilted(true, k, j, i, u);
    }
  }
  ULPINE_HD T yy(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const along = (v(k, j + 1, i) - v(k, j, i)) * grid.per_dy;
    if constexpr (!Ground::terrain) {
      return along;
    } else {
      return along + tilted(false, k, j, i, v);
    }
  }
  ULPINE_HD T zz(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return (w(k + 1, j, i) - w(k, j, i)) * grid.per_dzeta * ground.at(Metric::per_j3, k, j, i);
  }
  /// du/dy + dv/dx at the south-west corner of a cell.
  ULPINE_HD T xy(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const along =
        (u(k, j, i) - u(k, j - 1, i)) * grid.per_dy + (v(k, j, i) - v(k, j, i - 1)) * grid.per_dx;
    if constexpr (!Ground::terrain) {
      return along;
    } else {
      auto const of_u =
          corner_slope(Metric::j2, k, j, i, 0, 1) * mean2(across(u, k, j - 1, i), across(u, k, j, i));
      auto const of_v =
          corner_slope(Metric::j1, k, j, i, 1, 0) * mean2(across(v, k, j, i - 1), across(v, k, j, i));
      auto const per_j3 =
          mean4(ground.at(Metric::per_j3, k, j - 1, i - 1), ground.at(Metric::per_j3, k, j - 1, i),
                ground.at(Metric::per_j3, k, j, i - 1), ground.at(Metric::per_j3, k, j, i));
      return along + (of_u + of_v) * (per_j3 * grid.per_dzeta);
    }
  }
  /// du/dz + dw/dx at the lower west edge; 0 at the ground and the lid, where air slips.
  ULPINE_HD T xz(std::int32_t k, std::int32_t j, std::int32_t i) const {
    if (k == 0 || k == grid.nz) return T(0);
    if constexpr (!Ground::terrain) {
      return (u(k, j, i) - u(k - 1, j, i)) * grid.per_dzeta * ground.at(Metric::per_j3_w, k, j, i) +
             (w(k, j, i) - w(k, j, i - 1)) * grid.per_dx;
    } else {
      return upward(u, k, j, i, j, i - 1) + (w(k, j, i) - w(k, j, i - 1)) * grid.per_dx +
             tilted_w(Metric::j1, k, j, i, j, i - 1);
    }
  }
  /// dv/dz + dw/dy at the lower south edge.
  ULPINE_HD T yz(std::int32_t k, std::int32_t j, std::int32_t i) const {
    if (k == 0 || k == grid.nz) return T(0);
    if constexpr (!Ground::terrain) {
      return (v(k, j, i) - v(k - 1, j, i)) * grid.per_dzeta * ground.at(Metric::per_j3_w, k, j, i) +
             (w(k, j, i) - w(k, j - 1, i)) * grid.per_dy;
    } else {
      return upward(v, k, j, i, j - 1, i) + (w(k, j, i) - w(k, j - 1, i)) * grid.per_dy +
             tilted_w(Metric::j2, k, j, i, j - 1, i);
    }
  }
  /// Twice the square of the rate of strain, s-2: squares at edges averaged to the centre.
  ULPINE_HD T squared(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const square = [](T x) { return x * x; };
    auto const normal = (square(xx(k, j, i)) + square(yy(k, j, i))) + square(zz(k, j, i));
    auto const flat = mean4(square(xy(k, j, i)), square(xy(k, j, i + 1)), square(xy(k, j + 1, i)),
                            square(xy(k, j + 1, i + 1)));
    auto const along_x_up = mean4(square(xz(k, j, i)), square(xz(k, j, i + 1)), square(xz(k + 1, j, i)),
                                  square(xz(k + 1, j, i + 1)));
    auto const along_y_up = mean4(square(yz(k, j, i)), square(yz(k, j + 1, i)), square(yz(k + 1, j, i)),
                                  square(yz(k + 1, j + 1, i)));
    return math::fma(T(2), normal, (flat + along_x_up) + along_y_up);
  }

 private:
  ULPINE_HD T across(Rows<T const> const& wind, std::int32_t k, std::int32_t j, std::int32_t i) const {
    return across_levels(grid.nz, wind, k, j, i);
  }
  /// The slope's part of xx or yy.
  ULPINE_HD T tilted(bool x, std::int32_t k, std::int32_t j, std::int32_t i,
                     Rows<T const> const& wind) const {
    auto const change = mean2(across(wind, k, j, i), across(wind, k, x ? j : j + 1, x ? i + 1 : i));
    return centre_slope<T>(ground, x, k, j, i) * change *
           (ground.at(Metric::per_j3, k, j, i) * grid.per_dzeta);
  }
  /// J1 or J2 at a south-west corner of cells, from the faces there and at (j - dj, i - di).
  ULPINE_HD T corner_slope(Metric slope, std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t dj,
                           std::int32_t di) const {
    return mean4(ground.at(slope, k, j - dj, i - di), ground.at(slope, k, j, i),
                 ground.at(slope, k + 1, j - dj, i - di), ground.at(slope, k + 1, j, i));
  }
  /// d/dz of u or v at a lower edge between the columns (j, i) and (low_j, low_i).
  ULPINE_HD T upward(Rows<T const> const& wind, std::int32_t k, std::int32_t j, std::int32_t i,
                     std::int32_t low_j, std::int32_t low_i) const {
    return (wind(k, j, i) - wind(k - 1, j, i)) * (edge_per_j3(k, j, i, low_j, low_i) * grid.per_dzeta);
  }
  /// The slope's part of what w has along x or y at that edge.
  ULPINE_HD T tilted_w(Metric slope, std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t low_j,
                       std::int32_t low_i) const {
    auto const change =
        mean2(w(k + 1, low_j, low_i) - w(k - 1, low_j, low_i), w(k + 1, j, i) - w(k - 1, j, i));
    return T(1) / T(2) * change * ground.at(slope, k, j, i) *
           (edge_per_j3(k, j, i, low_j, low_i) * grid.per_dzeta);
  }
  ULPINE_HD T edge_per_j3(std::int32_t k, std::int32_t j, std::int32_t i, std::int32_t low_j,
                          std::int32_t low_i) const {
    return mean2(ground.at(Metric::per_j3_w, k, low_j, low_i), ground.at(Metric::per_j3_w, k, j, i));
  }
};

/// Water of the air; null in dry air.
template <class T>
struct Moisture {
  Rows<T const> p, vapour, cloud;  ///< p' in Pa; kg kg-1
};

/// N^2 at a centre, s-2: of dry air, and where there is cloud of saturated air (Durran and Klemp 1982, J.
/// Atmos. Sci. 39, 2152-2158, equation 36).
template <class T, class Ground>
ULPINE_HD T stability(Grid<T> const& grid, Ground const& ground, T gravity, Rows<T const> const& theta,
                      Moisture<T> const& water, std::int32_t k, std::int32_t j, std::int32_t i) {
  auto const low = k == 0 ? k : k - 1, high = k == grid.nz - 1 ? k : k + 1;
  auto const lift = T(1) / static_cast<T>(high - low);
  auto const base = ground.at(Metric::theta, high, j, i) - ground.at(Metric::theta, low, j, i);
  auto const change = (base + (theta(high, j, i) - theta(low, j, i))) * lift;
  auto const here = ground.at(Metric::theta, k, j, i) + theta(k, j, i);
  auto const dry = gravity * change * grid.per_dzeta * ground.at(Metric::per_j3, k, j, i) / here;
  if (water.cloud.first == nullptr || !(water.cloud(k, j, i) > T(1) / T(1000000))) return dry;
  auto const pressure = [&](std::int32_t kk) {
    return ground.at(Metric::pressure, kk, j, i) + water.p(kk, j, i);
  };
  auto const temperature = [&](std::int32_t kk) {
    return (ground.at(Metric::theta, kk, j, i) + theta(kk, j, i)) * physics::exner(pressure(kk));
  };
  auto const saturated = [&](std::int32_t kk) {
    return physics::saturation_humidity(temperature(kk), pressure(kk));
  };
  auto const total = [&](std::int32_t kk) { return water.vapour(kk, j, i) + water.cloud(kk, j, i); };
  auto const warmth = temperature(k);
  auto const heat = physics::arps::latent_heat_per_heat_capacity<T>() / warmth;
  auto const held =
      physics::arps::latent_heat<T>() / physics::arps::dry_gas_constant<T>() * saturated(k) / warmth;
  auto const share = (T(1) + held) / (T(1) + held * heat * physics::arps::gas_constant_ratio<T>());
  auto const per_height = lift * grid.per_dzeta * ground.at(Metric::per_j3, k, j, i);
  auto const condensing = heat * ((saturated(high) - saturated(low)) * per_height);
  auto const loading = (total(high) - total(low)) * per_height;
  return math::fma(share, dry + gravity * condensing, -gravity * loading);
}

/// Stores N^2, s-2, at centre (k, j, i), for (i + 1, j + 1, k) of a lattice one point wider on each side.
template <class T, class Ground>
struct Stability {
  Grid<T> grid;
  Ground ground;
  T gravity;
  Rows<T const> theta;
  Moisture<T> water;
  Rows<T> n2;

  ULPINE_HD void operator()(std::int32_t from_west, std::int32_t from_south, std::int32_t k) const {
    auto const i = from_west - 1, j = from_south - 1;
    n2(k, j, i) = stability(grid, ground, gravity, theta, water, k, j, i);
  }
};

/// Smagorinsky and Lilly: K = (c Delta)^2 sqrt(max(S^2 - N^2 / Pr, 0)), and K / Pr. For (i + 1, j + 1, k) of
/// a lattice one point wider on each side.
template <class T, class Ground>
struct SmagorinskyViscosity {
  Strain<T, Ground> strain;
  T coefficient;  ///< c
  T per_prandtl;
  T most;  ///< of K over Delta^2, s-1
  Rows<T const> n2;
  Rows<T> viscosity, diffusivity;

  ULPINE_HD void operator()(std::int32_t from_west, std::int32_t from_south, std::int32_t k) const {
    auto const i = from_west - 1, j = from_south - 1;
    auto const s2 = math::fma(-per_prandtl, n2(k, j, i), strain.squared(k, j, i));
    auto const rate = s2 > T(0) ? coefficient * coefficient * math::sqrt(s2) : T(0);
    auto const mixing = strain.ground.at(Metric::length2, k, j, i) * (rate < most ? rate : most);
    viscosity(k, j, i) = mixing;
    diffusivity(k, j, i) = per_prandtl * mixing;
  }
};

/// Mixing by eddies of energy e, m2 s-2 (Deardorff 1980, Boundary-Layer Meteorol. 18, 495-527): K = 0.1 l
/// sqrt(e), l = Delta, in stable air at most 0.76 sqrt(e) / N; K (1 + 2 l / Delta), at most 3 K, for scalars.
template <class T>
struct Eddies {
  T length, viscosity, diffusivity;
};
template <class T>
ULPINE_HD Eddies<T> eddies_of(T energy, T n2, T length2, T most) {
  auto const speed = math::sqrt(energy), scale = math::sqrt(length2);
  // Where there are no eddies (e = 0) any length l will do except 0.
  auto const stable = n2 > T(0) ? T(76) / T(100) * speed / math::sqrt(n2) : scale;
  auto const least = T(1) / T(10) * scale;
  auto const length = stable > scale ? scale : stable < least ? least : stable;
  auto const free = T(1) / T(10) * length * speed;
  auto const bound = most * length2;
  auto const viscosity = free < bound ? free : bound;
  auto const gain = T(1) + T(2) * length / scale;
  return {length, viscosity, (gain < T(3) ? gain : T(3)) * viscosity};
}

/// Viscosities of eddies whose energy is carried, and what shear, buoyancy and dissipation make of it:
/// e' = K S^2 - K_h N^2 - C e^(3/2) / l with C = 0.19 + 0.51 l / Delta, at the ground 3.9.
template <class T, class Ground>
struct EnergyViscosity {
  Ground ground;
  T most;  ///< of K over Delta^2, s-1
  Rows<T const> n2, energy;
  Rows<T> viscosity, diffusivity;

  ULPINE_HD void operator()(std::int32_t from_west, std::int32_t from_south, std::int32_t k) const {
    auto const i = from_west - 1, j = from_south - 1;
    auto const made = eddies_of(energy(k, j, i), n2(k, j, i), ground.at(Metric::length2, k, j, i), most);
    viscosity(k, j, i) = made.viscosity;
    diffusivity(k, j, i) = made.diffusivity;
  }
};
template <class T, class Ground>
struct EnergySource {
  Strain<T, Ground> strain;
  T most;
  Rows<T const> n2, energy;
  Rows<T> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const length2 = strain.ground.at(Metric::length2, k, j, i), e = energy(k, j, i);
    auto const stable = n2(k, j, i);
    auto const made = eddies_of(e, stable, length2, most);
    auto const aloft = math::fma(T(51) / T(100), made.length / math::sqrt(length2), T(19) / T(100));
    auto const dissipation = (k == 0 ? T(39) / T(10) : aloft) * e * math::sqrt(e) / made.length;
    auto const gain = made.viscosity * strain.squared(k, j, i) - made.diffusivity * stable;
    rate(k, j, i) += gain - dissipation;
  }
};

/// Divergence of the stress of eddies over rho, m s-2, added to a component's rate; nothing passes through
/// the ground and the lid.
template <class T, class Ground, Place place>
struct EddyStress {
  Strain<T, Ground> strain;
  Rows<T const> viscosity;
  Rows<T> rate;

  static constexpr std::int32_t first_level = place == Place::w ? 1 : 0;

  /// Computes level `level` + first_level.
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t level) const {
    auto const k = level + first_level;
    auto const& grid = strain.grid;
    auto const& ground = strain.ground;
    auto const at_centre = [&](std::int32_t kk, std::int32_t jj, std::int32_t ii, T rate_of_strain) {
      return T(2) * viscosity(kk, jj, ii) * rate_of_strain;
    };
    auto const xy = [&](std::int32_t jj, std::int32_t ii) {
      return mean4(viscosity(k, jj - 1, ii - 1), viscosity(k, jj - 1, ii), viscosity(k, jj, ii - 1),
                   viscosity(k, jj, ii)) *
             strain.xy(k, jj, ii);
    };
    auto const xz = [&](std::int32_t kk, std::int32_t ii) {
      if (kk == 0 || kk == grid.nz) return T(0);
      return mean4(viscosity(kk - 1, j, ii - 1), viscosity(kk - 1, j, ii), viscosity(kk, j, ii - 1),
                   viscosity(kk, j, ii)) *
             strain.xz(kk, j, ii);
    };
    auto const yz = [&](std::int32_t kk, std::int32_t jj) {
      if (kk == 0 || kk == grid.nz) return T(0);
      return mean4(viscosity(kk - 1, jj - 1, i), viscosity(kk - 1, jj, i), viscosity(kk, jj - 1, i),
                   viscosity(kk, jj, i)) *
             strain.yz(kk, jj, i);
    };
    /// Flux of momentum through face `face` of w, from the stress there: the stress times rho* / J3.
    auto const up = [&](std::int32_t face, T stress) {
      return ground.at(Metric::mass_w, face, j, i) * ground.at(Metric::per_j3_w, face, j, i) * stress;
    };
    if constexpr (Ground::terrain) {
      rate(k, j, i) += over_terrain(k, j, i);
    } else {
      T along_x_part, along_y_part, up_part;
      if constexpr (place == Place::u) {
        along_x_part =
            at_centre(k, j, i, strain.xx(k, j, i)) - at_centre(k, j, i - 1, strain.xx(k, j, i - 1));
        along_y_part = xy(j + 1, i) - xy(j, i);
        up_part = (up(k + 1, xz(k + 1, i)) - up(k, xz(k, i))) * ground.at(Metric::per_mass_u, k, j, i);
      } else if constexpr (place == Place::v) {
        along_x_part = xy(j, i + 1) - xy(j, i);
        along_y_part =
            at_centre(k, j, i, strain.yy(k, j, i)) - at_centre(k, j - 1, i, strain.yy(k, j - 1, i));
        up_part = (up(k + 1, yz(k + 1, j)) - up(k, yz(k, j))) * ground.at(Metric::per_mass_v, k, j, i);
      } else {
        along_x_part = xz(k, i + 1) - xz(k, i);
        along_y_part = yz(k, j + 1) - yz(k, j);
        auto const of_cell = [&](std::int32_t cell) {
          return ground.at(Metric::mass, cell, j, i) * ground.at(Metric::per_j3, cell, j, i) *
                 at_centre(cell, j, i, strain.zz(cell, j, i));
        };
        up_part = (of_cell(k) - of_cell(k - 1)) * ground.at(Metric::per_mass_w, k, j, i);
      }
      auto const sides = along_x_part * grid.per_dx + along_y_part * grid.per_dy;
      rate(k, j, i) += math::fma(up_part, grid.per_dzeta, sides);
    }
  }

 private:
  // Stresses over rho, m2 s-2, along x, y and z, where their strains sit.
  ULPINE_HD T normal(bool x, std::int32_t k, std::int32_t j, std::int32_t i) const {
    return T(2) * viscosity(k, j, i) * (x ? strain.xx(k, j, i) : strain.yy(k, j, i));
  }
  ULPINE_HD T corner(std::int32_t k, std::int32_t j, std::int32_t i) const {
    return mean4(viscosity(k, j - 1, i - 1), viscosity(k, j - 1, i), viscosity(k, j, i - 1),
                 viscosity(k, j, i)) *
           strain.xy(k, j, i);
  }
  /// Stress at the lower west (x) or south edge of a cell; 0 at the ground and the lid.
  ULPINE_HD T edge(bool x, std::int32_t k, std::int32_t j, std::int32_t i) const {
    if (k == 0 || k == strain.grid.nz) return T(0);
    auto const jj = x ? j : j - 1, ii = x ? i - 1 : i;
    return mean4(viscosity(k - 1, jj, ii), viscosity(k - 1, j, i), viscosity(k, jj, ii), viscosity(k, j, i)) *
           (x ? strain.xz(k, j, i) : strain.yz(k, j, i));
  }
  ULPINE_HD T over_terrain(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const& grid = strain.grid;
    auto const& ground = strain.ground;
    auto const of = [&](Metric metric, std::int32_t kk, std::int32_t jj, std::int32_t ii) {
      return ground.at(metric, kk, jj, ii);
    };
    if constexpr (place == Place::w) {
      auto const x = [&](std::int32_t ii) {
        return mean2(of(Metric::mass_w, k, j, ii - 1), of(Metric::mass_w, k, j, ii)) * edge(true, k, j, ii);
      };
      auto const y = [&](std::int32_t jj) {
        return mean2(of(Metric::mass_w, k, jj - 1, i), of(Metric::mass_w, k, jj, i)) * edge(false, k, jj, i);
      };
      auto const up = [&](std::int32_t cell) {
        auto const stress = T(2) * viscosity(cell, j, i) * strain.zz(cell, j, i);
        auto const tilted_x = mean4(edge(true, cell, j, i), edge(true, cell, j, i + 1),
                                    edge(true, cell + 1, j, i), edge(true, cell + 1, j, i + 1));
        auto const tilted_y = mean4(edge(false, cell, j, i), edge(false, cell, j + 1, i),
                                    edge(false, cell + 1, j, i), edge(false, cell + 1, j + 1, i));
        auto const tilted = centre_slope<T>(ground, true, cell, j, i) * tilted_x +
                            centre_slope<T>(ground, false, cell, j, i) * tilted_y;
        return of(Metric::density, cell, j, i) * (stress + tilted);
      };
      auto const sides = (x(i + 1) - x(i)) * grid.per_dx + (y(j + 1) - y(j)) * grid.per_dy;
      return (sides + (up(k) - up(k - 1)) * grid.per_dzeta) * of(Metric::per_mass_w, k, j, i);
    } else {
      // Written for u; v is the same with the axes exchanged.
      constexpr bool is_u = place == Place::u;
      auto const low_j = is_u ? j : j - 1, low_i = is_u ? i - 1 : i;
      auto const corner_mass = [&](std::int32_t jj, std::int32_t ii) {
        return mean4(of(Metric::mass, k, jj - 1, ii - 1), of(Metric::mass, k, jj - 1, ii),
                     of(Metric::mass, k, jj, ii - 1), of(Metric::mass, k, jj, ii));
      };
      auto const along = of(Metric::mass, k, j, i) * normal(is_u, k, j, i) -
                         of(Metric::mass, k, low_j, low_i) * normal(is_u, k, low_j, low_i);
      auto const far_j = is_u ? j + 1 : j, far_i = is_u ? i : i + 1;
      auto const beside =
          corner_mass(far_j, far_i) * corner(k, far_j, far_i) - corner_mass(j, i) * corner(k, j, i);
      auto const up = [&](std::int32_t face) {
        if (face == 0 || face == grid.nz) return T(0);
        auto const density =
            mean2(of(Metric::mass_w, face, low_j, low_i) * of(Metric::per_j3_w, face, low_j, low_i),
                  of(Metric::mass_w, face, j, i) * of(Metric::per_j3_w, face, j, i));
        auto const tilted = of(is_u ? Metric::j1 : Metric::j2, face, j, i) *
                            mean4(normal(is_u, face - 1, low_j, low_i), normal(is_u, face - 1, j, i),
                                  normal(is_u, face, low_j, low_i), normal(is_u, face, j, i));
        auto const other = is_u ? Metric::j2 : Metric::j1;
        auto const slope =
            mean4(of(other, face, low_j, low_i), of(other, face, j, i),
                  of(other, face, is_u ? j + 1 : j - 1, is_u ? i - 1 : i + 1), of(other, face, far_j, far_i));
        auto const tilted_beside = slope * mean4(corner(face - 1, j, i), corner(face - 1, far_j, far_i),
                                                 corner(face, j, i), corner(face, far_j, far_i));
        return density * (edge(is_u, face, j, i) + (tilted + tilted_beside));
      };
      auto const sides =
          along * (is_u ? grid.per_dx : grid.per_dy) + beside * (is_u ? grid.per_dy : grid.per_dx);
      return (sides + (up(k + 1) - up(k)) * grid.per_dzeta) *
             of(is_u ? Metric::per_mass_u : Metric::per_mass_v, k, j, i);
    }
  }
};

/// Divergence of the flux of eddies of what sits at centres, `strength` times what the diffusivity makes,
/// added to its rate. `base`: what the field is a deviation from, mixed with it; count for none.
template <class T, class Ground>
struct EddyFlux {
  Grid<T> grid;
  Ground ground;
  T strength;
  Metric base;
  Rows<T const> diffusivity, phi;
  Rows<T> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if constexpr (Ground::terrain) {
      rate(k, j, i) += strength * over_terrain(k, j, i);
    } else {
      auto const value = [&](std::int32_t kk) {
        return base == Metric::count ? phi(kk, j, i) : phi(kk, j, i) + ground.at(base, kk, j, i);
      };
      auto const beside_x = [&](std::int32_t low, std::int32_t high) {
        return mean2(diffusivity(k, j, low), diffusivity(k, j, high)) * (phi(k, j, high) - phi(k, j, low));
      };
      auto const beside_y = [&](std::int32_t low, std::int32_t high) {
        return mean2(diffusivity(k, low, i), diffusivity(k, high, i)) * (phi(k, high, i) - phi(k, low, i));
      };
      auto const up = [&](std::int32_t face) {
        if (face == 0 || face == grid.nz) return T(0);
        auto const per_j3 = ground.at(Metric::per_j3_w, face, j, i);
        return ground.at(Metric::mass_w, face, j, i) * (per_j3 * per_j3) *
               mean2(diffusivity(face - 1, j, i), diffusivity(face, j, i)) * (value(face) - value(face - 1));
      };
      auto const x = (beside_x(i, i + 1) - beside_x(i - 1, i)) * (grid.per_dx * grid.per_dx);
      auto const y = (beside_y(j, j + 1) - beside_y(j - 1, j)) * (grid.per_dy * grid.per_dy);
      auto const z =
          (up(k + 1) - up(k)) * (grid.per_dzeta * grid.per_dzeta) * ground.at(Metric::per_mass, k, j, i);
      rate(k, j, i) += strength * ((x + y) + z);
    }
  }

 private:
  /// K d/dx (x) or K d/dy at a west or south face.
  ULPINE_HD T beside(bool x, std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const low_j = x ? j : j - 1, low_i = x ? i - 1 : i;
    auto const slope = x ? Metric::j1 : Metric::j2;
    auto const along = (phi(k, j, i) - phi(k, low_j, low_i)) * (x ? grid.per_dx : grid.per_dy);
    auto const per_j3 =
        mean2(ground.at(Metric::per_j3, k, low_j, low_i), ground.at(Metric::per_j3, k, j, i)) *
        grid.per_dzeta;
    auto const change =
        mean2(across_levels(grid.nz, phi, k, low_j, low_i), across_levels(grid.nz, phi, k, j, i));
    auto const tilted = mean2(ground.at(slope, k, j, i), ground.at(slope, k + 1, j, i)) * change * per_j3;
    return mean2(diffusivity(k, low_j, low_i), diffusivity(k, j, i)) * (along + tilted);
  }
  ULPINE_HD T over_terrain(std::int32_t k, std::int32_t j, std::int32_t i) const {
    auto const x = [&](std::int32_t ii) {
      return ground.at(Metric::mass_u, k, j, ii) * beside(true, k, j, ii);
    };
    auto const y = [&](std::int32_t jj) {
      return ground.at(Metric::mass_v, k, jj, i) * beside(false, k, jj, i);
    };
    auto const up = [&](std::int32_t face) {
      if (face == 0 || face == grid.nz) return T(0);
      auto const per_j3 = ground.at(Metric::per_j3_w, face, j, i);
      auto step = phi(face, j, i) - phi(face - 1, j, i);
      if (base != Metric::count) step += ground.at(base, face, j, i) - ground.at(base, face - 1, j, i);
      auto const across =
          mean2(diffusivity(face - 1, j, i), diffusivity(face, j, i)) * step * (per_j3 * grid.per_dzeta);
      auto const tilted_x = mean2(ground.at(Metric::j1, face, j, i), ground.at(Metric::j1, face, j, i + 1)) *
                            mean4(beside(true, face - 1, j, i), beside(true, face - 1, j, i + 1),
                                  beside(true, face, j, i), beside(true, face, j, i + 1));
      auto const tilted_y = mean2(ground.at(Metric::j2, face, j, i), ground.at(Metric::j2, face, j + 1, i)) *
                            mean4(beside(false, face - 1, j, i), beside(false, face - 1, j + 1, i),
                                  beside(false, face, j, i), beside(false, face, j + 1, i));
      return ground.at(Metric::mass_w, face, j, i) * per_j3 * (across + (tilted_x + tilted_y));
    };
    auto const sides = (x(i + 1) - x(i)) * grid.per_dx + (y(j + 1) - y(j)) * grid.per_dy;
    return (sides + (up(k + 1) - up(k)) * grid.per_dzeta) * ground.at(Metric::per_mass, k, j, i);
  }
};

}  // namespace ulpine::fdm
