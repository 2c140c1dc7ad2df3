// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/air.hpp"
#include "core/fem/moisture.hpp"
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
