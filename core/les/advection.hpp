// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/les/grid.hpp"

/// Advection in flux form: Wicker and Skamarock 2002 (Mon. Wea. Rev. 130, 2088-2097), whose order falls from
/// 5 to 3 and 1 where the stencil would meet a wall, or centred differences of second order.
namespace ulpine::les {

/// A face's value from the six points around it: sums of pairs weigh `even`, differences times the sign of
/// the wind `odd`.
template <class T>
struct Stencil {
  T even0, even1, even2, odd0, odd1, odd2;
};

/// The stencils of full order, next to a wall's next point, and next to a wall.
template <class T>
struct Scheme {
  Stencil<T> full, second, first;
  /// How much of the residual divergence of the wind is given back: 1 makes it the advective form, 1/2 that
  /// which conserves squares (Piacsek and Williams 1970, J. Comput. Phys. 6, 392-405).
  T given_back;

  ULPINE_HD Stencil<T> of(Fit fit) const {
    auto const pick = [&](T Stencil<T>::*weight) {
      // Loaded whatever is chosen, or else no loop with it is vectorised.
      T const fifth = full.*weight, third = second.*weight, other = first.*weight;
      return fit.fifth >= 0 ? fifth : fit.third >= 0 ? third : other;
    };
    return {pick(&Stencil<T>::even0), pick(&Stencil<T>::even1), pick(&Stencil<T>::even2),
            pick(&Stencil<T>::odd0),  pick(&Stencil<T>::odd1),  pick(&Stencil<T>::odd2)};
  }
};

template <class T>
constexpr Scheme<T> wicker_skamarock() {
  auto const part = [](int numerator, int denominator) { return T(numerator) / T(denominator); };
  return {{part(37, 60), part(-8, 60), part(1, 60), part(10, 60), part(-5, 60), part(1, 60)},
          {part(7, 12), part(-1, 12), T(0), part(3, 12), part(-1, 12), T(0)},
          {part(1, 2), T(0), T(0), part(1, 2), T(0), T(0)},
          T(1)};
}
template <class T>
constexpr Scheme<T> piacsek_williams() {
  auto const half = T(1) / T(2);
  Stencil<T> const centred{half, T(0), T(0), T(0), T(0), T(0)};
  return {centred, centred, centred, half};
}

/// The same for the face between levels a and a + 1 of points from `lowest` to `highest` that are no wall.
ULPINE_HD constexpr Fit vertical_fit(std::int32_t lowest, std::int32_t highest, std::int32_t a) {
  auto const below = a - lowest, above = highest - a;
  return {below - 2 < above - 3 ? below - 2 : above - 3, below - 1 < above - 2 ? below - 1 : above - 2};
}

/// Seven points of a line; `here` is the one whose tendency is wanted.
template <class T>
struct Line {
  T low3, low2, low1, here, high1, high2, high3;
  ULPINE_HD Line(Rows<T const> const& values, std::int32_t k, std::int32_t j, std::int32_t i,
                 std::int64_t stride) {
    auto const* const at = &values(k, j, i);
    low3 = at[-3 * stride], low2 = at[-2 * stride], low1 = at[-stride];
    here = at[0];
    high1 = at[stride], high2 = at[2 * stride], high3 = at[3 * stride];
  }
};

/// Flux through the face between `before` and `after`.
template <class T>
ULPINE_HD T face_flux(Stencil<T> s, T wind, T before3, T before2, T before, T after, T after2, T after3) {
  auto const even =
      math::fma(s.even0, before + after, math::fma(s.even1, before2 + after2, s.even2 * (before3 + after3)));
  auto const odd =
      math::fma(s.odd0, after - before, math::fma(s.odd1, after2 - before2, s.odd2 * (after3 - before3)));
  auto const speed = wind < T(0) ? -wind : wind;
  return math::fma(wind, even, -(speed * odd));
}

/// A face of a control volume: the wind through it and which stencils fit.
template <class T>
struct Face {
  T wind;
  Fit fit;
};

/// -d(wind phi)/dx along one direction, the share of phi d(wind)/dx given back.
template <class T>
ULPINE_HD T advected(Scheme<T> const& scheme, Line<T> const& line, Face<T> low, Face<T> high, T per_length) {
  auto const& l = line;
  auto const out =
      face_flux(scheme.of(high.fit), high.wind, l.low2, l.low1, l.here, l.high1, l.high2, l.high3);
  auto const in = face_flux(scheme.of(low.fit), low.wind, l.low3, l.low2, l.low1, l.here, l.high1, l.high2);
  return per_length * math::fma(scheme.given_back * l.here, high.wind - low.wind, in - out);
}

/// The same along all three.
template <class T>
ULPINE_HD T advected(Scheme<T> const& scheme, Grid<T> const& grid, Rows<T const> const& phi, std::int32_t k,
                     std::int32_t j, std::int32_t i, Face<T> const (&x)[2], Face<T> const (&y)[2],
                     Face<T> const (&z)[2], T per_dz) {
  auto const along_x = advected(scheme, Line<T>(phi, k, j, i, 1), x[0], x[1], grid.per_dx);
  auto const along_y = advected(scheme, Line<T>(phi, k, j, i, phi.row), y[0], y[1], grid.per_dy);
  auto const along_z = advected(scheme, Line<T>(phi, k, j, i, phi.plane), z[0], z[1], per_dz);
  return (along_x + along_y) + along_z;
}

}  // namespace ulpine::les
