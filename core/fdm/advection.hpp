// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/fdm/grid.hpp"

/// Advection in the averaged advective form of ARPS (Xue et al. 2000, Meteorol. Atmos. Phys. 75, 161-193),
/// which conserves squares as far as mass is: along x, of phi by the mass flux U,
///
/// A = avg(U delta phi) over cells' halves, of second order; with B, the same over twice the length,
/// 4/3 A - 1/3 B is of fourth. Of fifth order is U times what the upwind side's five points say at the faces
/// (Wicker and Skamarock 2002, Mon. Wea. Rev. 130, 2088-2097), less phi itself.
namespace ulpine::fdm {

/// Products of mass fluxes and differences, formed in A with operands rounded to Format.
template <class A, class Format>
struct Products {
  using Arithmetic = A;
  template <class T>
  ULPINE_HD A operator()(T flux, T difference) const {
    return Format::round(static_cast<A>(flux)) * Format::round(static_cast<A>(difference));
  }
};

/// Along one axis: mass fluxes halfway to the neighbours, and at the neighbours themselves.
template <class T>
struct Fluxes {
  T low, high;                    ///< at -1/2 and +1/2
  T before = T(0), after = T(0);  ///< at -1 and +1; of the fourth order only
};
/// The five points of a line.
template <class T>
struct Line {
  T far_low, low, here, high, far_high;
};
template <class T>
ULPINE_HD Line<T> line_of(Near<T> const& phi, Step along) {
  auto const at = [&](std::int32_t n) { return phi(n * along.dk, n * along.dj, n * along.di); };
  return {at(-2), at(-1), at(0), at(1), at(2)};
}
/// The points of a line whose second neighbours may not exist: the first neighbours stand for them.
template <class T>
ULPINE_HD Line<T> short_line_of(Near<T> const& phi, Step along) {
  auto const low = phi(-along.dk, -along.dj, -along.di), high = phi(along.dk, along.dj, along.di);
  return {low, low, phi(0, 0, 0), high, high};
}

/// Mass flux times gradient, per metre of the axis.
template <class P, class T>
ULPINE_HD typename P::Arithmetic second_order(P products, Fluxes<T> const& flux, Line<T> const& phi,
                                              T per_length) {
  using A = typename P::Arithmetic;
  auto const sum = products(flux.low, phi.here - phi.low) + products(flux.high, phi.high - phi.here);
  return A(1) / A(2) * sum * static_cast<A>(per_length);
}
template <class P, class T>
ULPINE_HD typename P::Arithmetic fourth_order(P products, Fluxes<T> const& flux, Line<T> const& phi,
                                              T per_length) {
  using A = typename P::Arithmetic;
  auto const twice =
      products(flux.before, phi.here - phi.far_low) + products(flux.after, phi.far_high - phi.here);
  auto const once = products(flux.low, phi.here - phi.low) + products(flux.high, phi.high - phi.here);
  // 4/3 (once / 2) - 1/3 (twice / 4)
  return math::fma(A(2) / A(3), once, A(-1) / A(12) * twice) * static_cast<A>(per_length);
}

/// phi at a face less phi(here), of fifth order from the upwind side: points -2 to 2 around the upwind cell,
/// the face behind +1/2; (2 phi(-2) - 13 phi(-1) + 47 phi(0) + 27 phi(1) - 3 phi(2)) / 60.
template <class T>
ULPINE_HD T upwind_surplus(T here, T far_up, T up, T middle, T down, T far_down) {
  auto const near = math::fma(T(27), down - here, T(47) * (middle - here));
  auto const far = math::fma(T(-13), up - here, math::fma(T(-3), far_down - here, T(2) * (far_up - here)));
  return (near + far) / T(60);
}
template <class P, class T>
ULPINE_HD typename P::Arithmetic fifth_order(P products, Fluxes<T> const& flux, Near<T> const& phi,
                                             Step along, T per_length) {
  auto const at = [&](std::int32_t n) { return phi(n * along.dk, n * along.dj, n * along.di); };
  auto const here = at(0);
  auto const low = flux.low > T(0) ? upwind_surplus(here, at(-3), at(-2), at(-1), here, at(1))
                                   : upwind_surplus(here, at(2), at(1), here, at(-1), at(-2));
  auto const high = flux.high > T(0) ? upwind_surplus(here, at(-2), at(-1), here, at(1), at(2))
                                     : upwind_surplus(here, at(3), at(2), at(1), here, at(-1));
  return (products(flux.high, high) - products(flux.low, low)) *
         static_cast<typename P::Arithmetic>(per_length);
}

/// The state's wind with what it carries of mass: U = rho* u, V = rho* v and W = rho* dzeta/dt.
template <class T>
struct Wind {
  Rows<T const> u, v, w;
  Rows<T const> mass_flux;  ///< W, at w
};

/// Mass flux through the faces of w, rho* dzeta/dt, from the wind; 0 at the ground. At the lid, where levels
/// are flat, w alone counts, which is 0 where the lid is rigid.
template <class T, class Ground>
struct VerticalMassFlux {
  Grid<T> grid;
  Ground ground;
  Rows<T const> u, v, w;
  Rows<T> mass_flux;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    if (k == 0) {
      mass_flux(k, j, i) = T(0);
      return;
    }
    auto rising = w(k, j, i);
    if (k < grid.nz) rising += slope_wind(grid, ground, u, v, k, j, i);
    mass_flux(k, j, i) = ground.at(Metric::mass_w, k, j, i) * ground.at(Metric::per_j3_w, k, j, i) * rising;
  }
};

/// Part of the contravariant velocity that the wind along sloping levels adds to w: J3 dzeta/dt = w + this, m
/// s-1. At the ground the wind of the lowest level counts, so that w = -this there.
template <class T, class Ground>
ULPINE_HD T slope_wind(Grid<T> const&, Ground const& ground, Rows<T const> const& u, Rows<T const> const& v,
                       std::int32_t k, std::int32_t j, std::int32_t i) {
  if constexpr (!Ground::terrain) {
    return T(0);
  } else {
    if (k == 0) {
      auto const along_x_slope = mean2(ground.at(Metric::j1, 0, j, i) * u(0, j, i),
                                       ground.at(Metric::j1, 0, j, i + 1) * u(0, j, i + 1));
      auto const along_y_slope = mean2(ground.at(Metric::j2, 0, j, i) * v(0, j, i),
                                       ground.at(Metric::j2, 0, j + 1, i) * v(0, j + 1, i));
      return along_x_slope + along_y_slope;
    }
    auto const of_u = [&](std::int32_t ii) {
      return ground.at(Metric::j1, k, j, ii) *
             mean2(ground.at(Metric::mass_u, k - 1, j, ii) * u(k - 1, j, ii),
                   ground.at(Metric::mass_u, k, j, ii) * u(k, j, ii));
    };
    auto const of_v = [&](std::int32_t jj) {
      return ground.at(Metric::j2, k, jj, i) *
             mean2(ground.at(Metric::mass_v, k - 1, jj, i) * v(k - 1, jj, i),
                   ground.at(Metric::mass_v, k, jj, i) * v(k, jj, i));
    };
    return (mean2(of_u(i), of_u(i + 1)) + mean2(of_v(j), of_v(j + 1))) *
           ground.at(Metric::per_mass_w, k, j, i);
  }
}

}  // namespace ulpine::fdm
