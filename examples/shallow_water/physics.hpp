// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <ulpine/core/exec/view.hpp>
#include <ulpine/core/field/grid_view.hpp>
#include <ulpine/core/model/step_length.hpp>
#include <ulpine/precision/elementary.hpp>
#include <ulpine/precision/policy.hpp>

/// Layers of shallow water on a rotating plane without walls, on a C grid: h and M live at (k, j, i), u half
/// a cell to the east, v half a cell to the north, the potential vorticity q half a cell to both. The scheme
/// conserves energy in space (Sadourny 1975, J. Atmos. Sci. 32, 680-689, model I).
namespace shallow_water {

using ulpine::GridView;

/// The plane as kernels see it: `per_dx`, `per_dy` in m-1, the Coriolis parameter in s-1.
template <class T>
struct Plane {
  std::int32_t nx, ny;
  T per_dx, per_dy, coriolis;
  ULPINE_HD std::int32_t east(std::int32_t i) const { return i + 1 == nx ? 0 : i + 1; }
  ULPINE_HD std::int32_t west(std::int32_t i) const { return i == 0 ? nx - 1 : i - 1; }
  ULPINE_HD std::int32_t north(std::int32_t j) const { return j + 1 == ny ? 0 : j + 1; }
  ULPINE_HD std::int32_t south(std::int32_t j) const { return j == 0 ? ny - 1 : j - 1; }
};

/// Montgomery potential of a column, m2 s-2: g times the height of the surface, and below each interface its
/// reduced gravity times its height more.
template <class P>
struct Pressure {
  using State = typename P::State;
  using T = typename P::Compute;
  std::int32_t layers;
  State rest;  // thickness of a layer at rest, m
  T gravity, reduced_gravity;
  GridView<State const> h;
  GridView<T> potential;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    T height = 0;
    for (std::int32_t k = 0; k < layers; ++k) height += T(h(k, j, i) - rest);
    auto sum = gravity * height;
    for (std::int32_t k = 0; k < layers; ++k) {
      potential(k, j, i) = sum;
      height -= T(h(k, j, i) - rest);
      sum = ulpine::math::fma(reduced_gravity, height, sum);
    }
  }
};

/// Transports through the faces (m2 s-1), potential vorticity (m-1 s-1) and Bernoulli function (m2 s-2).
template <class P>
struct Fluxes {
  using T = typename P::Compute;
  using Values = GridView<typename P::State const>;
  Plane<T> plane;
  Values u, v, h;
  GridView<T const> potential;
  GridView<T> transport_x, transport_y, vorticity, bernoulli;

  /// The product that tensor cores may take.
  ULPINE_HD static T product(T a, T b) { return P::Multiplicand::round(a) * P::Multiplicand::round(b); }

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const e = plane.east(i), w = plane.west(i), n = plane.north(j), s = plane.south(j);
    T const half = T(1) / T(2), quarter = T(1) / T(4);
    T const u0 = T(u(k, j, i)), v0 = T(v(k, j, i)), uw = T(u(k, j, w)), vs = T(v(k, s, i));
    T const h0 = T(h(k, j, i)), he = T(h(k, j, e)), hn = T(h(k, n, i)), hne = T(h(k, n, e));
    transport_x(k, j, i) = product(half * (h0 + he), u0);
    transport_y(k, j, i) = product(half * (h0 + hn), v0);
    auto const curl = plane.per_dx * (T(v(k, j, e)) - v0) - plane.per_dy * (T(u(k, n, i)) - u0);
    vorticity(k, j, i) = (plane.coriolis + curl) / (quarter * ((h0 + he) + (hn + hne)));
    auto const energy = quarter * ((u0 * u0 + uw * uw) + (v0 * v0 + vs * vs));
    bernoulli(k, j, i) = potential(k, j, i) + energy;
  }
};

