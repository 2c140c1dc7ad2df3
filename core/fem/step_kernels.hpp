// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/fem/air.hpp"
#include "core/fem/moisture.hpp"
#include "core/fem/pushed.hpp"
#include "core/linalg/kernels.hpp"

/// Kernels of a step at nodes and rows, each called once for one of them. T is the type of the state; vectors
/// hold 3 values a node.
namespace ulpine::fem {

/// Value i of what lies between the old time level (share 0) and the new (1).
template <class T>
ULPINE_HD inline T between(T share, T now, T old) {
  return math::fma(share, now - old, old);
}

/// u, v and w to vectors, of the old level and the first guess of the new.
template <class T>
struct Gathered {
  T const *u, *v, *w;
  T *old, *now;

  ULPINE_HD void operator()(std::int64_t n) const {
    T const all[3] = {u[n], v[n], w[n]};
    for (int d = 0; d < 3; ++d) {
      old[3 * n + d] = all[d];
      now[3 * n + d] = all[d];
    }
  }
};
template <class T>
struct Scattered {
  T const* velocity;
  T *u, *v, *w;

  ULPINE_HD void operator()(std::int64_t n) const {
    u[n] = velocity[3 * n];
    v[n] = velocity[3 * n + 1];
    w[n] = velocity[3 * n + 2];
  }
};

/// Departure of the pressure, density and potential temperature become those of the old level.
template <class T>
struct Kept {
  T const *departure, *density, *theta;
  T *old_departure, *old_density, *old_theta;

  ULPINE_HD void operator()(std::int64_t n) const {
    old_departure[n] = departure[n];
    old_density[n] = density[n];
    old_theta[n] = theta[n];
  }
};

/// The advecting velocity of a pass.
template <class T>
struct Advecting {
  T relaxation;
  T const *now, *old;
  T* advecting;
  ULPINE_HD void operator()(std::int64_t i) const { advecting[i] = between(relaxation, now[i], old[i]); }
};

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

/// Reciprocals of the lumped mass, 0 where the velocity is fixed: no pressure changes it there.
template <class T>
struct InverseMass {
  std::uint8_t const* fixed;
  T const* mass;
  T* inverse;
  ULPINE_HD void operator()(std::int64_t n) const { inverse[n] = fixed[n] != 0 ? T(0) : T(1) / mass[n]; }
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

/// Residual of continuity of the velocity between the time levels and the stabilised pressure, with
/// `tendency` its first term: int N (rho_old - rho) / dt - C_P u - theta dt K s; 0 at fixed nodes.
template <class T>
struct Continuity {
  CsrPattern pattern;
  std::uint8_t const* fixed;
  T implicitness, stabilised_step;  ///< theta; theta dt, s
  T const *divergence, *diffusion, *velocity, *old_velocity;
  Pushed<T> const* pushed;
  T const* tendency;
  T* right;

  ULPINE_HD void operator()(std::int64_t row) const {
    T flow = T(0), diffused = T(0);
    for (auto e = pattern.start[row]; e < pattern.start[row + 1]; ++e) {
      auto const column = pattern.column[e];
      for (int d = 0; d < 3; ++d) {
        auto const i = std::int64_t{3} * column + d;
        flow = math::fma(divergence[std::int64_t{3} * e + d],
                         between(implicitness, velocity[i], old_velocity[i]), flow);
      }
      diffused = math::fma(diffusion[e], pushed[column].stabilised, diffused);
    }
    right[row] = fixed[row] != 0 ? T(0) : (tendency[row] - flow) - stabilised_step * diffused;
  }
};

/// The pressure's change x / (dt theta^2) and the velocity's, force / theta, added; the density that follows.
template <class T>
struct Corrected {
  AirAt<T> at;
  T per_change, per_implicitness;
  T const* x;
  Pushed<T> const* pushed;
  T *departure, *velocity, *density;

  ULPINE_HD void operator()(std::int64_t n) const {
    departure[n] = math::fma(per_change, x[n], departure[n]);
    density[n] = at(n).density;
    for (int d = 0; d < 3; ++d) {
      auto const i = 3 * n + d;
      velocity[i] = math::fma(per_implicitness, pushed[n].force[d], velocity[i]);
    }
  }
};

/// Residual of continuity per volume, kg m-3 s-1.
template <class T>
struct ResidualOfMass {
  T const *right, *volume;
  T* residual;
  ULPINE_HD void operator()(std::int64_t n) const { residual[n] = -(right[n] / volume[n]); }
};

/// Force of the pressure's departure from the reference on the ground along x, a volume of the node's.
template <class T>
struct DragOnGround {
  T const *departure, *area, *volume;
  T* drag;
  ULPINE_HD void operator()(std::int64_t n) const { drag[n] = departure[n] * area[n] / volume[n]; }
};

/// rho |u|^2 / 2, J m-3.
template <class T>
struct KineticEnergy {
  T const *density, *u, *v, *w;
  T* energy;
  ULPINE_HD void operator()(std::int64_t n) const {
    auto const square = math::fma(u[n], u[n], math::fma(v[n], v[n], w[n] * w[n]));
    energy[n] = density[n] * square / T(2);
  }
};

template <class T>
struct Sum {
  T const *a, *b;
  T* sum;
  ULPINE_HD void operator()(std::int64_t i) const { sum[i] = a[i] + b[i]; }
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

/// weight = f / (theta^2 m).
template <class T>
struct StabilisationWeight {
  T factor;
  T const* volume;
  T* weight;
  ULPINE_HD void operator()(std::int64_t n) const { weight[n] = factor / volume[n]; }
};

}  // namespace ulpine::fem
