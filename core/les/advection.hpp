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

  /// The scheme for scalars: all of the residual divergence is given back, or else a constant would not stay
  /// constant beside walls.
  constexpr Scheme of_scalars() const { return {full, second, first, T(1)}; }

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

/// Which stencils fit at the face between levels a and a + 1 of points from `lowest` to `highest` that are no
/// wall.
template <class Ground>
ULPINE_HD constexpr Fit vertical_fit(std::int32_t lowest, std::int32_t highest, std::int32_t a) {
  if constexpr (Ground::full_order) return {};
  auto const below = a - lowest, above = highest - a;
  return {below - 2 < above - 3 ? below - 2 : above - 3, below - 1 < above - 2 ? below - 1 : above - 2};
}

/// Flux through the face between `before` and `after`.
template <class T>
ULPINE_HD T face_flux(Stencil<T> s, T wind, T before3, T before2, T before, T after, T after2, T after3) {
  auto const even =
      math::fma(s.even0, before + after, math::fma(s.even1, before2 + after2, s.even2 * (before3 + after3)));
  auto const odd =
      math::fma(s.odd0, after - before, math::fma(s.odd1, after2 - before2, s.odd2 * (after3 - before3)));
  auto const speed = math::abs(wind);
  return math::fma(wind, even, -(speed * odd));
}

/// A face of a control volume: the wind through it and which stencils fit.
template <class T>
struct Face {
  T wind;
  Fit fit;
};

/// -d(wind phi)/dx along one direction, the share of phi d(wind)/dx given back. line(n) is n points away.
template <class T, class Points>
ULPINE_HD T advected(Scheme<T> const& scheme, Points const& line, Face<T> low, Face<T> high, T per_length) {
  auto const before2 = line(-2), before = line(-1), here = line(0), after = line(1), after2 = line(2);
  auto const out = face_flux(scheme.of(high.fit), high.wind, before2, before, here, after, after2, line(3));
  auto const in = face_flux(scheme.of(low.fit), low.wind, line(-3), before2, before, here, after, after2);
  return per_length * math::fma(scheme.given_back * here, high.wind - low.wind, in - out);
}

/// Along the vertical what one level hands to the next: the points around it and the flux through the face
/// below.
template <class T>
struct Ascent {
  T before2, before, here, after, after2;
  T wind, flux;
};
template <class T>
ULPINE_HD Ascent<T> ascent(Scheme<T> const& scheme, Near<T> const& phi, Face<T> low) {
  auto const line = [&](std::int32_t n) { return phi(n, 0, 0); };
  auto const before2 = line(-2), before = line(-1), here = line(0), after = line(1), after2 = line(2);
  auto const flux = face_flux(scheme.of(low.fit), low.wind, line(-3), before2, before, here, after, after2);
  return {before2, before, here, after, after2, low.wind, flux};
}
/// advected() along the vertical, one level up.
template <class T>
ULPINE_HD T advected_up(Scheme<T> const& scheme, Near<T> const& phi, Ascent<T>& at, Face<T> high,
                        T per_length) {
  auto const [before2, before, here, after, after2, low_wind, in] = at;
  auto const after3 = phi(3, 0, 0);
  auto const out = face_flux(scheme.of(high.fit), high.wind, before2, before, here, after, after2, after3);
  at = {before, here, after, after2, after3, high.wind, out};
  return per_length * math::fma(scheme.given_back * here, high.wind - low_wind, in - out);
}

/// Tendency by advection along x, y and z.
template <class T>
ULPINE_HD T advected(Scheme<T> const& scheme, Grid<T> const& grid, Near<T> const& phi, Face<T> const (&x)[2],
                     Face<T> const (&y)[2], Ascent<T>& at, Face<T> above, T per_dz) {
  auto const along_x = advected(
      scheme, [&](std::int32_t n) { return phi(0, 0, n); }, x[0], x[1], grid.per_dx);
  auto const along_y = advected(
      scheme, [&](std::int32_t n) { return phi(0, n, 0); }, y[0], y[1], grid.per_dy);
  return (along_x + along_y) + advected_up(scheme, phi, at, above, per_dz);
}

}  // namespace ulpine::les