/// A Runge-Kutta stage in Shu-Osher form: x = keep x0 + (1 - keep) (x + dt dx/dt). The wind over the first
/// layer abates as the water's mean energy nears `energy_limit`.
template <class P>
struct Advance {
  using State = typename P::State;
  using T = typename P::Compute;
  using Values = GridView<State>;
  using Old = GridView<State const>;
  using Flux = GridView<T const>;
  Plane<T> plane;
  State keep;
  double const* step;                  // s
  State const *u_squared, *v_squared;  // sums over all points, m2 s-2
  T per_energy;                        // 1 / (2 points energy_limit), s2 m-2
  T const* wind;                       // along x by row, m s-2
  Flux transport_x, transport_y, vorticity, bernoulli;
  Old u0, v0, h0;
  Values u, v, h;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const e = plane.east(i), w = plane.west(i), n = plane.north(j), s = plane.south(j);
    T const quarter = T(1) / T(4);
    auto const at_corner = vorticity(k, j, i);
    auto const along_y = at_corner * (transport_y(k, j, i) + transport_y(k, j, e)) +
                         vorticity(k, s, i) * (transport_y(k, s, i) + transport_y(k, s, e));
    auto const along_x = at_corner * (transport_x(k, j, i) + transport_x(k, n, i)) +
                         vorticity(k, j, w) * (transport_x(k, j, w) + transport_x(k, n, w));
    auto const here = bernoulli(k, j, i);
    auto const abated = T(1) - per_energy * T(*u_squared + *v_squared);
    auto const du =
        quarter * along_y - plane.per_dx * (bernoulli(k, j, e) - here) + (k == 0 ? abated * wind[j] : T(0));
    auto const dv = -quarter * along_x - plane.per_dy * (bernoulli(k, n, i) - here);
    auto const dh = -plane.per_dx * (transport_x(k, j, i) - transport_x(k, j, w)) -
                    plane.per_dy * (transport_y(k, j, i) - transport_y(k, s, i));
    auto const dt = T(*step);
    advance(u(k, j, i), u0(k, j, i), dt * du);
    advance(v(k, j, i), v0(k, j, i), dt * dv);
    advance(h(k, j, i), h0(k, j, i), dt * dh);
  }
  ULPINE_HD void advance(State& x, State x0, T change) const {
    x = keep * x0 + (State(1) - keep) * (x + State(change));
  }
};

/// The rate at which the fastest wave of a column crosses cells, s-1: the bound on a step.
template <class P>
struct CourantRate {
  using T = typename P::Compute;
  Plane<T> plane;
  std::int32_t layers;
  T gravity;
  GridView<typename P::State const> u, v, h;
  GridView<T> rate;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    T depth = 0, flow = 0;
    for (std::int32_t k = 0; k < layers; ++k) {
      depth += T(h(k, j, i));
      flow = ulpine::math::max(flow, plane.per_dx * ulpine::math::abs(T(u(k, j, i))) +
                                         plane.per_dy * ulpine::math::abs(T(v(k, j, i))));
    }
    rate(j, i) = flow + (plane.per_dx + plane.per_dy) * ulpine::math::sqrt(gravity * depth);
  }
};

/// The length of a step, s: `courant` over the largest rate, on the way to where one has to end in `left` s.
template <class T>
struct StepLength {
  T courant;
  double left;  // bare: time is double in every policy
  T const* rate;
  double* step;

  ULPINE_HD void operator()(std::int64_t) const {
    *step = ulpine::length_towards(left, static_cast<double>(courant / *rate));
  }
};

/// Relative vorticity, s-1, from the potential one.
template <class P>
struct Curl {
  using T = typename P::Compute;
  Plane<T> plane;
  GridView<typename P::State const> u, v;
  GridView<T> curl;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    curl(k, j, i) = plane.per_dx * (T(v(k, j, plane.east(i))) - T(v(k, j, i))) -
                    plane.per_dy * (T(u(k, plane.north(j), i)) - T(u(k, j, i)));
  }
};

/// Height of the surface above its rest, m.
template <class P>
struct Surface {
  using State = typename P::State;
  std::int32_t layers;
  State rest;
  GridView<State const> h;
  GridView<State> height;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j) const {
    State sum = 0;
    for (std::int32_t k = 0; k < layers; ++k) sum += h(k, j, i) - rest;
    height(j, i) = sum;
  }
};

/// Exponential filter of the shortest waves (Hou and Li 2007, J. Comput. Phys. 226, 379-397), on the rows of
/// a transformed plane: `complex` numbers as pairs of values.
template <class T>
struct ExponentialFilter {
  std::int32_t nx, ny;
  T strength, order, scale;  // exp(-strength (|kappa| / kappa_max)^order), and 1 / (nx ny)
  GridView<T> values;

  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    auto const x = T(2 * i) / T(nx), y = T(2 * (2 * j > ny ? ny - j : j)) / T(ny);
    auto const kappa = ulpine::math::sqrt(x * x + y * y);
    auto const keep = scale * ulpine::math::exp(-strength * ulpine::math::pow(kappa, order));
    values(k, j, 2 * i) *= keep;
    values(k, j, 2 * i + 1) *= keep;
  }
};

/// Copies values of one grid to another of the same shape.
template <class T>
struct Copy {
  GridView<T const> source;
  GridView<T> target;
  ULPINE_HD void operator()(std::int32_t i, std::int32_t j, std::int32_t k) const {
    target(k, j, i) = source(k, j, i);
  }
};

}  // namespace shallow_water
