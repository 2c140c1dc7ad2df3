// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/air.hpp"
#include "core/fem/moisture.hpp"
#include "core/fem/pressure_solver.hpp"
#include "core/linalg/kernels.hpp"

/// Kernels of a step at nodes and rows, each called once for one of them. T is the type of the state; vectors
/// hold 3 values a node.
namespace ulpine::fem {

/// Value i of what lies between the old time level (share 0) and the new (1).
template <class T>
ULPINE_HD inline T between(T share, T now, T old) {
  return math::fma(share, now - old, old);
}

/// Rows of fixed nodes keep their diagonal only, and their right-hand sides what makes the new value the
/// given: (given - old) / dt times that. `components` unknowns a row share the matrix.
template <class T, int components>
struct FixedRates {
  CsrPattern pattern;
  std::uint8_t const* fixed;
  T const *given, *old;
  T per_step;  ///< 1 / dt, s-1
  T *value, *right;

  ULPINE_HD void operator()(std::int64_t row) const {
    if (fixed[row] == 0) return;
    T diagonal = T(1);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      if (pattern.column[e] == row) {
        diagonal = value[e];
      } else {
        value[e] = T(0);
      }
    }
    for (int c = 0; c < components; ++c) {
      auto const i = components * row + c;
      right[i] = diagonal * ((given[i] - old[i]) * per_step);
    }
  }
};

/// now = old + dt rate; fixed nodes have the given value.
template <class T, int components>
struct Advanced {
  std::uint8_t const* fixed;
  T const *given, *old, *rate;
  T step;  ///< s
  T* now;

  ULPINE_HD void operator()(std::int64_t n) const {
    for (int c = 0; c < components; ++c) {
      auto const i = components * n + c;
      now[i] = fixed[n] != 0 ? given[i] : math::fma(step, rate[i], old[i]);
    }
  }
};

/// The equation of state at a node, of the potential temperature and the pressure's departure from the
/// reference. The state is the departure, whose last bit in a narrow type is far below the pressure's.
template <class T>
struct AirAt {
  Air<T> air;
  T const *theta, *departure, *reference_pressure;
  Moisture<T> water = {};

  ULPINE_HD Density<T> operator()(std::int64_t n) const {
    return equation_of_state(air, water.density_theta(theta[n], n), reference_pressure[n] + departure[n],
                             T(0));
  }
};

/// Density and its derivative by the equation of state, and what momentum sees of density and pressure:
/// their departures from the reference column between the time levels.
template <class T>
struct StateOfAir {
  AirAt<T> at;
  T implicitness, viscosity;  ///< 1, m2 s-1
  T const *old_departure, *old_density, *reference_density;
  T *density, *compressibility, *buoyancy, *between_departures, *dynamic_viscosity;

  ULPINE_HD void operator()(std::int64_t n) const {
    auto const state = at(n);
    density[n] = state.density;
    compressibility[n] = state.per_pressure;
    dynamic_viscosity[n] = viscosity * state.density;
    auto const reference = reference_density[n];
    buoyancy[n] = between(implicitness, state.density - reference, old_density[n] - reference);
    between_departures[n] = between(implicitness, at.departure[n], old_departure[n]);
  }
};

/// The density of a state alone.
template <class T>
struct DensityOfAir {
  AirAt<T> at;
  T* density;
  ULPINE_HD void operator()(std::int64_t n) const { density[n] = at(n).density; }
};

/// A sum over rows (core/linalg/row_sum.hpp): of a pressure x the acceleration M_L^-1 C^T x, the diffusion
/// weight K x of its stabilisation, and P x. C is by parts, so that C^T x = - int N_i grad x.
template <class T>
struct PressureForce {
  CsrPattern pattern;
  T const *gradient, *diffusion, *projection, *inverse_mass, *weight, *x;
  Pushed<T>* pushed;
  T* projected;

  using Value = T;
  static constexpr int sums = 5;
  struct Entry {
    T gradient[3], diffusion, projection;
    std::int32_t column;
  };
  struct Part {
    Entry of;
    T from;
  };
  ULPINE_HD Entry entry(std::int32_t e) const {
    auto const* const g = gradient + std::int64_t{3} * e;
    return {{g[0], g[1], g[2]}, diffusion[e], projection[e], pattern.column[e]};
  }
  ULPINE_HD Part part(Entry const& entry) const { return {entry, x[entry.column]}; }
  ULPINE_HD void add(Part const& part, T (&sum)[sums]) const {
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) sum[d] = math::fma(part.of.gradient[d], part.from, sum[d]);
    sum[3] = math::fma(part.of.diffusion, part.from, sum[3]);
    sum[4] = math::fma(part.of.projection, part.from, sum[4]);
  }
  ULPINE_HD void put(std::int64_t row, T const (&sum)[sums]) const {
    Pushed<T> own;
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) own.force[d] = -(inverse_mass[row] * sum[d]);
    own.stabilised = weight[row] * sum[3];
    pushed[row] = own;
    projected[row] = sum[4];
  }
};

/// Another: y = P x + (C_P a + K s), with P x, the acceleration a and s that PressureForce has made of x; y =
/// x at fixed nodes.
template <class T>
struct PressureProduct {
  CsrPattern pattern;
  std::uint8_t const* fixed;
  T const *divergence, *diffusion;
  Pushed<T> const* pushed;
  T const *projected, *x;
  T* y;

  using Value = T;
  static constexpr int sums = 1;
  struct Entry {
    T divergence[3], diffusion;
    std::int32_t column;
  };
  struct Part {
    Entry of;
    Pushed<T> from;
  };
  ULPINE_HD Entry entry(std::int32_t e) const {
    auto const* const c = divergence + std::int64_t{3} * e;
    return {{c[0], c[1], c[2]}, diffusion[e], pattern.column[e]};
  }
  ULPINE_HD Part part(Entry const& entry) const { return {entry, pushed[entry.column]}; }
  ULPINE_HD void add(Part const& part, T (&sum)[sums]) const {
#pragma GCC unroll 3
    for (int d = 0; d < 3; ++d) sum[0] = math::fma(part.of.divergence[d], part.from.force[d], sum[0]);
    sum[0] = math::fma(part.of.diffusion, part.from.stabilised, sum[0]);
  }
  ULPINE_HD void put(std::int64_t row, T const (&sum)[sums]) const {
    y[row] = fixed[row] != 0 ? x[row] : projected[row] + sum[0];
  }
};

template <class T>
struct Copied {
  T const* source;
  T* target;
  ULPINE_HD void operator()(std::int64_t i) const { target[i] = source[i]; }
};
template <class T>
struct Constant {
  T value;
  T* target;
  ULPINE_HD void operator()(std::int64_t i) const { target[i] = value; }
};

}  // namespace ulpine::fem
